library(DPpack)
trial <- read.csv("trial.csv")

# every release of the report has the same epsilon and bounds
release <- function(x, ...) {
  meanDP(x, eps = 0.5, lower.bound = 0, upper.bound = 10, ...)
}

set.seed(7)
treated <- subset(trial, arm == "treated")
release(treated$score)
release(treated$score, mechanism = "Gaussian", delta = 1e-5, type.DP = "aDP")
