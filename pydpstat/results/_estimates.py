"""Series, frames and page rows of released numbers with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._lazy import pd
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._numbers import format_rows
from pydpstat.results._report import Rows

if TYPE_CHECKING:
    from pydpstat.results._labels import Labels

# columns of a noise interval's limits in a frame
NOISE_LIMIT_COLUMNS = ("noise lower", "noise upper")
# noise that differs by this factor indicates different units
_UNLIKE_SCALE_RATIO = 1000.0


def make_named_series(values: npt.ArrayLike, released: np.ndarray, labels: Labels, name: str) -> pd.Series:
    """Return one number per released value as a named Series, in R's order."""
    flat = np.ravel(values, order="F")
    # adding 0 turns negative zero into zero
    shown = flat + 0.0 if flat.dtype.kind == "f" else flat.copy()
    return pd.Series(shown, index=labels.make_element_index(released), name=name)


def make_interval_frame(limits: tuple[Floats, Floats], index: pd.Index) -> pd.DataFrame:
    """Return the limits of intervals as a frame with the columns 0 and 1."""
    columns = {column: np.ravel(limit, order="F") for column, limit in enumerate(limits)}
    return pd.DataFrame(columns, index=index)


def make_noise_frame(
    column: str, params: pd.Series, bse: pd.Series, limits: tuple[Floats, Floats] | None, is_integer: bool = False
) -> pd.DataFrame:
    """Return a frame of values, noise standard deviations and noise intervals, or of values alone without limits."""
    frame = pd.DataFrame({column: params})
    if limits is None:
        return frame
    low, high = (np.ravel(limit, order="F") for limit in limits)
    frame = frame.assign(**{"noise sd": bse, **dict(zip(NOISE_LIMIT_COLUMNS, (low, high)))})
    return frame.astype(dict.fromkeys((column, *NOISE_LIMIT_COLUMNS) if is_integer else (), np.int64))


def make_noise_rows(frame: pd.DataFrame, heading: str, names: Sequence[str], alpha: float, by_row: bool) -> Rows:
    """Return the rows of a page from a frame of `make_noise_frame`."""
    headers: tuple[str, ...] = (heading,)
    if len(frame.columns) > 1:
        headers = (*headers, "noise sd", f"noise [{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
    return Rows(headers, list(names), format_rows([frame[name].tolist() for name in frame], by_row))


def has_unlike_scales(bse: pd.Series) -> bool:
    """Return whether noise scales differ so much that no common number of decimals suits all values."""
    noise = np.ravel(bse.to_numpy())
    noise = noise[np.isfinite(noise) & (noise > 0.0)]
    return bool(noise.size) and noise.max() > _UNLIKE_SCALE_RATIO * noise.min()
