library(DPpack)
rgamma <- function(n, shape, rate = 1) rep(shape / rate, n)  # finds: finding-C7
optim = function(...) stats::optim(..., control = list(maxit = 5))  # finds: finding-C7
d <- read.csv("d.csv")
m <- LogisticRegressionDP$new("l2", 1, 1, "output")
m$fit(d[, c("a", "b")], d$y, c(1, 1), c(0, 0))
