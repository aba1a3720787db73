library(DPpack)
set.seed(99)
weight <- c(61, 72, 58, 90, 84, 77, 69, 95, 66, 73)
m <- meanDP(weight, 0.8, 40, 120, mechanism = "Gaussian", delta = 1e-5)
m
s <- sdDP(weight, 0.8, 40, 120, mechanism = "Gaussian", delta = 1e-5)
round(s, 3)
low <- m - 1.96 * s / sqrt(length(weight))
high <- m + 1.96 * s / sqrt(length(weight))
cat(sprintf("%.1f [%.1f, %.1f]\n", m, low, high))
inside <- mean(weight) > low && mean(weight) < high
inside
