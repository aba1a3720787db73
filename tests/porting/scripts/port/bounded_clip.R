library(DPpack)
clip <- function(x, lower, upper) pmax(lower, pmin(x, upper))
set.seed(10)
spend <- c(12.5, 80, 310, 45, 22, 1500, 64, 95)
clipped <- clip(spend, 0, 400)
clipped
lost <- sum(spend != clipped)
cat(lost, "value(s) clipped\n")
candidates <- c(100, 400, 1600)
err <- numeric(0)
for (u in candidates) {
  noise_sd <- sqrt(2) * u / length(spend)
  bias <- mean(clip(spend, 0, u)) - mean(spend)
  err <- c(err, sqrt(bias^2 + noise_sd^2))
}
round(err, 1)
best <- candidates[which.min(err)]
meanDP(clip(spend, 0, best), 1, 0, best)
