library(DPpack)
eps <- c(mean = 0.3, median = 0.2)
total_budget <- 0.5
stopifnot(isTRUE(all.equal(sum(eps), total_budget)))
x <- readRDS("x.rds")
out <- c(meanDP(x, 0.3, 0, 1), medianDP(x, 0.2, 0, 1))
dput(out)
