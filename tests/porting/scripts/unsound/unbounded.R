library(DPpack)
x <- read.csv("x.csv")$x
meanDP(x, 0.2, 0, 10, "unbounded")  # finds: finding-5
covDP(x, rev(x), 0.2, 0, 10, 0, 10, which.sens = "both")  # finds: finding-5
budget <- 1
if (0.2 + 0.4 > budget) stop("too much")
