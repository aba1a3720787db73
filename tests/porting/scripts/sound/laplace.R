library(DPpack)
x <- scan("x.txt")
lower <- 0
upper <- 20
clipped <- pmax(pmin(x, upper), lower)
n <- length(clipped)
LaplaceMechanism(mean(clipped), eps = 1, sensitivities = (upper - lower) / n)
