"""A hierarchy of counts before and after it was made consistent."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.plots._frames import Floats, frame_of, numbers_in
from pydpstat.plots._style import axes_for, finish, ground, ink, palette, soft, text_size
from pydpstat.plots._text import escaped, fitted, points_of, room_for_names
from pydpstat.plots._ticks import number_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Key = tuple[Hashable, Hashable]
COLUMNS = ("level", "label", "value")
# more rows than a page holds
MOST_ROWS = 80


@answered
def hierarchy(before: object, after: object, ax: Axes | None = None) -> Axes:
    """Draw each count of a hierarchy, noisy and consistent.

    Parameters
    ----------
    before, after : DataFrame
        The noisy counts and the consistent ones: the columns level (its name), label (the count's
        name, a text or a tuple) and value. Both have the same levels and labels; levels come in the
        order of `before`, the top first.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure's, as high as the rows need.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, the frames have different counts, or more than 80.
    MissingExtraError
        Where matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.consistency.release_hierarchy : what it shows.

    Notes
    -----
    Post-processing: the picture shows released counts only, and costs no budget.

    References
    ----------
    Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially
    private histograms through consistency. VLDB 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat import plots
    >>> noisy = pd.DataFrame(
    ...     {"level": ["all", "half", "half"], "label": ["all", "a", "b"], "value": [9, 6, 5]}
    ... )
    >>> ax = plots.hierarchy(noisy, noisy.assign(value=[10, 5.5, 4.5]))  # doctest: +SKIP
    """
    first, noisy = _rows(before, "before")
    second, consistent = _rows(after, "after")
    if len(first) > MOST_ROWS:
        raise PydpstatError(
            f"before must have at most {MOST_ROWS} rows, which a picture can hold; got {len(first)}. "
            "Select a part of the hierarchy in both frames."
        )
    consistent = consistent[_places(first, second)]
    levels = list(dict.fromkeys(level for level, _ in first))
    order = sorted(range(len(first)), key=lambda row: levels.index(first[row][0]))
    keys = [first[row] for row in order]
    axes = axes_for("hierarchy", ax, height=1.2 + 0.27 * (len(first) + len(levels)))
    # a heading takes a row of its own
    y = np.array([row + levels.index(level) + 1.0 for row, (level, _) in enumerate(keys)])
    low, high = noisy[order], consistent[order]
    axes.hlines(y, low, high, color=soft(axes), linewidth=1.2, zorder=1)
    hollow: dict[str, Any] = {"markersize": 7, "markerfacecolor": ground(axes), "markeredgewidth": 1.6}
    axes.plot(low, y, "o", color=palette(axes)[1], label="with noise", zorder=2, **hollow)
    axes.plot(high, y, "D", color=palette(axes)[0], label="consistent", zorder=3, markersize=4.5)
    _names(axes, keys, levels, y)
    _values(axes, y, low, high)
    axes.set_xlabel("count")
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]) if min(low.min(), high.min()) < 0.0 else 0.0)
    number_axis(axes.xaxis)
    finish(axes)
    return axes


def _rows(frame: object, name: str) -> tuple[list[Key], Floats]:
    rows = frame_of(frame, name, COLUMNS)
    values = numbers_in(rows, name, "value")
    return list(zip(rows["level"].tolist(), rows["label"].tolist())), values


def _places(first: list[Key], second: list[Key]) -> list[int]:
    """Return where each count of the first frame is in the second."""
    if first == second:
        return list(range(len(first)))
    places = {key: place for place, key in enumerate(second)}
    if len(places) != len(second) or len(set(first)) != len(first) or set(first) != set(second):
        raise PydpstatError(
            f"after must have the levels and labels of before, each once; they differ ({len(second)} "
            f"and {len(first)} rows). Give the noisy and the consistent data frame of one hierarchy."
        )
    return [places[key] for key in first]


def _names(axes: Axes, keys: list[Key], levels: list[Hashable], y: Floats) -> None:
    """Name the rows, with each level's name above its own."""
    names = [" / ".join(map(str, label)) if isinstance(label, tuple) else str(label) for _, label in keys]
    height = points_of(axes)[1] / (len(keys) + len(levels))
    size = min(0.8 * height, text_size())
    shown = fitted([escaped(name) for name in [*names, *levels]], room_for_names(axes), size, height)
    tops = [min(at for at, key in zip(y, keys) if key[0] == level) - 1.0 for level in levels]
    axes.set_yticks([*y, *tops], shown, fontsize=size)
    for label in axes.get_yticklabels()[len(names) :]:
        label.set(fontweight="bold", color=ink(axes))
    for top in tops[1:]:
        axes.axhline(top - 0.5, color=soft(axes), alpha=0.4, linewidth=0.8, zorder=0)
    axes.set_ylim(len(keys) + len(levels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _values(axes: Axes, y: Floats, low: Floats, high: Floats) -> None:
    """Write both values beside each row: a small change of a large count does not show."""
    size = min(0.8 * points_of(axes)[1] / (y.max() + 1.0), 8.0)
    beside: dict[str, Any] = {"va": "center", "fontsize": size, "color": ink(axes)}
    beside["transform"] = axes.get_yaxis_transform()
    axes.text(1.01, 0.0, "with noise → consistent", **beside)
    for at, noisy, consistent in zip(y, _written(low), _written(high)):
        axes.text(1.01, at, f"{noisy} → {consistent}", **beside)


def _written(values: Floats) -> list[str]:
    """Write numbers with as many decimals each: none where all are integers."""
    integer = (values == np.rint(values)).all()
    decimals = 0 if integer else 2 if np.abs(values).max() < 100.0 else 1
    return [f"{value:,.{decimals}f}" for value in values]
