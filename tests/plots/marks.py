"""What is drawn on axes and on the panels inside of them, as numbers."""

import numpy as np


def panels(axes):
    """Return the axes that have something on them."""
    return list(axes.child_axes) or [axes]


def points(axes):
    """Return the coordinates of each series of points, without those of arrows at an edge."""
    made = [line for part in panels(axes) for line in part.lines if line.get_marker() in ("o", "s", "^", "D", "v")]
    return [np.array(line.get_data()) for line in made if line.get_linestyle() == "None"]


def bars(axes):
    """Return the ends of intervals: one array of shape (intervals, 2) for each kind and series."""
    found = []
    for part in panels(axes):
        for each in part.collections:
            if hasattr(each, "get_segments") and len(each.get_segments()):
                segments = np.array(each.get_segments())
                along = 0 if np.ptp(segments[:, :, 1], axis=1).max() == 0.0 else 1
                found.append(segments[:, :, along])
    return found


def heights(axes):
    """Return the heights of a histogram's columns and its edges, for each panel."""
    from matplotlib.patches import StepPatch

    return [next(each for each in part.patches if isinstance(each, StepPatch)).get_data() for part in panels(axes)]


def cells(axes):
    """Return the values that colour the cells of heat maps."""
    return [np.ma.filled(part.images[0].get_array(), np.nan) for part in panels(axes)]


def names(axes, axis="y"):
    """Return the names along an axis of the first panel."""
    first = panels(axes)[0]
    return [each.get_text() for each in (first.get_yticklabels() if axis == "y" else first.get_xticklabels())]


def legend(axes):
    """Return the legend's texts."""
    made = axes.get_legend()
    return [] if made is None else [each.get_text() for each in made.get_texts()]
