# A simulation: the data are drawn, and are nobody's.
library(DPpack)
set.seed(1)
cover <- logical(1000)
for (i in 1:1000) {
  x <- rnorm(200, 50, 10)
  m <- meanDP(x, 1, 0, 100)
  cover[i] <- abs(m - mean(x)) < 1
}
cat("coverage:", mean(cover), "\n")
error <- function(n, eps) {
  y <- runif(n)
  abs(meanDP(y, eps, 0, 1) - mean(y))
}
sizes <- c(100, 1000)
table <- sapply(sizes, function(n) mean(replicate(100, error(n, 0.5))))
print(table)
plot(sizes, table)
