before <- c(12, 15, 11, 18, 14, 16)
after <- c(14, 18, 12, 21, 13, 19)
change <- after - before
change
t <- t.test(after, before, paired = TRUE)
round(t$p.value, 4)
round(mean(change) / sd(change), 3)
improved <- sum(change > 0)
cat(improved, "of", length(change), "improved\n")
cor(before, after)
round(cor(before, after, method = "spearman"), 4)
binom.test(improved, length(change))$p.value
scaled <- (before - mean(before)) / sd(before)
round(scaled, 2)
set.seed(6)
round(DPpack::meanDP(change, 1, -10, 10), 3)
