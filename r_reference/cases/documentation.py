"""Comparisons that pages of the documentation show."""

from __future__ import annotations

from pydpstat.parity.case import Case
from r_reference.cases.models_cms import SUMS

_DATA_R = """
X <- data.frame(age = runif(60, -1, 1), income = runif(60, -1, 1))
noise <- rnorm(60, sd = 0.3)
y <- as.numeric(X$age + X$income + noise > 0)
"""
_LINE_R = """
X <- data.frame(age = runif(60, -1, 1), income = runif(60, -1, 1))
y <- 0.5 * X$age - X$income + rnorm(60, sd = 0.1)
"""


def _model(function: str, r: str) -> Case:
    return Case(
        id=f"{function}/porting guide",
        function=function,
        package="DPpack",
        r=r.strip(),
        level="rtol",
        tolerance=1e-7,
        reason=SUMS,
    )


_MODELS = (
    _model(
        "EmpiricalRiskMinimizationDP.CMS",
        """
X <- data.frame(age = runif(60, -0.7, 0.7), income = runif(60, -0.7, 0.7))
noise <- rnorm(60, sd = 0.2)
y <- ifelse(X$age + X$income + noise > 0, 1, -1)
m <- DPpack::EmpiricalRiskMinimizationDP.CMS$new(
    DPpack::mapXy.linear, DPpack::generate.loss.huber(0.5), "l2", 1, 1, "objective", 1,
    DPpack::mapXy.gr.linear, DPpack::generate.loss.gr.huber(0.5)
)
m$fit(X, y, c(0.7, 0.7), c(-0.7, -0.7))
m$coeff
""",
    ),
    _model(
        "WeightedERMDP.CMS",
        """
X <- data.frame(age = runif(60, -0.7, 0.7), income = runif(60, -0.7, 0.7))
noise <- rnorm(60, sd = 0.2)
y <- ifelse(X$age + X$income + noise > 0, 1, -1)
w <- rep(c(1, 0.5), 30)
m <- DPpack::WeightedERMDP.CMS$new(
    DPpack::mapXy.linear, DPpack::generate.loss.huber(0.5), "l2", 1, 1, "output", 1,
    DPpack::mapXy.gr.linear, DPpack::generate.loss.gr.huber(0.5)
)
m$fit(X, y, c(0.7, 0.7), c(-0.7, -0.7), weights = w, weights.upper.bound = 1)
m$coeff
""",
    ),
    _model(
        "LogisticRegressionDP",
        f"""{_DATA_R}
m <- DPpack::LogisticRegressionDP$new("l2", 1, 1)
m$fit(X, y, c(1, 1), c(-1, -1))
new <- data.frame(age = c(0.5, -0.5), income = c(0.1, -0.8))
list(m$coeff, as.numeric(m$predict(new)))
""",
    ),
    _model(
        "svmDP",
        f"""{_DATA_R}
m <- DPpack::svmDP$new("l2", 1, 1, "output", kernel = "Gaussian", D = 4)
m$fit(X, y, c(1, 1), c(-1, -1))
m$coeff
""",
    ),
    _model(
        "EmpiricalRiskMinimizationDP.KST",
        f"""{_LINE_R}
m <- DPpack::EmpiricalRiskMinimizationDP.KST$new(
    DPpack::mapXy.linear, DPpack::loss.squared.error, "l2", 1, 0.01,
    list(constraints = function(w) w %*% w - 2, jacobian = function(w) 2 * w),
    8, 2, 1, DPpack::mapXy.gr.linear, DPpack::loss.gr.squared.error
)
m$fit(X, y, c(1, 1, 2), c(-1, -1, -2))
m$coeff
""",
    ),
    _model(
        "LinearRegressionDP",
        f"""{_LINE_R}
m <- DPpack::LinearRegressionDP$new("l2", 5, 0.01, 1)
m$fit(X, y, c(1, 1, 2), c(-1, -1, -2))
m$coeff
""",
    ),
    _model(
        "tune_classification_model",
        f"""{_DATA_R}
models <- list(DPpack::LogisticRegressionDP$new("l2", 1, 1), DPpack::svmDP$new("l2", 1, 1))
best <- DPpack::tune_classification_model(models, X, y, c(1, 1), c(-1, -1))
best$coeff
""",
    ),
    _model(
        "tune_linear_regression_model",
        f"""{_LINE_R}
models <- list(
    DPpack::LinearRegressionDP$new("l2", 5, 0.01, 1), DPpack::LinearRegressionDP$new("l2", 5, 0.01, 10)
)
best <- DPpack::tune_linear_regression_model(models, X, y, c(1, 1, 2), c(-1, -1, -2))
best$coeff
""",
    ),
)


def _statistic(function: str, r: str, python: str = "") -> Case:
    package = "diffpriv" if function.startswith(("DPMech", "DPParams")) else "DPpack"
    return Case(f"{function}/porting guide", function, package, r.strip(), python.strip(), recorded_ulp=4.0)


CASES = (
    *_MODELS,
    Case(
        id="meanDP/start page",
        function="meanDP",
        package="DPpack",
        r="age <- c(43, 15, 50, 51, 16, 40, 14, 49, 69, 17)\nDPpack::meanDP(age, 1, 0, 100)",
        python="age = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]\ndppack.meanDP(age, 1, 0, 100, rng=rng)",
        recorded_ulp=4.0,
    ),
    _statistic(
        "histogramDP",
        """
x <- rnorm(500)
DPpack::histogramDP(x, 1, -3, 3, breaks = seq(-3, 3))
""",
    ),
    _statistic(
        "tableDP",
        """
type <- factor(c("Van", "Small", "Van", "Sporty", "Small"),
               levels = c("Small", "Sporty", "Van"))
origin <- factor(c("USA", "non-USA", "USA", "USA", "USA"),
                 levels = c("USA", "non-USA"))
DPpack::tableDP(Type = type, Origin = origin, eps = 1)
""",
        """
type = pd.Categorical(["Van", "Small", "Van", "Sporty", "Small"],
                      categories=["Small", "Sporty", "Van"])
origin = pd.Categorical(["USA", "non-USA", "USA", "USA", "USA"],
                        categories=["USA", "non-USA"])
dppack.tableDP(Type=type, Origin=origin, eps=1, rng=rng)
""",
    ),
    _statistic(
        "DPMechNumeric",
        """
m <- diffpriv::DPMechLaplace(target = mean, sensitivity = 0.1, dims = 1)
c(methods::is(m, "DPMechNumeric"), m@sensitivity, m@dims)
""",
        """
m = diffpriv.DPMechLaplace(target=np.mean, sensitivity=0.1, dims=1)
[isinstance(m, diffpriv.DPMechNumeric), m.sensitivity, m.dims]
""",
    ),
    _statistic(
        "DPParamsEps",
        "p <- diffpriv::DPParamsEps(epsilon = 0.5)\np@epsilon",
    ),
    _statistic(
        "DPParamsDel",
        "p <- diffpriv::DPParamsDel(epsilon = 0.5, delta = 1e-6)\nc(p@epsilon, p@delta)",
    ),
    _statistic(
        "DPParamsGam",
        "p <- diffpriv::DPParamsGam(epsilon = 0.5, gamma = 0.1)\nc(p@epsilon, p@delta, p@gamma)",
    ),
    _statistic(
        "DPMechLaplace",
        """
x <- c(0.3, 0.1, 0.8, 0.5)
m <- diffpriv::DPMechLaplace(target = mean, sensitivity = 0.25, dims = 1)
diffpriv::releaseResponse(m, diffpriv::DPParamsEps(epsilon = 1), x)$response
""",
    ),
    _statistic(
        "DPMechGaussian",
        """
x <- c(0.3, 0.1, 0.8, 0.5)
m <- diffpriv::DPMechGaussian(target = mean, sensitivity = 0.25, dims = 1)
p <- diffpriv::DPParamsDel(epsilon = 0.5, delta = 1e-6)
diffpriv::releaseResponse(m, p, x)$response
""",
    ),
    _statistic(
        "DPMechBernstein",
        """
share <- function(x) function(q) mean(x <= q)
m <- diffpriv::DPMechBernstein(target = share, sensitivity = 0.25, latticeK = 3, dims = 1)
p <- diffpriv::DPParamsEps(epsilon = 1)
released <- diffpriv::releaseResponse(m, p, c(0.3, 0.1, 0.8, 0.5))$response
released(c(0.2, 0.6))
""",
    ),
    Case(
        id="randomness/several distributions",
        function="mixture",
        package="rmutil",
        r="list(runif(3), rnorm(3), rmutil::rlaplace(2, s = 2), sample(10, 4))",
        recorded_ulp=64.0,
    ),
)
