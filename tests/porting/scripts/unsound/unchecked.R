library(DPpack)
d <- read.csv("d.csv")
a <- LinearRegressionDP$new("l2", 1, 1, 1)
a$fit(d[, "x"], d$y, c(1, 10), c(0, 0))  # finds: finding-C8 finding-C6
e <- read.csv("e.csv")
b <- svmDP$new("l2", 1, 1, "output", huber.h = 0)
b$fit(e[, 1:2], e$y, c(1, 1), c(0, 0))  # finds: finding-C8
