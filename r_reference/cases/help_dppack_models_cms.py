"""Examples of DPpack's help pages on empirical risk minimization and its helper functions."""

from __future__ import annotations

from pydpstat.parity.case import Case
from r_reference.cases.models_cms import SUMS

_R_DATA = """\
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
"""
_PY_SPLIT = """\
test = np.arange(len(y)) % 10 == 0
X, y, Xtest, ytest = X[~test], y[~test], X[test], y[test]
"""
_PY_DATA = (
    """\
N, K = 200, 2
t = np.linspace(-0.25, 0.25, N)
groups = [rng.rnorm(N, -0.2, 0.1), rng.rnorm(N, 0.2, 0.1)]
X = pd.concat([pd.DataFrame({"x1": 3 * t, "x2": m - t}) for m in groups], ignore_index=True)
y = np.repeat([0, 1], N)
"""
    + _PY_SPLIT
)
_R_ERRORS = "c(%(model)s$coeff, as.numeric(predicted.y), n.errors)"
_PY_ERRORS = "[%(model)s.coeff, predicted_y, n_errors]"


def _model(function: str, r: str, python: str) -> Case:
    return Case(
        id=f"{function}/help page",
        function=function,
        package="DPpack",
        r=r,
        python=python,
        level="rtol",
        tolerance=1e-7,
        reason=SUMS,
        help_page=function,
    )


def _helper(function: str, r: str) -> Case:
    return Case(
        id=f"{function}/help page",
        function=function,
        package="DPpack",
        r=f"library(DPpack)\n{r}",
        recorded_ulp=4.0,
        help_page=function,
    )


_MODELS = [
    _model(
        "LogisticRegressionDP",
        "library(DPpack)\n"
        + _R_DATA
        + """\
regularizer <- 'l2'
eps <- 1
gamma <- 1
lrdp <- LogisticRegressionDP$new(regularizer, eps, gamma)
upper.bounds <- c( 1, 1)
lower.bounds <- c(-1,-1)
lrdp$fit(X, y, upper.bounds, lower.bounds)
lrdp$coeff
predicted.y <- lrdp$predict(Xtest)
n.errors <- sum(predicted.y!=ytest)
"""
        + _R_ERRORS % {"model": "lrdp"},
        _PY_DATA
        + """\
regularizer, eps, gamma = "l2", 1, 1
lrdp = dppack.LogisticRegressionDP(regularizer, eps, gamma)
upper_bounds, lower_bounds = [1, 1], [-1, -1]
lrdp.fit(X, y, upper_bounds, lower_bounds, rng=rng)
predicted_y = lrdp.predict(Xtest)
n_errors = np.sum(predicted_y != ytest)
"""
        + _PY_ERRORS % {"model": "lrdp"},
    ),
    _model(
        "EmpiricalRiskMinimizationDP.CMS",
        "library(DPpack)\n"
        + _R_DATA
        + """\
mapXy <- function(X, coeff) e1071::sigmoid(X%*%coeff)
loss <- function(y.hat,y) -(y*log(y.hat) + (1-y)*log(1-y.hat))
regularizer <- 'l2'
eps <- 1
gamma <- 1
perturbation.method <- 'objective'
c <- 1/4
mapXy.gr <- function(X, coeff) as.numeric(e1071::dsigmoid(X%*%coeff))*t(X)
loss.gr <- function(y.hat, y) -y/y.hat + (1-y)/(1-y.hat)
regularizer.gr <- function(coeff) coeff
ermdp <- EmpiricalRiskMinimizationDP.CMS$new(mapXy, loss, regularizer, eps,
                                             gamma, perturbation.method, c,
                                             mapXy.gr, loss.gr,
                                             regularizer.gr)
upper.bounds <- c( 1, 1)
lower.bounds <- c(-1,-1)
ermdp$fit(X, y, upper.bounds, lower.bounds)
ermdp$coeff
predicted.y <- ermdp$predict(Xtest)
n.errors <- sum(round(predicted.y)!=ytest)
"""
        + "base::c(ermdp$coeff, as.numeric(predicted.y), n.errors)",
        _PY_DATA
        + """\
regularizer, eps, gamma, c = "l2", 1, 1, 1 / 4
perturbation_method = "objective"
# the example's mapXy.gr recycles as DPpack's own does, so that is the one to give
ermdp = dppack.EmpiricalRiskMinimizationDP_CMS(
    dppack.mapXy_sigmoid, dppack.loss_cross_entropy, regularizer, eps, gamma, perturbation_method, c,
    dppack.mapXy_gr_sigmoid, dppack.loss_gr_cross_entropy, dppack.regularizer_gr_l2
)
upper_bounds, lower_bounds = [1, 1], [-1, -1]
ermdp.fit(X, y, upper_bounds, lower_bounds, rng=rng)
predicted_y = ermdp.predict(Xtest)
n_errors = np.sum(np.round(predicted_y) != ytest)
"""
        + _PY_ERRORS % {"model": "ermdp"},
    ),
    _model(
        "WeightedERMDP.CMS",
        "library(DPpack)\n"
        + _R_DATA
        + """\
mapXy <- function(X, coeff) X%*%coeff
huber.h <- 0.5
loss <- generate.loss.huber(huber.h)
regularizer <- 'l2'
eps <- 1
gamma <- 1
perturbation.method <- 'output'
c <- 1/(2*huber.h)
mapXy.gr <- function(X, coeff) t(X)
loss.gr <- generate.loss.gr.huber(huber.h)
regularizer.gr <- function(coeff) coeff
wermdp <- WeightedERMDP.CMS$new(mapXy, loss, regularizer, eps,
                                gamma, perturbation.method, c,
                                mapXy.gr, loss.gr,
                                regularizer.gr)
upper.bounds <- base::c( 1, 1)
lower.bounds <- base::c(-1,-1)
weights <- rep(1, nrow(y))
weights[nrow(y)] <- 0.5
wub <- 1
wermdp$fit(X, y, upper.bounds, lower.bounds, weights=weights,
           weights.upper.bound=wub)
wermdp$coeff
predicted.y <- wermdp$predict(Xtest)
n.errors <- sum(round(predicted.y)!=ytest)
"""
        + "base::c(wermdp$coeff, as.numeric(predicted.y), n.errors)",
        _PY_DATA
        + """\
mapXy = lambda X, coeff: dppack.mapXy_linear(X, coeff)
huber_h = 0.5
loss = dppack.generate_loss_huber(huber_h)
regularizer, eps, gamma = "l2", 1, 1
perturbation_method = "output"
c = 1 / (2 * huber_h)
mapXy_gr = lambda X, coeff: X.T
loss_gr = dppack.generate_loss_gr_huber(huber_h)
regularizer_gr = lambda coeff: coeff
wermdp = dppack.WeightedERMDP_CMS(
    mapXy, loss, regularizer, eps, gamma, perturbation_method, c, mapXy_gr, loss_gr, regularizer_gr
)
upper_bounds, lower_bounds = [1, 1], [-1, -1]
weights = np.ones(len(y))
weights[-1] = 0.5
wub = 1
wermdp.fit(X, y, upper_bounds, lower_bounds, weights=weights, weights_upper_bound=wub, rng=rng)
predicted_y = wermdp.predict(Xtest)
n_errors = np.sum(np.round(predicted_y) != ytest)
"""
        + _PY_ERRORS % {"model": "wermdp"},
    ),
    _model(
        "svmDP",
        """\
library(DPpack)
N <- 400
X <- data.frame()
y <- data.frame()
for (i in (1:N)){
  Xtemp <- data.frame(x1 = stats::rnorm(1,sd=.28) , x2 = stats::rnorm(1,sd=.28))
  if (sum(Xtemp^2)<.15) ytemp <- data.frame(y=0)
  else ytemp <- data.frame(y=1)
  X <- rbind(X, Xtemp)
  y <- rbind(y, ytemp)
}
Xtest <- X[seq(1,N,10),]
ytest <- y[seq(1,N,10),,drop=FALSE]
X <- X[-seq(1,N,10),]
y <- y[-seq(1,N,10),,drop=FALSE]
regularizer <- 'l2'
eps <- 1
gamma <- 1
perturbation.method <- 'output'
kernel <- 'Gaussian'
D <- 20
svmdp <- svmDP$new(regularizer, eps, gamma, perturbation.method,
                   kernel=kernel, D=D)
upper.bounds <- c( 1, 1)
lower.bounds <- c(-1,-1)
weights <- rep(1, nrow(y))
weights[nrow(y)] <- 0.5
wub <- 1
svmdp$fit(X, y, upper.bounds, lower.bounds, weights=weights,
          weights.upper.bound=wub)
predicted.y <- svmdp$predict(Xtest)
n.errors <- sum(predicted.y!=ytest)
"""
        + _R_ERRORS % {"model": "svmdp"},
        """\
N = 400
X = pd.DataFrame(rng.rnorm(2 * N, sd=0.28).reshape(N, 2), columns=["x1", "x2"])
y = ((X**2).sum(axis=1) >= 0.15).astype(int)
"""
        + _PY_SPLIT
        + """\
regularizer, eps, gamma = "l2", 1, 1
perturbation_method, kernel, D = "output", "Gaussian", 20
svmdp = dppack.svmDP(regularizer, eps, gamma, perturbation_method, kernel=kernel, D=D)
upper_bounds, lower_bounds = [1, 1], [-1, -1]
weights = np.ones(len(y))
weights[-1] = 0.5
wub = 1
svmdp.fit(X, y, upper_bounds, lower_bounds, weights=weights, weights_upper_bound=wub, rng=rng)
predicted_y = svmdp.predict(Xtest)
n_errors = np.sum(predicted_y != ytest)
"""
        + _PY_ERRORS % {"model": "svmdp"},
    ),
]
_MATRIX = "X <- matrix(c(1,2,3,4,5,6),nrow=2)\ncoeff <- c(0.5,-1,2)\n"
_HELPERS = [
    *(
        _helper(function, f"{_MATRIX}{function}(X,coeff)")
        for function in ("mapXy.linear", "mapXy.gr.linear", "mapXy.sigmoid", "mapXy.gr.sigmoid")
    ),
    *(
        _helper(function, f"y.hat <- c(0.1, 0.88, 0.02)\ny <- c({y})\n{function}(y.hat,y)")
        for function, y in (
            ("loss.cross.entropy", "0, 1, 0"),
            ("loss.gr.cross.entropy", "0, 1, 0"),
            ("loss.squared.error", "0, 1, 0"),
            ("loss.gr.squared.error", "-0.1, 1, .2"),
        )
    ),
    *(
        _helper(
            function,
            f"h <- {h}\nhuber <- {function}(h)\ny.hat <- c(-.5, 1.2, -0.9)\ny <- c(-1, 1, -1)\n"
            "c(huber(y.hat,y), huber(y.hat, y, w=c(0.1, 0.5, 1)))",
        )
        for function, h in (("generate.loss.huber", 0.5), ("generate.loss.gr.huber", 1))
    ),
    *(
        _helper(function, f"coeff <- c(0.5,-1,2)\n{function}(coeff)")
        for function in ("regularizer.l2", "regularizer.gr.l2")
    ),
    _helper("phi.gaussian", "x <- c(1,2,3)\ntheta <- c(0.1, 1.1, -0.8, 3)\nphi.gaussian(x, theta)"),
    _helper(
        "generate.sampling",
        "kernel.param <- 0.1\nsample <- generate.sampling(kernel.param)\nd <- 5\nsample(d)",
    ),
]

CASES = tuple(_MODELS + _HELPERS)
