library(DPpack)
set.seed(30)
smokes <- c(TRUE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE, TRUE, FALSE, FALSE)
p <- meanDP(as.numeric(smokes), 1, 0, 1)
p <- min(max(p, 0), 1)
cat("private share:", sprintf("%.1f %%", 100 * p), "\n")
n <- length(smokes)
se <- sqrt(p * (1 - p) / n + 2 / n^2)
ci <- p + c(-1, 1) * 1.96 * se
ci <- pmin(pmax(ci, 0), 1)
round(ci, 3)
names(ci) <- c("low", "high")
round(ci, 2)
true <- mean(smokes)
true
ci["low"] <= true && true <= ci["high"]
