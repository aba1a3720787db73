"""Records in random blocks, none of which shows anything of the records in the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import categorical_of, has_rows, is_categorical, is_frame, is_vector, rows
from pydpstat._data.values import without_mask
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random.secure.integers import permutation

Places = npt.NDArray[np.int64]
Block = tuple[Any, ...]


class Samples:
    """One sample or several, each of records that are rows of an array or of a frame. Private."""

    def __init__(self, data: object) -> None:
        """Look at the containers; what the records are plays no part."""
        given = data if _are_samples(data) else (data,)
        self.samples = tuple(_sample(each) for each in given)  # type: ignore[attr-defined]
        self.sizes = tuple(len(each) for each in self.samples)

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


def _are_samples(data: object) -> bool:
    return (
        isinstance(data, tuple) and len(data) > 0 and all(is_vector(each) or _is_held(each) for each in data)
    )


def _is_held(data: object) -> bool:
    """Tell whether something has records in memory that can be taken by place."""
    if has_rows(data) or isinstance(data, np.ndarray) and data.ndim > 0 or is_vector(data):
        return True
    library = type(data).__module__.partition(".")[0]
    return library in ("polars", "pyarrow") and hasattr(data, "__len__")


def _sample(data: object) -> Any:
    if isinstance(data, (list, tuple, range, np.ma.MaskedArray)):
        data = without_mask(data)
    if isinstance(data, (list, tuple, range)):
        # each record by itself: what an array has room for depends on all of them
        data = np.fromiter(data, dtype=object, count=len(data))
    if _is_held(data):
        return _decoded(data)
    raise PydpstatError(
        f"data must be records in memory (list, array, Series, frame), or a tuple of samples of them; got "
        f"{type(data).__name__}. Read the data first."
    )


def _decoded(sample: Any) -> Any:
    """Return values in place of the dictionaries of Arrow and Polars, which all records share."""
    library = type(sample).__module__.partition(".")[0]
    if library == "polars":
        import polars as pl

        if hasattr(sample, "columns"):
            return sample.with_columns(pl.col(pl.Categorical).cast(pl.String))
        return sample.cast(pl.String) if sample.dtype == pl.Categorical else sample
    if library == "pyarrow":
        import pyarrow as pa

        if hasattr(sample, "columns"):
            return type(sample).from_arrays([*map(_decoded, sample.columns)], names=sample.column_names)
        return sample.cast(sample.type.value_type) if pa.types.is_dictionary(sample.type) else sample
    return sample


def _rows(sample: Any, places: Places) -> Any:
    """Return copies of some records, in their order."""
    # tables and arrays of Arrow have no other way
    if type(sample).__module__.startswith("pyarrow"):
        return sample.take(places)
    return _alone(rows(sample, places))


def _alone(block: Any) -> Any:
    """Return a block with the types, the width of texts and the categories that its own records have.

    Examples
    --------
    >>> _alone(np.array([1.5, 2.0, "far away"], dtype=object)[:2])
    array([1.5, 2. ])
    >>> import pandas as pd
    >>> _alone(pd.Series(["a", "b", "c"], dtype="category")[:2]).cat.categories.tolist()
    ['a', 'b']
    """
    if isinstance(block, np.ndarray):
        return _alone_array(block) if block.dtype.kind in "OUS" else block
    if hasattr(block, "infer_objects") and not hasattr(block, "levels"):
        block = block.infer_objects()
    if has_rows(block):
        block.index = _without_unused(block.index)
    if is_frame(block):
        for place in range(block.shape[1]):
            if is_categorical(block.iloc[:, place]):
                block.isetitem(place, _without_unused(block.iloc[:, place]))
    return _without_unused(block)


def _without_unused(column: Any) -> Any:
    """Return a column or an index of pandas without the levels that none of its records has."""
    if is_categorical(column):
        return categorical_of(column).remove_unused_categories()
    if hasattr(column, "levels"):
        # its own way orders them anew only where one is unused
        keys = [_without_unused(column.get_level_values(place)) for place in range(column.nlevels)]
        return type(column).from_arrays(keys, names=column.names)
    return column


def _alone_array(block: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        own = np.array(block.tolist())
    except Exception:
        # such as rows of different lengths: that an array cannot be made tells of the records
        return block
    if block.dtype.kind == "O" and own.dtype.kind in "US":
        texts = np.array(block.tolist(), dtype=object)
        # texts among other things stay what they are
        return own if all(isinstance(each, (str, bytes)) for each in texts.flat) else block
    return own


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
