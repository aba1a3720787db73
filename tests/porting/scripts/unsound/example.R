# Data that are written in the script are data as soon as they are released.
library(DPpack)
D <- c(1.5, 2, 3.7, 9)
meanDP(D, 1, min(D), max(D))  # finds: argument-from-data
y <- rnorm(100)
medianDP(y, 1, 0, max(y))  # finds: argument-from-data
