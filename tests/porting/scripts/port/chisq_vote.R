vote <- matrix(c(30, 20, 25, 45), nrow = 2)
test <- chisq.test(vote, correct = FALSE)
round(test$p.value, 6)
round(unname(test$statistic), 4)
test$expected
n <- sum(vote)
phi <- sqrt(unname(test$statistic) / n)
round(phi, 4)
cat("n =", n, "df =", unname(test$parameter), "\n")
round(1 - pchisq(3.84, 1), 4)
prop.test(c(30, 45), c(50, 70))$p.value < 0.05
