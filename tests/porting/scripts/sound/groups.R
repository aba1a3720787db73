library(DPpack)
d <- read.csv("d.csv")
eps <- 1
d$region <- factor(d$region, levels = c("north", "south"))
counts <- tableDP(d$region, eps = eps / 2)
for (level in c("north", "south")) {
  m <- quantileDP(d$income[d$region == level], 0.5, eps / 4, 0, 1e5)
  cat(level, ":", format(m, digits = 4), "\n")
}
