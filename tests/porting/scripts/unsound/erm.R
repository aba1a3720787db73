library(DPpack)
d <- read.csv("d.csv")
X <- d[, 1:2]
m <- EmpiricalRiskMinimizationDP.CMS$new(mapXy.sigmoid, loss.cross.entropy, "l2", 1, 1, "output", 0.25, mapXy.gr.sigmoid, loss.gr.cross.entropy)
m$fit(X, d$y, c(1, 1), c(0, 0))  # finds: finding-C3 finding-C4
k <- EmpiricalRiskMinimizationDP.CMS$new(mapXy.sigmoid, loss.cross.entropy, "l2", 1, 1, "output", 0.25, mapXy.gr.sigmoid, loss.gr.cross.entropy)
k$fit(X, d$y, c(5, 5), c(0, 0))  # finds: finding-C3 finding-C4
