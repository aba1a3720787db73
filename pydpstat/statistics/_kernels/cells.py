"""Counts of records in public cells: histogram bins and the cells of a table, a chunk at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Columns
from pydpstat._data.held import about, in_memory
from pydpstat._data.table import Chunk, table_of
from pydpstat._data.values import missing_values, objects
from pydpstat._grid import float_above
from pydpstat._release.additive import Query
from pydpstat._release.options import Missing, Options
from pydpstat._release.scope import Scope
from pydpstat.dppack._values import count_sensitivity
from pydpstat.inference._null_distributions.shares import ShareIntervals, cell_shares
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, Publish
from pydpstat.statistics._kernels.asked import asked_cells
from pydpstat.statistics._kernels.levels import Axis, PublicLevels, Variables, codes_of, variables_of
from pydpstat.statistics._kernels.records import Part, Records, inside, records_of
from pydpstat.statistics._kernels.scope import origin_of

Counts = npt.NDArray[np.int64]
# integers or parts of them, in single precision where that tells enough
Places = npt.NDArray[np.float32 | np.float64]
Scratch = tuple[Floats, np.ndarray, np.ndarray]

# a chunk of values and its places stay in the cache
_CHUNK = 32768
# for up to so many bins, values are counted in pairs
_SMALL = 64
# pairs of byte codes are counted together; a chunk must outweigh the table of all pairs
_PAIRS = 2**19
# up to so many bins, single precision tells most values' bins
_NARROW = 256


class Bins:
    """Bins that are closed on the left, the last one on both sides, and which of them values are in.

    Values outside the edges, infinities included, belong to the outer bins. The edges are finite and
    ascending, no two equal.

    Where all bins are equally wide, f(x) = (x - edges[0]) * scale, rounded after each step and at
    last to single precision, finds the bin. f does not fall anywhere, since rounding keeps the order,
    and it is checked that |f(edges[i]) - i| <= t for every edge, t a small tolerance. So f(x) > i + t says
    x > edges[i] and f(x) < i - t says x < edges[i]; any x with f(x) within 2 t of an i is compared with
    edges[i]. No value is binned by a rounded product alone.
    """

    def __init__(self, edges: Floats, size: int) -> None:
        """Check whether the bins are equally wide, for so many values at most."""
        self.edges, self.number = edges, edges.size - 1
        kind: type = np.float32 if self.number <= _NARROW else np.float64
        self.tolerance = self.number * float(np.finfo(kind).eps)
        # one piece of memory for all chunks: asking for it again costs more than the arithmetic
        size = min(size, _CHUNK)
        self.scratch: Scratch = np.empty(size), np.empty(size, kind), np.empty(size, kind)
        with np.errstate(over="ignore", invalid="ignore"):
            self.scale = self.number / (edges[-1] - edges[0])
            places = ((edges - edges[0]) * self.scale).astype(kind)
            apart = np.abs(places - np.arange(edges.size, dtype=kind))
            self.equal = bool(np.all(apart <= self.tolerance))

    def whole(self, chunk: Floats) -> Places | None:
        """Return each value's bin among equal ones, as a float; None where one is missing or bins differ."""
        if not self.equal:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            return _equal_bins(chunk, self.edges, self.scale, 2.0 * self.tolerance, self.scratch)

    def among(self, values: Floats) -> npt.NDArray[np.intp]:
        """Return the bins of values of which none is missing."""
        return self.edges[1:-1].searchsorted(values, "right")


def bin_counts(x: np.ndarray, edges: Floats) -> tuple[Counts, int]:
    """Count the values in each of `Bins`. NaN is missing; beside the counts comes how many values are."""
    bins = Bins(edges, x.size)
    counts, missing = np.zeros(bins.number, dtype=np.int64), 0
    for start in range(0, x.size, _CHUNK):
        chunk = x[start : start + _CHUNK].astype(np.float64, copy=False)
        found = bins.whole(chunk)
        if found is not None:
            counts += _count_whole(found, bins.number, bins.scratch[2])
            continue
        absent = np.isnan(chunk)
        missing += int(np.count_nonzero(absent))
        counts += np.bincount(bins.among(chunk[~absent]), minlength=bins.number)
    return counts, missing


def group_bin_counts(x: np.ndarray, places: np.ndarray, groups: int, edges: Floats) -> tuple[Counts, Counts]:
    """Count the values of each group in each bin, and the missing ones of each group."""
    bins = Bins(edges, x.size)
    cells = groups * bins.number
    counts, missing = np.zeros(cells, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    # as many values at a time as make the table of all cells worth while
    step = max(_CHUNK, cells)
    keys = np.empty(min(x.size, step + _CHUNK), dtype=np.intp)
    filled = 0
    for start in range(0, x.size, _CHUNK):
        chunk = x[start : start + _CHUNK].astype(np.float64, copy=False)
        at = places[start : start + _CHUNK].astype(np.intp)
        found = bins.whole(chunk)
        if found is not None:
            inside = found.astype(np.intp)
        else:
            absent = np.isnan(chunk)
            missing += np.bincount(at[absent], minlength=groups)
            at, inside = at[~absent], bins.among(chunk[~absent])
        at *= bins.number
        at += inside
        keys[filled : filled + at.size] = at
        filled += at.size
        if filled >= step:
            counts += np.bincount(keys[:filled], minlength=cells)
            filled = 0
    counts += np.bincount(keys[:filled], minlength=cells)
    return counts.reshape(groups, -1), missing


def cells_query(statistic: str, counts: np.ndarray, labels: Labels, size: int, how: Options) -> Query:
    """Ask for the counts of disjoint cells.

    A record is in one cell, or in none. One that is added or removed changes one count by 1, one that is
    replaced two at most; of a unit this happens to so many records, one after the other, and its length
    adds up in any norm. They can all leave one cell and enter one other, so no less would do.
    """
    reach = count_sensitivity(how.neighbors, how.norm)
    return Query(
        statistic,
        counts.astype(np.float64),
        (reach if how.most == 1 else float_above(how.most * Fraction(reach)),),
        labels,
        integer=True,
        nobs=size if how.bounded else None,
    )


def share_rate(how: Options, reach: Fraction | float) -> float | None:
    """Return the rate of counts' noise; None where intervals of the population's shares cannot be had.

    Other noise has another distribution, and several records of a unit are no independent draws.
    """
    if type(how.mechanism) is not Geometric or how.most > 1:
        return None
    return how.epsilon / float(reach)


def published_cells(how: Options, size: int, grouped: bool, kind: type[ShareIntervals]) -> Publish:
    """Return how noisy counts are published: as they are, with intervals of the cells' shares."""
    rate = share_rate(how, count_sensitivity(how.neighbors, how.norm))
    within = ranges.counts(size if how.bounded else None)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        known = None
        if rate is not None:
            known = cell_shares(kind, noisy, size if how.bounded else None, rate, grouped)
        return noisy, AsDrawn(population=known, within=within)

    return publish


def _equal_bins(
    chunk: Floats, edges: Floats, scale: float, tolerance: float, scratch: Scratch
) -> Places | None:
    """Return each value's bin among equal ones, as a float; None where a value is missing."""
    wide, bins, parts = (each[: chunk.size] for each in scratch)
    np.subtract(chunk, edges[0], out=wide)
    wide *= scale
    np.copyto(parts, wide, casting="same_kind")
    smallest, largest = parts.min(), parts.max()
    if smallest != smallest:
        return None
    # beyond the outer edges nothing is to be compared
    low, high = 0.25, edges.size - 1.25
    if smallest < low or largest > high:
        parts.clip(low, high, out=parts)
    np.floor(parts, out=bins)
    parts -= bins
    parts -= 0.5
    near = np.flatnonzero(np.abs(parts, out=parts) > 0.5 - tolerance)
    if near.size:
        edge = np.rint(wide.take(near)).astype(np.intp)
        bins[near] = edge - (chunk.take(near) < edges.take(edge))
    return bins


def _count_whole(values: Places, bins: int, scratch: Places) -> Counts:
    """Count integers. Two make one where that is small, so that half as many are counted."""
    half = values.size // 2
    if bins > _SMALL or half < bins * bins:
        return np.bincount(values.astype(np.intp), minlength=bins)
    both = np.multiply(values[:half], bins, out=scratch[:half])
    both += values[half : 2 * half]
    pairs = np.bincount(both.astype(np.int32), minlength=bins * bins).reshape(bins, bins)
    counts = pairs.sum(axis=0) + pairs.sum(axis=1)
    if values.size % 2:
        counts[int(values[-1])] += 1
    return counts


def cell_counts(codes: Sequence[np.ndarray], sizes: Sequence[int]) -> Counts:
    """Cross variables that are given as codes from -1, which stands for missing, to their size - 1.

    The counts are of the shape (size + 1, ...): missing values come first on each axis.
    """
    shape = tuple(size + 1 for size in sizes)
    cells = int(np.prod(shape))
    size = codes[0].size
    if cells <= 256:
        return _pair_counts(codes, shape, size).reshape(shape)
    kind: type[np.signedinteger] = np.int16 if cells < 2**15 else np.int64
    counts = np.zeros(cells, dtype=np.int64)
    step = max(_CHUNK, cells)
    for start in range(0, size, step):
        counts += np.bincount(_cells(codes, shape, slice(start, start + step), kind), minlength=cells)
    return counts.reshape(shape)


def _pair_counts(codes: Sequence[np.ndarray], shape: tuple[int, ...], size: int) -> Counts:
    """Count cells that fit into a byte: two records make one number, so half as many are counted."""
    number = int(np.prod(shape))
    counts, pairs = np.zeros(number, dtype=np.int64), None
    for start in range(0, size, _PAIRS):
        cells = _cells(codes, shape, slice(start, start + _PAIRS), np.uint8)
        even = cells.size // 2 * 2 if cells.size >= _CHUNK else 0
        counts += np.bincount(cells[even:], minlength=number)
        if even:
            found = np.bincount(cells[:even].view(np.uint16), minlength=65536)
            pairs = found if pairs is None else np.add(pairs, found, out=pairs)
    if pairs is not None:
        table = pairs.reshape(256, 256)[:number, :number]
        counts += table.sum(axis=0) + table.sum(axis=1)
    return counts


def _cells(
    codes: Sequence[np.ndarray], shape: tuple[int, ...], piece: slice, kind: type[np.integer]
) -> np.ndarray:
    """Return each record's cell, the last variable fastest."""
    cells = codes[0][piece].astype(kind)
    cells += kind(1)
    for code, size in zip(codes[1:], shape[1:]):
        cells *= kind(size)
        # modulo 2^8 the sum of a byte and -1 is right as well
        cells += code[piece].astype(kind)
        cells += kind(1)
    return cells


def variables_in(data: object, scope: Scope) -> Variables:
    """Return the variables to cross, without the column of ids; those of a table have no records."""
    data = in_memory(data)
    with about("data"):
        table = table_of(data)
        if table is None and scope.plain:
            return variables_of(data)
        origin = origin_of(data, table, "data")
    unit = scope.paid_for if scope.unit is None else scope.unit
    if origin.names is None:
        return variables_of(data)
    names = tuple(name for name in origin.names if not isinstance(unit, str) or name != unit)
    if table is not None:
        return variables_of(Chunk({name: origin.columns[name] for name in names}, 0))
    return variables_of(inside(data, origin, names))


def coded_records(
    data: object, public: Sequence[PublicLevels], how: Options, argument: str = "data"
) -> tuple[Records, Options]:
    """Read records as the codes of their levels."""
    return records_of(data, how, partial(_coded, public=tuple(public)), argument)


def _coded(data: object, argument: str, public: tuple[PublicLevels, ...]) -> Columns:
    variables = variables_of(data, argument)
    codes = tuple(codes_of(column, each) for column, each in zip(variables.columns, public))
    return Columns(codes, (None,) * len(codes), variables.names, None, variables.size)


def found_records(data: object, how: Options) -> tuple[Records, Options]:
    """Read records of one variable as they are."""
    return records_of(data, how, _as_they_are)


def _as_they_are(data: object, argument: str) -> Columns:
    variables = variables_of(data)
    column = variables.columns[0]
    held = column if hasattr(column, "dtype") else objects(column)  # type: ignore[arg-type]
    return Columns((held,), (None,), None, None, variables.size)


def table_counts(
    records: Records, public: Sequence[PublicLevels], axes: Sequence[Axis], missing: Missing
) -> tuple[Counts, int]:
    """Count the cells, each axis in its published order, and all records, those that are in no cell too."""
    counts = asked_cells(records, public, axes, missing)
    if counts is None:
        sizes = tuple(len(axis.places) - 1 for axis in axes)
        counts = records.fold(partial(_counted, sizes=sizes), np.add)
    size = int(counts.sum())
    if missing == "error" and any(counts.take(0, axis=axis).any() for axis in range(counts.ndim)):
        raise missing_values()
    for axis, (names, (*places, gone)) in enumerate(axes):
        rows = np.moveaxis(counts, axis, 0)
        moved = np.zeros((len(names), *rows.shape[1:]), dtype=np.int64)
        # missing values come first among the counts
        for row, place in zip(rows, (gone, *places)):
            if place >= 0:
                moved[place] += row
        counts = np.moveaxis(moved, 0, axis)
    return counts, size


def _counted(part: Part, sizes: tuple[int, ...]) -> Counts:
    return cell_counts(part.columns.arrays, sizes)
