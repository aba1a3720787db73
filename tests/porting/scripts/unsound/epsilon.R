library(DPpack)
d <- read.csv("d.csv")
meanDP(d$x, 100, 0, 1)  # finds: epsilon
e <- read.csv("e.csv")
settings <- list(eps = 5e3)
medianDP(e$x, settings$eps, 0, 100)  # finds: epsilon
