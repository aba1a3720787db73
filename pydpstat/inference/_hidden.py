"""What a released regression says nothing about: coefficients without an end, and levels that look empty.

All of it follows from released and public numbers: whether a value is none of the levels is private.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pydpstat.inference._design import LinearDesign
from pydpstat.inference._predictors import Derived, Predictor, Truths
from pydpstat.statistics._kernels.levels import Axis, plain
from pydpstat.statistics._kernels.unused_levels import note_unused

Floats = npt.NDArray[np.float64]
# standard deviations of its noise up to which a number of records cannot be told from 0
_FAR = 2.0
# those up to which it is worth less than what its own level costs the other coefficients
_NEAR = 1.0


def hidden_names(names: Sequence[str], errors: Floats) -> str:
    """Return the names of the coefficients whose standard error is infinite."""
    return ", ".join(name for name, error in zip(names, errors.tolist()) if np.isinf(error))


def endless(names: Sequence[str], errors: Floats) -> list[str]:
    """Return the remark on coefficients whose interval has no end on a side."""
    gone = hidden_names(names, errors)
    return (
        [f"Because of the noise, the interval of {gone} is unbounded: there is no estimate."] if gone else []
    )


def empty_levels(
    design: LinearDesign, counts: Floats, sds: Floats, size: float
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which coefficients are of levels that look empty, and a remark for each variable that has
    some.
    """
    found, remarks = np.zeros(counts.size + 1, dtype=bool), []
    gone = empty_cells(design, counts, sds, size, _FAR)
    for each, place, empty in _looked(design, counts, sds, size, _FAR):
        if isinstance(each, Derived):
            # of a level that looks empty more is said elsewhere
            cells = [bool(gone.intersection(cell)) for cell in each.cells]
            if each.levels is None:
                found[place : place + len(each.names)] = any(cells)
                continue
            found[place : place + len(each.names)] = empty[list(each.kept)]
            remarks += _remark(each.text, each.levels, empty & ~np.array([True, *cells]), None)
        elif each.levels is not None:
            found[place : place + len(each.names)] = empty[list(each.kept)]
            counted = None if design.declared else each.levels[each.other]
            if each.added:
                # it has no record where all values are levels
                empty = np.where(np.arange(len(empty)) == each.other, False, empty)
            if each.added and each.other in each.absent:
                told = f"No records, or too few to tell, have a value that is not a level of {each.text}"
                remarks.append(f"{told}: they count as {each.levels[0]}.")
                counted = each.levels[0]
            remarks += _remark(each.text, each.levels, empty, counted)
    return found, remarks


def note_empty(design: LinearDesign, counts: Floats, sds: Floats, size: float) -> None:
    """Warn of levels that look empty as misspelled ones do; the arguments are as in `empty_levels`."""
    for each, place, _ in _looked(design, counts, sds, size, _FAR):
        if design.declared or each.levels is None or isinstance(each, Derived):
            continue
        own, numbers = slice(place - 1, place - 1 + len(each.names)), np.zeros(len(each.levels))
        numbers[list(each.kept)] = counts[own]
        numbers[0] = size - counts[own].sum()
        known = range(len(each.levels) - each.added)
        axis = Axis(tuple(map(plain, each.levels)), (*known, each.other, -1))
        note_unused(numbers, float(sds[own].max()), [(each.text, axis)])


def empty_cells(
    design: LinearDesign, counts: Floats, sds: Floats, size: float, far: float = _NEAR
) -> frozenset[tuple[str, int]]:
    """Return the columns, or interactions, and codes of levels without records, as far as the noise tells.

    `far` is how many of its standard deviations count as 0.
    """
    return frozenset(
        (each.column, code)
        for each, _, empty in _looked(design, counts, sds, size, far)
        for code in np.flatnonzero(empty).tolist()
    )


def _looked(
    design: LinearDesign, counts: Floats, sds: Floats, size: float, far: float
) -> Iterator[tuple[Predictor, int, npt.NDArray[np.bool_]]]:
    """Yield each predictor, its first coefficient's place, and which of its levels look empty.

    So do those that were left out.
    """
    place = 1
    for each in design.predictors:
        own = slice(place - 1, place - 1 + len(each.names))
        empty = np.zeros(len(each.levels or ()), dtype=bool)
        if each.levels is not None:
            empty[list(each.absent)] = True
            empty[list(each.kept)] = counts[own] <= far * sds[own]
            empty[0] = size - counts[own].sum() <= far * np.sqrt(np.square(sds[own]).sum())
        yield each, place, empty
        place += len(each.names)


def empty_responses(design: LinearDesign, ones: float, sd: float, size: float) -> list[str]:
    """Return the remark on levels of the response, of which so many noisy records have the second one.

    It warns of one that looks empty, too.
    """
    levels = None if design.outcome is None else design.outcome.levels
    if levels is None:
        return []
    counted = None if design.declared else levels[0]
    if not design.declared and not isinstance(design.outcome, Truths):
        note_unused(
            [size - ones, ones], sd, [(design.response, Axis(tuple(map(plain, levels)), (0, 1, 0, -1)))]
        )
    return _remark(design.response, levels, np.array([size - ones, ones]) <= _FAR * sd, counted)


def _remark(
    text: str, levels: Sequence[object], empty: npt.NDArray[np.bool_], counted: object | None
) -> list[str]:
    """Return the remark on levels that look empty; `counted` is the level of a value that is none of them."""
    if not empty.any():
        return []
    shown = ", ".join(f"{text} = {level}" for level, each in zip(levels, empty.tolist()) if each)
    told = (
        f"The released numbers of records of {shown} cannot be distinguished from 0: few records "
        "have this level"
    )
    if counted is None:
        return [f"{told}, or none."]
    spelled = "or none, for example because it is misspelled"
    return [f"{told}, {spelled}. A value that is none of the levels counts as {counted}."]
