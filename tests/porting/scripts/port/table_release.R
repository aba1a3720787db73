library(DPpack)
set.seed(31)
sex <- factor(c("f", "m", "f", "f", "m", "m", "f", "m", "f", "f"), levels = c("f", "m"))
vote <- factor(c("yes", "no", "no", "yes", "yes", "no", "yes", "yes", "no", "yes"), levels = c("no", "yes"))
noisy <- tableDP(sex, vote, eps = 1)
noisy
total <- sum(noisy)
total
round(100 * noisy / total, 1)
cat("epsilon spent: 1\n")
