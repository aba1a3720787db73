library(diffpriv)
d <- read.csv("d.csv")
n <- nrow(d)
mech <- DPMechLaplace(target = function(X) mean(X), sensitivity = diff(range(d$x)) / n, dims = 1)
r <- releaseResponse(mech, privacyParams = DPParamsEps(epsilon = 1), X = d$x)  # finds: argument-from-data
cat(r$response, mech@target(d$x), "\n")  # finds: raw-value
e <- read.csv("e.csv")
for (i in 1:5) {
  out <- releaseResponse(DPMechLaplace(target = mean, sensitivity = 0.1, dims = 1), DPParamsEps(epsilon = 0.2), e$x)  # finds: repeated
}
