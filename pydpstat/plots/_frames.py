"""Reading the frames and numbers that the plots get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._checks import array_of, did_you_mean
from pydpstat._data.containers import floats_of, is_numeric, is_pandas_frame
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


def frame_of(frame: object, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """Check a frame with rows and these columns, each once, and return these columns."""
    if not is_pandas_frame(frame):
        raise PydpstatError(
            f"{name} must be a DataFrame with the columns {', '.join(columns)}; got {type(frame).__name__}."
        )
    have = list(frame.columns)
    for column in columns:
        if have.count(column) != 1:
            near = did_you_mean(column, [each for each in have if isinstance(each, str)])
            hint = near if near.startswith("Did") else "Rename the frame's columns."
            raise PydpstatError(
                f"{name} must have one column {column!r} (of {', '.join(columns)}); "
                f"got {have.count(column)} of {len(have)}. {hint}"
            )
    if not len(frame):
        raise PydpstatError(f"{name} must have rows; got none.")
    return frame[list(columns)]


def finite(values: object) -> Floats | None:
    """Return finite numbers as an array of floats, and None for anything else."""
    array = array_of(values)
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(np.float64)


def numbers_in(frame: pd.DataFrame, name: str, column: str, least: float | None = None) -> Floats:
    """Return a column as finite floats, above `least` where that is given."""
    import pandas as pd

    values = frame[column]
    numeric = is_numeric(values) and not pd.api.types.is_bool_dtype(values)
    array = floats_of(values) if numeric else np.array([np.nan])
    if not np.isfinite(array).all() or least is not None and not (array > least).all():
        wanted = "finite numbers" + ("" if least is None else f" above {least:g}")
        raise PydpstatError(
            f"{name}[{column!r}] must be {wanted}; got other values among {len(frame)} of type "
            f"{values.dtype}. Convert the column, or drop these rows."
        )
    return array
