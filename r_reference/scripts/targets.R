## Custom targets with diffpriv: mechanisms around one's own functions
library(diffpriv)
trips <- read.csv("data/trips.csv")

## A numeric target: trimmed mean of the distance -----------------------------
trimmed <- function(x) mean(pmin(x, 40), trim = 0.05)
n <- nrow(trips)
mech <- DPMechLaplace(target = trimmed, sensitivity = 40 / (0.9 * n), dims = 1)
params <- DPParamsEps(epsilon = 1)
set.seed(7)
r <- releaseResponse(mech, privacyParams = params, X = trips$km)
r$response
cat("without noise:", trimmed(trips$km), "\n")

## several releases: how much do they vary?
responses <- sapply(1:200, function(i) releaseResponse(mech, params, trips$km)$response)
c(mean = mean(responses), sd = sd(responses), theory = sqrt(2) * mech@sensitivity / params@epsilon)

## A vector-valued target ------------------------------------------------------
modes <- c("bus", "car", "cycle", "train", "walk")
f <- function(X) sapply(modes, function(m) mean(X == m))
m.share <- DPMechLaplace(sensitivity = 2 / n, target = f, dims = 5)
shares <- releaseResponse(m.share, DPParamsEps(epsilon = 0.5), trips$mode)$response
round(shares, 4)
shares.proj <- pmax(shares, 0) / sum(pmax(shares, 0))
sum(shares.proj)

gauss <- DPMechGaussian(sensitivity = sqrt(2) / n, target = f, dims = 5)
releaseResponse(gauss, DPParamsDel(epsilon = 0.5, delta = 1e-5), trips$mode)$response

## Sensitivity by sampling -----------------------------------------------------
## the target's sensitivity need not be known: estimate it, random DP
oracle <- function(n) runif(n, 0, 40)
target <- function(x) c(mean(x), sd(x))
sampled <- DPMechLaplace(target = target, dims = 2)
sampled <- sensitivitySampler(sampled, oracle = oracle, n = 100, gamma = 0.2)
sampled@sensitivity
set.seed(8)
releaseResponse(sampled, DPParamsGam(epsilon = 1, gamma = 0.2), trips$km[1:100])$response

## Exponential mechanism -------------------------------------------------------
## which mode is the most frequent one in each district?
quality <- function(X) function(r) sum(X == r)
chooser <- DPMechExponential(sensitivity = 1, target = quality, responseSet = as.list(modes))
set.seed(10)
for (d in unique(trips$district)) {
  rows <- trips[trips$district == d, ]
  best <- releaseResponse(chooser, DPParamsEps(epsilon = 0.2), rows$mode)$response
  cat(sprintf("%-10s %-6s (%d of %d)\n", d, best, sum(rows$mode == best), nrow(rows)))
}

## median by the exponential mechanism over a grid
candidates <- seq(0, 40, by = 0.5)
med.quality <- function(x) {
  function(r) -abs(sum(x < r) - sum(x > r)) / 2
}
med <- DPMechExponential(sensitivity = 1, target = med.quality, responseSet = as.list(candidates))
picks <- replicate(20, releaseResponse(med, DPParamsEps(epsilon = 0.5), trips$km)$response)
table(picks)
c(median(trips$km), mean(picks))

## Bernstein: release a whole function ------------------------------------------
## empirical distribution function of satisfaction (scaled to 0..1)
sat <- trips$satisfied[!is.na(trips$satisfied)] / 5
ecdf.target <- function(D) {
  function(z) mean(D <= z)
}
bern <- DPMechBernstein(sensitivity = 1 / length(sat), target = ecdf.target, latticeK = 10, dims = 1)
set.seed(11)
R <- releaseResponse(bern, DPParamsEps(epsilon = 2), sat)
curve.at <- seq(0, 1, length.out = 6)
F.dp <- R$response(curve.at)
F.true <- sapply(curve.at, ecdf.target(sat))
round(data.frame(z = curve.at, true = F.true, private = F.dp), 3)
max(abs(F.dp - F.true))

## the approximation alone, without noise
b <- bernstein(function(x) x * sin(x * 10), dims = 1, k = 25)
xs <- (0:10) / 10
mean((xs * sin(xs * 10) - predict(b, xs))^2)
