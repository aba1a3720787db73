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
    """A release, of the data or of the data and `size`, with two neighbors that show its worst case.

    The claim, None where the results state it themselves, is known to be broken ("defect"), is kept
    ("sound"), or is broken as documented ("exception"). `row` is the finding's name in the table of the
    originals' defects, `true` the epsilon that really holds at the claim's delta, NaN where it is not known.
    At a million draws a defect's lower bound has to exceed `at_least`, too; `most` draws suffice.
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
