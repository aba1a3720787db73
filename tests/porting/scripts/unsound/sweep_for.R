require(DPpack)
set.seed(as.integer(Sys.time()))  # finds: seed
dat <- read.delim("dat.tsv")
vars <- setdiff(names(dat), "id")
result <- data.frame(var = vars, value = NA)
for (j in seq_along(vars)) {
  v <- dat[[vars[j]]]
  result$value[j] <- meanDP(v, eps = .1, lower.bound = min(v), upper.bound = max(v))  # finds: argument-from-data repeated-without-end
}
