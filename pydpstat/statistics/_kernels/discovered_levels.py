"""Levels that are found in the data and pass a threshold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat._data.containers import is_categorical
from pydpstat._data.values import fills, is_missing, objects
from pydpstat._release.additive import Spender, release
from pydpstat._release.calibration import Calibrated, prepare
from pydpstat._release.statistic import Options, call, check_budget
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.cells import cells_query
from pydpstat.statistics._kernels.levels import Level, Variables, plain

FOUND = "the levels were found in the data: those that are rare are left out, and delta covers them"


def discovered(
    variables: Variables, delta: float, how: Options, rng: object, budget: Spender | None
) -> DPResults:
    """Release the noisy counts of one variable's levels that are at least a public threshold.

    The notes of `pydpstat.crosstab` have the proof.
    """
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
    noise = SymmetricGeometricNoise(how.epsilon, 2 if how.bounded else 1)
    # the noise's rate is this quotient of floats, as it is drawn
    threshold = release_threshold(Fraction(noise.epsilon / noise.sensitivity), float(share))
    counts, levels = _occurring(variables.columns[0], how)
    labels = Labels("table", dimnames=(levels,), dimension_names=tuple(filter(None, variables.names)))
    query = cells_query("table", counts, labels, variables.size, how)
    claim = Guarantee(how.epsilon, float(share), how.neighbors)
    held = replace(claim, conditions=(*how.conditions, FOUND))
    source = source_from(rng)
    result = release(
        query,
        prepare(query.question, Calibrated(noise, claim, held), source.reproducible),
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


def _occurring(column: object, how: Options) -> tuple[np.ndarray, tuple[Level, ...]]:
    """Count the levels that occur; what a record's level is called depends on this record alone. Private."""
    found, gone = _tallied(column)
    if fills(gone, how.missing):
        found.append((how.missing, gone))
    # 1, 1.0 and True are different levels, though Python takes them for equal
    totals: dict[tuple[type, Level], int] = {}
    for value, count in found:
        level = plain(value)
        totals[type(level), level] = totals.get((type(level), level), 0) + count
    return np.array(list(totals.values()), dtype=np.int64), tuple(level for _, level in totals)


def _tallied(column: Any) -> tuple[list[tuple[object, int]], int]:
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


def _named(value: object) -> Level:
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


# 60 decimal digits
_BITS = 203


def release_threshold(rate: Fraction, delta: float) -> int:
    """Return the smallest T >= 2 with P(1 + K >= T) <= delta for symmetric geometric noise K.

    P(K = k) is proportional to exp(-rate |k|), and delta is above 0 and below 1. As P(K >= j) is
    a^j / (1 + a) for j >= 0, a = exp(-rate), T - 1 is at least -log(delta (1 + a)) / rate. Multiple precision
    decides which integer comes next; in a tie that it could not see it takes the larger one.

    References
    ----------
    Korolova, A., Kenthapadi, K., Mishra, N. and Ntoulas, A. (2009). Releasing search queries and
    clicks privately. WWW 2009 (the method; the integer distribution is derived above).

    Examples
    --------
    >>> release_threshold(Fraction(1), 1e-6)
    15
    """
    mp = multiple_precision.functions()
    exact = mp.from_rational(rate.numerator, rate.denominator, _BITS)
    share = mp.mpf_add(mp.fone, mp.mpf_exp(mp.mpf_neg(exact), _BITS), _BITS)
    surprise = mp.mpf_neg(mp.mpf_log(mp.mpf_mul(mp.from_float(delta), share, _BITS), _BITS))
    # far above the roundings
    margin = mp.from_rational(10**40 + 1, 10**40, _BITS)
    reach = mp.mpf_mul(mp.mpf_div(surprise, exact, _BITS), margin, _BITS)
    return max(2, 1 + int(mp.to_int(mp.mpf_ceil(reach, _BITS))))
