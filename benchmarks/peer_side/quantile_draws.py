"""Errors of one package's quantiles: ``quantile_draws.py PACKAGE``, cells as lines of JSON in and out.

It runs in the package's environment, which has NumPy.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from quantile_data import COARSE, DATA_SETS, KINDS, RELEASES, Cell, Kind

# of data, the kind of them and epsilon comes what draws a release
Release = Callable[[Any, Kind, float], Callable[[], float]]


def _pydpstat(coarse: bool = False) -> Release:
    from fractions import Fraction

    from pydpstat._records import quantile_points as points
    from pydpstat._records.ranks import RankTarget, compute_rank_range, compute_utility_limit

    def release(x: Any, kind: Kind, epsilon: float) -> Callable[[], float]:
        # what pydpstat.quantile does, but that the records are counted once for all releases of the same data
        how = points.check_quantile_options(epsilon, None, "error", False)
        asked = points.read_quantile_query(x, kind.bounds, kind.candidates if coarse else None, how)
        share = points.check_share(kind.q)
        rate = Fraction(epsilon) / compute_rank_range(share, asked.neighbors)
        found = asked.count_points_near(RankTarget(share, compute_utility_limit(rate)))
        return lambda: float(points.choose_points_for_share(found, asked, share, rate))

    return release


def _opendp() -> Release:
    import opendp.prelude as dp

    dp.enable_features("contrib")

    def release(x: Any, kind: Kind, epsilon: float) -> Callable[[], float]:
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(x))
        candidates = np.linspace(*kind.bounds, kind.candidates).tolist()
        space = domain, dp.symmetric_distance()
        # a record that is replaced is two in this distance
        measurement = space >> dp.m.then_private_quantile(
            dp.max_divergence(), candidates=candidates, alpha=kind.q, scale=2.0 / epsilon
        )
        if abs(measurement.map(2) / epsilon - 1.0) > 1e-6:
            raise RuntimeError("the scale does not keep epsilon")
        floats = x.astype(np.float64)
        return lambda: float(measurement(floats))

    return release


def _diffprivlib() -> Release:
    from diffprivlib.mechanisms import Exponential

    def release(x: Any, kind: Kind, epsilon: float) -> Callable[[], float]:
        # what diffprivlib.tools.quantile does, but that its mechanism's probabilities are computed once for
        # all releases of the same data
        ends = np.sort(np.append(np.clip(x.astype(np.float64), *kind.bounds), kind.bounds))
        utility = -np.abs(np.arange(len(x) + 1) - kind.q * len(x))
        mechanism = Exponential(
            epsilon=epsilon, sensitivity=1, utility=utility.tolist(), measure=np.diff(ends).tolist()
        )
        upto = np.array(mechanism._probabilities)
        uniform = np.random.default_rng()

        def draw() -> float:
            place = min(int(np.searchsorted(upto, uniform.random())), len(x))
            return float(uniform.random() * (ends[place + 1] - ends[place]) + ends[place])

        return draw

    return release


PACKAGES = {
    "pydpstat": _pydpstat,
    # with the candidates that OpenDP has
    COARSE: partial(_pydpstat, True),
    "opendp": _opendp,
    "diffprivlib": _diffprivlib,
}


def errors(cell: Cell, package: Release) -> dict[str, float]:
    """Return the root mean squared error of all releases, its standard error, and the mean absolute one."""
    kind, found = KINDS[cell.kind], []
    for place in range(DATA_SETS):
        x = cell.data(place)
        draw = package(x, kind, cell.epsilon)
        truth = np.quantile(np.clip(x, *kind.bounds), kind.q)
        found.append([draw() - truth for _ in range(RELEASES)])
    each = np.array(found)
    squares = np.square(each).mean(axis=1)
    rmse = float(np.sqrt(squares.mean()))
    # releases of one data set are not independent of each other
    spread = float(squares.std(ddof=1) / np.sqrt(squares.size))
    return {
        "rmse": rmse,
        "se": spread / (2.0 * rmse) if rmse else 0.0,
        "mean": float(np.abs(each).mean()),
    }


def main() -> None:
    """Answer each line, and first say which version answers."""
    warnings.simplefilter("ignore")
    name = sys.argv[1]
    package = PACKAGES[name]()
    print(json.dumps({"version": version(name.partition(" ")[0])}), flush=True)
    for line in sys.stdin:
        cell = Cell(**json.loads(line))
        same = name == COARSE and not KINDS[cell.kind].coarse
        print(json.dumps(None if same else errors(cell, package)), flush=True)


if __name__ == "__main__":
    main()
