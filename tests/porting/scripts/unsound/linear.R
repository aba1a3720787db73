library(DPpack)
d <- read.csv("wages.csv")
X <- data.frame(age = d$age)
first <- LinearRegressionDP$new("l2", 1, 0, 1)
first$fit(X, d$wage, c(100, 50), c(0, 0), add.bias = TRUE)  # finds: finding-C6
second <- LinearRegressionDP$new("l2", 1, 0, 10)
best <- tune_linear_regression_model(c(first, second), X, d$wage, c(100, 50), c(0, 0))  # finds: finding-C2 finding-C6
second$fit(X, d$wage, c(100, 50), c(0, 0))  # finds: finding-C6
best <- tune_linear_regression_model(list(second), X, d$wage, c(100, 50), c(0, 0), TRUE)  # finds: finding-C2 finding-C6
budget <- 100
