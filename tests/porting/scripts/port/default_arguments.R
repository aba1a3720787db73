describe <- function(x, digits = 1, na.rm = FALSE, unit = "") {
  m <- round(mean(x, na.rm = na.rm), digits)
  paste0(m, if (nzchar(unit)) paste0(" ", unit) else "")
}
describe(c(1.234, 2.345))
describe(c(1.234, 2.345), 2)
describe(c(1, NA, 3), na.rm = TRUE, unit = "kg")
power <- function(base, exponent = 2) base^exponent
power(3)
power(exponent = 3, base = 2)
sapply(1:4, power)
sapply(c(a = 1, b = 2), power, exponent = 3)
compose <- function(f, g) function(x) g(f(x))
h <- compose(sqrt, function(v) v + 1)
h(16)
