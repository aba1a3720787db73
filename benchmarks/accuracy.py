"""Measure how far releases are from the truth, beside R's mirrors: ``python benchmarks/accuracy.py``."""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import files
import numpy as np
import table
from accuracy_data import DELTA, EPSILON, STATISTICS, N, Options, Statistic
from scipy.optimize import brentq

from pydpstat import PrivacyWarning
from pydpstat.privacy import NEIGHBORS

REPEATS = 200
HEAD = ("statistic", "truth", "noise", "neighbors", "ours", "R's", "ratio", "R's call")
RIGHT = (False, True, False, False, True, True, True, False)
# between these claims a mirror's epsilon is looked for
CLAIMS = 0.2 * EPSILON, 5.0 * EPSILON
HOW = (
    f"Root mean squared errors of {N} records at epsilon {EPSILON:g}, and delta {DELTA:g} with Gaussian "
    "noise, from {repeats} releases of each kind; ± is the standard error of this estimate. A table's error "
    "is that of a cell. The error is what was released minus the statistic of the raw data. All data lie "
    "inside the bounds (incomes are top-coded at the upper one), so that clipping adds none.",
    "R's mirror has the same true guarantee: its claimed epsilon is the one at which its result states that "
    "epsilon holds. A ratio below 1 is in our favor. Neighbors are bounded (one record replaced, the number "
    "of records public) or unbounded (one added or removed, the number private). Where no call of the mirror "
    "keeps anything for unbounded neighbors, its error for bounded ones stands there for information.",
    "Mirrors run in their sound form: breaks and levels given, analytic Gaussian noise; negative counts are "
    "kept on both sides. R's correlation is a covariance over two standard deviations, each with a third of "
    "epsilon and delta, cut to [-1, 1]. Our quantiles are whole tens. Noise is drawn with NumPy generators, "
    "which give the same laws as the operating system's noise.",
)


class Error(NamedTuple):
    """A root mean squared error and the standard error of its own estimate."""

    rmse: float
    se: float

    def __str__(self) -> str:
        # two digits of the standard error
        digits = max(0, 1 - math.floor(math.log10(self.se))) if self.se else 3
        return f"{self.rmse:.{digits}f} ± {self.se:.{digits}f}"


class Line(NamedTuple):
    """A line of the table: a statistic with one noise and one kind of neighbors.

    Parameters
    ----------
    statistic : Statistic
    noise, neighbors : str
    ours : Error
    theirs : Error or None
        The mirror's, where one of its calls keeps as much.
    call : str
        That call's claimed epsilon; without one, the mirror's error under bounded neighbors.
    """

    statistic: Statistic
    noise: str
    neighbors: str
    ours: Error
    theirs: Error | None
    call: str

    def cells(self) -> tuple[str, ...]:
        """Return the line's texts, in the order of the head."""
        truth = f"{float(self.statistic.truth):,.5g}" if np.ndim(self.statistic.truth) == 0 else "-"
        ratio = f"{self.ours.rmse / self.theirs.rmse:.2f}" if self.theirs else "-"
        theirs = str(self.theirs or "-")
        return (
            self.statistic.name,
            truth,
            self.noise,
            self.neighbors,
            str(self.ours),
            theirs,
            ratio,
            self.call,
        )


def measure(repeats: int = REPEATS, show: Callable[[str], None] = lambda text: None) -> list[Line]:
    """Return every line of the table.

    Parameters
    ----------
    repeats : int
        Releases of each kind.
    show : callable
        Is told how far the measurement is.
    """
    todo = [
        (statistic, noise, neighbors)
        for statistic in STATISTICS
        for noise in statistic.noises
        for neighbors in NEIGHBORS
    ]
    lines: list[Line] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        for number, (statistic, noise, neighbors) in enumerate(todo, start=1):
            show(f"[{number}/{len(todo)}] {statistic.name}, {noise}, {neighbors}")
            bounded = lines[-1].theirs if neighbors != "bounded" else None
            lines.append(_line(statistic, noise, neighbors, repeats, number, bounded))
    show("")
    return lines


def _line(statistic: Statistic, noise: str, neighbors: str, repeats: int, seed: int, bounded: Error | None) -> Line:
    gaussian = noise == "Gaussian"
    # a seeded NumPy generator: the same laws as the operating system's noise, and quicker
    rng, r_rng = (np.random.default_rng([seed, side]) for side in (0, 1))
    own: Options = {"neighbors": neighbors, "rng": rng}
    mirror: Options = {"which_sensitivity": neighbors, "rng": r_rng}
    if gaussian:
        own |= {"mechanism": "gaussian", "delta": DELTA}
        mirror |= {"mechanism": "analytic", "delta": DELTA}
    ours = _error([statistic.own(**own) for _ in range(repeats)], statistic.truth)
    claim = _claim(statistic, neighbors, mirror)
    if claim is None:
        call = f"keeps nothing; bounded: {bounded}"
        return Line(statistic, noise, neighbors, ours, None, call)
    draws = [statistic.mirror(claim, mirror).value for _ in range(repeats)]
    theirs = _error(draws, statistic.truth)
    return Line(statistic, noise, neighbors, ours, theirs, f"{statistic.r}, eps {claim:.4g}")


def _claim(statistic: Statistic, neighbors: str, options: Options) -> float | None:
    """Return the epsilon to claim for a mirror to keep ours, going by what its results state."""

    def excess(claim: float) -> float:
        guarantees = statistic.mirror(claim, options).guarantees
        kept = sum(each.epsilon for each in guarantees)
        right = all(each.neighbors == neighbors for each in guarantees)
        # R's calibration meets delta to a few millionths
        if sum(each.delta for each in guarantees) > 1.00001 * options.get("delta", 0.0):
            raise RuntimeError(f"{statistic.r} does not keep delta")
        return kept - EPSILON if right else math.inf

    found = excess(EPSILON)
    if math.isinf(found) or abs(found) < 1e-9:
        return None if math.isinf(found) else EPSILON
    return float(brentq(excess, *CLAIMS, xtol=1e-9))


def _error(draws: Sequence[Any], truth: Any) -> Error:
    """Return the root mean squared error of releases; of a table, of a cell. What is missing counts as 0."""
    numbers = np.nan_to_num([np.asarray(draw, dtype=np.float64) for draw in draws])
    squares = np.square(numbers - truth).reshape(len(draws), -1).mean(axis=1)
    rmse = math.sqrt(squares.mean())
    return Error(rmse, squares.std(ddof=1) / math.sqrt(squares.size) / (2.0 * rmse))


def text(lines: Sequence[Line]) -> str:
    """Return the table as text."""
    return table.aligned([HEAD, *(line.cells() for line in lines)], RIGHT)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table and perhaps write it; return 0."""
    parser = argparse.ArgumentParser(description="Measure releases' errors beside those of R's mirrors.")
    parser.add_argument(
        "--repeats",
        metavar="N",
        type=int,
        default=REPEATS,
        help="releases of each kind, at least 2 (default: %(default)s)",
    )
    parser.add_argument("--markdown", metavar="FILE", help="write the table to FILE, too")
    options = parser.parse_args(argv)
    if options.repeats < 2:
        parser.error("--repeats must be at least 2")
    lines = measure(options.repeats, files.progress if sys.stderr.isatty() else lambda line: None)
    how = [part.format(repeats=options.repeats) for part in HOW]
    print("\n\n".join([text(lines), *(textwrap.fill(part, 110) for part in how)]))
    if options.markdown:
        rows = table.piped([HEAD, *(line.cells() for line in lines)], RIGHT)
        files.write(Path(options.markdown), ["# Accuracy", rows, *how])
    return 0


if __name__ == "__main__":
    sys.exit(main())
