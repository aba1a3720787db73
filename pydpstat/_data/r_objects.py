"""R's vectors, factors and data frames, as rpy2 holds them: NA is missing in each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._data.chunk import refused, whole_numbers
from pydpstat._data.containers import is_pandas_frame
from pydpstat.errors import PydpstatError

# how R's integers and truth values have NA
_NA = -(2**31)
# classes that leave numbers, truth values and texts what they are
_PLAIN = {"numeric", "integer", "logical", "character", "matrix", "array"}
_VECTORS = {"FloatSexpVector": "f", "IntSexpVector": "i", "BoolSexpVector": "b", "StrSexpVector": "U"}


def object_of_r(data: Any) -> Any:
    """Return a vector, a factor or a data frame of R's as what NumPy and pandas have.

    Whole numbers with an NA become floats, truth values with one become objects, texts become pandas'
    strings, a factor a Categorical whose categories are its levels.

    Raises
    ------
    PydpstatError
        For an object of another class of R's, whatever its values are.
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


def with_missing(data: Any) -> Any:
    """Return data that reticulate made of R's with missing values where R's integers have NA.

    reticulate leaves them the number that stands for NA, which no integer of R's is.

    Examples
    --------
    >>> with_missing([1, -(2**31), 3]), with_missing([0.5, 1.0])
    ([1, None, 3], [0.5, 1.0])
    """
    if isinstance(data, list):
        gone = any(type(each) is int and each == _NA for each in data)
        return [None if type(each) is int and each == _NA else each for each in data] if gone else data
    if isinstance(data, np.ndarray) and data.dtype.kind == "i":
        return whole_numbers(data, data == _NA)
    if is_pandas_frame(data):
        return data.apply(lambda each: each.mask(each == _NA) if each.dtype.kind == "i" else each)
    return data


def _frame(data: Any) -> Any:
    import pandas as pd

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


def _class_of(data: Any, names: Any) -> Any:
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


def _texts(data: Any, own: Any) -> Any:
    import pandas as pd

    values = [own.__getitem__(data, place) for place in range(len(data))]
    known = [value if isinstance(value, str) else None for value in values]
    return pd.array(known, dtype=pd.StringDtype("python"))


def _factor(codes: np.ndarray, levels: Any) -> Any:
    import pandas as pd

    own = _class_of(levels, _VECTORS)
    texts = [own.__getitem__(levels, place) for place in range(len(levels))]
    known = [place for place, text in enumerate(texts) if isinstance(text, str)]
    # a level may be NA itself
    places = np.full(len(texts) + 1, -1)
    places[[place + 1 for place in known]] = np.arange(len(known))
    # of the type of texts, so that levels of another type are found out
    categories = pd.Index([texts[place] for place in known], dtype="string[python]")
    return pd.Categorical.from_codes(places[np.where(codes == _NA, 0, codes)], categories=categories)
