library(DPpack)
d <- read.csv("d.csv")
do.call(meanDP, list(d$x, 1, min(d$x), max(d$x)))  # finds: argument-from-data
e <- read.csv("e.csv")
given <- list(x = e$x, eps = 1, lower.bound = 0)
given$upper.bound <- max(e$x)
do.call("medianDP", given)  # finds: argument-from-data
f <- read.csv("f.csv")
usual <- list(lower.bound = 0, upper.bound = quantile(f$x, 0.99))
m <- do.call(DPpack::meanDP, c(list(f$x, eps = 0.5), usual))  # finds: argument-from-data
g <- read.csv("g.csv")
h <- rlang::exec(meanDP, g$x, 1, 0, upper.bound = max(g$x))  # finds: argument-from-data
