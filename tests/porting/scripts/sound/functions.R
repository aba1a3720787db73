library(DPpack)
release <- function(v, bounds, eps = 0.25) {
  if (length(v) < 5) stop("too few records")
  m <- meanDP(v, eps, bounds[1], bounds[2])
  return(m)
}
budget <- 0.5
stopifnot(2 * 0.25 <= budget)
d <- read.csv("d.csv")
out <- list(age = release(d$age, c(0, 100)), income = release(d$income, bounds = c(0, 1e5)))
str(out)
