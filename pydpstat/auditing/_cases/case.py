"""One release to audit, and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydpstat.privacy import Guarantee

Release = Callable[..., object]


@dataclass(frozen=True)
class Case:
    """A release with two neighboring data sets.

    Parameters
    ----------
    kind : {"defect", "sound", "exception"}
        Whether the claim is known to be broken, is kept, or is broken as documented.
    name : str
        The function and what is special.
    release : callable
        Of the data, or of the data and `size`.
    data, neighbor : object
        Two neighboring data sets that show the worst case.
    claim : Guarantee or None
        None where the results state it themselves.
    row : str
        The finding's name in the table of the originals' defects.
    true : float
        The epsilon that really holds at the claim's delta; NaN where it is not known.
    at_least : float
        What a defect's lower bound has to exceed, besides the claim, at a million draws.
    most : int
        Draws that suffice.
    """

    kind: Literal["defect", "sound", "exception"]
    name: str
    release: Release
    data: object
    neighbor: object
    claim: Guarantee | None = None
    row: str = ""
    true: float = math.nan
    at_least: float = 0.0
    most: int = 1_000_000
