library(DPpack)
x <- read.csv("x.csv")$x
varDP(x, 1, 0, 10)  # finds: finding-2
total_eps <- 5
stopifnot(3 * 1.5 <= total_eps)
sdDP(x, 1, 0, 10)  # finds: finding-2
pooledVarDP(x[1:50], x[51:100], eps = 1, lower.bound = 0, upper.bound = 10)  # finds: finding-2
