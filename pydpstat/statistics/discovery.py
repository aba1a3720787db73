"""Counts of levels that are found in the data: only what passes a threshold is released."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat import checks
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.postprocessing import AsDrawn
from pydpstat.preparation import prepare
from pydpstat.privacy import Guarantee
from pydpstat.queries import Query
from pydpstat.queries.threshold import release_threshold
from pydpstat.queries.truths import missing_values
from pydpstat.r_arithmetic.arrays import is_missing
from pydpstat.random import source_from
from pydpstat.release import release
from pydpstat.results.labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics.arguments import Options, options
from pydpstat.statistics.data import MadeUp
from pydpstat.statistics.levels import Variables, plain
from pydpstat.statistics.lookup import is_categorical, objects
from pydpstat.statistics.protect import call, check_budget

FOUND = "the levels were found in the data: those that are rare are left out, and delta covers them"


def discovered(
    data: Any,
    epsilon: Any,
    delta: Any,
    mechanism: Any,
    neighbors: Any,
    missing: Any,
    rng: Any,
    budget: Any,
    variables: Variables,
) -> DPResults:
    """Release the noisy counts of one variable's levels that are at least a public threshold.

    The parameters are those of `pydpstat.crosstab`, whose notes have the proof.
    """
    how = options(epsilon, 0, mechanism, neighbors, missing, mechanisms=("geometric",), fill=str)
    share = checks.unwrap(delta)
    if not checks.is_number(share) or not 0.0 < checks.as_float(share) < 1.0:
        raise PydpstatError(
            f"delta must be above 0 and below 1 with levels 'discover'; got {checks.shown(delta)}. "
            "Give a small probability, for example 1e-6, or public levels."
        )
    if len(variables.columns) != 1:
        raise PydpstatError(
            f"levels='discover' takes one variable; got {len(variables.columns)}. "
            "Combine them into one, or give public levels."
        )
    # one record is in one level, or leaves one and enters another
    reach = 2 if how.bounded else 1
    noise = SymmetricGeometricNoise(how.epsilon, reach)
    # the noise's rate is this quotient of floats, as it is drawn
    threshold = release_threshold(Fraction(noise.epsilon / noise.sensitivity), float(share))
    counts, levels = _occurring(variables.columns[0], how)
    claim = Guarantee(how.epsilon, float(share), how.neighbors)
    query = Query(
        "table",
        counts.astype(np.float64),
        (float(reach),),
        Labels("table", dimnames=(levels,), dimension_names=tuple(filter(None, variables.names))),
        integer=True,
        nobs=variables.size if how.bounded else None,
    )
    held = replace(claim, conditions=(*how.conditions, FOUND))
    source = source_from(rng)
    result = release(
        query,
        prepare(query.question, lambda _: noise, lambda _: (claim, held), source is not None),
        source,
        record=call("crosstab", how, ("data",), (("levels", "discover"), ("delta", float(share)))),
        budget=check_budget(budget),
    )
    return _above(result, threshold)


def _above(result: DPResults, threshold: int) -> DPResults:
    """Leave out what is below the threshold, and put the rest into an order that says nothing."""
    (levels,) = result.labels.dimnames or ((),)
    kept = sorted(
        (place for place in range(len(levels)) if result.value[place] >= threshold),
        key=lambda place: (type(levels[place]).__name__, levels[place]),
    )
    labels = replace(result.labels, dimnames=(tuple(levels[place] for place in kept),))
    post = AsDrawn((f"counts below {threshold} left out",))
    return replace(result, value=result.value[kept], labels=labels, post=post)


def _occurring(column: Any, how: Options) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Count the levels that occur; what a record's level is called depends on this record alone. Private."""
    if isinstance(column, MadeUp):
        return np.zeros(0, dtype=np.int64), ()
    found, gone = _tallied(column)
    if gone and how.missing == "error":
        raise missing_values()
    if gone and how.missing != "drop":
        found.append((how.missing, gone))
    # 1, 1.0 and True are different levels, though Python takes them for equal
    totals: dict[tuple[type, Any], int] = {}
    for value, count in found:
        level = plain(value)
        totals[type(level), level] = totals.get((type(level), level), 0) + count
    return np.array(list(totals.values()), dtype=np.int64), tuple(level for _, level in totals)


def _tallied(column: Any) -> tuple[list[tuple[Any, int]], int]:
    """Return values with how often they occur, and how many are missing."""
    import pandas as pd

    kind = getattr(column, "dtype", None)
    if isinstance(column, np.ma.MaskedArray):
        found, gone = _tallied(np.ma.getdata(column)[~np.ma.getmaskarray(column)])
        return found, gone + int(np.ma.count_masked(column))
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        times = np.asarray(column)
        there, counts = np.unique(times[~np.isnat(times)], return_counts=True)
        return list(zip(there, counts.tolist())), int(np.count_nonzero(np.isnat(times)))
    plainly = isinstance(kind, np.dtype) and kind.kind not in "OT"
    if plainly or is_categorical(column):
        codes, values = pd.factorize(_wide(np.asarray(column)) if plainly else column)
        counts = np.bincount(codes + 1, minlength=len(values) + 1).tolist()
        return list(zip(list(values), counts[1:])), counts[0]
    flat = objects(column).tolist()
    present = [value for value in flat if not is_missing(value)]
    named = Counter((type(level), level) for level in map(_named, present))
    return [(level, count) for (_, level), count in named.items()], len(flat) - len(present)


def _named(value: Any) -> Any:
    """Return a record's level as a text, truth value or number."""
    if type(value).__hash__ is not None:
        try:
            return plain(value)
        except Exception:  # an object may raise what it likes when it is shown
            pass
    raise PydpstatError(
        "data must be of values that can be levels (texts, numbers); got some of type "
        f"{type(value).__name__}. Convert them."
    ) from None


def _wide(values: np.ndarray) -> np.ndarray:
    """Return numbers in the machine's own byte order and full width, which pandas asks for."""
    wide = {"i": np.int64, "u": np.uint64, "f": np.float64}.get(values.dtype.kind)
    return values.astype(wide or values.dtype.newbyteorder("="), copy=False)
