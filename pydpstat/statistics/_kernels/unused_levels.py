"""Levels that look empty in what was released: perhaps they are spelled in another way than the data's.

It is seen from noisy numbers of records and from public ones alone, after the release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._warn import warn_usage
from pydpstat.statistics._kernels.groups import Groups
from pydpstat.statistics._kernels.levels import Axis, Level

# standard deviations of its noise up to which a number may be noise alone, and from which on it is large
EMPTY, LARGE = 3.0, 10.0
SPELLING = "Levels must be spelled exactly as in the data"
TOPIC = "unused levels"


def note_unused(
    counts: npt.ArrayLike,
    sd: float,
    variables: Sequence[tuple[str, Axis]],
    nobs: int | None = None,
    *,
    of_all: bool = True,
    what: str = "number of records",
    rare: bool = True,
) -> None:
    """Say which variable has levels that look empty, where their records may be elsewhere.

    A level looks empty below three standard deviations of its number's noise. It is told of where ten of
    them are in no level or, if that is unknown, where the other one of two levels has as many. With Laplace
    noise a level that has ten itself is told of once in 40,000 releases.

    `counts` are noisy, with an axis for each variable; a variable whose type has no other values has no
    misspelled level. `of_all` tells that all records of a group are counted, and not those that meet a
    condition, `rare` that a level without records is usual where there are more than two.
    """
    table = np.asarray(counts, dtype=np.float64)
    total, spread = float(table.sum()), sd * math.sqrt(table.size)
    nothing: list[str] = []
    for place, (name, axis) in enumerate(variables):
        along = table.sum(axis=tuple(other for other in range(table.ndim) if other != place)).tolist()
        noise, outside = spread / math.sqrt(len(along)), axis.places[-2]
        inside = {axis.names[each]: along[each] for each in axis.places[:-2] if each != outside}
        together = EMPTY * noise * math.sqrt(len(inside))
        # noise alone may lift one of many levels, but not all together
        alone = sum(inside.values()) < together and max(inside.values(), default=0.0) < LARGE * noise
        least = math.inf if alone else EMPTY * noise
        empty = {level: number for level, number in inside.items() if number < least}
        used = [number for number in inside.values() if number >= least]
        usual = bool(used) and float(np.median(used)) > LARGE * noise
        rest = along[outside] if outside >= 0 else None if nobs is None else nobs - total
        why = ""
        if rest is not None:
            far = LARGE * (noise * math.sqrt(len(inside)) if outside >= 0 else spread)
            if rest > far and (usual or not used):
                also = f"{axis.names[outside]!r} and of " if outside in axis.places[:-2] else ""
                why = f", and that of {also}values in none of the levels is about {rest:,.0f}"
        elif of_all and not used:
            nothing.append(name)
        elif of_all and usual and (len(inside) == 2 or not rare):
            # among many levels a rare one is usual
            why = f", and the other level{' has' if len(inside) == 2 else 's have'} far more"
        if empty and why:
            told = told_of(f" of {name}" if name else "", empty, len(inside), EMPTY * noise, what)
            warn_usage(f"{told}{why}. {SPELLING}: is one misspelled?", TOPIC)
    if len(nothing) == len(variables):
        named = " and ".join(filter(None, nothing))
        warn_usage(
            f"no level{' of ' * bool(named)}{named} has a larger {what} than noise alone. {SPELLING}: are "
            "they misspelled? If they are not, there are too few records to tell at this epsilon.",
            TOPIC,
        )


def told_of(of: str, empty: Mapping[Level, float], number: int, most: float, what: str) -> str:
    """Say that some of so many levels look empty; `of` says of what."""
    if len(empty) == number > 1:
        return f"no level{of}, {checks.excerpt(list(empty))}, has a larger {what} than noise alone"
    if len(empty) > 1:
        told = f"none has a larger {what} than noise alone"
        return f"the levels {checks.excerpt(list(empty))}{of} look empty: {told}"
    ((level, found),) = empty.items()
    told = f"its noisy {what} is {found:,.0f}, where noise alone gives up to {most:,.0f}"
    return f"the level {level!r}{of} looks empty: {told}"


def note_groups(
    groups: Groups | None,
    counts: npt.ArrayLike,
    sd: float,
    *,
    of_all: bool = True,
    what: str = "number of records",
) -> None:
    """Say which levels of groups look empty, from a noisy number of each group; not of declared ones."""
    if groups is None or groups.conditions:
        return
    table = np.asarray(counts, dtype=np.float64).reshape([len(axis.names) for axis in groups.axes])
    note_unused(table, sd, [*zip(groups.names, groups.axes)], of_all=of_all, what=what)
