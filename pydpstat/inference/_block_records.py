"""The records of samples, and disjoint random blocks of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import (
    has_columns,
    has_rows,
    is_frame,
    is_vector,
    library_of,
    name_of,
    offers,
    rows,
)
from pydpstat._data.held import in_memory
from pydpstat._data.values import without_mask
from pydpstat._release.options import Options
from pydpstat._release.payment import defaults
from pydpstat.errors import PydpstatError
from pydpstat.inference._block_values import isolate_block, to_plain_sample
from pydpstat.inference._samples import no_column, own_ids, stays_of
from pydpstat.random import Source
from pydpstat.random.secure._bits import permutation

if TYPE_CHECKING:
    from pydpstat.inference._block_values import Sample

Places = npt.NDArray[np.int64]
Block = tuple["Sample", ...]


class Samples:
    """One sample or several, each of records that are rows of an array or of a frame. Private."""

    def __init__(self, data: object) -> None:
        """Look at the containers; what the records are plays no part."""
        several = isinstance(data, tuple) and len(data) > 0 and all(map(_is_held, data))
        given: Any = data if several else (data,)
        self.samples = tuple(map(_sample, given))
        self.unit: str | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The samples' numbers of records."""
        return tuple(len(each) for each in self.samples)

    def keep_one(self, unit: object, how: Options) -> None:
        """Let one record of each unit stay, of that of the budget where none is given."""
        given = unit is not None
        unit = unit if given else defaults(how.budget).unit
        if unit is None:
            return
        if not isinstance(unit, str):
            columns = own_ids(unit if len(self.samples) > 1 else [unit], self.samples)
            self.unit = name_of(columns[0]) or "unit"
        elif all(has_columns(each) and unit in _names(each) for each in self.samples):
            self.unit = unit
            columns = [in_memory(each[unit]) for each in self.samples]
            self.samples = tuple(_without(each, unit) for each in self.samples)
        elif given:
            raise no_column(unit)
        else:
            # the budget refuses what protects records
            return
        stays = stays_of(columns, self.unit, 1, how.source)
        kept = (np.flatnonzero(stay) for stay in stays)
        self.samples = tuple(_taken(each, places) for each, places in zip(self.samples, kept))

    def __repr__(self) -> str:
        return "Samples(values withheld)"

    def blocks(self, number: int, source: Source, bounded: bool) -> Iterator[Block]:
        """Yield a block of each sample so many times: together they are all records, each of them once.

        Under bounded neighbors the blocks of a sample are drawn without replacement and differ by one record
        in size at most. Otherwise each record draws its block by itself, so that one record more or less
        changes one block, and only that.
        """
        drawn = [_places(size, number, source, bounded) for size in self.sizes]
        for place in range(number):
            parts = zip(self.samples, drawn)
            yield tuple(
                _rows(sample, order[cuts[place] : cuts[place + 1]]) for sample, (order, cuts) in parts
            )


def _is_held(data: object) -> bool:
    """Tell whether something has records in memory that can be taken by place."""
    if library_of(data) in ("dask", "duckdb", "pyspark"):
        return False
    if has_rows(data) or isinstance(data, np.ndarray) and data.ndim > 0 or is_vector(data):
        return True
    return library_of(data) in ("polars", "pyarrow", "rpy2") and hasattr(data, "__len__")


def _sample(data: object) -> Sample:
    if library_of(data) == "rpy2":
        # others stay what they are: a callable may count on it
        data = in_memory(data)
    if isinstance(data, np.ma.MaskedArray):
        data = without_mask(data)
    if isinstance(data, (list, tuple, range)):
        # each record by itself: what an array has room for depends on all of them
        data = np.fromiter(map(_unmasked, data), dtype=object, count=len(data))
    if _is_held(data):
        return to_plain_sample(data)
    raise PydpstatError(
        "data must be records in memory (list, array, Series, data frame), or a tuple of such "
        f"samples; got {type(data).__name__}. Read the data first, with .compute(), .df() or "
        ".toPandas()."
    )


def _unmasked(record: Any) -> object:
    """Return a record with NaN where something in it is masked; a list or tuple stays one."""
    if isinstance(record, np.ma.MaskedArray):
        plain = without_mask(record)
        return plain if plain.ndim else plain.item()
    return type(record)(map(_unmasked, record)) if type(record) in (list, tuple) else record


def _taken(sample: Any, places: Places) -> Sample:
    """Return some records, in their order."""
    # tables and arrays of Arrow have no other way
    return sample.take(places) if type(sample).__module__.startswith("pyarrow") else rows(sample, places)


def _names(frame: Any) -> list[str]:
    return list(map(str, frame.column_names if offers(frame, "column_names") else frame.columns))


def _without(frame: Any, column: str) -> Sample:
    names = [name for name in _names(frame) if name != column]
    return frame[names] if is_frame(frame) else frame.select(names)


def _rows(sample: Sample, places: Places) -> Sample:
    """Return some records, in this order, and nothing else of the data."""
    return isolate_block(_taken(sample, places))


def _places(size: int, number: int, source: Source, bounded: bool) -> tuple[Places, list[int]]:
    """Return the records' places, block by block, and where each block begins and the last ends."""
    if bounded:
        mixed = np.argsort(source.uniform(size), kind="stable") if source.reproducible else permutation(size)
        cuts = [size * place // number for place in range(number + 1)]
        parts = [np.sort(mixed[start:end]) for start, end in zip(cuts, cuts[1:])]
        return np.concatenate(parts).astype(np.int64), cuts
    own = source.integers(size, number)
    counts = np.bincount(own, minlength=number)
    return np.argsort(own, kind="stable").astype(np.int64), [0, *np.cumsum(counts).tolist()]
