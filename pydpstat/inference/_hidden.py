"""What a released regression says nothing about: coefficients without an end, and levels that look empty.

All of it follows from released and public numbers: whether a value is none of the levels is private.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pydpstat.inference._design import LinearDesign

Floats = npt.NDArray[np.float64]
# standard deviations of its noise up to which a number of records cannot be told from 0
_FAR = 2.0


def hidden_names(names: Sequence[str], errors: Floats) -> str:
    """Return the names of the coefficients whose standard error is infinite.

    Examples
    --------
    >>> hidden_names(("const", "x", "z"), np.array([0.5, np.inf, np.inf]))
    'x, z'
    """
    return ", ".join(name for name, error in zip(names, errors.tolist()) if np.isinf(error))


def endless(names: Sequence[str], errors: Floats) -> list[str]:
    """Return the remark on coefficients whose interval has no end on a side."""
    gone = hidden_names(names, errors)
    return [f"The noise leaves the interval of {gone} without an end: there is no estimate."] if gone else []


def empty_levels(
    design: LinearDesign, counts: Floats, sds: Floats, size: float
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which coefficients are of levels that look empty, and a remark for each variable that has some.

    Parameters
    ----------
    design : LinearDesign
        The variables.
    counts, sds : ndarray of shape (coefficients - 1,)
        At the place of a level's indicator the noisy number of its records, and the standard deviation of
        that number's noise, which is independent of the others'.
    size : float
        The number of records.
    """
    found, remarks, place = np.zeros(counts.size + 1, dtype=bool), [], 1
    for each in design.predictors:
        own = slice(place - 1, place - 1 + len(each.names))
        if each.levels is not None:
            whole = np.append(size - counts[own].sum(), counts[own])
            empty = whole <= _FAR * np.append(np.sqrt(np.square(sds[own]).sum()), sds[own])
            found[place : place + len(each.names)] = empty[1:]
            remarks += _remark(each.text, each.levels, empty, design.declared)
        place += len(each.names)
    return found, remarks


def empty_responses(design: LinearDesign, ones: float, sd: float, size: float) -> list[str]:
    """Return the remark on levels of the response, of which so many noisy records have the second one."""
    levels = None if design.outcome is None else design.outcome.levels
    if levels is None:
        return []
    return _remark(design.response, levels, np.array([size - ones, ones]) <= _FAR * sd, design.declared)


def _remark(text: str, levels: Sequence[object], empty: npt.NDArray[np.bool_], declared: bool) -> list[str]:
    if not empty.any():
        return []
    shown = ", ".join(f"{text} = {level}" for level, each in zip(levels, empty.tolist()) if each)
    told = f"The released numbers of records of {shown} cannot be told from 0: few records have this level"
    if declared:
        return [f"{told}, or none."]
    spelled = "or none, as where it is spelled in another way"
    return [f"{told}, {spelled}. A value that is none of the levels counts as {levels[0]}."]
