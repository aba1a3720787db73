"""Comparisons of R's random streams: every law, mixtures of calls, and the state itself."""

from __future__ import annotations

from collections.abc import Iterator

from pydpstat.parity.case import Case, Level

NAN = "R returns NaN with a warning; Python stops before any draw and says so"
# Laws whose values pass through libm's log or exp, which CPUs round differently by one unit; the normal
# law's tails take a logarithm too. A gamma variable of a small shape is exp(log(p) / shape), which
# multiplies that unit.
_RECORDED_ULP = {"rnorm": 1.0, "rlaplace": 1.0, "rgamma": 4096.0, "mixture": 64.0}
_PACKAGES = {
    "rlaplace": "rmutil",
    ".rlap": "diffpriv",
    "sample": "base",
    "sample.int": "base",
    ".Random.seed": "base",
}
_R_NAMES = {"rlaplace": "rmutil::rlaplace", ".rlap": "diffpriv:::.rlap"}


def _case(
    function: str,
    arguments: str,
    level: Level = "exact",
    seed: int = 123,
    draws: bool = True,
    expression: str = "",
    python: str = "",
) -> Case:
    """Build a case of one call, or of another expression."""
    suffix = f", seed {seed}" if seed != 123 else ""
    return Case(
        id=f"{function}/{arguments}{suffix}",
        function=function,
        package=_PACKAGES.get(function, "rmutil" if "rmutil" in expression else "stats"),
        r=expression or f"{_R_NAMES.get(function, function)}({arguments})",
        python=python,
        level=level,
        reason=NAN if level == "difference" else "",
        seed=seed,
        draws=draws,
        recorded_ulp=_RECORDED_ULP.get(function, 0.0) if level == "exact" else 0.0,
    )


def _laws() -> Iterator[Case]:
    """Every law on both sides of each change of algorithm, by single values and by whole vectors."""
    for n in (1, 10, 1000):
        for function in ("runif", "rnorm", "rexp", "rlaplace"):
            yield _case(function, f"{n}")
    for n in (1, 100):
        yield _case(".rlap", f"{n}, 0, 2")
    yield _case("runif", "10, -3, 12.5")
    yield _case("rnorm", "10, 3, .01")
    yield _case("rexp", "300, 1e-3")
    yield _case("rlaplace", "10, s = 2")
    yield _case("rlaplace", "200, -1, .01")
    yield _case(".rlap", "10, 5, .3")
    for prob in ("1", ".99", ".63", ".3", ".01", "1e-6"):
        yield _case("rgeom", f"200, {prob}")
    for mean in (".1", "1", "9.99", "10", "30.5", "1e4", "1e12"):
        yield _case("rpois", f"100, {mean}")
    for size, prob in (
        ("1", ".5"),
        ("20", ".3"),
        ("20", ".7"),
        ("99", ".3"),
        ("100", ".3"),
        ("1000", ".97"),
        ("1000", ".4"),
        ("1e6", ".5"),
        ("2147483646", ".3"),
    ):
        yield _case("rbinom", f"100, {size}, {prob}")
    for shape in (".01", ".5", ".999", "1", "2", "3.686", "3.7", "13.022", "13.1", "50", "1e6"):
        yield _case("rgamma", f"100, {shape}")
    yield _case("rgamma", "10, 2, 5")
    yield _case("rgamma", "10, 2, scale = 5")


def _without_draw() -> Iterator[Case]:
    """Parameters that fix the value: how many uniforms R uses up then."""
    for function, arguments in (
        ("runif", "3, 2, 2"),
        ("rnorm", "3, 2, 0"),
        ("rnorm", "3, Inf"),
        ("rexp", "3, Inf"),
        ("rpois", "3, 0"),
        ("rbinom", "3, 0, .5"),
        ("rbinom", "3, 9, 0"),
        ("rbinom", "3, 9, 1"),
        ("rgamma", "3, 0"),
        ("rgamma", "3, 2, Inf"),
        (".rlap", "3, 7, 0"),
        ("rnorm", "0"),
    ):
        yield _case(function, arguments)


def _recycling() -> Iterator[Case]:
    for function, arguments in (
        ("runif", "7, c(0, 1), c(1, 2, 3)"),
        ("rnorm", "9, c(1, 2, 3), c(0, .5)"),
        ("rnorm", "2, c(1, 2, NaN)"),
        ("rexp", "9, c(.1, Inf, 3)"),
        ("rgeom", "9, c(.5, .001)"),
        ("rpois", "9, c(0, 3, 9.5)"),
        ("rpois", "9, c(2, 30.5, 1e6)"),
        ("rbinom", "9, c(0, 5, 1000), c(.2, 1)"),
        ("rgamma", "9, c(.5, 1, 30), c(.1, 2)"),
        ("rlaplace", "9, c(1, 2), c(.1, 1, 10)"),
    ):
        yield _case(function, arguments)


def _samples() -> Iterator[Case]:
    """Each of sample's algorithms."""
    for arguments in (
        "1",
        "10",
        "1000",
        "65537, 50",
        "1e6, 3",
        "c(-1, 1), 100, TRUE",
        "65536, 20, TRUE",
        "1e12, 20, TRUE",
        "c(2.5, 7, 1)",
    ):
        yield _case("sample", arguments)
    for arguments in (
        # more than 1e7: hashing
        "10000001, 50",
        # equal probabilities show the order of R's heap sort
        "10, 10, prob = rep(1, 10)",
        "60, 60, prob = (1:60) %% 4 + 1",
        "7, 3, prob = c(0, 1, 0, 2, 2, 0, 1)",
        "5, 1, prob = c(.1, .2, .4, .2, .1)",
        "20, 100, TRUE, (1:20) %% 3 + 1",
        "200, 100, TRUE, rep(1, 200)",
        # Walker's aliases
        "201, 100, TRUE, rep(1, 201)",
        "1000, 100, TRUE, 1:1000",
        "300, 1, prob = 1:300",
    ):
        yield _case("sample.int", arguments)


def _seeds() -> Iterator[Case]:
    for seed in (0, -1, 1, 2147483647, -2147483647):
        yield _case("runif", "2", seed=seed)


def _states() -> Iterator[Case]:
    for name, r in (
        ("after set.seed", "set.seed(123)"),
        ("after 5", "runif(5)"),
        ("after 624", "runif(624)"),
        ("after 1000", "rnorm(500)"),
        ("after a shuffle", "sample(1000)"),
    ):
        python = f"rng.{r.replace('set.seed', 'set_seed')}\nrng.state"
        yield _case(".Random.seed", name, expression=f"{{{r}; .Random.seed}}", python=python)


def _mixtures() -> Iterator[Case]:
    for name, r in (
        ("uniform and normal", "c(runif(3), rnorm(2), runif(1))"),
        (
            "small and large",
            "c(rnorm(1), rexp(500), rnorm(700), rexp(1), rmutil::rlaplace(1), rmutil::rlaplace(100))",
        ),
        (
            "counts",
            "c(rpois(50, 3), rbinom(50, 100, .4), rgeom(50, .1), rpois(50, 50), sample(20), runif(1))",
        ),
        ("Poisson means that alternate", "c(rpois(1, 20), rpois(1, 2), rpois(1, 20))"),
        ("a gamma norm and a direction", "c(rgamma(1, 3, rate = .5), rnorm(3), rgamma(1, .5), rnorm(3))"),
        ("a random sign times a geometric variable", "sample(c(-1, 1), 20, TRUE) * rgeom(20, .3)"),
    ):
        yield _case("mixture", name, expression=r)


def _noise_by_hand() -> Iterator[Case]:
    """What R users write for integer noise, and the function that draws the same."""
    for epsilon in ("1", "0.3"):
        yield _case(
            "symmetric_geometric_noise",
            f"a random sign times rgeom, epsilon {epsilon}",
            expression=f"sample(c(-1L, 1L), 20, TRUE) * rgeom(20, 1 - exp(-{epsilon}))",
            python=f'pydpstat.symmetric_geometric_noise(20, {epsilon}, method="sign", rng=rng)',
        )


def _refusals() -> Iterator[Case]:
    for function, arguments in (
        ("runif", "2, 3, 1"),
        ("runif", "2, 0, Inf"),
        ("rnorm", "2, sd = -1"),
        ("rnorm", "2, sd = Inf"),
        ("rnorm", "2, NaN"),
        ("rexp", "2, -1"),
        ("rexp", "2, 0"),
        ("rgeom", "2, 0"),
        ("rgeom", "2, 1.5"),
        ("rpois", "2, -1"),
        ("rpois", "2, Inf"),
        ("rbinom", "2, 2.5, .5"),
        ("rbinom", "2, 5, 1.1"),
        ("rgamma", "2, -1"),
        (".rlap", "2, 0, Inf"),
    ):
        yield _case(function, arguments, level="difference")
    # R draws the first value before it meets the wrong parameter
    yield _case("rnorm", "2, sd = c(1, -1)", level="difference", draws=False)
    for function, arguments in (
        ("runif", "-1"),
        ("rlaplace", "2, s = 0"),
        ("rlaplace", "2, s = c(1, -1)"),
        (".rlap", "2, 0, -1"),
        ("rgamma", "2, 2, rate = 2, scale = 2"),
        ("sample", "3, 4"),
        ("sample.int", "2, 1, prob = c(1, -1)"),
        ("sample.int", "2, 2, prob = c(1, 0)"),
        ("sample.int", "2, 1, prob = c(1, NA)"),
        ("sample.int", "3, 1, prob = c(1, 1)"),
    ):
        yield _case(function, arguments, level="error")


CASES: tuple[Case, ...] = tuple(
    case
    for group in (
        _laws,
        _without_draw,
        _recycling,
        _samples,
        _seeds,
        _states,
        _mixtures,
        _noise_by_hand,
        _refusals,
    )
    for case in group()
)
