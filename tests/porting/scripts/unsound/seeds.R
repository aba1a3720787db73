library(DPpack)
x <- read.csv("x.csv")$x
set.seed(20240101)  # finds: seed
print(meanDP(x, 0.5, 0, 100))
