# A difference of two geometric numbers.
d <- read.csv("visits.csv")
eps <- 1
p <- 1 - exp(-eps)
count <- sum(d$ill) + rgeom(1, p) - rgeom(1, p)
print(count)
