library(DPpack)
set.seed(17)
visits <- c(0, 2, 1, 5, 3, 0, 1, 4, 2, 2, 7, 1)
lower <- 0
upper <- 10
for (eps in c(0.1, 1, 10)) {
  m <- meanDP(visits, eps, lower, upper)
  cat("eps", eps, "mean", round(m, 3), "\n")
}
v <- varDP(visits, 2, lower, upper)
cat("variance", round(v, 2), "and sd", round(sqrt(v), 2), "\n")
max(visits)
