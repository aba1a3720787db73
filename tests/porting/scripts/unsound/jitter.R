library(DPpack)
x <- read.csv("x.csv")$x
r <- meanDP(x, 1, 0, 1)
print(x + runif(length(x), -0.1, 0.1))  # finds: raw-value
print(mean(x) * rnorm(1, 1, 0.01))  # finds: raw-value
