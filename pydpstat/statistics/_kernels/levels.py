"""Levels of a table's variables: public ones, and those that are found in the data and pass a threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat._data.columns import Placeholder
from pydpstat._data.containers import (
    categorical_of,
    columns_of,
    is_categorical,
    is_frame,
    is_vector,
    listed,
    name_of,
    names_of,
)
from pydpstat._data.lookup import KINDS, is_of_kind, kind_of, places
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

FOUND = "the levels were found in the data: those that are rare are left out, and delta covers them"
_PLAIN = (str, bool, int, float)
# a level's name in a table
Level = str | bool | int | float


class Variables(NamedTuple):
    """The variables to cross. Private but for their names and, under bounded neighbors, the size."""

    columns: tuple[object, ...]
    names: tuple[str, ...]
    size: int

    def __repr__(self) -> str:
        return "Variables(values withheld)"


class Coded(NamedTuple):
    """A variable as codes: -1 for missing, the place of a level, or their number for what is no level.

    Private but for `levels`, and for `closed`, which tells whether the type excludes values that are no
    level.
    """

    codes: np.ndarray
    levels: tuple[object, ...]
    closed: bool

    def __repr__(self) -> str:
        return "Coded(values withheld)"


def variables_of(data: object) -> Variables:
    """Read one variable, or several: a frame, a dict or a tuple of arrays."""
    columns: tuple[Any, ...]
    if isinstance(data, Placeholder):
        names: tuple[str, ...] = data.columns or ("",)
        return Variables(([],) * len(names), names, data.size)
    if is_frame(data):
        columns, names = columns_of(data), names_of(data)
    elif isinstance(data, Mapping):
        columns, names = tuple(data.values()), tuple(map(str, data))
    elif isinstance(data, tuple) and data and all(map(is_vector, data)):
        columns, names = data, tuple(name_of(each) or "" for each in data)
    else:
        columns, names = (data,), (name_of(data) or "",)
    for column in columns:
        if not is_vector(column):
            raise PydpstatError(
                "data must be one variable, a DataFrame, or a dict or tuple of variables, each a list, "
                f"array, Series or Categorical, one value a record; got {type(column).__name__}. "
                "Give a matrix as a DataFrame."
            )
    sizes, named = {len(column) for column in columns}, list(filter(None, names))
    if len(sizes) != 1 or len(set(named)) != len(named):
        raise PydpstatError(
            "data must have at least one variable, all of one length, each with a name of its own; "
            f"got {len(columns)} variables."
        )
    return Variables(columns, names, sizes.pop())


def levels_of(levels: object, variables: Variables) -> list[tuple[object, ...] | None]:
    """Check public levels: for each variable a tuple, or None where its categories are declared public."""
    if levels is None:
        raise PydpstatError(
            "levels must be given: levels that come from the data would tell which values occur. Give the "
            "public levels of every variable, levels='declared' if all are Categoricals whose categories are "
            "public, or levels='discover' with a delta."
        )
    if isinstance(levels, str):
        return _declared(levels, variables)
    columns, names = variables.columns, variables.names
    if isinstance(levels, Mapping):
        given = checks.by_name(levels, names, "levels", "variable", "[...]")
        parts = zip(names, given, columns)
        return [_own(each, f"levels[{name!r}]", column) for name, each, column in parts]
    lists = levels if isinstance(levels, (list, tuple)) else ()
    nested = len(lists) == 1 and isinstance(lists[0], (list, tuple))
    if len(columns) == 1 and not nested:
        return [_own(levels, "levels", columns[0])]
    if len(lists) != len(columns):
        raise PydpstatError(
            f"levels must be a list of levels for each of the {len(columns)} variables; "
            f"got {checks.shown(levels)}. Give them in the variables' order, or as a dict by name."
        )
    return [_own(each, f"levels[{i}]", column) for i, (each, column) in enumerate(zip(lists, columns))]


def _own(levels: object, name: str, column: object) -> tuple[object, ...]:
    """Check the levels of one variable, and that they are of its type."""
    own, kind = _level_tuple(levels, name), kind_of(column)
    other = next((type(level).__name__ for level in own if not is_of_kind(level, kind)), None)
    if kind is not None and other is not None:
        raise PydpstatError(
            f"{name} must be {KINDS[kind]}, as the variable's type has them; got {other} among them, "
            "which no record can be. Give levels of the variable's type, or convert the variable."
        )
    return own


def _declared(levels: str, variables: Variables) -> list[tuple[object, ...] | None]:
    if levels != "declared":
        raise PydpstatError(
            f"levels must be lists of levels, 'declared' or 'discover'; got {checks.shown_option(levels)}. "
            f"{checks.did_you_mean(levels, ('declared', 'discover'))}"
        )
    if not all(map(is_categorical, variables.columns)):
        raise PydpstatError(
            "levels='declared' needs every variable to be a Categorical, whose categories are public; "
            f"got {', '.join(type(each).__name__ for each in variables.columns)}. Give lists of levels."
        )
    return [None] * len(variables.columns)


def _level_tuple(levels: Any, name: str) -> tuple[object, ...]:
    # an array's tolist would turn times into numbers of nanoseconds
    times = getattr(getattr(levels, "dtype", None), "kind", "") in ("m", "M") and levels.ndim == 1
    values = list(levels) if times else listed(levels)
    if isinstance(values, (list, tuple, range)) and len(values):
        try:
            distinct = len(set(values)) == len(values)
        except TypeError:
            distinct = False
        if distinct and not any(map(is_missing, values)):
            return tuple(values)
    raise PydpstatError(
        f"{name} must be a list of one or more different values, none missing; got {checks.shown(levels)}. "
        "Give for example ['no', 'yes']."
    )


def plain(level: object) -> Level:
    """Return a level as a text, truth value or number."""
    if isinstance(level, np.datetime64):
        return str(np.datetime_as_string(level, unit="auto"))
    if isinstance(level, np.generic):
        level = str(level) if level.dtype.kind == "m" else level.item()
    if type(level) is float:
        return level + 0.0  # 0 has one sign
    return level if isinstance(level, _PLAIN) and type(level) in _PLAIN else str(level)


def coded(column: object, levels: tuple[object, ...] | None) -> Coded:
    """Find each record's level; None takes a Categorical's categories."""
    if levels is not None:
        return Coded(places(column, levels), levels, False)
    own = categorical_of(column)
    return Coded(np.asarray(own.codes), _level_tuple(list(own.categories), "the categories"), True)


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
