suppressPackageStartupMessages({
  library(DPpack)
  library(stats)
})
EPS_TOTAL = 2.0
n_queries = 4L
cfg = list(age = c(0, 120), bmi = c(10, 60), sbp = c(60, 250), chol = c(0, 15))
patients = read.csv("patients.csv", header = TRUE)
out = vapply(names(cfg), function(v) {
  lim = cfg[[v]]
  meanDP(patients[[v]], EPS_TOTAL / n_queries, lim[1], lim[2])
}, numeric(1))
print(round(out, 1))
