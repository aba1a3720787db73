# A function hides where its bounds come from.
library(DPpack)
private_mean <- function(v, eps = 1) {
  spread <- diff(range(v))
  DPpack::meanDP(v, eps, 0, upper.bound = spread)  # finds: argument-from-data
}
wages <- read.table("wages.txt", header = TRUE)
private_mean(wages$hourly)
