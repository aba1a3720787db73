"""What results say of their pictures: plain data, so that results need not know how these are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats

Ends = tuple[Floats, Floats]


class Head(NamedTuple):
    """The title, the line on privacy below it, and the names of the thick intervals and of the thin ones.

    `numbers` are shown between the title and the line on privacy.
    """

    title: str
    privacy: str = ""
    thick: str = ""
    thin: str = ""
    numbers: str = ""

    @property
    def lines(self) -> str:
        """The title, and the line below it."""
        return "\n".join(filter(None, self[:2]))


class Values(NamedTuple):
    """Values with the ends of two kinds of intervals, each in their shape."""

    values: Floats
    thick: Ends | None = None
    thin: Ends | None = None

    @property
    def both(self) -> bool:
        """Whether there are two kinds of intervals."""
        return self.thick is not None and self.thin is not None

    @property
    def intervals(self) -> list[tuple[int, Ends]]:
        """The kinds that there are, 0 for the thick ones and 1 for the thin ones, with their ends."""
        return [(kind, pair) for kind, pair in enumerate(self[1:]) if pair is not None]

    @property
    def every(self) -> list[Floats]:
        """The values and all ends."""
        return [self.values, *(end for _, pair in self.intervals for end in pair)]

    def mapped(self, change: Callable[[Floats], Floats]) -> Values:
        """Return changed values, and ends changed alike."""
        pairs = [None if pair is None else (change(pair[0]), change(pair[1])) for pair in self[1:]]
        return Values(change(self.values), *pairs)


class Panel(NamedTuple):
    """A part of a picture with its own axis: the axis' name, and values."""

    label: str
    values: Values
    # where a line is drawn, at what a hypothesis says
    null: float | None = None
    log: bool = False
    # which rows belong to this panel, where others have a scale of their own
    rows: npt.NDArray[np.bool_] | None = None
    title: str = ""
    # where the axis starts, if no value lies below
    least: float | None = None
    # how the number of a single point is written, where it is a limit
    told: str = ""


class Points(NamedTuple):
    """Estimates with intervals, names down the side: arrays of shape (names, series) in each panel."""

    head: Head
    names: Sequence[str]
    kind: str
    panels: Sequence[Panel]
    series: Sequence[str] = ()
    # whether all panels have one scale
    shared: bool = False
    # whether numbers stand next to points
    numbered: bool = False


class Columns(NamedTuple):
    """Histograms: edges, heights of shape (bins,) for each panel, and the names of both axes."""

    head: Head
    edges: Floats
    panels: Sequence[Panel]
    axis: str
    unit: str


class Distribution(NamedTuple):
    """Distribution functions: places of shape (points,) and shares below; intervals of either."""

    head: Head
    panels: Sequence[Panel]
    # the shares where the values are places, and the places where they are shares
    at: Floats
    quantiles: bool
    axis: str
    # where the function is 0 and 1, if that is public
    ends: tuple[float, float] | None = None


class Matrix(NamedTuple):
    """Tables of two dimensions, a panel each: names of rows and columns, values, and what colors them."""

    head: Head
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    panels: Sequence[tuple[str, Floats]]
    unit: str
    # from -1 to 1, where the values themselves are not what is to be compared
    colours: Floats | None = None


class Amounts(NamedTuple):
    """Amounts that add up to something, a bar each; those that are left are hollow."""

    head: Head
    names: Sequence[str]
    values: Floats
    axis: str
    left: tuple[str, float] | None = None


class Lines(NamedTuple):
    """Curves over one axis, on logarithmic scales: names, and values of shape (curves, places)."""

    head: Head
    places: Floats
    names: Sequence[str]
    values: Floats
    axis: str
    unit: str
    marked: tuple[float, float] | None = None


class Null(NamedTuple):
    """A statistic in its null distribution: the density in bins, and which are at least as extreme."""

    head: Head
    edges: Floats
    density: Floats
    statistic: float
    extreme: npt.NDArray[np.bool_]


class Samples(NamedTuple):
    """Two samples, the data's and the neighbor's: shares in bins or at names, and the event's part."""

    head: Head
    axis: str
    edges: Floats | None
    names: Sequence[str]
    shares: Floats
    marked: Floats


class Sizes(NamedTuple):
    """How many groups there are of each size, the sizes increasing."""

    head: Head
    sizes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
