"""Counts of records in public cells, histogram bins or cells of a table, chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Columns
from pydpstat._data.native import name_data_argument, to_pandas_or_numpy
from pydpstat._data.table import Chunk, as_table
from pydpstat._data.values import make_missing_error, to_object_array
from pydpstat._grid import round_up_to_float
from pydpstat._null_distributions.proportions.shares import ShareIntervals, make_cell_intervals
from pydpstat._records.aggregates import count_cells_in_engine
from pydpstat._records.groups import make_column_origin
from pydpstat._records.levels import (
    CrossedVariables,
    LevelAxis,
    PublicLevels,
    encode_public_levels,
    read_crossed_variables,
)
from pydpstat._records.records import RecordChunk, Records, read_records, select_variables
from pydpstat._release.calibration import compute_count_sensitivity
from pydpstat._release.options import Missing, Options
from pydpstat._release.pipeline import Query
from pydpstat._release.scope import Scope
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor

CountArray = npt.NDArray[np.int64]
# integers or fractions of bins, in single precision if that is sufficient
BinIndices = npt.NDArray[np.float32 | np.float64]
Scratch = tuple[Floats, np.ndarray, np.ndarray]

# a chunk of values and its bins fit into the cache
_VALUES_PER_CHUNK = 32768
# up to this number of bins, values are counted in pairs
_MAX_PAIRED_BINS = 64
# pairs of byte codes are counted together; a chunk must outweigh the table of all pairs
_PAIR_CHUNK = 2**19
# up to this number of bins, single precision determines the bins of most values
_MAX_SINGLE_PRECISION_BINS = 256


class Bins:
    """Bins closed on the left, the last one on both sides, and the assignment of values to them.

    Values outside the edges, infinities included, belong to the outer bins. The edges are finite and strictly
    ascending.

    If all bins have equal width, f(x) = (x - edges[0]) * scale, rounded after each step and finally to single
    precision, finds the bin. f is nondecreasing, since rounding is monotone, and |f(edges[i]) - i| <= t is checked
    for every edge, with a small tolerance t. So f(x) > i + t implies x > edges[i], and f(x) < i - t implies
    x < edges[i]; any x with f(x) within 2 t of an i is compared with edges[i]. No value is assigned by a rounded
    product only.
    """

    def __init__(self, edges: Floats, size: int) -> None:
        """Check whether the bins have equal width, and allocate buffers for `size` values."""
        self.edges, self.number = edges, edges.size - 1
        kind: type = np.float32 if self.number <= _MAX_SINGLE_PRECISION_BINS else np.float64
        self.tolerance = self.number * float(np.finfo(kind).eps)
        # reuse buffers for all chunks: allocation costs more than the arithmetic
        size = min(size, _VALUES_PER_CHUNK)
        self.scratch: Scratch = np.empty(size), np.empty(size, kind), np.empty(size, kind)
        with np.errstate(over="ignore", invalid="ignore"):
            self.scale = self.number / (edges[-1] - edges[0])
            scaled_edges = ((edges - edges[0]) * self.scale).astype(kind)
            deviations = np.abs(scaled_edges - np.arange(edges.size, dtype=kind))
            self.is_equal_width = bool(np.all(deviations <= self.tolerance))

    def find_equal_bins(self, chunk: Floats) -> BinIndices | None:
        """Return the bin of each value, as a float; None if a value is missing or the bins have unequal widths."""
        if not self.is_equal_width:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            return _find_equal_bins(chunk, self.edges, self.scale, 2.0 * self.tolerance, self.scratch)

    def find_bins(self, values: Floats) -> npt.NDArray[np.intp]:
        """Return the bins of values without missing ones."""
        return self.edges[1:-1].searchsorted(values, "right")


def count_bins(x: np.ndarray, edges: Floats) -> tuple[CountArray, int]:
    """Count the values in each of `Bins`, and the missing values (NaN)."""
    bins = Bins(edges, x.size)
    counts, missing = np.zeros(bins.number, dtype=np.int64), 0
    for start in range(0, x.size, _VALUES_PER_CHUNK):
        chunk = x[start : start + _VALUES_PER_CHUNK].astype(np.float64, copy=False)
        bin_indices = bins.find_equal_bins(chunk)
        if bin_indices is not None:
            counts += _count_integers(bin_indices, bins.number, bins.scratch[2])
            continue
        absent = np.isnan(chunk)
        missing += int(np.count_nonzero(absent))
        counts += np.bincount(bins.find_bins(chunk[~absent]), minlength=bins.number)
    return counts, missing


def count_group_bins(
    x: np.ndarray, group_codes: np.ndarray, n_groups: int, edges: Floats
) -> tuple[CountArray, CountArray]:
    """Count the values of each group in each bin, and the missing values of each group."""
    bins = Bins(edges, x.size)
    cells = n_groups * bins.number
    counts, missing = np.zeros(cells, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    # accumulate at least as many values as there are cells before each count
    step = max(_VALUES_PER_CHUNK, cells)
    keys = np.empty(min(x.size, step + _VALUES_PER_CHUNK), dtype=np.intp)
    filled = 0
    for start in range(0, x.size, _VALUES_PER_CHUNK):
        chunk = x[start : start + _VALUES_PER_CHUNK].astype(np.float64, copy=False)
        at = group_codes[start : start + _VALUES_PER_CHUNK].astype(np.intp)
        bin_indices = bins.find_equal_bins(chunk)
        if bin_indices is not None:
            inside = bin_indices.astype(np.intp)
        else:
            absent = np.isnan(chunk)
            missing += np.bincount(at[absent], minlength=n_groups)
            at, inside = at[~absent], bins.find_bins(chunk[~absent])
        at *= bins.number
        at += inside
        keys[filled : filled + at.size] = at
        filled += at.size
        if filled >= step:
            counts += np.bincount(keys[:filled], minlength=cells)
            filled = 0
    counts += np.bincount(keys[:filled], minlength=cells)
    return counts.reshape(n_groups, -1), missing


def make_cells_query(statistic: str, counts: np.ndarray, labels: Labels, size: int, options: Options) -> Query:
    """Make the query of the counts of disjoint cells.

    A record is in at most one cell. Adding or removing it changes one count by 1; replacing it changes at most
    two counts. The sensitivity for a unit is that of one record times the contribution bound in any norm, by the
    triangle inequality; it is attained if all records of the unit leave one cell and enter another.
    """
    sensitivity = compute_count_sensitivity(options.neighbors, options.norm)
    return Query(
        statistic,
        counts.astype(np.float64),
        (
            sensitivity
            if options.contribution_bound == 1
            else round_up_to_float(options.contribution_bound * Fraction(sensitivity)),
        ),
        labels,
        integer=True,
        nobs=size if options.has_public_size else None,
    )


def compute_share_rate(options: Options, sensitivity: Fraction | float) -> float | None:
    """Return the rate of the counts' noise; None if intervals of population shares are not available.

    Other mechanisms have a different noise distribution, and several records of a unit are not independent.
    """
    if type(options.mechanism) is not Geometric or options.contribution_bound > 1:
        return None
    return options.epsilon / float(sensitivity)


def make_cells_postprocessing(
    options: Options, size: int, is_grouped: bool, interval_class: type[ShareIntervals]
) -> PostProcessor:
    """Return the post-processing of noisy counts: unchanged values with intervals of the cells' population shares."""
    rate = compute_share_rate(options, compute_count_sensitivity(options.neighbors, options.norm))
    within = ranges.make_count_range(size if options.has_public_size else None)

    def publish_counts(noisy_counts: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        intervals = None
        if rate is not None:
            intervals = make_cell_intervals(
                interval_class, noisy_counts, size if options.has_public_size else None, rate, is_grouped
            )
        return noisy_counts, NoisyValue(population=intervals, within=within)

    return publish_counts


def _find_equal_bins(
    chunk: Floats, edges: Floats, scale: float, tolerance: float, scratch: Scratch
) -> BinIndices | None:
    """Return the bin of each value among bins of equal width, as a float; None if a value is missing."""
    wide, bins, offsets = (buffer[: chunk.size] for buffer in scratch)
    np.subtract(chunk, edges[0], out=wide)
    wide *= scale
    np.copyto(offsets, wide, casting="same_kind")
    smallest, largest = offsets.min(), offsets.max()
    if smallest != smallest:
        return None
    # values beyond the outer edges need no comparison
    low, high = 0.25, edges.size - 1.25
    if smallest < low or largest > high:
        offsets.clip(low, high, out=offsets)
    np.floor(offsets, out=bins)
    offsets -= bins
    offsets -= 0.5
    near = np.flatnonzero(np.abs(offsets, out=offsets) > 0.5 - tolerance)
    if near.size:
        edge = np.rint(wide.take(near)).astype(np.intp)
        bins[near] = edge - (chunk.take(near) < edges.take(edge))
    return bins


def _count_integers(values: BinIndices, n_bins: int, scratch: BinIndices) -> CountArray:
    """Count integers below `n_bins`, in pairs if the table of all pairs is small."""
    half = values.size // 2
    if n_bins > _MAX_PAIRED_BINS or half < n_bins * n_bins:
        return np.bincount(values.astype(np.intp), minlength=n_bins)
    paired_values = np.multiply(values[:half], n_bins, out=scratch[:half])
    paired_values += values[half : 2 * half]
    pairs = np.bincount(paired_values.astype(np.int32), minlength=n_bins * n_bins).reshape(n_bins, n_bins)
    counts = pairs.sum(axis=0) + pairs.sum(axis=1)
    if values.size % 2:
        counts[int(values[-1])] += 1
    return counts


def separate_bounds(
    counts: Any, values: Any, pair: tuple[float, float], group_codes: Any, groups: int | None
) -> CountArray:
    """Move the records at the bounds, or outside of them, from the outer cells to new ones."""
    low, high = (
        np.array(np.count_nonzero(mask) if groups is None else np.bincount(group_codes[mask], minlength=groups))
        for mask in (values <= pair[0], values >= pair[1])
    )
    counts = np.array(counts, dtype=np.int64)
    counts[..., 0] -= low
    counts[..., -1] -= high
    return np.concatenate([low[..., None], counts, high[..., None]], axis=-1)


def count_cells(codes: Sequence[np.ndarray], sizes: Sequence[int]) -> CountArray:
    """Count the cells of crossed variables, given as codes from -1, for missing values, to their size - 1.

    The counts have shape (size + 1, ...): missing values come first on each axis.
    """
    shape = tuple(size + 1 for size in sizes)
    cells = int(np.prod(shape))
    size = codes[0].size
    if cells <= 256:
        return _count_byte_cells(codes, shape, size).reshape(shape)
    kind: type[np.signedinteger] = np.int16 if cells < 2**15 else np.int64
    counts = np.zeros(cells, dtype=np.int64)
    step = max(_VALUES_PER_CHUNK, cells)
    for start in range(0, size, step):
        counts += np.bincount(_compute_cell_codes(codes, shape, slice(start, start + step), kind), minlength=cells)
    return counts.reshape(shape)


def _count_byte_cells(codes: Sequence[np.ndarray], shape: tuple[int, ...], size: int) -> CountArray:
    """Count cells whose codes fit into a byte, in pairs of two records."""
    number = int(np.prod(shape))
    counts, pairs = np.zeros(number, dtype=np.int64), None
    for start in range(0, size, _PAIR_CHUNK):
        cells = _compute_cell_codes(codes, shape, slice(start, start + _PAIR_CHUNK), np.uint8)
        even = cells.size // 2 * 2 if cells.size >= _VALUES_PER_CHUNK else 0
        counts += np.bincount(cells[even:], minlength=number)
        if even:
            pair_counts = np.bincount(cells[:even].view(np.uint16), minlength=65536)
            pairs = pair_counts if pairs is None else np.add(pairs, pair_counts, out=pairs)
    if pairs is not None:
        table = pairs.reshape(256, 256)[:number, :number]
        counts += table.sum(axis=0) + table.sum(axis=1)
    return counts


def _compute_cell_codes(
    codes: Sequence[np.ndarray], shape: tuple[int, ...], piece: slice, kind: type[np.integer]
) -> np.ndarray:
    """Return the cell code of each record, the last variable fastest."""
    cells = codes[0][piece].astype(kind)
    cells += kind(1)
    for code, size in zip(codes[1:], shape[1:]):
        cells *= kind(size)
        # modulo 2^8 the sum of a byte and -1 is correct as well
        cells += code[piece].astype(kind)
        cells += kind(1)
    return cells


def get_crossed_variables(data: object, scope: Scope) -> CrossedVariables:
    """Return the variables to cross, without the unit's column; those of a table have no records."""
    data = to_pandas_or_numpy(data)
    with name_data_argument("data"):
        table = as_table(data)
        if table is None and scope.is_empty:
            return read_crossed_variables(data)
        origin = make_column_origin(data, table, "data")
    unit = scope.budget_unit if scope.unit is None else scope.unit
    if origin.names is None:
        return read_crossed_variables(data)
    names = tuple(name for name in origin.names if not isinstance(unit, str) or name != unit)
    if table is not None:
        return read_crossed_variables(Chunk({name: origin.columns[name] for name in names}, 0))
    return read_crossed_variables(select_variables(data, origin, names))


def read_level_codes(
    data: object, public: Sequence[PublicLevels], options: Options, argument: str = "data"
) -> tuple[Records, Options]:
    """Read records as codes of their levels."""
    return read_records(data, options, partial(_encode_variables, public=tuple(public)), argument)


def _encode_variables(data: object, argument: str, public: tuple[PublicLevels, ...]) -> Columns:
    variables = read_crossed_variables(data, argument)
    codes = tuple(encode_public_levels(column, levels) for column, levels in zip(variables.columns, public))
    return Columns(codes, (None,) * len(codes), variables.names, None, variables.size)


def read_values(data: object, options: Options) -> tuple[Records, Options]:
    """Read records of one variable without conversion."""
    return read_records(data, options, _read_values_unchanged)


def _read_values_unchanged(data: object, argument: str) -> Columns:
    variables = read_crossed_variables(data)
    column = variables.columns[0]
    values = column if hasattr(column, "dtype") else to_object_array(column)  # type: ignore[arg-type]
    return Columns((values,), (None,), None, None, variables.size)


def tabulate_cells(
    records: Records, public: Sequence[PublicLevels], axes: Sequence[LevelAxis], missing: Missing
) -> tuple[CountArray, int]:
    """Count the cells, each axis in its published order, and all records, including those in no cell."""
    counts = None if records.engine_table is None else count_cells_in_engine(records, public, axes, missing)
    if counts is None:
        sizes = tuple(len(axis.positions) - 1 for axis in axes)
        counts = records.fold(partial(_count_part_cells, sizes=sizes), np.add)
    size = int(counts.sum())
    if missing == "error" and any(counts.take(0, axis=axis).any() for axis in range(counts.ndim)):
        raise make_missing_error()
    for axis, (names, (*level_positions, missing_position)) in enumerate(axes):
        rows = np.moveaxis(counts, axis, 0)
        moved = np.zeros((len(names), *rows.shape[1:]), dtype=np.int64)
        # missing values come first among the counts
        for row, position in zip(rows, (missing_position, *level_positions)):
            if position >= 0:
                moved[position] += row
        counts = np.moveaxis(moved, 0, axis)
    return counts, size


def _count_part_cells(part: RecordChunk, sizes: tuple[int, ...]) -> CountArray:
    return count_cells(part.columns.arrays, sizes)
