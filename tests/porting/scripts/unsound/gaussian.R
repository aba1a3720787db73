library(diffpriv)
x <- read.csv("x.csv")$x
f <- function(X) mean(X)
m <- DPMechGaussian(sensitivity = 0.1, target = f, dims = 1)
releaseResponse(m, DPParamsDel(epsilon = 8, delta = 0.01), x)$response  # finds: finding-6
strong <- DPParamsDel(epsilon = 12, delta = 1e-5)
r <- releaseResponse(m, privacyParams = strong, X = x)  # finds: finding-6
budget <- 30
stopifnot(20 <= budget)
