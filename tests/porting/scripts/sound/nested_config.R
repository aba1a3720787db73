library(DPpack)
config <- list(eps = list(total = 1, share = 0.5), bounds = list(age = c(0, 100), income = c(0, 1e5)))
eps_total <- config$eps$total
d <- read.csv("d.csv")
for (name in c("age", "income")) {
  b <- config$bounds[[name]]
  cat(name, meanDP(d[[name]], eps_total / 2, b[1], b[2]), "\n")
}
