convert <- function(x, unit) {
  switch(unit,
    km = x * 1000,
    m = x,
    cm = x / 100,
    stop("unknown unit"))
}
convert(2, "km")
convert(250, "cm")
units <- c("km", "m", "cm")
for (u in units) cat(u, convert(1, u), "\n")
size <- function(n) if (n > 100) "large" else if (n > 10) "medium" else "small"
vapply(c(5, 50, 500), size, "")
result <- tryCatch(convert(1, "mile"), error = function(e) NA)
result
