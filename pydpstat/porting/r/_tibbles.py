"""Data frames of dplyr's class."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._frames import as_data_frame
from pydpstat.porting.r._values import Value


class Tibble(pd.DataFrame):
    """A data frame that is not printed, as R's tibbles are printed otherwise."""

    @property
    def _constructor(self) -> type[Tibble]:
        return Tibble

    def lines(self) -> list[str]:
        """Refuse to be printed."""
        raise PydpstatError("R prints a tibble in a separate form: write print(as.data.frame(x))")


def as_tibble(x: Value) -> pd.DataFrame:
    """Return a frame, a table, a matrix or a list of vectors as a frame that is not printed.

    Examples
    --------
    >>> as_tibble({"a": [1, 2]})["a"].tolist()
    [1, 2]
    """
    return Tibble(as_data_frame(x).reset_index(drop=True))


def match_frame_class(result: pd.DataFrame, frame: Value, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return what a verb makes of a frame: a tibble if the frame is one or has groups.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2]})
    >>> [isinstance(match_frame_class(frame, frame, by), Tibble) for by in ([], ["a"])]
    [False, True]
    """
    return Tibble(result) if len(by) or isinstance(frame, Tibble) else result
