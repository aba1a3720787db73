library(diffpriv)
X <- read.csv("points.csv")
m <- DPMechBernstein(target = function(X) function(y) mean(X < y), sensitivity = 0.01, latticeK = 10, dims = 1)
r <- releaseResponse(m, DPParamsEps(epsilon = 1), X)
saveRDS(r, "density.rds")  # finds: closure
save(r, file = "density.RData")  # finds: closure
