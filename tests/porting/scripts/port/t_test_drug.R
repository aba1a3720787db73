placebo <- c(5.1, 4.8, 6.0, 5.5, 5.2, 4.9)
drug <- c(6.3, 5.9, 6.8, 6.1, 7.0, 5.8)
test <- t.test(drug, placebo)
round(test$p.value, 5)
round(unname(test$statistic), 4)
round(as.numeric(test$conf.int), 3)
effect <- mean(drug) - mean(placebo)
pooled <- sqrt((var(drug) + var(placebo)) / 2)
d <- effect / pooled
cat("Cohen's d:", round(d, 2), "\n")
if (test$p.value < 0.05) {
  cat("significant at 5 %\n")
} else {
  cat("not significant\n")
}
set.seed(8)
round(DPpack::pooledVarDP(placebo, drug, eps = 1, lower.bound = 0, upper.bound = 10), 3)
