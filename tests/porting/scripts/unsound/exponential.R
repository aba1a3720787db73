library(diffpriv)
votes <- read.csv("votes.csv")$party
quality <- function(X) function(r) sum(X == r)
m <- DPMechExponential(sensitivity = 1, target = quality, responseSet = list("a", "b"))
releaseResponse(m, privacyParams = DPParamsEps(epsilon = 1), X = votes)  # finds: finding-3
budget <- 2
releaseResponse(new("DPMechExponential", sensitivity = 2, target = quality, responseSet = list("a", "c")), DPParamsEps(epsilon = 0.5), votes)  # finds: finding-3
