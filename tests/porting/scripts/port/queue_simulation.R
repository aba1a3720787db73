set.seed(4)
n <- 15
arrive <- cumsum(rexp(n, 1 / 3))
serve <- rexp(n, 1 / 2)
start <- numeric(n)
end <- numeric(n)
for (i in 1:n) {
  start[i] <- if (i == 1) arrive[i] else max(arrive[i], end[i - 1])
  end[i] <- start[i] + serve[i]
}
wait <- start - arrive
round(mean(wait), 3)
sum(wait > 0)
busy <- sum(serve) / max(end)
cat("utilization:", sprintf("%.1f%%", 100 * busy), "\n")
round(quantile(wait, 0.9), 3)
which.max(wait)
round(DPpack::meanDP(pmin(wait, 20), 1, 0, 20), 3)
