"""OpenDP's Polars queries: a noisy sum and a noisy number of records of each group, half of epsilon each."""

from __future__ import annotations

import opendp.prelude as opendp
import polars as pl
from serve import BOUNDS, GROUPS, KEYS, Found, main

opendp.enable_features("contrib")
# it needs a public limit of a group's size
MOST = 100_000


def release(path: str, epsilon: float) -> Found:
    """Return the mean and the count of every group; the mean is the sum divided by the count."""
    margin = opendp.polars.Margin(by=KEYS, max_length=MOST, max_groups=len(GROUPS), invariant="keys")
    context = opendp.Context.compositor(
        data=pl.scan_parquet(path).select("income", *KEYS),
        privacy_unit=opendp.unit_of(contributions=1),
        privacy_loss=opendp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[margin],
    )
    income = pl.col("income").fill_null(0.0).fill_nan(0.0)
    query = context.query().group_by(*KEYS).agg(opendp.len(), income.dp.sum(BOUNDS))
    rows = query.release().collect().iter_rows(named=True)
    return {(row["region"], row["sex"]): (row["income"] / max(row["len"], 1), row["len"]) for row in rows}


if __name__ == "__main__":
    main("opendp", release)
