"""Examples of DPpack's help pages on linear regression and on the choice among models."""

from __future__ import annotations

from pydpstat.parity.case import Case
from r_reference.cases._nlopt_moves import NEAR
from r_reference.cases.models_cms import SUMS

_R_DATA = """\
library(DPpack)
n <- 500
X <- data.frame(X=seq(-1, 1, length.out = n))
true.theta <- c(-.3, .5)
p <- length(true.theta)
y <- true.theta[1] + as.matrix(X)%*%true.theta[2:p] + stats::rnorm(n=n, sd=.1)
"""
_R_TEST = "Xtest <- data.frame(X=c(-.5, -.25, .1, .4))\n"
_R_BOUNDS = "upper.bounds <- c(1, 2)\nlower.bounds <- c(-1, -2)\n"
_R_GROUPS = """\
library(DPpack)
N <- 200
K <- 2
X <- data.frame()
y <- data.frame()
for (j in (1:K)){
  t <- seq(-.25, .25, length.out = N)
  if (j==1) m <- stats::rnorm(N,-.2, .1)
  if (j==2) m <- stats::rnorm(N, .2, .1)
  Xtemp <- data.frame(x1 = 3*t , x2 = m - t)
  ytemp <- data.frame(matrix(j-1, N, 1))
  X <- rbind(X, Xtemp)
  y <- rbind(y, ytemp)
}
Xtest <- X[seq(1,(N*K),10),]
ytest <- y[seq(1,(N*K),10),,drop=FALSE]
X <- X[-seq(1,(N*K),10),]
y <- y[-seq(1,(N*K),10),,drop=FALSE]
y <- as.matrix(y)
weights <- rep(1, nrow(y))
weights[nrow(y)] <- 0.5
wub <- 1
grid.search <- c(100, 1, .0001)
eps <- 1
svmdp1 <- svmDP$new("l2", eps, grid.search[1], perturbation.method='output')
svmdp2 <- svmDP$new("l2", eps, grid.search[2], perturbation.method='output')
svmdp3 <- svmDP$new("l2", eps, grid.search[3], perturbation.method='output')
DPmodels <- c(svmdp1, svmdp2, svmdp3)
upper.bounds <- c( 1, 1)
lower.bounds <- c(-1,-1)
tuned.model <- tune_classification_model(DPmodels, X, y, upper.bounds,
                                         lower.bounds, weights=weights,
                                         weights.upper.bound=wub)
predicted.y <- tuned.model$predict(Xtest)
n.errors <- sum(predicted.y!=ytest)
c(tuned.model$gamma, tuned.model$coeff, as.numeric(predicted.y), n.errors)
"""
_PY_GROUPS = """\
N, K = 200, 2
t = np.linspace(-0.25, 0.25, N)
groups = [rng.rnorm(N, -0.2, 0.1), rng.rnorm(N, 0.2, 0.1)]
X = pd.concat([pd.DataFrame({"x1": 3 * t, "x2": m - t}) for m in groups], ignore_index=True)
y = np.repeat([0, 1], N)
test = np.arange(len(y)) % 10 == 0
X, y, Xtest, ytest = X[~test], y[~test], X[test], y[test]
weights = np.ones(len(y))
weights[-1] = 0.5
DPmodels = [dppack.svmDP("l2", 1, gamma, perturbation_method="output") for gamma in (100, 1, 0.0001)]
tuned_model = dppack.tune_classification_model(
    DPmodels, X, y, [1, 1], [-1, -1], weights=weights, weights_upper_bound=1, rng=rng
)
predicted_y = tuned_model.predict(Xtest)
[tuned_model.gamma, tuned_model.coeff, predicted_y, np.sum(predicted_y != ytest)]
"""


def _page(function: str, r: str, python: str = "", tolerance: float = 1e-6, reason: str = NEAR) -> Case:
    return Case(
        id=f"{function}/help page",
        function=function,
        package="DPpack",
        r=r,
        python=python,
        level="rtol",
        tolerance=tolerance,
        reason=reason,
        help_page=function,
    )


CASES = (
    _page(
        "EmpiricalRiskMinimizationDP.KST",
        _R_DATA
        + """\
mapXy <- function(X, coeff) X%*%coeff
loss <- function(y.hat, y) (y.hat-y)^2/2
regularizer <- 'l2'
eps <- 1
delta <- 1
domain <- list("constraints"=function(coeff) coeff%*%coeff-length(coeff),
  "jacobian"=function(coeff) 2*coeff)
zeta <- 2*p^(3/2)
lambda <- p
gamma <- 1
mapXy.gr <- function(X, coeff) t(X)
loss.gr <- function(y.hat, y) y.hat-y
regularizer.gr <- function(coeff) coeff
ermdp <- EmpiricalRiskMinimizationDP.KST$new(mapXy, loss, 'l2', eps, delta,
                                             domain, zeta, lambda,
                                             gamma, mapXy.gr, loss.gr,
                                             regularizer.gr)
"""
        + _R_BOUNDS
        + "ermdp$fit(X, y, upper.bounds, lower.bounds, add.bias=TRUE)\n"
        + _R_TEST
        + "predicted.y <- ermdp$predict(Xtest, add.bias=TRUE)\nc(ermdp$coeff, as.numeric(predicted.y))",
    ),
    _page(
        "LinearRegressionDP",
        _R_DATA
        + """\
regularizer <- 'l2'
eps <- 1
delta <- 0
gamma <- 1
regularizer.gr <- function(coeff) coeff
lrdp <- LinearRegressionDP$new('l2', eps, delta, gamma, regularizer.gr)
"""
        + _R_BOUNDS
        + "lrdp$fit(X, y, upper.bounds, lower.bounds, add.bias=TRUE)\n"
        + _R_TEST
        + "predicted.y <- lrdp$predict(Xtest, add.bias=TRUE)\nc(lrdp$coeff, as.numeric(predicted.y))",
    ),
    _page("tune_classification_model", _R_GROUPS, _PY_GROUPS, 1e-7, SUMS),
    _page(
        "tune_linear_regression_model",
        _R_DATA
        + """\
grid.search <- c(100, 1, .0001)
eps <- 1
delta <- 0.01
linrdp1 <- LinearRegressionDP$new("l2", eps, delta, grid.search[1])
linrdp2 <- LinearRegressionDP$new("l2", eps, delta, grid.search[2])
linrdp3 <- LinearRegressionDP$new("l2", eps, delta, grid.search[3])
DPmodels <- c(linrdp1, linrdp2, linrdp3)
"""
        + _R_BOUNDS
        + """\
tuned.model <- tune_linear_regression_model(DPmodels, X, y, upper.bounds,
                                            lower.bounds, add.bias=TRUE)
"""
        + _R_TEST
        + """\
predicted.y <- tuned.model$predict(Xtest, add.bias=TRUE)
c(tuned.model$gamma, tuned.model$coeff, as.numeric(predicted.y))""",
    ),
)
