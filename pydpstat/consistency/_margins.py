"""Margins of a table: sums over some axes, their goals, and the fit of a table to them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pydpstat._checks import as_integer, format_public_value, suggest_spelling
from pydpstat._data.containers import has_rows
from pydpstat._lazy import pd
from pydpstat.consistency.tables import TableFit, TableForm, read_numbers, read_table
from pydpstat.errors import PydpstatError
from pydpstat.results.results import DPResults

if TYPE_CHECKING:
    from scipy import sparse

Axes = tuple[int, ...]

# allowed difference of shared sums of two margins, relative to the largest; rounding errors are smaller
RELATIVE_TOLERANCE = 1e-11
# largest number of cells of a linear program, which would take minutes for more, and its time limit in seconds
MAX_CELLS, MAX_SECONDS = 10_000, 10.0
# tolerance of the linear program for a cell of 0, as a share of the mean cell
_ZERO_TOLERANCE = 1e-6


class Margin(NamedTuple):
    """Goal for a table's sums over all axes except some (ascending).

    The variances are those of the noise in the sums, 0 for exact ones.
    """

    axes: Axes
    goal: np.ndarray
    variance: np.ndarray
    name: str


def compute_margin(values: np.ndarray, axes: Axes) -> np.ndarray:
    """Return a table's sums for each combination of positions on the given axes."""
    return np.add.reduce(values, axis=tuple(axis for axis in range(values.ndim) if axis not in axes))


def reduce_margin(sums: np.ndarray, axes: Axes, remaining_axes: Axes) -> np.ndarray:
    """Return the sums of a margin on a subset of its axes."""
    return compute_margin(sums, tuple(axes.index(axis) for axis in remaining_axes))


def expand_margin(sums: np.ndarray, axes: Axes, n_dimensions: int) -> np.ndarray:
    """Return a margin with length 1 on the axes it lacks, so that it broadcasts to the table."""
    lengths = iter(sums.shape)
    return sums.reshape([next(lengths) if axis in axes else 1 for axis in range(n_dimensions)])


def make_incidence_matrix(shape: tuple[int, ...], axes: Sequence[Axes]) -> sparse.csc_matrix:
    """Return the sparse matrix that maps a table's cells (in C order) to the sums of its margins."""
    from scipy import sparse

    cells = int(np.prod(shape))
    blocks = []
    for margin_axes in axes:
        lengths = [shape[axis] for axis in margin_axes]
        size = int(np.prod(lengths))
        rows = np.broadcast_to(expand_margin(np.arange(size).reshape(lengths), margin_axes, len(shape)), shape)
        blocks.append(sparse.csr_matrix((np.ones(cells), (rows.ravel(), np.arange(cells))), shape=(size, cells)))
    return sparse.vstack(blocks).tocsc()


class MarginFit(NamedTuple):
    """A fitted table, the number of iterations over all margins, and whether they converged."""

    values: np.ndarray
    iterations: int
    converged: bool


def read_margins(margins: object, form: TableForm, shape: tuple[int, ...]) -> list[Margin]:
    """Read margins: a dict from their axes, by position or by name, to the sums.

    Pandas objects and releases are ordered by their labels. Only a release's sums have a variance.
    """
    if not isinstance(margins, Mapping) or not margins:
        raise PydpstatError(
            f"margins must be a dict from axes to sums; got {type(margins).__name__}. "
            "For example {0: row_sums, 1: column_sums}, or {('sex', 'age'): table}."
        )
    margin_of: dict[Axes, Margin] = {}
    for key, value in margins.items():
        axes = parse_axes(key, form.names)
        read = _read_margin(key, value, axes, form, shape)
        if read.axes in margin_of:
            raise PydpstatError(f"margins must have each margin once; {format_public_value(key)} is given twice.")
        margin_of[read.axes] = read
    return list(margin_of.values())


def parse_axes(key: object, names: tuple[Hashable, ...]) -> Axes:
    """Return the positions of axes given by position or by name, in the given order; `names` has one entry per axis."""
    labels = key if isinstance(key, tuple) else (key,)
    axes = tuple(_find_axis(label, names) for label in labels)
    if len(set(axes)) < len(axes):
        raise PydpstatError(f"margins must name an axis once; got {format_public_value(key)}.")
    return axes


def _find_axis(part: object, names: tuple[Hashable, ...]) -> int:
    number = as_integer(part)
    if number is not None:
        if -len(names) <= number < len(names):
            return number % len(names)
        raise PydpstatError(
            f"margins must have axes from 0 to {len(names) - 1}; got another number. "
            f"The table has {len(names)} dimensions."
        )
    if isinstance(part, Hashable) and part is not None and part in names:
        return names.index(part)
    axis_names = [str(name) for name in names if name is not None]
    hint = suggest_spelling(part, axis_names) if axis_names else "The table has no names: give axis numbers from 0."
    raise PydpstatError(f"margins must name axes of the table, {axis_names}; got another name. {hint}")


def _read_margin(key: object, value: object, margin_axes: Axes, form: TableForm, shape: tuple[int, ...]) -> Margin:
    """Read one margin, with axes and labels in the table's order."""
    name = f"margins[{format_public_value(key)}]"
    lengths = tuple(shape[axis] for axis in margin_axes)
    released = isinstance(value, DPResults)
    variance = get_noise_variance(value) if isinstance(value, DPResults) else 0.0
    if margin_axes and (released or has_rows(value)):
        goal = _read_labeled_margin(value, margin_axes, form, name)
    else:
        goal = read_numbers(np.asarray(value) if released else value, name, min_dimensions=0)
        if not margin_axes and goal.size == 1:
            goal = goal.reshape(())
    if goal.shape != lengths:
        raise PydpstatError(
            f"{name} must have the shape {lengths} of these axes of the table; got {goal.shape}. "
            "Give its axes in the order of their names."
        )
    goal = np.ascontiguousarray(goal.transpose(*np.argsort(margin_axes)))
    return Margin(tuple(sorted(margin_axes)), goal, np.asarray(variance), name)


def _read_labeled_margin(value: object, margin_axes: Axes, form: TableForm, name: str) -> np.ndarray:
    """Read a margin that may have names and labels, with axes as in `margin_axes` and labels as in the table."""
    goal, labels = read_table(value, name)
    if goal.ndim != len(margin_axes):
        return goal

    axis_names = [form.names[axis] for axis in margin_axes]
    by_name = None not in axis_names and set(labels.names) == set(axis_names)
    order = [labels.names.index(axis_name) for axis_name in axis_names] if by_name else range(goal.ndim)
    goal = goal.transpose(*order)
    for i, axis in enumerate(margin_axes):
        mine, theirs = labels.levels[order[i]], form.levels[axis]
        if mine is None or theirs is None:
            continue
        have, want = pd.Index(mine), pd.Index(theirs)
        if not have.is_unique or not want.is_unique:
            raise PydpstatError(f"{name} and the table must have each label of an axis once; one occurs twice.")
        positions = have.get_indexer(want)
        lacking = int((positions < 0).sum())
        if lacking or len(have) != len(want):
            raise PydpstatError(
                f"{name} must have the labels of the table's axis {format_public_value(form.names[axis])}; "
                f"{lacking} of {len(want)} are missing, {len(have) - len(want) + lacking} are not in "
                "the table."
            )
        goal = goal.take(positions, axis=i)
    return goal


def get_noise_variance(result: DPResults) -> float:
    """Return the variance of a release's noise, which must be the same for all cells."""
    if result.noise is None or np.ndim(result.noise.std()):
        raise PydpstatError(
            f"a release must have the same noise distribution in all cells; {result.statistic} does "
            "not. Give its estimate and the variances."
        )
    return float(result.noise.std()) ** 2


def check_agreement(margins: list[Margin]) -> None:
    """Check that margins have the same sums on shared axes."""
    for margin, other in combinations(margins, 2):
        shared = tuple(axis for axis in margin.axes if axis in other.axes)
        sums, other_sums = (reduce_margin(compared.goal, compared.axes, shared) for compared in (margin, other))
        size = max(np.abs(sums).max(), np.abs(other_sums).max(), 1e-300)
        difference = float(np.abs(sums - other_sums).max())
        if difference > RELATIVE_TOLERANCE * size:
            expected = "the same total" if not shared else f"the same sums on the axes {shared} that they share"
            raise PydpstatError(
                f"{margin.name} and {other.name} must have {expected}; they differ by up to {difference:.6g}. No "
                "table has both. If they are noisy, least_squares makes them agree: give it their "
                "variances."
            )


def compute_gaps(values: np.ndarray, margins: list[Margin]) -> list[float]:
    """Return for each margin the largest absolute difference between the table's sums and the goal."""
    return [float(np.abs(compute_margin(values, margin.axes) - margin.goal).max()) for margin in margins]


def make_table_fit(
    method: str,
    fit: MarginFit,
    form: TableForm,
    margins: list[Margin],
    status: str,
    steps: tuple[str, ...],
    spread: float = np.nan,
) -> TableFit:
    """Return the result of a fit, with the gaps to the margins."""
    names, gaps = tuple(margin.name for margin in margins), tuple(compute_gaps(fit.values, margins))
    return TableFit(method, fit.values, form, names, gaps, fit.iterations, fit.converged, status, steps, spread)


def find_solution_kind(values: np.ndarray, margins: list[Margin]) -> str:
    """Return the kind of tables with the given zeros that have the margins, found by a linear program.

    "inner" if some have no further zeros, "edge" if all have further ones, "none" if there are none, or "unknown" if
    that is not found in time. The program maximizes the number t for which all free cells can be at least t.
    """
    possible = values > 0.0
    for margin in margins:
        # if a sum of a margin is 0, all of its cells are 0
        possible = possible & (expand_margin(margin.goal, margin.axes, values.ndim) > 0.0)
    free = np.flatnonzero(possible)
    if free.size > MAX_CELLS:
        return "unknown"
    from scipy import sparse
    from scipy.optimize import linprog

    total = float(margins[0].goal.sum())
    if total == 0.0 or not free.size:
        return "inner" if total == 0.0 else "none"
    matrix = make_incidence_matrix(values.shape, [margin.axes for margin in margins])
    counts = matrix[:, free]
    # in units of the mean free cell; a cell is t plus a nonnegative number
    goals = np.concatenate([margin.goal.ravel() for margin in margins]) * (free.size / total)
    level = sparse.csc_matrix(counts.sum(axis=1))
    cost = np.zeros(free.size + 1)
    cost[-1] = -1.0
    solution = linprog(
        cost,
        A_eq=sparse.hstack([counts, level]).tocsc(),
        b_eq=goals,
        method="highs",
        options={"time_limit": MAX_SECONDS},
    )
    if solution.status:
        return "none" if solution.status == 2 else "unknown"
    return "inner" if solution.x[-1] > _ZERO_TOLERANCE else "edge"
