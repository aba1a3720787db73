library(DPpack)
a <- read.csv("a.csv")$x
b <- read.csv("b.csv")$x
pooledVarDP(a, b, eps = 1, lower.bound = 0, upper.bound = 10, mechanism = "analytic", delta = 1e-6)
pooled <- pooledCovDP
