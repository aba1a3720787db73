library(diffpriv)
x <- read.csv("x.csv")$x
f <- function(X) mean(X)
m <- DPMechLaplace(target = f, dims = 1)
m <- sensitivitySampler(m, oracle = rnorm, n = 100, gamma = 0.1)
r <- releaseResponse(m, DPParamsEps(epsilon = 1), x)  # finds: finding-14
g <- DPMechLaplace(target = f, sensitivity = 0.01, dims = 1)
s <- releaseResponse(g, DPParamsGam(epsilon = 1, gamma = 0.05), x)  # finds: finding-14
budget <- 2
