"""One door for data: what R, Polars and Arrow hold as NumPy and pandas have it, and tables read whole."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from operator import add
from typing import Any

import numpy as np

from pydpstat._data.chunk import Chunk, joined, refused, whole_numbers
from pydpstat._data.containers import (
    Column,
    has_columns,
    is_categorical,
    is_pandas_frame,
    is_series,
    library_of,
    listed,
)
from pydpstat._data.table import Table, table_of
from pydpstat._data.values import objects, without_mask
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

_HELD = (np.ndarray, list, tuple, Chunk)
# units of NumPy's times that pandas supports, and coarser ones that it converts
_TAKEN = ("D", "h", "m", "s", "ms", "us", "ns")
# whether R runs this Python, by reticulate, which has loaded its own modules before
_WITHIN_R = "rpycall" in sys.modules


@contextmanager
def about(argument: str) -> Iterator[None]:
    """Tell errors of the data under the name that the argument has."""
    try:
        yield
    except PydpstatError as error:
        said = str(error)
        if argument == "data" or not said.startswith("data "):
            raise
        raise PydpstatError(argument + said.removeprefix("data")) from error.__cause__


def in_memory(data: object, argument: str = "data") -> Any:
    """Return a variable of Polars, Arrow or R, or a data frame of R, as pandas or NumPy have it.

    Anything else is returned as it is, a table among it.
    """
    if _WITHIN_R:
        data = with_missing(data)
    if type(data) in _HELD:
        return data
    library = library_of(data)
    if not library:
        return data
    with about(argument):
        if library == "rpy2":
            return object_of_r(data)
        if library == "polars" and not has_columns(data):
            from pydpstat._data.polars_frames import variable_of_polars

            return variable_of_polars(data)
        if library == "pyarrow":
            from pydpstat._data.chunk_columns import variable_of_arrow

            return variable_of_arrow("", data)
    return data


def read_whole(data: object, argument: str, *, beside: bool = False) -> Any:
    """Return data with all of their records in memory, a table's as a chunk.

    Of a table `beside` other variables the records need an order: a record is in the same place of each.
    """
    data = in_memory(data, argument)
    if type(data) in _HELD:
        return data
    with about(argument):
        table = table_of(data)
        if table is None:
            return data
        table = aligned(table, data) if beside else table
        return joined(table.fold(lambda chunk: [chunk], add))


def variable(data: object, argument: str = "data", *, beside: bool = False) -> Any:
    """Return one variable in memory, as `in_memory` does, and the only column of a table.

    A series of Dask is such a table. Of one `beside` other variables the records need an order.
    """
    whole = read_whole(data, argument, beside=beside)
    if not isinstance(whole, Chunk):
        return whole
    check_single(len(whole.columns), argument)
    (column,) = whole.columns.values()
    # texts that occur are no public categories
    return np.asarray(column, dtype=object) if is_categorical(column) else column


def check_single(columns: int, argument: str) -> None:
    """Refuse several columns, or none, in the place of one variable."""
    if columns != 1:
        raise PydpstatError(
            f"{argument} must be one variable; got {columns} columns. Give one column at a time."
        )


def read_frame(data: object, argument: str, *, beside: bool = False) -> Any:
    """Return data as `read_whole` does, but a table's as a frame of pandas."""
    whole = read_whole(data, argument, beside=beside)
    if not isinstance(whole, Chunk):
        return whole
    return pd.DataFrame({name: series_of(column) for name, column in whole.columns.items()})


def series_of(values: Any, name: object = None) -> pd.Series:
    """Return one variable as a series of its own type; lists and arrays of objects become objects.

    pandas would infer a common type, which one record could change for all others: with a missing value,
    2**53 + 1 becomes 2**53, and a time equals a string only if the column contains no strings.
    """
    if is_series(values):
        return values if name is None else values.rename(name)
    values = without_mask(values)
    if isinstance(values, (list, tuple, range)):
        values = objects(values)
    if isinstance(values, np.ndarray):
        values = _taken_by_pandas(values)
    of_objects = getattr(getattr(values, "dtype", None), "kind", "") == "O" and isinstance(values, np.ndarray)
    return pd.Series(values, name=name, dtype=object if of_objects else None)


def _taken_by_pandas(values: np.ndarray) -> np.ndarray:
    """Return an array of a type that pandas keeps; the conversion depends on the type alone."""
    kind = values.dtype.kind
    if kind in "mM":
        unit = np.datetime_data(values.dtype)[0]
        if unit not in _TAKEN:
            return objects(list(values))
        if pd.Series(values[:0]).dtype == values.dtype:
            return values
        seconds = np.dtype(f"{kind}8[s]")
        own = seconds if pd.Series(np.zeros(0, seconds)).dtype == seconds else np.dtype(f"{kind}8[ns]")
        found = values.astype(own)
        # pandas before 2 has only times from 1677 to 2262: no label equals one beyond
        beyond = (found.astype(values.dtype) != values) & ~np.isnat(values)
        found[beyond] = np.array(2**63 - 1).astype(own)
        return found
    if kind in "USV":
        return values.astype(object)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def public_list(values: object, argument: str) -> Any:
    """Return public values as a list, whichever library's column they are; anything else as it is."""
    return listed(in_memory(values, argument))


def counted_first(data: object, argument: str) -> Any:
    """Return data whose records can be counted before they are read: what can be read once is read whole."""
    data = in_memory(data, argument)
    with about(argument):
        table = table_of(data)
        known = table is None or table.count() is not None
    return data if known else read_whole(data, argument)


def aligned(table: Table, data: object) -> Table:
    """Return the table of a variable that is given beside others; one without an order is refused."""
    if table.ordered:
        return table
    raise PydpstatError(
        "data must have a fixed order if variables are given separately, so that a record has the "
        f"same position in each; got {type(data).__name__}, a query that may return its records in a "
        "different order each time. Give columns of one data frame in memory, as returned by "
        ".collect(), .df(), .compute() or .toPandas()."
    )


# how R's integers and truth values have NA
_NA = -(2**31)
# classes that leave numbers, truth values and texts what they are
_PLAIN = {"numeric", "integer", "logical", "character", "matrix", "array"}
_VECTORS = {"FloatSexpVector": "f", "IntSexpVector": "i", "BoolSexpVector": "b", "StrSexpVector": "U"}


def object_of_r(data: Any) -> pd.DataFrame | Column:
    """Return a vector, a factor or a data frame of R's as what NumPy and pandas have.

    Whole numbers with an NA become floats, truth values with one objects, texts pandas' strings, and a factor
    a Categorical whose categories are its levels.
    """
    classes = tuple(map(str, data.rclass))
    if "data.frame" in classes:
        return _frame(data)
    found = _vector(data, classes)
    if found is None:
        raise PydpstatError(
            "data from R must be a vector of numbers, truth values or strings, a factor or a data "
            f"frame; got R's class {classes[0]!r}. Convert them first, for example by as.numeric() in "
            "R."
        )
    return found


def with_missing(data: object) -> object:
    """Return data that reticulate made of R's with missing values where R's integers have NA.

    reticulate leaves them the number that stands for NA, which no integer of R's is.
    """
    if isinstance(data, list):
        gone = any(type(each) is int and each == _NA for each in data)
        return [None if type(each) is int and each == _NA else each for each in data] if gone else data
    if isinstance(data, np.ndarray) and data.dtype.kind == "i":
        return whole_numbers(data, data == _NA)
    if is_pandas_frame(data):
        return data.apply(_with_missing)
    return data


def _with_missing(column: pd.Series) -> pd.Series:
    if column.dtype.kind != "i":
        return column
    if not isinstance(column.dtype, np.dtype):
        return column.mask(column == _NA)
    # floats would round integers because another value is missing
    values = column.to_numpy()
    return pd.Series(whole_numbers(values, values == _NA), index=column.index)


def _frame(data: Any) -> pd.DataFrame:
    own = _class_of(data, ("ListSexpVector",))
    names = [str(name) for name in data.names]
    columns = []
    for place, name in enumerate(names):
        # not as rpy2 would convert it, where a user has told it to
        column = own.__getitem__(data, place)
        found = _vector(column, tuple(map(str, column.rclass)))
        if found is None or np.ndim(found) != 1:
            raise refused(name, f"R's {column.rclass[0]}")
        columns.append(found)
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _class_of(data: object, names: Collection[str]) -> Any:
    """Return the class of rpy2's lower level that has a vector's values as they are; None for no vector."""
    return next((each for each in type(data).__mro__ if each.__name__ in names), None)


def _vector(data: Any, classes: tuple[str, ...]) -> Any:
    """Return a vector, or a matrix of numbers or truth values; None for an object of another class."""
    own = _class_of(data, _VECTORS)
    if own is None or not ("factor" in classes or set(classes) <= _PLAIN):
        return None
    if own.__name__ == "StrSexpVector":
        return None if {"matrix", "array"} & set(classes) else _texts(data, own)
    values = np.asarray(data)
    if own.__name__ == "FloatSexpVector":
        return values
    absent = values == _NA
    if "factor" in classes:
        return _factor(values, data.do_slot("levels")) if values.ndim == 1 else None
    if own.__name__ == "IntSexpVector":
        return whole_numbers(values, absent)
    truths = values != 0
    return np.where(absent, None, truths) if absent.any() else truths


def _texts(data: Any, own: Any) -> pd.api.extensions.ExtensionArray:
    values = [own.__getitem__(data, place) for place in range(len(data))]
    known = [value if isinstance(value, str) else None for value in values]
    return pd.array(known, dtype=pd.StringDtype("python"))


def _factor(codes: np.ndarray, levels: Any) -> pd.Categorical:
    own = _class_of(levels, _VECTORS)
    texts = [own.__getitem__(levels, place) for place in range(len(levels))]
    known = [place for place, text in enumerate(texts) if isinstance(text, str)]
    # a level may be NA itself
    places = np.full(len(texts) + 1, -1)
    places[[place + 1 for place in known]] = np.arange(len(known))
    # of the type of texts, so that levels of another type are found out
    categories = pd.Index([texts[place] for place in known], dtype="string[python]")
    return pd.Categorical.from_codes(places[np.where(codes == _NA, 0, codes)], categories=categories)
