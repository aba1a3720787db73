"""Rows: microaggregation beside a plain pandas implementation and R's sdcMicro, and the fast method."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

from pydpstat.anonymity import evaluate_anonymization, microaggregation, simulate_loans
from pydpstat.anonymity.example_data import OUTLIER, ROWS

PANDAS = "microaggregation by MDAV, k = 500, beside plain pandas"
SDCMICRO = "microaggregation by MDAV, k = 500, beside sdcMicro"
FAST = "fast microaggregation, k = 3"
LINEAR = "fast microaggregation, k = 3, four times the rows"
LOSS = "loss of fast microaggregation beside MDAV's, k = "
# as many rows are compared by their losses
FEW = 20_000
MDAV_AIM, FAST_AIM, LINEAR_AIM, LOSS_AIM = 1.0 / 20.0, 20.0, 5.0, 1.1


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of anonymization."""
    return [
        Benchmark(PANDAS, _pandas),
        Benchmark(SDCMICRO, _sdcmicro),
        Benchmark(FAST, _fast),
        Benchmark(LINEAR, _linear),
        *(Benchmark(f"{LOSS}{k}", partial(_loss, k)) for k in (3, 10, 50)),
    ]


def _loans(bench: Bench, share: int = 1) -> Any:
    rows = max(1000, min(ROWS, bench.size // 30) // share)
    return simulate_loans(rows).drop(columns=["SK_ID_CURR", "TARGET"])


def _k(df: Any) -> int:
    """Return 500, or as many groups on fewer rows."""
    return max(2, len(df) * 500 // ROWS)


def plain(df: Any, k: int) -> Any:
    """Do MDAV's steps with pandas, as one writes them down."""
    left, groups = df, []

    def far(point: Any) -> Any:
        return left.loc[((left - point) ** 2).sum(axis=1).idxmax()]

    def near(point: Any) -> Any:
        groups.append(((left - point) ** 2).sum(axis=1).nsmallest(k).index)
        return left.drop(groups[-1])

    while len(left) >= 3 * k:
        first = far(left.mean())
        second = far(first)
        left = near(first)
        left = near(second)
    if len(left) >= 2 * k:
        left = near(far(left.mean()))
    result = df.astype(float)
    for group in [*groups, left.index]:
        result.loc[group] = df.loc[group].mean().to_numpy()
    return result


def _pandas(bench: Bench) -> Row:
    df = _loans(bench)
    k = _k(df)
    if not np.allclose(plain(df.iloc[:2000], 20), microaggregation(df.iloc[:2000], 20), rtol=1e-12):
        raise AssertionError("both sides must have the same groups")
    # the other side takes a quarter of a minute
    ours, other = replace(bench, repeats=2).compare(lambda: microaggregation(df, k), lambda: plain(df, k))
    return _row(PANDAS, df, ours, other, "pandas", MDAV_AIM)


def _sdcmicro(bench: Bench) -> Row:
    """Time R on the same numbers; it takes its distances in standard deviations."""
    df = _loans(bench)
    k, theirs = _k(df), None
    if bench.r and bench.r.has("sdcMicro"):
        bench.r.run("suppressMessages(library(sdcMicro))")
        columns = {f"column{place}": df.iloc[:, place].to_numpy(float) for place in range(df.shape[1])}
        bench.r.give(columns)
        bench.r.run(f"loans <- data.frame({', '.join(columns)})")
        theirs = bench.r.function(f'microaggregation(loans, method = "mdav", aggr = {k})')
    few = replace(bench, repeats=2)
    ours, other = few.compare(lambda: microaggregation(df, k, standardize=True), theirs)
    return _row(SDCMICRO, df, ours, other, "", None)


def _row(what: str, df: Any, ours: float, other: float | None, peer: str, aim: float | None) -> Row:
    quotient = ratio(ours, other)
    return Row(
        what,
        f"{len(df):,} x {df.shape[1]}",
        duration(ours),
        duration(other) + (f" ({peer})" if peer else "") if other else "-",
        quotient,
        "-" if aim is None else f"ratio <= {aim:g}",
        met(quotient, aim),
    )


def _fast(bench: Bench) -> Row:
    df = _loans(bench)
    taken, _ = replace(bench, repeats=2).compare(lambda: microaggregation(df, 3, "fast"), None)
    aim = FAST_AIM if len(df) == ROWS else None
    return Row(
        FAST,
        f"{len(df):,} x {df.shape[1]}",
        duration(taken),
        aim="-" if aim is None else f"<= {aim:g} s",
        met=met(taken, aim),
    )


def _linear(bench: Bench) -> Row:
    many, few = _loans(bench), _loans(bench, 4)
    longer, shorter = replace(bench, repeats=2).compare(
        lambda: microaggregation(many, 3, "fast"), lambda: microaggregation(few, 3, "fast")
    )
    return _row(LINEAR, many, longer, shorter, "a quarter", LINEAR_AIM)


def _loss(k: int, bench: Bench) -> Row:
    """Compare losses; nothing is timed. The outlier alone would make up most of both."""
    df = _loans(bench)
    df = df[df["AMT_INCOME_TOTAL"] < OUTLIER].iloc[:FEW]
    fast, mdav = (evaluate_anonymization(df, microaggregation(df, k, method)).loss for method in ("fast", "mdav"))
    return Row(
        f"{LOSS}{k}",
        f"{len(df):,} x {df.shape[1]}",
        f"{fast:.3g}",
        f"{mdav:.3g} (MDAV)",
        fast / mdav,
        f"ratio <= {LOSS_AIM:g}",
        met(fast / mdav, LOSS_AIM),
    )
