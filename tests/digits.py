"""Prints a digest of every part's numbers, to the last bit: ``python -m tests.digits``."""

import contextlib
import hashlib
import importlib.util
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat import anonymity, consistency, local, privacy
from pydpstat.errors import MissingExtraError
from pydpstat.mechanisms import (
    DiscreteGaussianNoise,
    GaussianNoise,
    LaplaceNoise,
    SignGeometricNoise,
    SymmetricGeometricNoise,
    calibrate_gaussian,
)
from pydpstat.parity._compare import evaluate_in_python
from pydpstat.parity.case import all_cases
from pydpstat.teaching import averaging_attack
from tests.own_releases import OWN

PROBABILITIES = np.append((np.arange(2000.0) + 0.5) / 2000.0, [10.0**-k for k in range(1, 300)])
EPSILONS = np.arange(1.0, 401.0) / 40.0


def mirrors() -> Iterator[Any]:
    """What every comparison with R returns."""
    for case in all_cases():
        # a package that is not installed
        with contextlib.suppress(MissingExtraError):
            found = evaluate_in_python(case)
            yield case.id, found.values, found.labels, found.next_uniform


def streams() -> Iterator[Any]:
    """Many numbers of R's streams."""
    for name, arguments in {
        "runif": (), "rnorm": (), "rexp": (), "rlaplace": (), "rgamma": (2.5,), "rpois": (12.0,),
        "rbinom": (50, 0.3), "rgeom": (0.1,),
    }.items():  # fmt: skip
        yield name, getattr(pydpstat.RRandom(5), name)(20_000, *arguments)


def own() -> Iterator[Any]:
    """Releases of the package's own functions, on NumPy's and on R's stream, and all they say."""
    for release in OWN:
        results = [release(release.data(), rng=rng) for rng in (11, pydpstat.RRandom(11))]
        yield release.name, [(np.asarray(each).tolist(), each.epsilon) for each in results]
        if release.bounded:
            # what is computed from the released numbers, of which the other neighbors have no other functions
            yield str(results[0].summary())


def noises() -> Iterator[Any]:
    """Distributions, quantiles and privacy curves."""
    x = np.arange(-40.0, 40.0, 0.037)
    for each in (LaplaceNoise(1.3), GaussianNoise(0.7)):
        yield each.pdf(x), each.cdf(x), each.ppf(PROBABILITIES), each.delta(EPSILONS, 1.7)
    k = np.arange(-50.0, 51.0)
    for one in (SymmetricGeometricNoise(0.3), SignGeometricNoise(0.3), DiscreteGaussianNoise(2.7)):
        yield one.pmf(k), one.cdf(k), one.ppf(PROBABILITIES[:2000])
        yield [one.delta(float(epsilon), 2) for epsilon in EPSILONS[::20]]
    for method in ("analytic", "probabilistic"):
        yield calibrate_gaussian(EPSILONS, 1e-6, 1.0, method=method)
    yield [calibrate_gaussian(float(each), 0.7, 2.0) for each in EPSILONS[::20]]


def accounts() -> Iterator[Any]:
    """Compositions and a budget's plan."""
    parts = [pydpstat.Guarantee(0.1)] * 30
    for method in ("zcdp", "exact"):
        total = privacy.compose(parts, method=method, delta=1e-6)
        yield total.epsilon, [total.delta_at(float(each)) for each in EPSILONS[::20]]
    yield str(pydpstat.plan("mean", 0.1, n=1000, bounds=(0.0, 1.0)).summary())


def answers() -> Iterator[Any]:
    """Local answers and their exact intervals."""
    yield local.uncertainty(PROBABILITIES[:2000], 1000, 1.1), local.get_prob_from_epsilon(EPSILONS)
    for n in (60, 3000):
        design = local.RandomizedResponse(1.0)
        result = design.estimate(design.respond(np.arange(n) % 3 % 2, rng=3))
        yield result.to_frame(), result.to_frame(kind="population"), design.bias(n, 0.2)


def tables() -> Iterator[Any]:
    """Counts that are made consistent."""
    table = np.arange(60.0).reshape(5, 12) % 7.3 - 0.5
    rows, columns = table.sum(axis=1) + 0.3, np.maximum(table.sum(axis=0), 0.0)
    for options in ({}, {"nonnegative": True}):
        yield consistency.least_squares(
            table, {0: rows, 1: columns}, variance=1.5, margin_variances=2.0, **options
        ).estimate
    yield consistency.ipf(np.abs(table) + 0.1, {0: rows}).estimate


def groups() -> Iterator[Any]:
    """Microaggregation of rows with ties, in few and in many variables."""
    loans = anonymity.simulate_loans(1500, seed=4)
    yield loans
    wide = pd.DataFrame(np.random.default_rng(3).integers(0, 9, (600, 12)).astype(float))
    for frame in (loans[["AMT_INCOME_TOTAL", "AMT_CREDIT", "DAYS_BIRTH"]], wide):
        for method in ("mdav", "fast"):
            yield anonymity.microaggregation(frame.astype(float), k=5, method=method)


def audits() -> Iterator[Any]:
    """Audits and attacks on a seeded stream."""
    stream = pydpstat.RRandom(2)
    for mechanism, delta in (("laplace", 0.0), ("gaussian", 1e-3)):
        options: Any = {"bounds": (0.0, 1.0), "mechanism": mechanism, "delta": delta, "rng": stream}
        found = pydpstat.audit(
            lambda x, options=options: pydpstat.mean(x, 1.0, **options),
            np.zeros(2),
            np.array([0.0, 1.0]),
            claim=pydpstat.Guarantee(1.0, delta),
            samples=2000,
            rng=1,
        )
        yield found.to_dict()
    yield averaging_attack(lambda: 120.0 + float(stream.rlaplace(1)[0]), 250).to_frame()


def pictures() -> Iterator[Any]:
    """What is drawn."""
    if not importlib.util.find_spec("matplotlib"):
        return
    from tests.plots.drawings import DRAWINGS

    for name, draw in DRAWINGS.items():
        for axes in np.ravel(draw(None)):
            yield name, [line.get_xydata() for line in axes.lines]
            yield [np.asarray(each.get_offsets()) for each in axes.collections]


PARTS: tuple[Callable[[], Iterator[Any]], ...] = (
    mirrors, streams, own, noises, accounts, answers, tables, groups, audits, pictures,
)  # fmt: skip


def exactly(value: Any) -> str:
    """A text that tells every bit of a value."""
    if isinstance(value, pd.DataFrame):
        return exactly([*value.columns, value.to_numpy(dtype=object)])
    if isinstance(value, np.ndarray):
        return exactly(value.tolist())
    if isinstance(value, dict):
        return exactly(list(value.items()))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(exactly, value))}]"
    return value.hex() if isinstance(value, float) and not math.isnan(value) else repr(value)


def main() -> None:
    """Print one line for each part."""
    warnings.simplefilter("ignore")
    for part in PARTS:
        digest = hashlib.sha256()
        for value in part():
            digest.update(exactly(value).encode())
        print(part.__name__, digest.hexdigest())


if __name__ == "__main__":
    main()
