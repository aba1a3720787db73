library(DPpack)
d <- read.csv("d.csv")
total.eps <- 1
stopifnot(0.5 + 0.5 <= total.eps)
meanDP(d$income[d$sex == "f"], 0.5, 0, 1e5)  # finds: number-selected
meanDP(subset(d, age > 64)$income, 0.5, 0, 1e5)  # finds: number-selected
