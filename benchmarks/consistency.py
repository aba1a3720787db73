"""Rows: proportional fitting beside mipfp, and least squares on large hierarchies."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

from pydpstat.consistency import ipf
from pydpstat.consistency._tree import ConsistencyMethod, Levels, Tree, apply, fit_two_pass

SHAPE = (200, 200, 20)
TOLERANCE = 1e-10
IPF = "proportional fitting, three two-way margins, beside mipfp"
LEAST_SQUARES = "least squares on a hierarchy"
LINEAR = "least squares on ten times as many leaves"
# seconds for a million leaves; how much longer ten times as many may take
LEAST_SQUARES_AIM, LINEAR_AIM, IPF_AIM = 0.3, 13.0, 1.0
LEAVES = 1_000_000
# children of each node, level by level, but for the last
FANS = {"1,000 parents": (1000,), "three levels": (10, 100), "binary": (2,) * 19}


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of consistency."""
    return [
        Benchmark(IPF, _ipf),
        *(Benchmark(f"{LEAST_SQUARES}, {name}", partial(_least_squares, name)) for name in FANS),
        Benchmark(LINEAR, _linear),
        Benchmark("top-down fit of a hierarchy, whole numbers", _top_down),
    ]


def _ipf(bench: Bench) -> Row:
    """Time a fit on the same numbers; both sides stop at the same tolerance."""
    generator = np.random.default_rng(1)
    table, truth = generator.random(SHAPE), generator.exponential(size=SHAPE)
    margins = {axes: truth.sum(axis=3 - sum(axes)) for axes in ((0, 1), (0, 2), (1, 2))}
    theirs = None
    if bench.r and bench.r.has("mipfp"):
        names = dict(zip("abc", margins.values()))
        bench.r.give({"s": table, **names})
        bench.r.run("suppressMessages(library(mipfp))")
        theirs = bench.r.function(
            f"Ipfp(s, list(c(1, 2), c(1, 3), c(2, 3)), list(a, b, c), tol = {TOLERANCE}, tol.margins = 1e-6)"
        )
    ours, other = bench.compare(lambda: ipf(table, margins, tolerance=TOLERANCE), theirs)
    quotient = ratio(ours, other)
    return Row(
        IPF,
        " x ".join(map(str, SHAPE)),
        duration(ours),
        duration(other) if other else "-",
        quotient,
        f"ratio <= {IPF_AIM:g}",
        met(quotient, IPF_AIM),
    )


def _tree(fans: tuple[int, ...], leaves: int) -> Tree:
    """Return a tree with about so many leaves, shared evenly among the last level's parents."""
    children, size = [], 1
    for fan in fans:
        children.append(np.full(size, fan, dtype=np.int64))
        size *= fan
    each = max(1, round(leaves / size))
    return Tree((*children, np.full(size, each, dtype=np.int64), np.zeros(size * each, dtype=np.int64)))


def _inputs(tree: Tree) -> tuple[Tree, Levels, Levels]:
    generator = np.random.default_rng(1)
    values = [np.rint(generator.normal(10.0, 5.0, size)) for size in tree.sizes]
    return tree, values, [np.full(size, 2.0) for size in tree.sizes]


def _leaves(bench: Bench) -> int:
    return max(1000, min(LEAVES, bench.size // 10))


def _least_squares(name: str, bench: Bench) -> Row:
    tree, values, variances = _inputs(_tree(FANS[name], _leaves(bench)))
    taken, _ = bench.compare(lambda: fit_two_pass(tree, values, variances), None)
    aim = LEAST_SQUARES_AIM if tree.leaves >= 0.9 * LEAVES else None
    return Row(
        f"{LEAST_SQUARES}, {name}",
        f"{tree.leaves:,}",
        duration(taken),
        aim="-" if aim is None else f"<= {aim:g} s",
        met=met(taken, aim),
    )


def _linear(bench: Bench) -> Row:
    """Compare two sizes that are far above all overhead, one after the other."""
    few, many = (_inputs(_tree(FANS["1,000 parents"], leaves)) for leaves in (_leaves(bench), 10 * _leaves(bench)))
    longer, shorter = bench.compare(lambda: fit_two_pass(*many), lambda: fit_two_pass(*few))
    quotient = ratio(longer, shorter)
    return Row(
        LINEAR,
        f"{many[0].leaves:,}",
        duration(longer),
        f"{duration(shorter)} (a tenth)" if shorter else "-",
        quotient,
        f"ratio <= {LINEAR_AIM:g}",
        met(quotient, LINEAR_AIM),
    )


def _top_down(bench: Bench) -> Row:
    how: Any = ConsistencyMethod("top-down", True, True)
    tree, values, variances = _inputs(_tree(FANS["1,000 parents"], _leaves(bench)))
    taken, _ = bench.compare(lambda: apply(tree, values, variances, how), None)
    return Row("top-down fit of a hierarchy, whole numbers", f"{tree.leaves:,}", duration(taken))
