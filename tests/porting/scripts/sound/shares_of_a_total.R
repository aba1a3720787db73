# A total that is declared, and shares of it.
library(DPpack)
total.eps <- 1
share <- total.eps / 3
d <- read.csv("d.csv")
age <- pmin(pmax(d$age, 0), 100)
cat("mean", round(meanDP(age, share, 0, 100), 1), "\n")
cat("median", medianDP(age, share, 0, 100), "\n")
cat("income", meanDP(d$income, share, 0, 1e5), "of", nrow(d), "records\n")
