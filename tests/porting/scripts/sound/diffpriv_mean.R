library(diffpriv)
X <- read.csv("d.csv")$x
f <- function(X) mean(pmin(pmax(X, 0), 1))
mechanism <- DPMechLaplace(target = f, sensitivity = 1 / 500, dims = 1)
r <- releaseResponse(mechanism, privacyParams = DPParamsEps(epsilon = 0.5), X = X)
cat("private mean:", r$response, "\n")
