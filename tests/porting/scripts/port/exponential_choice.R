library(DPpack)
set.seed(3)
votes <- c(apple = 12, pear = 9, plum = 15)
i <- ExponentialMechanism(as.numeric(votes), 1, 1)
names(votes)[i]
picks <- integer(20)
for (k in 1:20) {
  picks[k] <- ExponentialMechanism(as.numeric(votes), 1, 1)
}
tabulate(picks, nbins = 3)
mean(picks == which.max(votes))
cat("true winner:", names(which.max(votes)), "\n")
