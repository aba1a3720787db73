library(DPpack)
d <- read.csv("d.csv")
release <- DPpack::meanDP
release(d$x, 0.1, 0, max(d$x))  # finds: argument-from-data
e <- read.csv("e.csv")
f <- match.fun("medianDP")
f(e$x, 1, min(e$x), 100)  # finds: argument-from-data
g <- read.csv("g.csv")
within <- function(low, high) function(x, eps) meanDP(x, eps, low, high)  # finds: argument-from-data
within(0, max(g$x))(g$x, 1)
h <- read.csv("h.csv")
limits <- range
up <- limits(h$x)[2]
(function(x, u) medianDP(x, 1, 0, u))(h$x, up)  # finds: argument-from-data
k <- read.csv("k.csv")
of_k <- purrr::partial(meanDP, eps = 1, lower.bound = 0, upper.bound = max(k$x))  # finds: argument-from-data
of_k(k$x)
tools <- list(mean = function(x, u) meanDP(x, 1, 0, u))  # finds: argument-from-data
l <- read.csv("l.csv")
tools$mean(l$x, max(l$x))
