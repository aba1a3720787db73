"""Comparisons of diffpriv's sensitivity sampler: its plan, and the sensitivity that it finds."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level

MISSING = "R returns a sensitivity that is NA or infinite; Python stops and says so"
_MEAN = "diffpriv::DPMechLaplace(target = mean, dims = 1)"
_NORMAL = "function(n) rnorm(n)"


def _case(
    name: str,
    mechanism: str,
    oracle: str,
    arguments: str,
    level: Level = "exact",
    reason: str = "",
    function: str = "sensitivitySampler",
) -> Case:
    """Sample a sensitivity."""
    seen = "s@sensitivity" if function.endswith("Manual") else "c(s@sensitivity, s@gammaSensitivity)"
    return Case(
        f"{function}/{name}",
        function,
        "diffpriv",
        f"m <- {mechanism}\noracle <- {oracle}\n"
        f"s <- suppressMessages(diffpriv::{function}(m, oracle, {arguments}))\n{seen}",
        level=level,
        reason=reason,
        # logarithms of another machine's C library
        recorded_ulp=4.0 if level == "exact" else 0.0,
    )


def _same(name: str, arguments: str, level: Level = "exact") -> Case:
    """A mean of normal records."""
    return _case(name, _MEAN, _NORMAL, arguments, level)


_PLANS = (
    *(_same(f"m alone, {m}", f"n=5, m={m}") for m in (1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 333)),
    *(_same(f"gamma alone, {gamma}", f"n=5, gamma={gamma}") for gamma in (0.99, 0.75, 0.5, 0.4, 0.33, 0.25, 0.2, 0.15)),
    *(
        _same(f"m {m} and gamma {gamma}", f"n=5, m={m}, gamma={gamma}")
        for m, gamma in ((10, 0.5), (100, 0.2), (100, 0.9), (55, 0.33), (500, 0.1))
    ),
    _same("neither m nor gamma", "n=5", "error"),
    _same("gamma too small for m", "n=5, m=10, gamma=0.01", "error"),
    _same("gamma zero", "n=5, gamma=0", "error"),
    _same("gamma one", "n=5, gamma=1", "error"),
    _same("m zero", "n=5, m=0", "error"),
    _same("m 1.5", "n=5, m=1.5", "error"),
    _same("n zero", "n=0, m=3", "error"),
    _same("n 1.5", "n=1.5, m=3", "error"),
    _same("n text", "n='5', m=3", "error"),
    _case("m text", _MEAN, _NORMAL, "n = 5, m = 'a'", "error"),
    _case("oracle no function", _MEAN, "5", "n = 5, m = 3", "error"),
    _case("no mechanism", "1", _NORMAL, "n = 5, m = 3", "error"),
)

# the plans of many arguments without a run, by R's own function for it
_MANY_PLANS = (
    Case(
        "sensitivitySampler/plans by m",
        "sensitivitySampler",
        "diffpriv",
        "m <- c(1:200, 1000, 12345, 1e6, 1e8)\n"
        "as.vector(sapply(m, function(m) unlist(diffpriv:::.sensitivity_sampler_config(m = m)[1:3])))",
        "from pydpstat.diffpriv.sensitivity import make_sampler_plan\n"
        "[make_sampler_plan(m) for m in [*range(1, 201), 1000, 12345, 1e6, 1e8]]",
        recorded_ulp=4.0,
    ),
    Case(
        "sensitivitySampler/plans by gamma",
        "sensitivitySampler",
        "diffpriv",
        "g <- 1:199 / 200\n"
        "as.vector(sapply(g, function(g) unlist(diffpriv:::.sensitivity_sampler_config(gamma = g)[1:3])))",
        "from pydpstat.diffpriv.sensitivity import make_sampler_plan\n"
        "[make_sampler_plan(gamma=i / 200) for i in range(1, 200)]",
        recorded_ulp=4.0,
    ),
    Case(
        "sensitivitySampler/plans by both",
        "sensitivitySampler",
        "diffpriv",
        "g <- 40:199 / 200\n"
        "as.vector(sapply(g, function(g) unlist(diffpriv:::.sensitivity_sampler_config(777, g)[1:3])))",
        "from pydpstat.diffpriv.sensitivity import make_sampler_plan\n"
        "[make_sampler_plan(777, i / 200) for i in range(40, 200)]",
        recorded_ulp=4.0,
    ),
)

_DATA = (
    _same("one record", "n=1, m=5"),
    _same("two records", "n=2, m=5"),
    _case(
        "Gaussian, vector",
        "diffpriv::DPMechGaussian(target = function(X) c(mean(X), sum(X)), dims = 2)",
        _NORMAL,
        "n = 20, m = 25",
    ),
    _case(
        "dims found by a first draw",
        "diffpriv::DPMechLaplace(target = function(X) X)",
        _NORMAL,
        "n = 6, m = 8",
    ),
    _case(
        "matrix",
        "diffpriv::DPMechLaplace(target = function(X) c(nrow(X), sum(X[, 1] * X[, 2])), dims = 2)",
        "function(n) matrix(runif(2 * n), n)",
        "n = 7, m = 6",
    ),
    _case(
        "data frame",
        "diffpriv::DPMechLaplace(target = function(X) c(nrow(X), mean(X$a * X$b)), dims = 2)",
        "function(n) data.frame(a = runif(n), b = rnorm(n))",
        "n = 7, m = 6",
    ),
    _case(
        "list of records",
        "diffpriv::DPMechLaplace(target = function(X) c(length(X), sum(unlist(X))), dims = 2)",
        "function(n) if (n == 1) rnorm(2) else lapply(seq_len(n), function(i) rnorm(2))",
        "n = 7, m = 6",
    ),
    *(
        _case(
            f"list of {n} numbers, one of them as a number",
            "diffpriv::DPMechLaplace(target = function(X) c(length(X), mean(unlist(X))))",
            "function(n) if (n == 1) rnorm(1) else as.list(rnorm(n))",
            f"n = {n}, m = 6",
        )
        for n in (1, 2, 3, 7)
    ),
    _case(
        "texts",
        "diffpriv::DPMechLaplace(target = function(X) sum(X == 'a'), dims = 1)",
        "function(n) sample(c('a', 'b'), n, replace = TRUE)",
        "n = 7, m = 6",
    ),
    _case(
        "several records where one is asked for",
        "diffpriv::DPMechLaplace(target = function(X) c(length(X), mean(X)), dims = 2)",
        "function(n) rnorm(10)",
        "n = 7, m = 6",
    ),
    _case(
        "a rare record: sensitivity 0",
        "diffpriv::DPMechLaplace(target = function(X) sum(X > 8), dims = 1)",
        _NORMAL,
        "n = 7, m = 6",
    ),
    _case(
        "exponential",
        "diffpriv::DPMechExponential(target = function(X) function(r) sum(X == r), responseSet = list(1, 2))",
        "function(n) rpois(n, 1)",
        "n = 7, gamma = 0.4",
    ),
    _case(
        "Bernstein",
        "diffpriv::DPMechBernstein(target = function(X) function(y) mean(X * y), latticeK = 4, dims = 1)",
        _NORMAL,
        "n = 7, gamma = 0.4",
    ),
    _case(
        "logical records",
        _MEAN,
        "function(n) rep(TRUE, n)",
        "n = 5, m = 3",
        "error",
    ),
    _case(
        "factor",
        _MEAN,
        "function(n) factor(rep('a', n))",
        "n = 5, m = 3",
        "error",
    ),
    _case(
        "infinite target",
        "diffpriv::DPMechLaplace(target = function(X) if (max(X) > 0) 1e308 * 10 else 0, dims = 1)",
        _NORMAL,
        "n = 1, m = 40",
        "difference",
        MISSING,
    ),
    _case(
        "missing target",
        "diffpriv::DPMechLaplace(target = function(X) NaN, dims = 1)",
        _NORMAL,
        "n = 5, m = 3",
        "difference",
        MISSING,
    ),
)

_MANUAL_NAME = "sensitivitySamplerManual"
_MANUAL = (
    *(
        _case(f"order statistic {k}", _MEAN, _NORMAL, f"n = 10, m = 12, k = {k}", function=_MANUAL_NAME)
        for k in (1, 6, 12)
    ),
    _case(
        "some distances missing",
        "diffpriv::DPMechLaplace(target = function(X) if (X[5] > 1) NaN else mean(X), dims = 1)",
        _NORMAL,
        "n = 5, m = 12, k = 4",
        function=_MANUAL_NAME,
    ),
    *(
        _case(name, _MEAN, _NORMAL, arguments, "error", function=_MANUAL_NAME)
        for name, arguments in (
            ("k zero", "n=5, m=3, k=0"),
            ("k above m", "n=5, m=3, k=4"),
            ("k 1.5", "n=5, m=3, k=1.5"),
            ("m zero", "n=5, m=0, k=1"),
            ("n zero", "n=0, m=3, k=1"),
            ("n text", "n='a', m=3, k=1"),
        )
    ),
    Case(
        "sensitivitySamplerManual/the mechanism stays as it is",
        _MANUAL_NAME,
        "diffpriv",
        f"m <- {_MEAN}\ns <- diffpriv::sensitivitySamplerManual(m, rnorm, 10, 3, 3)\n"
        "c(m@sensitivity, is.na(s@gammaSensitivity), s@dims)",
    ),
    Case(
        "sensitivitySampler/dims found",
        "sensitivitySampler",
        "diffpriv",
        "m <- diffpriv::DPMechLaplace(target = function(X) X)\n"
        "suppressMessages(diffpriv::sensitivitySampler(m, rnorm, 6, 3))@dims",
    ),
    Case(
        "sensitivitySampler/one sample, then a release",
        "sensitivitySampler",
        "diffpriv",
        f"m <- suppressMessages(diffpriv::sensitivitySampler({_MEAN}, rnorm, 6, 1))\n"
        "diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)",
        level="error",
        # R draws its noise before it stops
        draws=False,
    ),
    Case(
        "sensitivitySampler/sampled, then released",
        "sensitivitySampler",
        "diffpriv",
        f"m <- suppressMessages(diffpriv::sensitivitySampler({_MEAN}, rnorm, 30, gamma = 0.3))\n"
        "v <- diffpriv::releaseResponse(m, diffpriv::DPParamsDel(delta = 0.1), rnorm(30))\n"
        "c(v$response, v$sensitivity, v$privacyParams@gamma, v$privacyParams@delta)",
        recorded_ulp=4.0,
    ),
)

_TOO_MANY = (
    _same("m 1e300", "n=2, m=1e300", "error"),
    _same("n 1e300", "n=1e300, m=10", "error"),
    _case("m 1e300", _MEAN, _NORMAL, "n=2, m=1e300, k=1", "error", function="sensitivitySamplerManual"),
)

CASES = (*_PLANS, *_MANY_PLANS, *_DATA, *_MANUAL, *_TOO_MANY)
