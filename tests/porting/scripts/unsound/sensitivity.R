library(DPpack)
x <- scan("x.txt")
n <- length(x)
LaplaceMechanism(mean(x), 1, sensitivities = (max(x) - min(x)) / n)  # finds: argument-from-data
GaussianMechanism(sum(pmin(x, 10)), 0.5, 1e-6, sens = sd(x))  # finds: argument-from-data
eps.total <- 3
