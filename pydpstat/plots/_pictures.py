"""Pictures of results as plain data, so that results do not depend on how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats

IntervalLimits = tuple[Floats, Floats]


class PictureHead(NamedTuple):
    """The title, the line on privacy below it, and the names of the thick and the thin intervals.

    `numbers` are shown between the title and the line on privacy.
    """

    title: str
    privacy: str = ""
    thick: str = ""
    thin: str = ""
    numbers: str = ""

    @property
    def lines(self) -> str:
        """The title and the line below it."""
        return "\n".join(filter(None, self[:2]))


class PictureValues(NamedTuple):
    """Values with the limits of two kinds of intervals, all of the same shape."""

    values: Floats
    thick: IntervalLimits | None = None
    thin: IntervalLimits | None = None

    @property
    def has_both_intervals(self) -> bool:
        """Whether there are both kinds of intervals."""
        return self.thick is not None and self.thin is not None

    @property
    def intervals(self) -> list[tuple[int, IntervalLimits]]:
        """Pairs of the kind (0 for thick intervals, 1 for thin ones) and the limits, for the kinds present."""
        return [(kind, pair) for kind, pair in enumerate(self[1:]) if pair is not None]

    @property
    def all_arrays(self) -> list[Floats]:
        """The values and all limits."""
        return [self.values, *(end for _, pair in self.intervals for end in pair)]

    def map_arrays(self, change: Callable[[Floats], Floats]) -> PictureValues:
        """Apply a function to the values and all limits."""
        pairs = [None if pair is None else (change(pair[0]), change(pair[1])) for pair in self[1:]]
        return PictureValues(change(self.values), *pairs)


class Panel(NamedTuple):
    """A panel of a picture: the label of its axis, and values."""

    label: str
    values: PictureValues
    # where a line is drawn: the value under the null hypothesis
    null: float | None = None
    is_log: bool = False
    # mask of the rows in this panel, if other rows have a different scale
    rows: npt.NDArray[np.bool_] | None = None
    title: str = ""
    # where the axis starts, if no value lies below
    axis_start: float | None = None
    # the label of a single point that is a limit
    point_label: str = ""


class PointPicture(NamedTuple):
    """Estimates with intervals, one row per name: arrays of shape (names, series) in each panel."""

    head: PictureHead
    names: Sequence[str]
    kind: str
    panels: Sequence[Panel]
    series: Sequence[str] = ()
    # whether all panels have the same scale
    has_shared_scale: bool = False
    # whether points are labeled with their numbers
    has_numbers: bool = False


class HistogramPicture(NamedTuple):
    """Histograms: bin edges, heights of shape (bins,) for each panel, and the labels of both axes."""

    head: PictureHead
    edges: Floats
    panels: Sequence[Panel]
    axis: str
    unit: str


class DistributionPicture(NamedTuple):
    """Distribution functions: points and the shares below them, with intervals of one of the two."""

    head: PictureHead
    panels: Sequence[Panel]
    # the shares if the values are quantiles, or the points if the values are shares
    at: Floats
    is_of_quantiles: bool
    axis: str
    # where the function is 0 and 1, if that is public
    support: tuple[float, float] | None = None


class MatrixPicture(NamedTuple):
    """Two-way tables, one per panel: names of rows and columns, values, and the values that determine colors."""

    head: PictureHead
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    panels: Sequence[tuple[str, Floats]]
    unit: str
    # values from -1 to 1 for the colors, if the cell values themselves should not be compared
    colours: Floats | None = None


class AmountPicture(NamedTuple):
    """Amounts that add up to a total, as bars; the bar of the remaining amount is hollow."""

    head: PictureHead
    names: Sequence[str]
    values: Floats
    axis: str
    remaining: tuple[str, float] | None = None


class CurvePicture(NamedTuple):
    """Curves on logarithmic scales: names, and values of shape (curves, points)."""

    head: PictureHead
    places: Floats
    names: Sequence[str]
    values: Floats
    axis: str
    unit: str
    plan_point: tuple[float, float] | None = None


class NullPicture(NamedTuple):
    """A statistic in its null distribution: the density in bins, and the bins that are at least as extreme."""

    head: PictureHead
    edges: Floats
    density: Floats
    statistic: float
    is_extreme: npt.NDArray[np.bool_]


class SamplePicture(NamedTuple):
    """Samples from the data and the neighbor: shares by bin or value, and the part in the event."""

    head: PictureHead
    axis: str
    edges: Floats | None
    names: Sequence[str]
    shares: Floats
    event_shares: Floats


class GroupSizePicture(NamedTuple):
    """Number of groups of each size, in increasing order of the sizes."""

    head: PictureHead
    sizes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
