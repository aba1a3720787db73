library(DPpack)
clip <- function(x, lo, hi) pmin(pmax(x, lo), hi)
d <- read.csv("d.csv")
age <- clip(d$age, 0, 100)
n <- nrow(d)
cat("n =", n, "\n")
est <- LaplaceMechanism(mean(age), 1, 100 / n)
ci <- est + c(-1, 1) * qnorm(0.975) * 100 / n
print(ci)
