"""Random numbers added to columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat._grid import grid_unit
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import Names
from pydpstat.errors import PydpstatError
from pydpstat.random import Source, source_from

if TYPE_CHECKING:
    import pandas as pd

NOISES = ("laplace", "normal")


@answered
def add_noise(
    df: pd.DataFrame,
    scale: float | Mapping[Hashable, float],
    columns: Names = None,
    *,
    noise: str = "laplace",
    relative: bool = False,
    rng: object = None,
) -> pd.DataFrame:
    """Add independent noise to each value.

    Parameters
    ----------
    df : DataFrame
        The table.
    scale : number or dict
        The noise's scale in the column's unit, above 0: b for Laplace noise (standard deviation sqrt(2) b),
        the standard deviation for normal noise. A dict has one for each column that is treated.
    columns : name or sequence of names, optional
        What to treat; all columns by default, and the dict's where `scale` is one.
    noise : {"laplace", "normal"}, default "laplace"
        The noise's distribution.
    relative : bool, default False
        Whether the scale is in standard deviations of the column, which must not be constant then.
    {rng}

    Returns
    -------
    DataFrame
        A new table. The columns treated have floats; float32 and nullable columns stay so. Missing values
        stay missing.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or a column is not there, has no numbers or infinite ones.

    See Also
    --------
    round_columns, categorize : other ways to blur columns.
    pydpstat.mean : a release with a guarantee, which this has not.

    Notes
    -----
    This is perturbation in the sense of statistical disclosure control, and no differential privacy: a
    value without bounds can be as far off as it likes, and a scale that is relative is computed from the
    data. Values clipped to public bounds, with Laplace noise of scale d (upper - lower) / epsilon in each of
    d columns, are epsilon-private for each row; no function here states that for you. For statistics use
    `pydpstat.mean` and the other releases, which do.

    With ``rng=None`` the noise has its distribution exactly, on a grid of about a millionth of its scale;
    the sum with the value is an ordinary one of floats.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import add_noise
    >>> df = pd.DataFrame({"age": [30, 41], "ill": [0, 1]})
    >>> add_noise(df, 2.0, ["age"], rng=1).round(1)
        age  ill
    0  30.0    0
    1  45.6    1
    """
    checks.one_of(noise, "noise", NOISES)
    in_spreads = checks.flag(relative, "relative")
    source = source_from(rng)
    chosen, given = frames.by_column(df, scale, columns, "scale", lambda each: checks.positive(each, "scale"))
    values = [frames.floats(df, place) for place in chosen]
    scales = [
        each * (_spread(df, place, column) if in_spreads else 1.0)
        for place, each, column in zip(chosen, given, values)
    ]
    noisy = [column + _drawn(noise, column.size, each, source) for column, each in zip(values, scales)]
    return frames.with_floats(df, chosen, noisy)


def _spread(df: pd.DataFrame, place: int, values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    spread = float(known.std()) if known.size else 0.0
    if not 0.0 < spread < np.inf:
        raise PydpstatError(
            f"df must have different finite values in column {checks.excerpt(df.columns[place])} with "
            "relative=True. Give a scale in the column's unit instead."
        )
    return spread


def _drawn(noise: str, size: int, scale: float, source: Source) -> np.ndarray:
    grid = None if source.reproducible else grid_unit(scale, scale)
    drawn = (source.laplace if noise == "laplace" else source.normal)(size, scale, grid)
    return drawn if grid is None else np.asarray(drawn, dtype=np.float64) * grid
