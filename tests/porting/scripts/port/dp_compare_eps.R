library(DPpack)
x <- c(34, 45, 29, 61, 52, 47, 38, 55, 42, 49)
eps <- c(0.1, 0.5, 1, 2)
set.seed(1)
err <- sapply(eps, function(e) {
  est <- replicate(50, meanDP(x, e, 0, 100))
  mean(abs(est - mean(x)))
})
names(err) <- eps
round(err, 3)
expected <- 100 / length(x) / eps
round(err / expected, 2)
err[["1"]] < err[["0.1"]]
cat("largest error at eps =", names(err)[which.max(err)], "\n")
