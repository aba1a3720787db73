library(DPpack)
total_budget <- 10
d <- read.csv("d.csv")
meanDP(d$a, 1, 0, 1)
meanDP(d$b, 1, 0, 1)  # finds: repeated
e <- read.csv("e.csv")
eps <- 0.1
meanDP(e$a, eps, 0, 1)
medianDP(e$b, eps, 0, 1)  # finds: repeated
