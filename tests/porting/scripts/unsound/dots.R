library(DPpack)
f <- function(x, b, eps = 0.3, ...) meanDP(x, eps, b[1], b[2], ...)  # finds: argument-from-data
d <- read.csv("d.csv")
f(d$x, range(d$x))
g <- function(...) medianDP(..., lower.bound = 0)  # finds: argument-from-data
e <- read.csv("e.csv")
g(e$x, 1, upper.bound = max(e$x))
h <- function(x, ...) {
  given <- list(...)
  meanDP(x, 1, 0, given$top)  # finds: argument-from-data
}
k <- read.csv("k.csv")
h(k$x, top = max(k$x))
