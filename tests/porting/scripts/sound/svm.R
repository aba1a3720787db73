library(DPpack)
d <- read.csv("d.csv")
X <- d[, c("a", "b")]
model <- svmDP$new("l2", eps = 1, gamma = 1, perturbation.method = "output")
model$fit(X, d$y, upper.bounds = c(1, 1), lower.bounds = c(0, 0))
print(model$coeff)
