"""What results say of their pictures: plain data, so that results need not know how these are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats

IntervalLimits = tuple[Floats, Floats]


class PictureHead(NamedTuple):
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


class PictureValues(NamedTuple):
    """Values with the ends of two kinds of intervals, each in their shape."""

    values: Floats
    thick: IntervalLimits | None = None
    thin: IntervalLimits | None = None

    @property
    def has_both_intervals(self) -> bool:
        """Whether there are two kinds of intervals."""
        return self.thick is not None and self.thin is not None

    @property
    def intervals(self) -> list[tuple[int, IntervalLimits]]:
        """The kinds that there are, 0 for the thick ones and 1 for the thin ones, with their ends."""
        return [(kind, pair) for kind, pair in enumerate(self[1:]) if pair is not None]

    @property
    def all_arrays(self) -> list[Floats]:
        """The values and all ends."""
        return [self.values, *(end for _, pair in self.intervals for end in pair)]

    def map_arrays(self, change: Callable[[Floats], Floats]) -> PictureValues:
        """Return changed values, and ends changed alike."""
        pairs = [None if pair is None else (change(pair[0]), change(pair[1])) for pair in self[1:]]
        return PictureValues(change(self.values), *pairs)


class Panel(NamedTuple):
    """A part of a picture with its own axis: the axis' name, and values."""

    label: str
    values: PictureValues
    # where a line is drawn, at what a hypothesis says
    null: float | None = None
    is_log: bool = False
    # which rows belong to this panel, where others have a scale of their own
    rows: npt.NDArray[np.bool_] | None = None
    title: str = ""
    # where the axis starts, if no value lies below
    axis_start: float | None = None
    # how the number of a single point is written, where it is a limit
    point_label: str = ""


class PointPicture(NamedTuple):
    """Estimates with intervals, names down the side: arrays of shape (names, series) in each panel."""

    head: PictureHead
    names: Sequence[str]
    kind: str
    panels: Sequence[Panel]
    series: Sequence[str] = ()
    # whether all panels have one scale
    has_shared_scale: bool = False
    # whether numbers stand next to points
    has_numbers: bool = False


class HistogramPicture(NamedTuple):
    """Histograms: edges, heights of shape (bins,) for each panel, and the names of both axes."""

    head: PictureHead
    edges: Floats
    panels: Sequence[Panel]
    axis: str
    unit: str


class DistributionPicture(NamedTuple):
    """Distribution functions: places of shape (points,) and shares below; intervals of either."""

    head: PictureHead
    panels: Sequence[Panel]
    # the shares where the values are places, and the places where they are shares
    at: Floats
    is_of_quantiles: bool
    axis: str
    # where the function is 0 and 1, if that is public
    support: tuple[float, float] | None = None


class MatrixPicture(NamedTuple):
    """Tables of two dimensions, a panel each: names of rows and columns, values, and what colors them."""

    head: PictureHead
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    panels: Sequence[tuple[str, Floats]]
    unit: str
    # from -1 to 1, where the values themselves are not what is to be compared
    colours: Floats | None = None


class AmountPicture(NamedTuple):
    """Amounts that add up to something, a bar each; those that are left are hollow."""

    head: PictureHead
    names: Sequence[str]
    values: Floats
    axis: str
    remaining: tuple[str, float] | None = None


class CurvePicture(NamedTuple):
    """Curves over one axis, on logarithmic scales: names, and values of shape (curves, places)."""

    head: PictureHead
    places: Floats
    names: Sequence[str]
    values: Floats
    axis: str
    unit: str
    plan_point: tuple[float, float] | None = None


class NullPicture(NamedTuple):
    """A statistic in its null distribution: the density in bins, and which are at least as extreme."""

    head: PictureHead
    edges: Floats
    density: Floats
    statistic: float
    is_extreme: npt.NDArray[np.bool_]


class SamplePicture(NamedTuple):
    """Two samples, the data's and the neighbor's: shares in bins or at names, and the event's part."""

    head: PictureHead
    axis: str
    edges: Floats | None
    names: Sequence[str]
    shares: Floats
    event_shares: Floats


class GroupSizePicture(NamedTuple):
    """How many groups there are of each size, the sizes increasing."""

    head: PictureHead
    sizes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
