# Integer noise by hand.
library(DPpack)
visits <- read.csv("visits.csv")
eps <- 1
noise <- sample(c(-1, 1), 1) * rgeom(1, 1 - exp(-eps))
count <- sum(visits$ill) + noise  # finds: finding-1
noisy <- sum(visits$dead) + rgeom(1, prob = 0.5) * sample(c(-1, 1), 1)  # finds: finding-1
cat(count, noisy, "\n")
