set.seed(6)
counts <- c(a = 40, b = 12, c = 3)
eps <- 0.5
p <- 1 - exp(-eps)
noise <- rgeom(3, p) - rgeom(3, p)
noise
noisy <- counts + noise
noisy
released <- pmax(noisy, 0)
released
total <- sum(released)
round(released / total, 3)
cat("expected absolute error:", round(2 * exp(-eps) / (1 - exp(-2 * eps)), 3), "\n")
abs(noisy - counts) <= 10
