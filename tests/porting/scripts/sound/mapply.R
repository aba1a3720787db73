library(DPpack)
total_eps <- 1
d <- read.csv("d.csv")
lower <- c(0, 0); upper <- c(100, 1e5)
res <- mapply(function(v, l, u) meanDP(d[[v]], total_eps / 2, l, u), c("age", "income"), lower, upper)
