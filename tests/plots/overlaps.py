"""What lies on what in a figure, from its own bounding boxes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# boxes may touch: in pixels
_TOUCH = 1.5


def overlaps(figure):
    """Return what is wrong with a figure: texts on texts, legends on axes, and what is cut off."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    hidden = _hidden(figure)
    texts = [each for each in figure.findobj(Text) if each.get_visible() and id(each) not in hidden]
    texts = [each for each in texts if each.get_text().strip()]
    boxes = [(each, each.get_window_extent(renderer)) for each in texts]
    boxes = [(each, box) for each, box in boxes if box.width > 0.0 and box.height > 0.0]
    wrong = [
        f"{boxes[one][0].get_text()!r} lies on {boxes[other][0].get_text()!r}"
        for one, other in _pairs([box for _, box in boxes])
    ]
    page = figure.bbox
    for each, box in boxes:
        if box.x0 < page.x0 - 1 or box.y0 < page.y0 - 1 or box.x1 > page.x1 + 1 or box.y1 > page.y1 + 1:
            wrong.append(f"{each.get_text()!r} is cut off")
    for axes in figure.findobj(Axes):
        legend = axes.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent(renderer)
        for other in figure.findobj(Axes):
            if other.axison and _on(box, other.get_window_extent(renderer)):
                wrong.append("the legend lies on axes")
        inside = {id(each) for each in legend.findobj(Text)}
        wrong += [
            f"the legend lies on {each.get_text()!r}" for each, at in boxes if id(each) not in inside and _on(box, at)
        ]
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y1 > page.y1 + 1:
            wrong.append("the legend is cut off")
    return wrong


def _hidden(figure):
    """Return the texts of axes that are switched off, and of ticks out of sight."""
    hidden = set()
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            room = 1e-9 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.axison or not low - room <= tick.get_loc() <= high + room:
                    hidden |= {id(tick.label1), id(tick.label2)}
            if not axes.axison:
                hidden |= {id(axis.label), id(axis.offsetText)}
    return hidden


def _pairs(boxes):
    """Return the places of the boxes that lie on each other; a heat map has hundreds of them."""
    x0, y0, x1, y1 = np.array([box.extents for box in boxes]).reshape(-1, 4).T
    wide = np.minimum.outer(x1, x1) - np.maximum.outer(x0, x0)
    high = np.minimum.outer(y1, y1) - np.maximum.outer(y0, y0)
    return np.argwhere(np.triu(np.minimum(wide, high) > _TOUCH, 1)).tolist()


def _on(one: Bbox, other: Bbox) -> bool:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(np.minimum(wide, high) > _TOUCH)
