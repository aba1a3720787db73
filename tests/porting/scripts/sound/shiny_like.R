library(DPpack)
main <- function(path = commandArgs(TRUE)[1], eps = 1, lower = 0, upper = 120) {
  if (!file.exists(path)) stop("no such file: ", path)
  ages <- utils::read.csv(path)[["age"]]
  stopifnot(length(ages) >= 10, is.numeric(ages), lower < upper)
  estimate <- medianDP(ages, eps = eps, lower.bound = lower, upper.bound = upper)
  message(sprintf("median age: %.0f", estimate))
  invisible(estimate)
}
if (!interactive()) main()
