"""Whether two results are the same in all that they hold, and whether anything in one can be changed."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

from tests.privacy_search import reachable


def differences(one: Any, two: Any, path: str = "result") -> list[str]:
    """Return where two results differ in type, shape or value."""
    if one is two:
        return []
    if type(one) is not type(two):
        return [f"{path}: other types"]
    if isinstance(one, np.ndarray):
        return _of_arrays(one, two, path)
    if isinstance(one, np.generic):
        return [] if (one.dtype, repr(one)) == (two.dtype, repr(two)) else [f"{path}: other numbers"]
    if isinstance(one, (pd.Series, pd.DataFrame, pd.Index, pd.Categorical)):
        return _of_pandas(one, two, path)
    if isinstance(one, dict):
        return differences(list(one.items()), list(two.items()), path)
    if isinstance(one, (list, tuple)):
        if len(one) != len(two):
            return [f"{path}: other lengths"]
        found = [differences(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(one, two))]
        return [each for part in found for each in part]
    if is_dataclass(one):
        parts = [(each.name, getattr(one, each.name), getattr(two, each.name)) for each in fields(one)]
        return [each for name, a, b in parts for each in differences(a, b, f"{path}.{name}")]
    # a number's repr has the sign of a zero
    return [] if repr(one) == repr(two) else [f"{path}: other values"]


def _of_arrays(one: np.ndarray, two: np.ndarray, path: str) -> list[str]:
    if (one.dtype, one.shape) != (two.dtype, two.shape):
        return [f"{path}: other dtypes or shapes"]
    if (one.flags.writeable, one.strides) != (two.flags.writeable, two.strides):
        return [f"{path}: other flags"]
    if np.ma.isMaskedArray(one) and not np.array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(two)):
        return [f"{path}: other masks"]
    if one.dtype == object:
        return differences(one.ravel().tolist(), two.ravel().tolist(), path)
    if one.dtype.kind == "f" and one.dtype.itemsize > 8:
        # a long double has bytes that mean nothing
        same = np.array_equal(one, two, equal_nan=True) and np.array_equal(np.signbit(one), np.signbit(two))
    else:
        same = one.tobytes() == two.tobytes()
    return [] if same else [f"{path}: other numbers"]


def _of_pandas(one: Any, two: Any, path: str) -> list[str]:
    compare = {
        pd.Series: pd.testing.assert_series_equal,
        pd.DataFrame: pd.testing.assert_frame_equal,
        pd.Categorical: pd.testing.assert_extension_array_equal,
    }
    exactly = next((each for kind, each in compare.items() if isinstance(one, kind)), None)
    try:
        if exactly is None:
            pd.testing.assert_index_equal(one, two, exact=True)
        else:
            exactly(one, two, check_exact=True)
    except AssertionError:
        return [f"{path}: other pandas objects"]
    return []


def writeable(result: Any) -> list[str]:
    """Return the arrays of a result that can be changed, or be made so."""
    found = list(arrays(result))
    # objects lie in an array of their own, behind the one that is given out
    behind = [getattr(each.base, "_owner", None) for each in found]
    return [
        f"an array of {each.dtype}, shape {each.shape}"
        for each in found
        if not any(each is owner for owner in behind) and _opens(each)
    ]


def arrays(result: Any) -> Iterator[np.ndarray]:
    """Every array that can be reached from a result."""
    return (each for each in reachable(result) if isinstance(each, np.ndarray))


def _opens(array: np.ndarray) -> bool:
    if array.flags.writeable:
        return True
    try:
        array.setflags(write=True)
    except ValueError:
        return False
    array.setflags(write=False)
    return True
