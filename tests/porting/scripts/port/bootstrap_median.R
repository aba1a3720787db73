set.seed(123)
x <- c(12, 15, 9, 22, 31, 18, 14, 27, 20, 11)
B <- 300
meds <- numeric(B)
for (b in 1:B) {
  meds[b] <- median(sample(x, replace = TRUE))
}
median(x)
round(mean(meds), 3)
round(sd(meds), 3)
ci <- quantile(meds, c(0.025, 0.975))
ci
bias <- mean(meds) - median(x)
cat("bias:", format(bias, digits = 3), "\n")
round(DPpack::quantileDP(x, 0.5, 1, 0, 50), 2)
