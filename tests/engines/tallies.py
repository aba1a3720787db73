"""What is computed of chunks in these tests: functions that Dask and Spark can send to other processes."""

import numpy as np
import pandas as pd

from pydpstat._data.columns import read_booleans, read_numbers
from pydpstat._data.labels import encode_labels
from pydpstat._data.values import is_missing

LABELS = ("north", "south", "east")


def tally_and_merge():
    """Return a tally of a number, a truth value and a text, and what adds two of them up.

    They are made here, so that pickling takes them along: a worker cannot import this module.
    """
    labels = LABELS

    def tally(chunk):
        number = read_numbers(chunk.columns["x"]).arrays[0]
        truth = read_booleans(chunk.columns["b"])
        gone = truth.missing[0]
        place = encode_labels(chunk.columns["t"], labels)
        return {
            # quarters: the sum is exact in any order
            "sum": float(np.nansum(number)),
            "nulls": int(np.isnan(np.asarray(number, dtype=float)).sum()),
            "whole": int(np.nansum(np.asarray(read_numbers(chunk.columns["i"]).arrays[0], dtype=float))),
            "true": int(truth.arrays[0].sum()),
            "unsaid": 0 if gone is None else int(gone.sum()),
            "texts": tuple(np.bincount(place + 1, minlength=len(labels) + 2).tolist()),
            "size": chunk.size,
        }

    def merge(one, other):
        def added(a, b):
            return tuple(p + q for p, q in zip(a, b)) if isinstance(a, tuple) else a + b

        return {key: added(one[key], other[key]) for key in one}

    return tally, merge


def units_and_merge():
    """Return a count of the units of each chunk, and of its records, and what adds two of them up."""

    def count(chunk):
        units = chunk.columns["u"]
        return (len({unit for unit in units if not is_missing(unit)}), chunk.size)

    def merge(one, other):
        return (one[0] + other[0], one[1] + other[1])

    return count, merge


def example(size=1000, seed=7):
    """Return a frame of pandas with missing values, in an order of chance."""
    rng = np.random.default_rng(seed)
    texts = np.array([*LABELS, "west", None], dtype=object)
    truths = np.array([True, False, None], dtype=object)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(size) < 0.1, np.nan, rng.integers(-400, 400, size) / 4),
            "i": pd.array(np.where(rng.random(size) < 0.1, None, rng.integers(-9, 9, size)), dtype="Int64"),
            "b": pd.array(truths[rng.integers(0, 3, size)], dtype="boolean"),
            "t": pd.array(texts[rng.integers(0, 5, size)], dtype="string"),
            "u": rng.integers(0, 37, size),
        }
    )


def expected(frame):
    """Return the tally of a frame of pandas, by pandas."""
    counts = frame["t"].value_counts()
    known = [int(counts.get(label, 0)) for label in LABELS]
    gone = int(frame["t"].isna().sum())
    return {
        "sum": float(frame["x"].sum()),
        "nulls": int(frame["x"].isna().sum()),
        "whole": int(frame["i"].sum()),
        "true": int(frame["b"].sum()),
        "unsaid": int(frame["b"].isna().sum()),
        "texts": (gone, *known, len(frame) - gone - sum(known)),
        "size": len(frame),
    }
