"""Measure the errors of consistent counts by method: ``python benchmarks/consistency_accuracy.py``."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import table
from consistency_settings import EPSILON, SEED, SETTINGS, TABLES, Setting, TableSetting

from pydpstat.consistency import ipf, least_squares, release_hierarchy
from pydpstat.mechanisms import SymmetricGeometricNoise
from pydpstat.statistics.integer_noise import symmetric_geometric_noise

REPEATS = 200
# what a cell below it is set to, for a fit that cannot leave 0
FLOOR = 0.1
# true counts by which leaves are told apart
SIZES = (0, 1, 20, 200)
HIERARCHY_HEAD = ("setting", "mean over", "noisy", "least squares", "ratio", "IPF", "top-down")
TABLE_HEAD = ("setting", "mean over", "noisy", "least squares", "no negative", "whole", "ratio", "IPF")
HOW = (
    f"Mean squared errors at epsilon {EPSILON:g} with unbounded neighbors, from {{repeats}} "
    "releases, each made "
    "consistent in every way. ± is the standard error. The mean is over the leaves, or over all levels, each "
    "level with its nodes' mean; in a table over its cells, or its row and column sums.",
    "IPF of a hierarchy: every level's counts, negative ones set to 0, are scaled to their "
    "parents, which is what "
    f"proportional fitting to nested margins comes to. IPF of a table: cells below {FLOOR:g} are set to "
    f"{FLOOR:g}, negative margins to 0; both margins are scaled to the mean of their totals. The "
    "ratio scales "
    "each row to its noisy sum (to equal shares where the cells add up to 0) and leaves the columns out.",
)


class Line(NamedTuple):
    """A line of the table: the squared errors of each method, a number for each release."""

    setting: str
    mean: str
    errors: tuple[np.ndarray, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the line's texts."""
        return (self.setting, self.mean, *map(_shown, self.errors))


def _shown(errors: np.ndarray) -> str:
    value, spread = errors.mean(), errors.std(ddof=1) / np.sqrt(errors.size)
    digits = max(0, 1 - int(np.floor(np.log10(spread)))) if spread > 0.0 else 1
    return f"{value:,.{digits}f} ± {spread:.{digits}f}"


def measure(repeats: int = REPEATS) -> list[Line]:
    """Return the lines of all hierarchies."""
    return [line for setting in SETTINGS for line in _hierarchy(setting, repeats)]


def measure_tables(repeats: int = REPEATS) -> list[Line]:
    """Return the lines of all tables."""
    return [line for setting in TABLES for line in _table(setting, repeats)]


def measure_by_size(name: str, repeats: int = REPEATS) -> list[Line]:
    """Return a line for the leaves of each size, in one of the hierarchies."""
    setting = next(each for each in SETTINGS if each.name == name)
    truth = setting.truth()
    releases = [_ways(setting, seed) for seed in range(repeats)]
    lines = []
    for low, high in zip(SIZES, (*SIZES[1:], np.inf)):
        own = (truth >= low) & (truth < high)
        if not own.any():
            continue
        errors = np.array([[((way[-1] - truth)[own] ** 2).mean() for way in ways] for ways in releases])
        size = "0" if high == 1 else f"{low} to {high - 1:g}" if np.isfinite(high) else f"{low} and more"
        lines.append(Line(name, f"{own.sum()} leaves of {size}", tuple(errors.T)))
    return lines


def text(lines: Sequence[Line], head: Sequence[str] = HIERARCHY_HEAD) -> str:
    """Return the lines as an aligned table."""
    return table.aligned([head, *(line.cells() for line in lines)], (False, False) + (True,) * (len(head) - 2))


def _ways(setting: Setting, seed: int) -> list[Any]:
    """Return the values of one release, as noisy as it is and made consistent in every way."""
    released = release_hierarchy(
        setting.truth(),
        EPSILON,
        hierarchy=setting.hierarchy(),
        split=setting.split,
        neighbors="unbounded",
        rng=np.random.default_rng([SEED, seed]),
    )
    return [
        released.noisy_values,
        released.values,
        released.consistent("ratio").values,
        released.consistent("ratio", nonnegative=True).values,
        released.consistent("top-down").values,
    ]


def _hierarchy(setting: Setting, repeats: int) -> list[Line]:
    hierarchy, leaves = setting.hierarchy(), setting.truth()
    place = [np.zeros(size) for size in hierarchy.sizes[:-1]] + [leaves.astype(float)]
    truth = hierarchy.tree.sum_from_leaves(place)
    found = []
    for seed in range(repeats):
        ways = _ways(setting, seed)
        found.append([[float(((a - b) ** 2).mean()) for a, b in zip(way, truth)] for way in ways])
    errors = np.array(found)
    return [
        Line(setting.name, "leaves", tuple(errors[:, :, -1].T)),
        Line(setting.name, "levels", tuple(errors.mean(axis=2).T)),
    ]


def _table(setting: TableSetting, repeats: int) -> list[Line]:
    truth = setting.truth().astype(float)
    variance = SymmetricGeometricNoise(EPSILON / 3.0).var()
    found = []
    for seed in range(repeats):
        rng = np.random.default_rng([SEED, seed])
        cells, rows, columns = (
            part + symmetric_geometric_noise(part.size, EPSILON / 3.0, rng=rng).reshape(part.shape)
            for part in (truth, truth.sum(axis=1), truth.sum(axis=0))
        )
        margins: Any = {0: rows, 1: columns}
        wishes: list[dict[str, bool]] = [{}, {"nonnegative": True}, {"nonnegative": True, "integer": True}]
        ways = [
            cells,
            *(
                least_squares(cells, margins, variance=variance, margin_variances=variance, **wish).values
                for wish in wishes
            ),
            _ratio(cells, rows),
            _proportional(cells, rows, columns),
        ]
        found.append([_errors(way, truth) for way in ways])
        # the noisy margins themselves, not the sums of noisy cells
        found[-1][0][1] = _margin_error(rows, columns, truth)
    errors = np.array(found)
    return [Line(setting.name, name, tuple(errors[:, :, at].T)) for at, name in enumerate(("cells", "margins"))]


def _ratio(cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
    sums = cells.sum(axis=1, keepdims=True)
    shares = np.where(sums == 0.0, 1.0 / cells.shape[1], cells / np.where(sums == 0.0, 1.0, sums))
    return shares * rows[:, None]


def _proportional(cells: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    goals = [np.maximum(each, 0.0) for each in (rows, columns)]
    total = np.mean([each.sum() for each in goals])
    scaled = {axis: each * (total / each.sum()) for axis, each in enumerate(goals)}
    return np.asarray(ipf(np.maximum(cells, FLOOR), scaled).values)


def _errors(way: np.ndarray, truth: np.ndarray) -> list[float]:
    return [float(((way - truth) ** 2).mean()), _margin_error(way.sum(axis=1), way.sum(axis=0), truth)]


def _margin_error(rows: np.ndarray, columns: np.ndarray, truth: np.ndarray) -> float:
    gaps = np.concatenate([rows - truth.sum(axis=1), columns - truth.sum(axis=0)])
    return float((gaps**2).mean())


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description="Errors of consistent counts, by method.")
    parser.add_argument("--repeats", metavar="N", type=int, default=REPEATS, help="releases (default: %(default)s)")
    repeats = max(2, parser.parse_args(argv).repeats)
    print(text(measure(repeats)), text(measure_tables(repeats), TABLE_HEAD), sep="\n\n")
    for part in HOW:
        print("", textwrap.fill(part.format(repeats=repeats), 110), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
