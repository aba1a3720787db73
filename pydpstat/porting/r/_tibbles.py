"""Tibbles, data frames of dplyr's class."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._frames import as_data_frame
from pydpstat.porting.r._values import Value

# width at which dplyr breaks the lines of its messages
_MESSAGE_WIDTH = 79


class Tibble(pd.DataFrame):
    """A data frame that cannot be printed, as R prints tibbles in another form."""

    @property
    def _constructor(self) -> type[Tibble]:
        return Tibble

    def lines(self) -> list[str]:
        """Refuse to be printed."""
        raise PydpstatError("R prints a tibble in a separate form: write print(as.data.frame(x))")


def as_tibble(x: Value) -> pd.DataFrame:
    """Return a data frame, a table, a matrix or a list of vectors as a tibble.

    Examples
    --------
    >>> as_tibble({"a": [1, 2]})["a"].tolist()
    [1, 2]
    """
    return Tibble(as_data_frame(x).reset_index(drop=True))


def match_frame_class(result: pd.DataFrame, frame: Value, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return a verb's result in its data frame's class: a tibble if the data frame is one or has groups.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2]})
    >>> [isinstance(match_frame_class(frame, frame, by), Tibble) for by in ([], ["a"])]
    [False, True]
    """
    return Tibble(result) if len(by) or isinstance(frame, Tibble) else result


def tell_groups(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Write dplyr's message on the groups of a summary, and return the summary.

    Examples
    --------
    >>> len(tell_groups(pd.DataFrame({"site": ["a"]}), ["site"]))
    1
    """
    words = ", ".join(f"'{each}'" for each in names)
    text = f"`summarise()` has grouped output by {words}. You can override using the `.groups` argument."
    sys.stderr.write(f"{textwrap.fill(text, _MESSAGE_WIDTH, break_on_hyphens=False, break_long_words=False)}\n")
    return frame
