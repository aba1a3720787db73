symmetric <- function(n, p) sample(c(-1, 1), n, replace = TRUE) * rgeom(n, p)
d <- read.csv("d.csv")
a <- nrow(d) + symmetric(1, 0.5)
b <- sum(d$ill) + symmetric(1, 1 - exp(-0.5))  # finds: finding-1
e <- read.csv("e.csv")
noise <- ifelse(runif(1) < 0.5, -1, 1) * rgeom(1, 0.3)
print(sum(e$x == "yes") + noise)  # finds: finding-1
