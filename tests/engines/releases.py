"""Releases that are made of the same records in every engine, and what must be equal of them.

A statistic is one line in `STATISTICS`; it is then released in each of `WAYS` from every engine.
"""

import functools
import inspect
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from tests.engines.tallies import LABELS

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")
BOUNDS = (-50, 50)


class Statistic(NamedTuple):
    """A function, the columns that it reads, what a missing value may become, and further arguments.

    `unit` is the budget's where the call names none.
    """

    function: object
    columns: tuple
    fill: object = None
    arguments: dict = {}
    unit: str | None = None


class Way(NamedTuple):
    """How a statistic is released: options, and the columns that these name."""

    options: dict
    columns: tuple = ()


NUMBERS = {"bounds": BOUNDS}
STATISTICS = {
    "mean": Statistic(dp.mean, ("x",), 1.5, NUMBERS),
    "means": Statistic(dp.mean, ("x", "i"), 1.5, NUMBERS),
    "sum": Statistic(dp.sum, ("i",), 1.5, NUMBERS),
    "var": Statistic(dp.var, ("x",), 1.5, NUMBERS),
    "std": Statistic(dp.std, ("x", "i"), 1.5, NUMBERS),
    "count": Statistic(dp.count, ("b",), True),
    "proportion": Statistic(dp.proportion, ("b",), False),
    "cov": Statistic(dp.cov, ("x", "i"), 1.5, NUMBERS),
    "corr": Statistic(dp.corr, ("x", "i"), 1.5, NUMBERS),
    "median": Statistic(dp.median, ("x",), 1.5, NUMBERS),
    # the default candidates follow the type, which differs where integers are missing in pandas
    "quantile": Statistic(dp.quantile, ("i",), 1.5, {"q": 0.3, "grid_points": 1001, **NUMBERS}),
    "quantiles": Statistic(dp.quantiles, ("x",), 1.5, {"qs": [0.1, 0.5, 0.9], **NUMBERS}),
    "histogram": Statistic(dp.histogram, ("x",), 1.5, {"edges": [-50, -10, 0, 50]}),
    "crosstab": Statistic(dp.crosstab, ("t", "k"), "none", {"levels": {"t": LABELS, "k": [1, 2]}}),
    "nunique": Statistic(dp.nunique, ("u",), unit="u"),
}
# stands for the statistic's own value that takes a missing one's place
FILL = object()
UNBOUNDED = {"neighbors": "unbounded"}
KEYS = {"by": ["t", "k"], "levels": {"t": LABELS[:2], "k": [3, 1]}}
UNIT = {"unit": "u", "max_records": 3}
WAYS = {
    "bounded": Way({"missing": FILL}),
    "unbounded": Way({"missing": FILL, **UNBOUNDED}),
    "dropped": Way({"missing": "drop", **UNBOUNDED}),
    "by": Way({"missing": FILL, "by": "t", "levels": LABELS[:2]}, ("t",)),
    "by, dropped": Way({"missing": "drop", "by": "t", "levels": LABELS[:2], **UNBOUNDED}, ("t",)),
    "by two": Way({"missing": FILL, **KEYS, "other": "rest"}, ("t", "k")),
    "by two, no other": Way({"missing": FILL, **KEYS, "other": None, **UNBOUNDED}, ("t", "k")),
    "unit": Way({"missing": FILL, **UNIT}, ("u",)),
    "unit, by": Way({"missing": FILL, **KEYS, **UNIT, "max_groups": 2, **UNBOUNDED}, ("t", "k", "u")),
    "unit, dropped": Way({"missing": "drop", **UNIT, **UNBOUNDED}, ("u",)),
}


def records(size=600, seed=11):
    """Return a table of Arrow's with both ways to be missing in it, and units of up to some 20 records."""
    rng = np.random.default_rng(seed)

    def gone(share=0.1):
        return rng.random(size) < share

    x = np.where(gone(0.05), np.nan, rng.integers(-240, 240, size) / 4)
    texts = np.array([*LABELS, "west"], dtype=object)[rng.integers(0, 4, size)]
    return pa.table(
        {
            "x": pa.array(x, mask=gone()),
            "i": pa.array(rng.integers(-60, 60, size), pa.int32(), mask=gone()),
            "b": pa.array(rng.random(size) < 0.4, mask=gone()),
            "t": pa.array(texts, pa.string(), mask=gone()),
            "k": pa.array(rng.integers(0, 5, size), pa.int16(), mask=gone()),
            "u": pa.array(rng.integers(0, 61, size) ** 2 // 60, pa.int64()),
        }
    )


TABLE = records()
# the records of which nothing is missing
COMPLETE = TABLE.filter(pc.is_finite(TABLE["x"])).drop_null()


def takes(statistic, way):
    """Tell whether a statistic can be released in a way."""
    known = inspect.signature(statistic.function).parameters
    filled = way.options.get("missing") is not FILL or statistic.fill is not None
    return filled and all(name in known and name not in statistic.arguments for name in way.options)


def columns_for(statistic, way):
    """Return the columns that a release has to be given."""
    return [*statistic.columns, *way.columns]


def shuffled(table, seed=5):
    """Return the records in an order of chance."""
    return table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)))


def budget_for(statistic, options):
    """Return a budget that covers a release with these options."""
    unit = options.get("unit", statistic.unit)
    return dp.Budget(epsilon=1, delta=0.1, neighbors=options.get("neighbors", "bounded"), unit=unit)


def outcome(statistic, way, data, rng=5, **more):
    """Return what a release gives, as what can be compared: its error, or all that it shows and costs."""
    options = {**statistic.arguments, **way.options, **more}
    if options.get("missing") is FILL:
        options["missing"] = statistic.fill
    budget = budget_for(statistic, options)
    try:
        result = statistic.function(data, epsilon=1.0, rng=rng, budget=budget, **options)
    except dp.PydpstatError as error:
        assert budget.spent.epsilon == 0 and not budget.entries
        return {"error": str(error)}
    return {"bits": np.asarray(result.value).tobytes().hex(), **public(result), **charged(budget)}


@functools.cache
def expected(name, label, size=None):
    """Return what a release of the first records gives where they are in a frame of pandas."""
    statistic, way = STATISTICS[name], WAYS[label]
    table = TABLE.select(columns_for(statistic, way))
    return outcome(statistic, way, table.slice(0, size).to_pandas())


def public(result):
    """Return all that a result shows, as texts."""
    return {
        "dict": repr(result.to_dict()),
        "summary": str(result.summary()),
        "frame": result.to_frame().to_csv(),
        "names": repr(result.params.index.tolist() if isinstance(result.params, pd.Series) else None),
    }


def charged(budget):
    """Return a ledger's only entry, but for when and where it was made."""
    (entry,) = budget.entries
    asked = ("call", "label", "epsilon", "delta", "neighbors", "unit", "rho", "loss", "conditions")
    return {f"entry's {name}": getattr(entry, name) for name in asked}


def scale_of(result):
    """Return all that tells how a result is protected: that of noise of the operating system, too."""
    names = ("noise_scale", "sensitivity", "guarantee", "claim", "grid", "mechanism", "record")
    return {name: repr(getattr(result, name)) for name in names}
