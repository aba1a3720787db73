library(DPpack)
first <- read.csv("first.csv")$x
second <- read.csv("second.csv")$x
a <- meanDP(first, 1, 0, 1)
b <- meanDP(second, 1, 0, 1)
cat("difference:", a - b, "\n")
