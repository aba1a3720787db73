"""Rows: R's streams against R, calibrations a second, and noise from the operating system."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

from pydpstat import RRandom, calibrate_gaussian
from pydpstat.random import secure

PAIRS = 30_000
# R takes these few of the pairs: its loop is slow
R_PAIRS = 1_000
CALIBRATION_AIM = 30_000
GRID = 2.0**-20


class Stream(NamedTuple):
    """A law in both languages, drawn n times; `aim` is the ratio aimed at."""

    what: str
    python: Callable[[RRandom, int], Any]
    r: str
    package: str = "base"
    aim: float | None = None


STREAMS = (
    Stream("runif", lambda rng, n: rng.runif(n), "runif(n)", aim=1.0),
    Stream("rnorm", lambda rng, n: rng.rnorm(n), "rnorm(n)", aim=1.0),
    Stream("rexp", lambda rng, n: rng.rexp(n), "rexp(n)"),
    Stream("rgeom(p = .63)", lambda rng, n: rng.rgeom(n, 0.63), "rgeom(n, .63)"),
    Stream("rgeom(p = .01)", lambda rng, n: rng.rgeom(n, 0.01), "rgeom(n, .01)"),
    Stream("rpois(5)", lambda rng, n: rng.rpois(n, 5.0), "rpois(n, 5)"),
    Stream("rpois(50)", lambda rng, n: rng.rpois(n, 50.0), "rpois(n, 50)"),
    Stream("rbinom(100, .3)", lambda rng, n: rng.rbinom(n, 100, 0.3), "rbinom(n, 100, .3)"),
    Stream("rgamma(2)", lambda rng, n: rng.rgamma(n, 2.0), "rgamma(n, 2)"),
    Stream("rgamma(.5)", lambda rng, n: rng.rgamma(n, 0.5), "rgamma(n, .5)"),
    Stream("sample, a permutation", lambda rng, n: rng.sample(n), "sample(n)"),
    Stream("sample, with replacement", lambda rng, n: rng.sample(n, n, replace=True), "sample(n, n, TRUE)"),
    Stream("rlaplace", lambda rng, n: rng.rlaplace(n), "rmutil::rlaplace(n)", "rmutil", aim=1.0),
    Stream("diffpriv's .rlap", lambda rng, n: rng.rlap(n), "diffpriv:::.rlap(n)", "diffpriv"),
)


class Noise(NamedTuple):
    """An exact law from the operating system, and NumPy's of the same kind; `aim` is a ratio."""

    what: str
    exact: Callable[[int], Any]
    numpy: Callable[[np.random.Generator, int], Any] | None = None
    aim: float | None = None


NOISES = (
    Noise("exact Laplace", lambda n: secure.laplace(n, 1.0, GRID), lambda g, n: g.laplace(size=n), 2.5),
    Noise("exact Gaussian", lambda n: secure.normal(n, 1.0, GRID), lambda g, n: g.normal(size=n), 6.0),
    Noise("exact two-sided geometric", lambda n: secure.symmetric_geometric(n, 1.0)),
    Noise("exact discrete Gaussian, sd 2", lambda n: secure.discrete_gaussian(n, 2.0)),
)


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of draws and calibrations."""
    return [
        *(Benchmark(stream.what, partial(_stream, stream)) for stream in STREAMS),
        Benchmark("calibrate_gaussian, analytic", _calibrations),
        *(Benchmark(noise.what, partial(_unseeded, noise)) for noise in NOISES),
    ]


def _stream(stream: Stream, bench: Bench) -> Row:
    """Time a law; both streams start at one seed and run on from draw to draw."""
    size = max(1, bench.size // 10)
    rng, theirs = RRandom(1), None
    if bench.r and bench.r.has(stream.package):
        bench.r.run(f"n <- {size}L; set.seed(1)")
        theirs = bench.r.function(stream.r)
    ours, other = bench.compare(lambda: stream.python(rng, size), theirs)
    quotient = ratio(ours, other)
    return Row(
        stream.what,
        f"{size:,}",
        duration(ours),
        duration(other) if other else "-",
        quotient,
        "-" if stream.aim is None else f"ratio <= {stream.aim:g}",
        met(quotient, stream.aim),
    )


def _calibrations(bench: Bench) -> Row:
    """Calibrate random pairs: all at once here, one after the other in R, as it has no other way."""
    generator = np.random.default_rng(1)
    epsilon = np.exp(generator.uniform(np.log(0.01), np.log(5.0), PAIRS))
    delta = np.exp(generator.uniform(np.log(1e-10), np.log(1e-2), PAIRS))
    theirs = None
    if bench.r and bench.r.has("DPpack"):
        bench.r.give({"e": epsilon[:R_PAIRS], "d": delta[:R_PAIRS]})
        theirs = bench.r.function(
            "calibrate <- DPpack:::calibrateAnalyticGaussianMechanism; for (i in seq_along(e)) calibrate(e[i], d[i], 1)"
        )
    ours, other = bench.compare(lambda: calibrate_gaussian(epsilon, delta), theirs)
    rate, r_rate = PAIRS / ours, R_PAIRS / other if other else None
    return Row(
        "calibrate_gaussian, analytic",
        f"{PAIRS:,}",
        f"{rate:,.0f} a second",
        f"{r_rate:,.0f} a second" if r_rate else "-",
        ratio(1.0 / rate, 1.0 / r_rate if r_rate else None),
        f">= {CALIBRATION_AIM:,} a second",
        rate >= CALIBRATION_AIM,
    )


def _unseeded(noise: Noise, bench: Bench) -> Row:
    """Time noise from the operating system beside NumPy's, which stands in R's place."""
    size = max(1, bench.size // 10)
    generator = np.random.default_rng(1)
    theirs = noise.numpy and partial(noise.numpy, generator, size)
    mine, other = bench.compare(lambda: noise.exact(size), theirs)
    quotient = ratio(mine, other)
    return Row(
        noise.what,
        f"{size:,}",
        duration(mine),
        f"{duration(other)} (NumPy)" if other else "-",
        quotient,
        "-" if noise.aim is None else f"ratio <= {noise.aim:g}",
        met(quotient, noise.aim),
    )
