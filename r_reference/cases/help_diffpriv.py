"""The examples of diffpriv's help pages and vignettes.

The other help pages of diffpriv have no example.
"""

from __future__ import annotations

from pydpstat.parity.case import Case


def _page(page: str, function: str, r: str, number: int = 0, python: str = "") -> Case:
    place = f"help page {page}" + (f" {number}" if number else "")
    return Case(f"{function}/{place}", function, "diffpriv", r, python, recorded_ulp=4.0, help_page=page)


_WAVE_R = """
f <- function(x) x * sin(x*10)
b <- diffpriv::bernstein(f, dims = 1)
xs <- seq(from=0, to=1, length=50)
mean((f(xs) - predict(b,xs))^2)
"""

_LETTERS_R = """
qualF <- function(X) { function(r) sum(r == unlist(strsplit(X, ""))) }
rs <- as.list(letters)
m <- diffpriv::DPMechExponential(sensitivity = 5, target = qualF, responseSet = rs)
X <- strsplit("the quick brown fox jumps over the lazy dog"," ")[[1]]
p <- diffpriv::DPParamsEps(epsilon = 1)
diffpriv::releaseResponse(m, p, X)$response
"""

_NUMERIC = (
    _page(
        "DPMechNumeric-class",
        "sensitivityNorm",
        """
f <- function(xs) mean(xs)
n <- 100
m <- diffpriv::DPMechLaplace(sensitivity = 1/n, target = f, dims = 1)
X1 <- runif(n)
X2 <- runif(n)
diffpriv::sensitivityNorm(m, X1, X2)
""",
        1,
    ),
    _page(
        "DPMechNumeric-class",
        "releaseResponse",
        """
f <- function(xs) mean(xs)
n <- 100
m <- diffpriv::DPMechLaplace(sensitivity = 1/n, target = f, dims = 1)
X <- runif(n)
p <- diffpriv::DPParamsEps(epsilon = 1)
diffpriv::releaseResponse(m, p, X)$response
""",
        2,
    ),
)

_SAMPLER_R = """
f <- function(xs) mean(xs)
m <- diffpriv::DPMechLaplace(target = f, dims = 1)
before <- c(m@sensitivity, m@gammaSensitivity)
P <- function(n) rnorm(n)
m <- diffpriv::sensitivitySampler(m, oracle = P, n = 100, gamma = 0.33)
c(before, m@sensitivity, m@gammaSensitivity)
"""
_SAMPLER_PAGES = ("sensitivitySampler", "sensitivitySampler-DPMech-function-numeric-method")

_MANUAL_R = """
f <- function(xs) mean(xs)
m <- diffpriv::DPMechLaplace(target = f, dims = 1)
P <- function(n) rnorm(n)
m <- diffpriv::sensitivitySamplerManual(m, oracle = P, n = 100, m = 10, k = 10)
m@sensitivity
"""
_MANUAL_PAGES = (
    "sensitivitySamplerManual",
    "sensitivitySamplerManual-DPMech-function-numeric-numeric-numeric-method",
    "sensitivitySamplerManual-DPMechNumeric-function-numeric-numeric-numeric-method",
)

# the package's page shows its vignette; random names are letters here, for want of their package
_VIGNETTE = (
    _page(
        "diffpriv",
        "DPMechLaplace",
        """
f <- function(X) mean(X)
n <- 100
mechanism <- diffpriv::DPMechLaplace(target = f, sensitivity = 1/n, dims = 1)
D <- runif(n, min = 0, max = 1)
pparams <- diffpriv::DPParamsEps(epsilon = 1)
r <- diffpriv::releaseResponse(mechanism, privacyParams = pparams, X = D)
c(r$response, f(D))
""",
        1,
    ),
    _page(
        "diffpriv",
        "DPMechExponential",
        """
oracle <- function(n) replicate(n, paste(sample(letters, 9, TRUE), collapse = ""))
D <- c("Michael Jordan", "Andrew Ng", "Andrew Zisserman", "Christopher Manning",
       "Jitendra Malik", "Geoffrey Hinton", "Scott Shenker",
       "Bernhard Scholkopf", "Jon Kleinberg", "Judea Pearl")
n <- length(D)
f <- function(X) { function(r) sum(r == unlist(base::strsplit(X, ""))) }
rSet <- as.list(letters)
mechanism <- diffpriv::DPMechExponential(target = f, responseSet = rSet)
mechanism <- diffpriv::sensitivitySampler(mechanism, oracle = oracle, n = n, gamma = 0.3)
pparams <- diffpriv::DPParamsEps(epsilon = 1)
r <- diffpriv::releaseResponse(mechanism, privacyParams = pparams, X = D)
list(r$response, r$sensitivity, letters[which.max(sapply(rSet, f(D)))])
""",
        2,
    ),
)

# its page refers to a vignette; here with 60 sampled pairs instead of 500
_REGRESSION = (
    _page(
        "DPMechBernstein-class",
        "bernstein",
        """
targetF <- function(x) x * sin(10 * x)
bernsteinF <- diffpriv::bernstein(targetF, dims = 1, k = 25)
xs <- seq(from = 0, to = 1, length = 50)
c(bernsteinF$coeffs, predict(bernsteinF, D = 0.2), targetF(0.2), predict(bernsteinF, xs))
""",
        1,
    ),
    _page(
        "DPMechBernstein-class",
        "DPMechBernstein",
        """
pck_regression <- function(D, bandwidth = 0.1) {
  K <- function(x) exp(-x^2/2)
  ids <- sort(D[,1], decreasing = FALSE, index.return = TRUE)$ix
  D <- D[ids, ]
  n <- nrow(D)
  ws <- (D[2:n,1] - D[1:(n-1),1]) * D[2:n,2]
  predictor <- function(x) {
    sum(ws * sapply((x - D[2:n,1]) / bandwidth, K)) / bandwidth
  }
  return(predictor)
}
N <- 250
D <- runif(N)
D <- cbind(D, sin(D*10)*D + rnorm(N, mean=0, sd=0.2))
model <- pck_regression(D)
K <- 25
bmodel <- diffpriv::bernstein(model, dims=1, k=K)
m <- diffpriv::DPMechBernstein(target=pck_regression, latticeK=K, dims=1)
P <- function(n) {
  Dx <- runif(n)
  Dy <- rep(0, n)
  if (runif(1) < 0.95) Dy <- Dy + Dx
  if (runif(1) < 0.5) Dy <- Dy * sin(Dx)
  if (runif(1) < 0.5) Dy <- Dy * cos(Dx)
  cbind(Dx, Dy + rnorm(n, mean=0, sd=0.2))
}
m <- diffpriv::sensitivitySampler(m, oracle=P, n=N, gamma=0.30, m=60)
R <- diffpriv::releaseResponse(m, privacyParams=diffpriv::DPParamsEps(epsilon=5), X=D)
pmodel <- R$response
xs <- seq(from=0, to=1, length=50)
c(m@sensitivity, sapply(xs, model), predict(bmodel, xs), R$response(xs))
""",
        2,
        """
sin, cos = np.vectorize(math.sin), np.vectorize(math.cos)
def pck_regression(D, bandwidth=0.1):
    D = D[np.argsort(D[:, 0], kind="stable")]
    ws = (D[1:, 0] - D[:-1, 0]) * D[1:, 1]
    def predictor(x):
        z = (x - D[1:, 0]) / bandwidth
        return r.sum(ws * r.exp(-(z**2) / 2)) / bandwidth
    return predictor
N = 250
D = rng.runif(N)
D = np.column_stack([D, sin(D * 10) * D + rng.rnorm(N, mean=0, sd=0.2)])
model = pck_regression(D)
K = 25
bmodel = diffpriv.bernstein(model, dims=1, k=K)
m = diffpriv.DPMechBernstein(target=pck_regression, latticeK=K, dims=1)
def P(n):
    Dx = rng.runif(n)
    Dy = np.zeros(n)
    if rng.runif(1) < 0.95: Dy = Dy + Dx
    if rng.runif(1) < 0.5: Dy = Dy * sin(Dx)
    if rng.runif(1) < 0.5: Dy = Dy * cos(Dx)
    return np.column_stack([Dx, Dy + rng.rnorm(n, mean=0, sd=0.2)])
m = diffpriv.sensitivitySampler(m, oracle=P, n=N, gamma=0.30, m=60)
R = diffpriv.releaseResponse(m, privacyParams=diffpriv.DPParamsEps(epsilon=5), X=D, rng=rng)
pmodel = R.response
xs = np.linspace(0, 1, 50)
[m.sensitivity, [model(x) for x in xs], bmodel.predict(xs), pmodel(xs)]
""",
    ),
)

CASES = (
    _page("bernstein", "bernstein", _WAVE_R),
    _page("predict.bernstein", "bernstein", _WAVE_R),
    _page("DPMechExponential-class", "DPMechExponential", _LETTERS_R),
    *_NUMERIC,
    *(_page(page, "sensitivitySampler", _SAMPLER_R) for page in _SAMPLER_PAGES),
    *(_page(page, "sensitivitySamplerManual", _MANUAL_R) for page in _MANUAL_PAGES),
    *_VIGNETTE,
    *_REGRESSION,
)
