library(DPpack)
d <- read.csv("loans.csv")
X <- d[, c("income", "debt")]
m <- LogisticRegressionDP$new("l2", 1, 100, "output")
m$fit(X, d$default, upper.bounds = c(1, 1), lower.bounds = c(0, 0))  # finds: finding-C1
LogisticRegressionDP$new("l2", eps = 2, gamma = 50, perturbation = "output")$fit(X, d$default, c(1, 1), c(0, 0))  # finds: finding-C1
weak <- LogisticRegressionDP$new("l2", 0.01, 1)
weak$fit(X, d$default, c(1, 1), c(0, 0))  # finds: finding-C9
LogisticRegressionDP$new("l2", 0.02, 1)$fit(X, d$default, c(1, 1), c(0, 0))  # finds: finding-C9
