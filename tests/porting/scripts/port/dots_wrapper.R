mean_of <- function(x, ...) mean(x, ...)
mean_of(c(1, 2, NA), na.rm = TRUE)
report <- function(label, ...) {
  values <- c(...)
  cat(label, ":", paste(values, collapse = " "), "\n")
  invisible(sum(values))
}
total <- report("counts", 3, 4, 5)
total
report("one", 1)
count_args <- function(...) length(list(...))
count_args(1, "a", TRUE)
show_all <- function(..., sep = "-") paste(..., sep = sep)
show_all("a", "b", "c")
show_all("x", "y", sep = "+")
