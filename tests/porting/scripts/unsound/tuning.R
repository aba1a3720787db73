library(DPpack)
d <- read.csv("d.csv")
models <- list()
for (g in c(1, 10)) models[[length(models) + 1]] <- LogisticRegressionDP$new("l2", 1, g)
X <- scale(d[, c("a", "b")])
best <- tune_classification_model(models, X, d$y, c(1, 1), c(-1, -1))  # finds: records-changed
