library(DPpack)
d <- read.csv("d.csv")
a <- LinearRegressionDP$new("l2", 0.2, 0, 1)
a$fit(d[, "x"], d$y, c(1, 10), c(0, 0), add.bias = TRUE)  # finds: finding-C5 finding-C6
e <- read.csv("e.csv")
b <- LinearRegressionDP$new("l2", eps = 0.1, delta = 0, gamma = 0.5)
b$fit(data.frame(x = e$x), e$y, c(1, 10), c(0, 0))  # finds: finding-C5 finding-C6
