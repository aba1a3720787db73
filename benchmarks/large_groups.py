"""Many groups in memory, beside pandas; and each group's error beside a release of that group alone."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from large_data import BOUNDS
from large_tables import Table, met
from table import duration

import pydpstat as dp

GROUPS = 1000
AIM = 2.0
Show = Callable[[str], None]


def in_memory(size: int, many: int, repeats: int, show: Show) -> list[Table]:
    """Return the table of means by group of records in memory."""
    rng = np.random.default_rng(1)
    x = rng.lognormal(np.log(30_000.0), 0.6, size)
    rows = [("keys", "groups", "records", "pydpstat", "pandas", "ratio", "aim met")]
    for groups in (GROUPS, many):
        codes = rng.integers(0, groups, size)
        names = [f"group {number:06d}" for number in range(groups)]
        for kind, keys, levels in _kinds(codes, names):
            show(f"{groups:,} groups of {kind} in memory")
            frame = pd.DataFrame({"x": x, "key": keys})
            del keys
            ours, theirs = _in_turn(frame, levels, max(repeats, 2))
            ratio = ours / theirs
            aim = AIM if groups == GROUPS else None
            cells = (
                f"{groups:,}",
                f"{size:,}",
                duration(ours),
                duration(theirs),
                f"{ratio:.2f}",
                met(ratio, aim),
            )
            rows.append((kind, *cells))
    note = (
        "A mean by group at epsilon 1, unbounded neighbors, beside `groupby().mean()`, in turn in one "
        f"process; the least time counts. The aim of a ratio is {AIM:g} for {GROUPS:,} groups, and "
        "there is none for more."
    )
    return [Table("memory", "Many groups in memory", rows, (note,))]


def _kinds(codes: np.ndarray, names: list[str]) -> Any:
    yield "categories", pd.Categorical.from_codes(codes, names), "declared"
    yield "integers", codes, list(range(len(names)))
    texts = np.array(names, dtype=object)[codes]
    yield "texts", pd.Series(texts, dtype="str" if pd.__version__ >= "3" else "string"), names
    yield "texts as objects", pd.Series(texts, dtype=object), names


def _in_turn(frame: pd.DataFrame, levels: list[Any] | str, repeats: int) -> tuple[float, float]:
    how: dict[str, Any] = {"bounds": BOUNDS, "by": "key", "levels": levels, "other": None}

    def ours() -> object:
        return dp.mean(frame, 1.0, neighbors="unbounded", **how)

    def theirs() -> object:
        return frame.groupby("key", observed=False)["x"].mean()

    taken = [[_seconds(side) for side in (ours, theirs)] for _ in range(repeats)]
    first, second = map(min, zip(*taken))
    return first, second


def _seconds(action: Callable[[], object]) -> float:
    gc.collect()
    start = perf_counter()
    action()
    return perf_counter() - start


def errors(repeats: int, show: Show) -> list[Table]:
    """Return the table of each group's mean squared error beside that of a release of the group alone."""
    show("errors of groups")
    rng = np.random.default_rng(2)
    sizes = np.array([100, 200, 500, 1000, 2000])
    codes = np.repeat(np.arange(sizes.size), sizes)
    x = rng.uniform(0.0, 100.0, codes.size)
    keys = pd.Categorical.from_codes(codes, [str(size) for size in sizes])
    how: dict[str, Any] = {"bounds": (0.0, 100.0), "neighbors": "unbounded"}
    rows = [("group of", "statistic", "by group", "alone", "ratio", "its standard error")]
    for statistic in (dp.mean, dp.var):
        # a generator for each side: draws are independent, and the same in every run
        grouped, alone = (np.random.default_rng([3, side]) for side in (0, 1))
        together = np.array(
            [np.asarray(statistic(x, 1.0, by=keys, levels="declared", rng=grouped, **how)) for _ in range(repeats)]
        )
        for place, size in enumerate(sizes):
            own = x[codes == place]
            single = np.array([float(statistic(own, 1.0, rng=alone, **how)) for _ in range(repeats)])
            truth = own.mean() if statistic is dp.mean else own.var(ddof=1)
            first, second = (np.square(draws - truth) for draws in (together[:, place], single))
            ratio = first.mean() / second.mean()
            spread = sum(each.var(ddof=1) / each.mean() ** 2 / repeats for each in (first, second))
            cells = (
                f"{first.mean():.4g}",
                f"{second.mean():.4g}",
                f"{ratio:.2f}",
                f"{ratio * spread**0.5:.2f}",
            )
            rows.append((f"{size:,}", statistic.__name__, *cells))
    note = (
        f"Mean squared errors of {repeats:,} releases each at epsilon 1, unbounded neighbors, with seeds: of "
        "all groups in one release, and of each group's records in a separate one with the same epsilon. A "
        "ratio of 1 means that the other groups cost nothing."
    )
    return [Table("errors", "What other groups cost", rows, (note,))]
