"""Records of samples, and their partition into random blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import (
    find_library,
    get_series_name,
    has_attributes,
    has_columns,
    has_rows,
    is_frame,
    is_vector,
    take_rows,
)
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.values import fill_masked, suggest_columns
from pydpstat._frozen import hide_values
from pydpstat._release.charging import get_budget_defaults
from pydpstat._release.options import Options
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import assign_units_to_samples, check_sample_ids, make_unit_error
from pydpstat.inference.blocks._block_values import copy_isolated_block, to_plain_sample
from pydpstat.random import Source
from pydpstat.random.secure._bits import draw_permutation

if TYPE_CHECKING:
    from pydpstat.inference.blocks._block_values import SampleContainer

Positions = npt.NDArray[np.int64]
BlockOfSamples = tuple["SampleContainer", ...]


class BlockSamples:
    """One or several samples, whose records are rows of an array or of a frame; private."""

    def __init__(self, data: object) -> None:
        """Read the containers; the values of the records are not used."""
        several = isinstance(data, tuple) and len(data) > 0 and all(map(_is_in_memory, data))
        containers: Any = data if several else (data,)
        self.samples = tuple(map(_read_sample, containers))
        self.unit: str | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of records of the samples."""
        return tuple(len(sample) for sample in self.samples)

    def select_one_per_unit(self, unit: object, options: Options) -> None:
        """Keep one record of each unit, in place; the unit defaults to that of the budget."""
        is_given = unit is not None
        unit = unit if is_given else get_budget_defaults(options.budget).unit
        if unit is None:
            return
        if not isinstance(unit, str):
            columns = check_sample_ids(unit if len(self.samples) > 1 else [unit], self.samples)
            self.unit = get_series_name(columns[0]) or "unit"
        elif all(has_columns(sample) and unit in _get_column_names(sample) for sample in self.samples):
            self.unit = unit
            columns = [to_pandas_or_numpy(sample[unit]) for sample in self.samples]
            self.samples = tuple(_drop_column(sample, unit) for sample in self.samples)
        elif is_given:
            raise make_unit_error(unit)
        else:
            # without ids the release protects records, which the budget refuses
            return
        stays = assign_units_to_samples(columns, self.unit, 1, options.source)
        selected = (np.flatnonzero(stay) for stay in stays)
        self.samples = tuple(_take_records(sample, indices) for sample, indices in zip(self.samples, selected))

    def __repr__(self) -> str:
        return hide_values(self)

    def draw_blocks(self, n_blocks: int, source: Source, bounded: bool) -> Iterator[BlockOfSamples]:
        """Yield `n_blocks` tuples with a block of each sample; the blocks of a sample are a partition of its records.

        Under bounded neighbors the blocks of a sample are drawn without replacement and their sizes differ by
        at most 1. Otherwise the block of each record is drawn independently, so that adding or removing a
        record changes one block.
        """
        drawn = [_assign_blocks(size, n_blocks, source, bounded) for size in self.sizes]
        for index in range(n_blocks):
            ordered_samples = zip(self.samples, drawn)
            yield tuple(
                _copy_records(sample, order[cuts[index] : cuts[index + 1]]) for sample, (order, cuts) in ordered_samples
            )


def _is_in_memory(data: object) -> bool:
    """Return whether the data are records in memory that can be selected by position."""
    if find_library(data) in ("dask", "duckdb", "pyspark"):
        return False
    if has_rows(data) or isinstance(data, np.ndarray) and data.ndim > 0 or is_vector(data):
        return True
    return find_library(data) in ("polars", "pyarrow", "rpy2") and hasattr(data, "__len__")


def _read_sample(data: object) -> SampleContainer:
    if find_library(data) == "rpy2":
        # other containers keep their type, which the callable may require
        data = to_pandas_or_numpy(data)
    if isinstance(data, np.ma.MaskedArray):
        data = fill_masked(data)
    if isinstance(data, (list, tuple, range)):
        # an object array, because the dtype of any other depends on all records
        data = np.fromiter(map(_fill_masked_with_nan, data), dtype=object, count=len(data))
    if _is_in_memory(data):
        return to_plain_sample(data)
    hint = suggest_columns(data, "Read the data first, with .compute(), .df() or .toPandas().")
    raise PydpstatError(
        "data must be records in memory (list, array, Series, data frame), or a tuple of such "
        f"samples; got {type(data).__name__}. {hint}"
    )


def _fill_masked_with_nan(record: Any) -> object:
    """Return a record with NaN for its masked elements; lists and tuples keep their type."""
    if isinstance(record, np.ma.MaskedArray):
        plain = fill_masked(record)
        return plain if plain.ndim else plain.item()
    return type(record)(map(_fill_masked_with_nan, record)) if type(record) in (list, tuple) else record


def _take_records(sample: Any, positions: Positions) -> SampleContainer:
    """Return the records at the given positions, in that order."""
    # Arrow tables and arrays can be selected by `take` only
    return sample.take(positions) if type(sample).__module__.startswith("pyarrow") else take_rows(sample, positions)


def _get_column_names(frame: Any) -> list[str]:
    return list(map(str, frame.column_names if has_attributes(frame, "column_names") else frame.columns))


def _drop_column(frame: Any, column: str) -> SampleContainer:
    names = [name for name in _get_column_names(frame) if name != column]
    return frame[names] if is_frame(frame) else frame.select(names)


def _copy_records(sample: SampleContainer, positions: Positions) -> SampleContainer:
    """Return copies of the records at the given positions, without anything else of the data."""
    return copy_isolated_block(_take_records(sample, positions))


def _assign_blocks(size: int, n_blocks: int, source: Source, bounded: bool) -> tuple[Positions, list[int]]:
    """Return the positions of records sorted by block, and the offsets of the blocks."""
    if bounded:
        mixed = np.argsort(source.uniform(size), kind="stable") if source.reproducible else draw_permutation(size)
        cuts = [size * index // n_blocks for index in range(n_blocks + 1)]
        blocks = [np.sort(mixed[start:end]) for start, end in pairwise(cuts)]
        return np.concatenate(blocks).astype(np.int64), cuts
    block_codes = source.integers(size, n_blocks)
    counts = np.bincount(block_codes, minlength=n_blocks)
    return np.argsort(block_codes, kind="stable").astype(np.int64), [0, *np.cumsum(counts).tolist()]
