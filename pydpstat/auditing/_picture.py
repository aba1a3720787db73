"""The picture of an audit: both samples, and what of them is in the witnessing event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.auditing._events import Event
from pydpstat.auditing._sampling import Draws

Floats = npt.NDArray[np.float64]
BINS = 80
# draws of each sample that the picture shows
DRAWN = 50_000
# values from more than this many are drawn in bins, fewer as bars
MOST_VALUES = 40


@dataclass(frozen=True, eq=False)
class Picture(Frozen):
    """Shares of both samples in bins or at values.

    Parameters
    ----------
    name : str
        What is on the axis.
    edges : ndarray or None
        Edges of the bins; None where there are bars with names.
    names : tuple of str
        The bars' names.
    shares, marked : ndarray of shape (2, bins)
        Share of the draws in each bin, and of those in the event; the data's first.
    """

    name: str
    edges: Floats | None
    names: tuple[str, ...]
    shares: Floats
    marked: Floats


def picture_of(event: Event, first: Draws, second: Draws) -> Picture:
    """Return the picture of an event's projection, or of the event itself where it has none."""
    first, second = (Draws(each.codes[:DRAWN], each.values[:DRAWN]) for each in (first, second))
    inside = [event.contains(draws) for draws in (first, second)]
    if event.projection is None:
        share = np.array([[each.mean(), 1.0 - each.mean()] for each in inside])
        return Picture("", None, ("in the event", "not in it"), share, share * [1.0, 0.0])
    z = [event.projection.of(draws) for draws in (first, second)]
    finite = [np.isfinite(each) for each in z]
    pooled = np.concatenate([each[keep][:20_000] for each, keep in zip(z, finite)])
    if pooled.size == 0:
        share = np.array([[each.mean()] for each in inside])
        return Picture(event.projection.name, None, ("missing",), share, share)
    low, high = np.quantile(pooled, [0.002, 0.998])
    values = np.unique(pooled)
    if values.size <= MOST_VALUES and (values == np.rint(values)).all():
        edges = np.arange(values[0] - 0.5, min(values[-1], values[0] + 500) + 1.0)
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    shares = np.array([_shares(each[keep], edges, each.size) for each, keep in zip(z, finite)])
    marked = np.array(
        [_shares(each[keep & mark], edges, each.size) for each, keep, mark in zip(z, finite, inside)]
    )
    return Picture(event.projection.name, edges, (), shares, marked)


def _shares(z: Floats, edges: Floats, total: int) -> Floats:
    # equal bins: a multiplication finds the place
    place = ((z - edges[0]) * ((edges.size - 1) / (edges[-1] - edges[0]))).astype(np.int64)
    place = place[(z >= edges[0]) & (z < edges[-1])]
    return np.bincount(np.minimum(place, edges.size - 2), minlength=edges.size - 1) / total
