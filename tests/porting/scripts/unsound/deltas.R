library(DPpack)
x <- read.csv("x.csv")$x
GaussianMechanism(mean(x), 0.5, 1.1, 0.01)  # finds: finding-delta
meanDP(x, 0.5, 0, 1, mechanism = "Gaussian", delta = 1.25)  # finds: finding-delta
medianDP(x, 1, 0, Inf)  # finds: finding-9
quantileDP(x, 0.9, 1, 0, upper.bound = Inf)  # finds: finding-9
GaussianMechanism(mean(x), 0.1, 1e-15, 0.01, analytic = TRUE)  # finds: finding-11
meanDP(x, 0.1, 0, 1, mechanism = "analytic", delta = 1e-15)  # finds: finding-11
