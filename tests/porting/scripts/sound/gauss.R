library(diffpriv)
data <- read.csv("d.csv")$v
eps <- 0.5
delta <- 1e-6
n <- length(data)
target <- function(X) c(mean(X), mean(X^2))
mech <- DPMechGaussian(sensitivity = sqrt(2) / n, target = target, dims = 2)
out <- releaseResponse(mech, DPParamsDel(epsilon = eps, delta = delta), data)$response
write(out, "out.txt")
