"""The records of samples, and disjoint random blocks of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import (
    Column,
    categorical_of,
    has_columns,
    has_rows,
    is_categorical,
    is_frame,
    is_vector,
    library_of,
    name_of,
    offers,
    rows,
)
from pydpstat._data.held import in_memory
from pydpstat._data.values import without_mask
from pydpstat._lazy import pd
from pydpstat._release.options import Options
from pydpstat._release.payment import defaults
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import no_column, own_ids, stays_of
from pydpstat.random import Source
from pydpstat.random.secure._bits import permutation

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    # records in memory, as their library has them
    Sample: TypeAlias = (
        Column | pd.DataFrame | pl.DataFrame | pl.Series | pa.Table | pa.Array | pa.ChunkedArray
    )


def with_own_values(sample: Any) -> Sample:
    """Return records of Arrow or Polars without shared dictionaries, and others as they are."""
    library = type(sample).__module__.partition(".")[0]
    if library == "polars":
        return _of_polars(sample)
    if library == "pyarrow":
        if not offers(sample, "columns"):
            return _of_arrow(sample)
        return type(sample).from_arrays([*map(_of_arrow, sample.columns)], names=sample.column_names)
    return sample


def _of_polars(sample: pl.DataFrame | pl.Series) -> pl.DataFrame | pl.Series:
    import polars as pl

    if not offers(sample, "columns"):
        return sample.cast(_polars_type(sample.dtype))
    plain = {name: _polars_type(kind) for name, kind in sample.schema.items()}
    return sample.with_columns(pl.col(name).cast(kind) for name, kind in plain.items())


def _polars_type(kind: pl.DataType) -> pl.DataType:
    """Return a type of Polars with texts where it has categories that come from the records."""
    import polars as pl

    if kind == pl.Categorical:
        return pl.String
    if isinstance(kind, pl.List):
        return pl.List(_polars_type(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_polars_type(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _polars_type(field.dtype) for field in kind.fields})
    return kind


def _of_arrow(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    plain = arrow_type(column.type)
    return column if plain == column.type else column.cast(plain)


def arrow_type(kind: pa.DataType) -> pa.DataType:
    """Return a type of Arrow's with the types of values where it has dictionaries."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return arrow_type(kind.value_type)
    if types.is_struct(kind):
        return pa.struct([_field(kind.field(place)) for place in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(arrow_type(kind.key_type), arrow_type(kind.item_type), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(_field(kind.value_field), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(_field(kind.value_field))
    if types.is_list(kind):
        return pa.list_(_field(kind.value_field))
    if types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        raise PydpstatError(
            f"data must have columns of simple values; got one of type {kind}. Convert it first."
        )
    return kind


def _field(field: pa.Field) -> pa.Field:
    return field.with_type(arrow_type(field.type))


def without_shared(column: pd.Series | pd.Index) -> pd.Series | pd.Index:
    """Return a column or an index of pandas without the dictionaries of its Arrow type, or as it is."""
    kind = getattr(column.dtype, "pyarrow_dtype", None)
    plain = None if kind is None else arrow_type(kind)
    if plain == kind:
        return column

    return column.astype(pd.ArrowDtype(plain))


Places = npt.NDArray[np.int64]
Block = tuple["Sample", ...]
_UNCHANGING = {str, bytes, bool, int, float, complex, type(None)}


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
        return with_own_values(data)
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
    """Return copies of some records, in their order."""
    taken = _taken(sample, places)
    return taken if type(sample).__module__.startswith("pyarrow") else _alone(taken)


def _alone(block: Sample) -> Sample:
    """Return a block with the types, the width of texts and the categories that its own records have."""
    if isinstance(block, np.ndarray):
        return _alone_array(block) if block.dtype.kind in "OUS" else block
    if has_rows(block):
        block.index = _alone_column(block.index)
    if not is_frame(block):
        return _alone_column(block)
    for place in range(block.shape[1]):
        column = block.iloc[:, place]
        own = _alone_column(column)
        if own is not column:
            block.isetitem(place, own)
    return block


def _alone_column(column: pd.Series | pd.Index) -> pd.Series | pd.Index:
    """Return a column or an index of pandas with types, levels and objects that only its own records have."""
    if is_categorical(column):
        return categorical_of(column).remove_unused_categories()
    if offers(column, "levels"):
        # its own way orders them again only where one is unused
        keys = [_alone_column(column.get_level_values(place)) for place in range(column.nlevels)]
        return type(column).from_arrays(keys, names=column.names)
    if not offers(column, "dtype"):
        return column
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O":
        if has_rows(column):
            own = _copies(column.to_numpy())
            column = type(column)(own, index=column.index, name=column.name, dtype=object)
        try:
            # an index can do this from pandas 2 on
            return column.infer_objects() if offers(column, "infer_objects") else column
        except OverflowError:
            # pandas before 2 makes floats of integers on the way
            return column
    return without_shared(column)


def _copies(records: np.ndarray) -> np.ndarray:
    """Return objects that are a block's own: what a callable does to one must not reach another block."""
    kinds = set(map(type, records.tolist()))
    if kinds <= _UNCHANGING:
        return records
    known: dict[int, object] = {}
    return np.fromiter((_copy(each, known) for each in records), dtype=object, count=len(records))


def _copy(record: object, known: dict[int, object]) -> object:
    try:
        return copy.deepcopy(record, known)
    except (Exception, SystemExit):  # a record may raise what it likes when it is copied
        return record


def _alone_array(block: np.ndarray) -> np.ndarray:
    if block.dtype.kind == "O":
        block = _copies(block.ravel()).reshape(block.shape)
    try:
        own = np.array(block.tolist())
    except (Exception, SystemExit):
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
