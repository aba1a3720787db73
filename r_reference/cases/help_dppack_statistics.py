"""The examples on the help pages of DPpack's mechanisms, statistics and data access functions.

The page of calibrateAnalyticGaussianMechanism has no example. Pictures are left out.
"""

from __future__ import annotations

from pydpstat.parity.case import Case, Factor, Inputs

_TYPES = ("Compact", "Large", "Midsize", "Small", "Sporty", "Van")
_ORIGINS = ("USA", "non-USA")
_AIR_BAGS = ("Driver & Passenger", "Driver only", "None")
# MASS::Cars93 as codes: its columns Type, Origin and AirBags
_CARS = {
    "x": (
        _TYPES,
        "431333223231153662521244163542441556324554144533333244165135343416313625415321444144536461513",
    ),
    "y": (
        _ORIGINS,
        "222221111111111111111111111111111111112222222222221122222221122222211111111112122222222222222",
    ),
    "z": (
        _AIR_BAGS,
        "312122222213213332211232222231333222223212133332211133232212332223232323331312233232222333321",
    ),
}


def _cars(*names: str) -> dict[str, Factor]:
    return {
        name: Factor(tuple(levels[int(code) - 1] for code in codes), levels)
        for name, (levels, codes) in _CARS.items()
        if name in names
    }


def _page(page: str, r: str, python: str = "", inputs: Inputs | None = None) -> Case:
    """Return an example; R's lines call the page's function without its package, as the page does."""
    return Case(
        id=f"{page}/help page",
        function=page,
        package="DPpack",
        r=r.replace(f"{page}(", f"DPpack::{page}("),
        python=python,
        inputs=inputs or {},
        recorded_ulp=0.0 if page.endswith("DataAccess") else 4.0,
        help_page=page,
    )


_TWO_MEANS = """
n <- 100; c0 <- 5; c1 <- 10
D1 <- stats::runif(n, c0, c1)
epsilon <- 1
sensitivity <- (c1-c0)/n
one <- LaplaceMechanism(mean(D1), epsilon, sensitivity)
d0 <- 3; d1 <- 6
D2 <- stats::runif(n, d0, d1)
D <- matrix(c(D1,D2),ncol=2)
sensitivities <- c((c1-c0)/n, (d1-d0)/n)
epsilon <- 1
two <- LaplaceMechanism(apply(D, 2, mean), epsilon, sensitivities)
three <- LaplaceMechanism(apply(D, 2, mean), epsilon, sensitivities,
                          alloc.proportions = c(0.75, 0.25))
list(one, two, three)
"""
_GAUSSIAN_MEANS = """
n <- 100; c0 <- 5; c1 <- 10
D1 <- stats::runif(n, c0, c1)
epsilon <- 0.9
delta <- 0.01
sensitivity <- (c1-c0)/n
approx <- GaussianMechanism(mean(D1), epsilon, delta, sensitivity)
prob <- GaussianMechanism(mean(D1), epsilon, delta, sensitivity, type.DP = 'pDP')
epsilon <- 1.1
analytic <- GaussianMechanism(mean(D1), epsilon, delta, sensitivity, analytic=TRUE)
d0 <- 3; d1 <- 6
D2 <- stats::runif(n, d0, d1)
D <- matrix(c(D1,D2),ncol=2)
sensitivities <- c((c1-c0)/n, (d1-d0)/n)
epsilon <- 0.9
delta <- 0.01
two <- GaussianMechanism(apply(D, 2, mean), epsilon, delta, sensitivities)
three <- GaussianMechanism(apply(D, 2, mean), epsilon, delta, sensitivities,
                           alloc.proportions = c(0.75, 0.25))
list(approx, prob, analytic, two, three)
"""
_CHOICE = """
candidates <- c('a','b','c','d','e','f','g')
idx <- ExponentialMechanism(c(0,1,2,3,2,1,0), 1, 1)
list(candidates[idx],
     ExponentialMechanism(c(0,1,2,3,2,1,0), 1, .5, measure=c(1,1,2,1,2,1,1), candidates=candidates))
"""
_NORMALS = "D <- stats::rnorm(500, mean=3, sd=2)\nlb <- -3\nub <- 9\n"
_COVARIANCE = """
D1 <- sort(stats::rnorm(500, mean=3, sd=2))
D2 <- sort(stats::rnorm(500, mean=-1,sd=0.5))
lb1 <- -3; lb2 <- -2.5; ub1 <- 9; ub2 <- .5
list(covDP(D1, D2, 1, lb1, ub1, lb2, ub2),
     covDP(D1, D2, .5, lb1, ub1, lb2, ub2, which.sensitivity='unbounded', mechanism='Gaussian', delta=0.01))
"""
_HISTOGRAM = """
x <- stats::rnorm(500)
result <- histogramDP(x, 1, -3, 3)
normalized <- histogramDP(x, .5, -3, 3, normalize=TRUE, which.sensitivity='unbounded',
                          mechanism='Gaussian', delta=0.01, allow.negative=TRUE)
list(result, normalized)
"""
_TABLE = (
    """
x <- MASS::Cars93$Type
y <- MASS::Cars93$Origin
z <- MASS::Cars93$AirBags
list(tableDP(x,y,eps=1,which.sensitivity='bounded',mechanism='Laplace', type.DP='pDP'),
     tableDP(x,y,z,eps=.5,which.sensitivity='unbounded',mechanism='Gaussian', delta=0.01))
""",
    """
[
    dppack.tableDP(x, y, eps=1, which_sensitivity="bounded", mechanism="Laplace", type_DP="pDP", rng=rng),
    dppack.tableDP(x, y, z, eps=.5, which_sensitivity="unbounded", mechanism="Gaussian", delta=0.01, rng=rng),
]
""",
)
_POOLED_VARIANCE = """
D1 <- stats::rnorm(500, mean=3, sd=2)
D2 <- stats::rnorm(200, mean=3, sd=2)
D3 <- stats::rnorm(100, mean=3, sd=2)
lower.bound <- -3
upper.bound <- 9
list(pooledVarDP(D1, D2, D3, eps=1, lower.bound=lower.bound, upper.bound = upper.bound),
     pooledVarDP(D1, D2, D3, eps=1, lower.bound=lower.bound, upper.bound = upper.bound,
                 approx.n.max = TRUE))
"""
_POOLED_COVARIANCE = """
D1 <- sort(stats::rnorm(500, mean=3, sd=2))
D2 <- sort(stats::rnorm(500, mean=-1, sd=0.5))
D3 <- sort(stats::rnorm(200, mean=3, sd=2))
D4 <- sort(stats::rnorm(200, mean=-1, sd=0.5))
M1 <- matrix(c(D1, D2), ncol=2)
M2 <- matrix(c(D3, D4), ncol=2)
lb1 <- -3; lb2 <- -2.5; ub1 <- 9; ub2 <- .5
list(pooledCovDP(M1, M2, eps = 1, lower.bound1 = lb1, lower.bound2 = lb2, upper.bound1 = ub1,
                 upper.bound2 = ub2),
     pooledCovDP(M1, M2, eps = 0.9, lower.bound1 = lb1, lower.bound2 = lb2, upper.bound1 = ub1,
                 upper.bound2 = ub2, mechanism = 'Gaussian', delta = 0.01, approx.n.max = TRUE))
"""
_QUANTILE = """
D <- stats::rnorm(500)
lower.bound <- -3
upper.bound <- 3
quant <- 0.25
eps <- 1
quantileDP(D, quant, eps, lower.bound, upper.bound)
"""
_MEDIAN = """
D <- stats::rnorm(500)
lower.bound <- -3
upper.bound <- 3
eps <- 1
medianDP(D, eps, lower.bound, upper.bound)
"""


def _spread(page: str) -> Case:
    return _page(
        page,
        f"{_NORMALS}list({page}(D, 1, lb, ub),\n"
        f"     {page}(D, .5, lb, ub, which.sensitivity='unbounded', mechanism='Gaussian', delta=0.01))",
    )


CASES = (
    _page("LaplaceMechanism", _TWO_MEANS),
    _page("GaussianMechanism", _GAUSSIAN_MEANS),
    _page("ExponentialMechanism", _CHOICE),
    *map(_spread, ("meanDP", "varDP", "sdDP")),
    _page("covDP", _COVARIANCE),
    _page("histogramDP", _HISTOGRAM),
    _page("tableDP", *_TABLE, _cars("x", "y", "z")),
    _page("pooledVarDP", _POOLED_VARIANCE),
    _page("pooledCovDP", _POOLED_COVARIANCE),
    _page("quantileDP", _QUANTILE),
    _page("medianDP", _MEDIAN),
    _page("meanDataAccess", "meanDataAccess(c(1,4,3,2), 0, 5)"),
    _page("varDataAccess", "varDataAccess(c(1,4,3,2), 0, 5)"),
    _page(
        "covDataAccess",
        "covDataAccess(c(1,4,3,2), c(-2,-3,-4,-1), 0, 5, -5, 0)",
    ),
    _page(
        "histogramDataAccess",
        "histogramDataAccess(c(1,4,3,2,3), 'Sturges', 'Laplace')",
    ),
    _page(
        "tableDataAccess",
        "x <- MASS::Cars93$Type;\ny <- MASS::Cars93$Origin;\ntableDataAccess(x, y, mechanism='Laplace')",
        "table, bounded, unbounded = dppack.tableDataAccess(x, y, mechanism='Laplace')\n"
        "[table, list(table.index), list(table.columns), bounded, unbounded]",
        _cars("x", "y"),
    ),
    _page(
        "pooledVarDataAccess",
        "pooledVarDataAccess(list(c(1,4,-2,8,-6),c(1,2),c(-5,-7)),-10,10,FALSE)",
        "dppack.pooledVarDataAccess([[1, 4, -2, 8, -6], [1, 2], [-5, -7]], -10, 10, False)",
    ),
    _page(
        "pooledCovDataAccess",
        "x1 <- matrix(c(1,4,-2,8,-6,-3),ncol=2)\n"
        "x2 <- matrix(c(1,2,-5,7),ncol=2)\n"
        "pooledCovDataAccess(list(x1,x2),-10,10,-10,10,FALSE)",
    ),
    _page(
        "quantileDataAccess",
        "quantileDataAccess(c(1,1,-2,8,-6),.25,-10,10)",
    ),
)
