library(DPpack)
# income of forty households, in euro
set.seed(2024)
income <- round(rgamma(40, 4, 1 / 700))
lower <- 0
upper <- 10000
eps <- 0.5
clipped <- pmin(pmax(income, lower), upper)
released <- meanDP(clipped, eps, lower, upper)
released
truth <- mean(clipped)
cat("released:", round(released, 1), "\n")
cat("difference:", round(released - truth, 1), "\n")
scale <- (upper - lower) / length(clipped) / eps
cat("noise scale:", scale, "\n")
