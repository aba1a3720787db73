library(DPpack)
set.seed(5)
scores <- c(54, 61, 77, 80, 45, 90, 66, 71, 58, 83)
budget <- 1
parts <- c(mean = 0.5, sd = 0.3, median = 0.2)
stopifnot(abs(sum(parts) - budget) < 1e-8)
m <- meanDP(scores, parts[["mean"]], 0, 100)
s <- sdDP(scores, parts[["sd"]], 0, 100)
q <- medianDP(scores, parts[["median"]], 0, 100)
result <- data.frame(statistic = names(parts), eps = as.numeric(parts), value = round(c(m, s, q), 2))
result
spent <- 0
for (i in seq_len(nrow(result))) {
  spent <- spent + result$eps[i]
  cat(result$statistic[i], "after", spent, "of", budget, "\n")
}
