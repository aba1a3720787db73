# Simulation study: coverage of confidence intervals around DP means
# Three intervals:
#   naive   ignores the noise
#   plug-in adds the variance of the Laplace noise
#   boot    parametric bootstrap
library(DPpack)

simulate.once <- function(n, mu = 0.4, eps = 1, B = 40) {
  x <- rbeta(n, 2, 2 * (1 - mu) / mu)
  m <- meanDP(x, eps / 2, 0, 1)
  s <- sqrt(max(varDP(x, eps / 2, 0, 1), 1e-6))
  scale <- 1 / (n * eps / 2)

  z <- 1.959964
  naive <- m + c(-1, 1) * z * s / sqrt(n)
  plug <- m + c(-1, 1) * z * sqrt(s^2 / n + 2 * scale^2)

  boot <- replicate(B, {
    u <- runif(1) - 0.5
    noise <- -scale * sign(u) * log(1 - 2 * abs(u))
    rnorm(1, m, s / sqrt(n)) + noise
  })
  boot <- quantile(boot, c(0.025, 0.975), names = FALSE)
  rbind(naive, plug, boot)
}

covers <- function(ci, mu) ci[, 1] <= mu & mu <= ci[, 2]
width <- function(ci) ci[, 2] - ci[, 1]

set.seed(1)
one <- simulate.once(100)
one
covers(one, 0.4)
width(one)

# ------------------------------------------------------------ study
mu <- 0.4
reps <- 60
sizes <- c(50, 200, 800)
epsilons <- c(0.5, 2)
grid <- expand.grid(n = sizes, eps = epsilons)
grid

results <- array(NA, dim = c(nrow(grid), 3, 2),
                 dimnames = list(NULL, c("naive", "plug", "boot"), c("coverage", "width")))
for (g in 1:nrow(grid)) {
  hits <- matrix(0, reps, 3)
  widths <- matrix(0, reps, 3)
  for (r in 1:reps) {
    ci <- simulate.once(grid$n[g], mu, grid$eps[g])
    hits[r, ] <- covers(ci, mu)
    widths[r, ] <- width(ci)
  }
  results[g, , "coverage"] <- colMeans(hits)
  results[g, , "width"] <- apply(widths, 2, median)
}
coverage <- cbind(grid, round(results[, , "coverage"], 3))
coverage
cbind(grid, round(results[, , "width"], 4))

# Monte Carlo error of a coverage
mc.se <- sqrt(0.95 * 0.05 / reps)
cat("Monte Carlo s.e. of a coverage:", round(mc.se, 3), "\n")
too.low <- coverage$naive < 0.95 - 2 * mc.se
if (any(too.low)) {
  cat("naive is too low for n =", coverage$n[too.low], "\n")
} else {
  cat("naive is never too low\n")
}

# ------------------------------------- bias of the standard deviation
set.seed(2)
bias <- numeric(length(sizes))
i <- 0
for (n in sizes) {
  i <- i + 1
  est <- vapply(1:100, function(k) sdDP(rnorm(n), 1, -4, 4), numeric(1))
  bias[i] <- mean(est, na.rm = TRUE) - 1
}
names(bias) <- sizes
signif(bias, 3)

# ------------------------- smallest n for which the noise is negligible
n <- 10
repeat {
  share <- 2 * (1 / n)^2 / (2 * (1 / n)^2 + 0.04 / n)
  if (share < 0.05) break
  n <- n + 10
}
n
k <- 0
while (2^k < n) k <- k + 1
k

# --------------------------------------------- random walk of a budget
set.seed(3)
budget <- 1
spent <- c()
while (budget > 0.05 && length(spent) < 50) {
  e <- runif(1, 0, budget / 2)
  if (e < 0.001) next
  spent <- c(spent, e)
  budget <- budget - e
}
length(spent)
sum(spent)
all.equal(sum(spent) + budget, 1)
cumsum(spent)[1:3]
