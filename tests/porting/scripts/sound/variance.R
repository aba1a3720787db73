library(DPpack)
x <- readRDS("x.rds")
varDP(x, 1, 0, 10, mechanism = "analytic", delta = 1e-7)
