"""Reading truths and answers, whatever container they come in, and putting answers into one like it.

Whether values are accepted depends on whether they are the design's categories; no message shows one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.checks import did_you_mean, excerpt, shown, shown_option
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.arrays import is_missing

Codes = npt.NDArray[Any]
Category = bool | int | float | str

_MOST = 10**6
_SCALARS = (str, bytes, bool, int, float, complex, np.generic)


class Values(NamedTuple):
    """Values as places of categories. Private.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Places of categories: of bool where there are two, else of int64.
    rebuild : callable
        Puts other codes into a container like the values'.
    """

    codes: Codes
    rebuild: Callable[[Codes], Any]

    def __repr__(self) -> str:
        return "Values(withheld)"


class Categories(NamedTuple):
    """The categories of a design. Public.

    Parameters
    ----------
    labels : tuple
        In order.
    counted : bool
        Whether they are 0 to k - 1, so that a number is its own place.
    """

    labels: tuple[Category, ...]
    counted: bool


BINARY = Categories((0, 1), True)


def categories_of(categories: Any) -> Categories:
    """Check categories: a whole number k of at least 2 for 0 to k - 1, or a list of them."""
    if isinstance(categories, (int, np.integer)) and not isinstance(categories, bool):
        if 2 <= categories <= _MOST:
            return BINARY if categories == 2 else Categories(tuple(range(int(categories))), True)
    values = categories.tolist() if hasattr(categories, "tolist") else categories
    if isinstance(values, (list, tuple, range)) and 2 <= len(values) <= _MOST:
        plain = tuple(each.item() if isinstance(each, np.generic) else each for each in values)
        if all(type(each) in (str, bool, int, float) and each == each for each in plain):
            if len(set(plain)) == len(plain):
                whole = all(type(each) in (int, bool) and each == at for at, each in enumerate(plain))
                return Categories(plain, whole)
    raise PydpstatError(
        "categories must be how many there are, from 2 to 1,000,000, or a list of two or more different "
        f"texts or numbers, none missing; got {shown(categories)}. Give for example ['no', 'yes']."
    )


def place_of(value: Any, categories: Categories) -> int | None:
    """Return the place of the category that missing values count as; None for "error"."""
    if isinstance(value, str) and value == "error":
        return None
    try:
        return categories.labels.index(value)
    except (ValueError, TypeError):
        texts = [each for each in categories.labels if isinstance(each, str)]
        hint = did_you_mean(value, ["error", *texts])
        raise PydpstatError(
            f"missing must be 'error' or one of the categories; got {shown_option(value)}. {hint}"
        ) from None


def read(values: Any, name: str, categories: Categories, missing: int | None = None) -> Values:
    """Read values of the design's categories.

    Parameters
    ----------
    values : scalar or array_like
        An array of any shape, list, Series, Index or Categorical, or a single value.
    name : str
        The argument's name, for messages.
    categories : Categories
        The design's.
    missing : int, optional
        The place of the category that a missing value counts as; by default they are an error.

    Raises
    ------
    PydpstatError
        Where a value is missing or no category, or the container is another one.
    """
    if isinstance(values, (list, tuple, range)):
        values = _array(values, name)
    if type(values) is np.ndarray:
        return _of_array(values, name, categories, missing)
    if isinstance(values, _SCALARS) or is_missing(values):
        return _of_scalar(values, name, categories, missing)
    if isinstance(values, np.ma.MaskedArray):
        plain = np.array(np.ma.getdata(values), dtype=object)
        plain[np.ma.getmaskarray(values)] = None
        return _of_array(plain, name, categories, missing)
    if hasattr(values, "dtype") and hasattr(values, "take") and getattr(values, "ndim", 0) == 1:
        return _of_pandas(values, name, categories, missing)
    kind = type(values).__name__
    hint = "Give one column at a time." if hasattr(values, "columns") else "Give an array, list or Series."
    raise PydpstatError(
        f"{name} must be one variable (array, list, Series, Categorical) or one value; got {kind}. {hint}"
    )


def _array(values: Any, name: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise PydpstatError(
            f"{name} must have rows of one length; got a {type(values).__name__} of others. Give one value a "
            "person."
        ) from error
    if array.dtype.kind not in "US":
        return array
    # with one text among them NumPy turns numbers into texts
    plain = np.array(values, dtype=object)
    return array if array.tolist() == plain.tolist() else plain


def _of_array(values: npt.NDArray[Any], name: str, categories: Categories, missing: int | None) -> Values:
    codes = _numbers(values, len(categories.labels)) if categories.counted else None
    if codes is None:
        codes = _looked_up(values.ravel(), name, categories, missing, values.dtype)
    shape, kind = values.shape, values.dtype

    def rebuild(answers: Codes) -> Any:
        if categories.counted and answers.dtype == kind:
            return answers.reshape(shape)
        held = _held(categories.labels, kind)
        if categories.counted and held.dtype.kind in "iufb":
            return answers.astype(held.dtype).reshape(shape)
        return held.take(answers.astype(np.intp)).reshape(shape)

    return Values(codes, rebuild)


def _numbers(values: npt.NDArray[Any], k: int) -> Codes | None:
    """Return the codes of numbers that are all 0 to k - 1; None where they have to be looked up."""
    if values.dtype.kind == "b":
        flat = values.ravel()
        return flat if k == 2 else flat.astype(np.int64)
    if values.dtype.kind not in "iuf" or not values.size:
        return None
    flat = values.ravel()
    if k == 2:
        codes = flat == 1
        return codes if np.count_nonzero(codes) + np.count_nonzero(flat == 0) == flat.size else None
    if values.dtype.kind == "f" and not (flat == np.rint(flat)).all():
        return None
    return flat.astype(np.int64) if flat.min() >= 0 and flat.max() < k else None


def _looked_up(values: Any, name: str, categories: Categories, missing: int | None, kind: Any) -> Codes:
    """Return each value's place among the categories."""
    from pydpstat.statistics.levels import coded

    codes = np.asarray(coded(values, categories.labels).codes, dtype=np.int64)
    gone = codes == -1
    if gone.any():
        if missing is None:
            raise PydpstatError(
                f"{name} must have no missing values; got some, of type {kind}. Leave such persons out, or "
                "make the design with missing= one of its categories, for example 'no answer'."
            )
        codes[gone] = missing
    if (codes == len(categories.labels)).any():
        raise PydpstatError(
            f"{name} must be the design's categories {excerpt(list(categories.labels))}, every one; got "
            f"others among them, of type {kind}. Recode them, or give categories=."
        )
    return codes == 1 if len(categories.labels) == 2 else codes


def _held(labels: tuple[Category, ...], kind: np.dtype) -> npt.NDArray[Any]:
    """Return the categories as an array of the type given, or of a wider one that holds them all."""
    table = np.empty(len(labels), dtype=object)
    table[:] = labels
    own = np.array(list(labels))
    if own.dtype.kind in "US" or kind.kind not in "biuf":
        # texts; or nothing that they could be converted to
        if own.dtype.kind == kind.kind == "U" and own.tolist() == list(labels):
            return own
        return table
    for wanted in (kind, np.result_type(own.dtype, kind)):
        with np.errstate(all="ignore"):
            array = own.astype(wanted)
        if array.tolist() == own.tolist() == list(labels):
            return array
    return table


def _of_scalar(value: Any, name: str, categories: Categories, missing: int | None) -> Values:
    single = np.empty(1, dtype=object)
    single[0] = value
    codes = _looked_up(single, name, categories, missing, type(value).__name__)

    def rebuild(answers: Codes) -> Any:
        answer = categories.labels[int(answers[0])]
        if isinstance(value, np.generic):
            return _held((answer,), value.dtype)[0]
        # a person's True stays a truth value, a 1.0 a float
        kept = type(value) in (bool, float) and categories.counted and len(categories.labels) == 2
        return type(value)(answer) if kept else answer

    return Values(codes, rebuild)


def _of_pandas(values: Any, name: str, categories: Categories, missing: int | None) -> Values:
    import pandas as pd

    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _of_categorical(values, name, categories, missing)
    if isinstance(kind, np.dtype):
        codes, inner = _of_array(np.asarray(values), name, categories, missing)
    else:
        codes = _looked_up(values, name, categories, missing, kind)

        def inner(answers: Codes) -> Any:
            labels = list(categories.labels)
            try:
                held = pd.array(labels, dtype=kind)
            except (TypeError, ValueError):
                held = None
            # texts and numbers are kept apart
            if held is None or list(held) != labels:
                held = pd.array(labels)
            return held.take(answers.astype(np.intp))

    return Values(codes, lambda answers: _like(values, inner(answers)))


def _of_categorical(values: Any, name: str, categories: Categories, missing: int | None) -> Values:
    import pandas as pd

    declared = {each: place for place, each in enumerate(values.dtype.categories)}
    places = np.array([declared.get(label, -1) for label in categories.labels], dtype=np.intp)
    if len(declared) != places.size or (places < 0).any():
        raise PydpstatError(
            f"{name} must have the design's categories {excerpt(list(categories.labels))}; got a Categorical "
            f"with {len(declared)} others. Use set_categories(), or give categories=."
        )
    codes = _looked_up(values, name, categories, missing, "category")

    def rebuild(answers: Codes) -> Any:
        return _like(values, pd.Categorical.from_codes(places[answers.astype(np.intp)], dtype=values.dtype))

    return Values(codes, rebuild)


def _like(values: Any, answers: Any) -> Any:
    """Return answers as a Series or an Index where the values are one."""
    import pandas as pd

    if isinstance(values, pd.Series):
        return pd.Series(answers, index=values.index, name=values.name, dtype=answers.dtype)
    if isinstance(values, pd.Index):
        # without it objects that are all texts may become another type
        return pd.Index(answers, name=values.name, dtype=object if answers.dtype == object else None)
    return answers
