library(DPpack)
x <- read.csv("x.csv")$x
z <- (x - mean(x)) / sd(x)
meanDP(z, 1, -3, 3)  # finds: records-changed
x[is.na(x)] <- mean(x, na.rm = TRUE)
budget <- 4
medianDP(x, 1, 0, 10)  # finds: records-changed
kept <- x[x < quantile(x, 0.99)]
medianDP(kept, 1, 0, 10)  # finds: records-changed
medianDP(scale(x), 1, -3, 3)  # finds: records-changed
