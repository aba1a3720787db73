# The seed is for a simulation; what is released has other noise.
library(DPpack)
set.seed(1)
power <- mean(replicate(1000, t.test(rnorm(20, 0.5))$p.value < 0.05))
print(power)
set.seed(NULL)
x <- read.csv("x.csv")$x
print(meanDP(x, 1, 0, 1))
