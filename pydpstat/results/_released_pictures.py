"""Pictures of released values, by their shape: points, histograms, distribution functions and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.plots._pictures import Columns, Distribution, Ends, Head, Matrix, Panel, Points, Values
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._population import OfOther
from pydpstat.results._release_page import ReleasePage
from pydpstat.results._report import level_of, number, privacy_line
from pydpstat.results._tables import TABLES
from pydpstat.results._words import printed, titled

Picture = Points | Columns | Distribution | Matrix
# intervals for the population of more values take too long: those of moments a third of a second each
_MOST_COUNTED, _MOST_MOMENTS = 200, 24
_MOMENTS = ("mean", "var", "std", "cov", "corr")
# so many levels are told apart by marks, so many panels are read at a glance, and so many rows fit on a page
_MOST_SERIES, _MOST_PANELS, _MOST_ROWS = 5, 12, 60
_TITLES = {"table": "counts", "margins": "counts", "share below": "distribution"}
_LONGEST = 90
_SCALED = " (share \N{MULTIPLICATION SIGN} total)"
# whose columns have one scale in any case
_COUNTS = (*TABLES, "count", "nunique")
_ONE_SCALE = ("proportion", "share", "count", "nunique", "quantiles")


def released_picture(result: ReleasePage, alpha: float) -> Picture:
    """Describe the picture of released values."""
    if result.value.dtype.kind not in "f":
        raise PydpstatError(
            f"this release of {result.statistic} chose one of the candidates and has no number to draw. "
            "Print it instead."
        )
    labels: Any = result.labels
    statistic = result.statistic
    counted = statistic in (*TABLES, "histogram") and "divided by their sum" not in result.postprocessing
    values, scaled = _values_of(result, alpha, counted)
    head = _head(result, alpha, _SCALED if scaled else "")
    if isinstance(labels, GroupLabels):
        return _by_group(result, head, values, counted)
    if labels.breaks is not None:
        return _columns(head, labels, [("", values)], counted)
    axis = _axis(labels, statistic, labels.name)
    if statistic == "share below":
        at = np.array(labels.dimnames[0], dtype=np.float64)
        return Distribution(head, [Panel("", values)], at, False, labels.dimension_names[0], _outer(result))
    if statistic in ("quantile", "quantiles") and values.values.ndim == 1 and values.values.size > 1:
        at = np.array(labels.names, dtype=np.float64)
        return Distribution(head, [Panel("", values)], at, True, _variable(labels, statistic))
    if values.values.ndim > 1:
        return _table(result, head, values)
    names = labels.elements(result.value)
    if values.values.ndim and labels.names and statistic not in _ONE_SCALE and len(names) <= _MOST_PANELS:
        panels = [
            Panel(_axis(labels, statistic, name), _part(values, np.s_[j : j + 1, None]))
            for j, name in enumerate(names)
        ]
        return Points(head, [""], "", panels, numbered=True)
    shown = _part(values, np.s_[..., None] if values.values.ndim else np.s_[None, None])
    kind = ", ".join(filter(None, labels.dimension_names))
    few = [""] if not values.values.ndim else names
    # of one number the interval is to be seen
    least = _least(statistic) if len(few) > 1 else None
    panel = Panel("count" if counted else axis, shown, least=least)
    return Points(head, few, kind, [panel], numbered=len(names) <= 12)


def _head(result: ReleasePage, alpha: float, of_what: str) -> Head:
    statistic = result.statistic
    word = _TITLES.get(statistic, printed(statistic))
    labels: Any = result.labels
    # shares and edges are on the axis
    own = replace(labels, names=None) if labels.names and _are_numbers(labels.names) else labels
    named = result.record.about(own.about(statistic))
    subject = titled(word, named) if named else ""
    if own is labels and len(subject) > _LONGEST:
        count = len(labels.names or labels.dimnames[0] if labels.names or labels.dimnames else ())
        subject = f"{word} of {count} variables"
    # a mirror's name is R's
    function = result.record.function
    subject = subject or (function if result.record.package else printed(function))
    level = level_of(alpha)
    told = f"{level} noise interval", f"{level} confidence interval{of_what}"
    privacy = privacy_line(result, result.mechanism) + ("" if result.noise is not None else ", no interval")
    title = subject if subject == function else subject[:1].upper() + subject[1:]
    return Head(title, privacy, *told)


def _outer(result: ReleasePage) -> tuple[float, float] | None:
    """Return where a distribution function from a histogram is 0 and 1."""
    return getattr(getattr(result.post, "known", None), "outer", None)


def _are_numbers(names: Sequence[str]) -> bool:
    try:
        return bool([float(name) for name in names])
    except ValueError:
        return False


def _values_of(result: ReleasePage, alpha: float, counted: bool) -> tuple[Values, bool]:
    """Return values with both kinds of intervals, and whether the second were those of shares."""
    noise = None if result.noise is None else result._interval(alpha)
    known = result.post.population
    most = _MOST_MOMENTS if result.statistic in _MOMENTS else _MOST_COUNTED
    if known is None or result.value.size > most:
        return Values(result.value, noise), False
    ends: Ends = result._population_interval(alpha)
    scaled = counted and isinstance(known, OfOther) and bool(known.about)
    if scaled:
        # of each group, or of all
        grouped = isinstance(result.labels, GroupLabels) and result.value.ndim > 1
        total = result.value.sum(axis=-1, keepdims=True) if grouped else result.value.sum()
        total = np.maximum(total, 0.0)
        ends = ends[0] * total, ends[1] * total
    return Values(result.value, noise, ends), scaled


def _part(values: Values, place: Any) -> Values:
    return values.mapped(lambda each: each[place])


def _variable(labels: Labels, statistic: str) -> str:
    return labels.name if labels.name != statistic else "value"


def _axis(labels: Labels, statistic: str, name: str) -> str:
    """Return what an axis shows: a statistic, of which variable, and in which unit if that differs."""
    if statistic in TABLES:
        return "count"
    word = printed(statistic)
    if statistic == "cov" and " : " in name:
        one, other = name.split(" : ", 1)
        word, name = ("variance", one) if one == other else (word, f"{one} and {other}")
    of = (
        f" of {name}" if name not in (statistic, "", "value") and not name.startswith(f"{statistic}[") else ""
    )
    return f"{word}{of}{' (unit squared)' if statistic == 'var' else ''}"


def _by_group(result: ReleasePage, head: Head, values: Values, counted: bool) -> Picture:
    labels: Any = result.labels
    statistic = result.statistic
    names = [", ".join(map(str, row)) for row in labels.rows]
    kind = ", ".join(filter(None, labels.keys))
    if labels.breaks is not None and len(names) <= _MOST_PANELS:
        return _columns(
            head, labels, [(name, _part(values, place)) for place, name in enumerate(names)], counted
        )
    if statistic == "share below" and len(names) <= _MOST_PANELS:
        at = np.array(labels.names, dtype=np.float64)
        panels = [Panel("", _part(values, place), title=name) for place, name in enumerate(names)]
        axis = labels.xname if labels.xname != "x" else "value"
        return Distribution(head, panels, at, False, axis, _outer(result))
    shown, series = values.mapped(labels.drawn), labels.series
    one_scale = labels.breaks is not None or statistic in (*_ONE_SCALE, "quantile", "share below")
    if len(series) > _MOST_PANELS or one_scale and len(series) > _MOST_SERIES:
        return _grid(
            head,
            names,
            (kind, labels.xname if labels.breaks else ""),
            series,
            shown.values,
            one_scale,
            statistic,
        )
    if one_scale and len(series) > 1:
        panel = Panel(_axis(labels, statistic, _variable(labels, statistic)), shown)
        return Points(head, names, kind, [panel], _with_name(series, *labels.dimension_names))
    if not series and len(labels.keys) > 1:
        crossed = _crossed(head, labels, shown, statistic)
        if crossed is not None:
            return crossed
    panels = [
        Panel(
            _axis(labels, statistic, name), _part(shown, np.s_[:, place : place + 1]), least=_least(statistic)
        )
        for place, name in enumerate(series or (labels.name,))
    ]
    return Points(head, names, kind, panels)


def _crossed(head: Head, labels: GroupLabels, values: Values, statistic: str) -> Points | Matrix | None:
    """Describe groups by several keys as a table is, if all are there, and a list is no better."""
    levels = [list(dict.fromkeys(row[place] for row in labels.rows)) for place in range(len(labels.keys))]
    sizes = tuple(map(len, levels))
    few = any(1 < size <= _MOST_SERIES for size in sizes)
    if list(product(*levels)) != list(labels.rows) or not few and len(labels.rows) <= _MOST_ROWS:
        return None
    table = values.mapped(lambda x: x.reshape(sizes))
    unit = _axis(labels, statistic, labels.name)
    said = [list(map(str, each)) for each in levels]
    return _several_ways(head, table, said, list(map(str, labels.keys)), unit, _least(statistic))


def _with_name(levels: Sequence[object], name: str = "") -> list[str]:
    """Return levels as a legend tells them."""
    return [f"{name} = {level}" if name else str(level) for level in levels]


def _least(statistic: str) -> float | None:
    """Return where the axis of counts starts."""
    return 0.0 if statistic in _COUNTS else None


def _grid(
    head: Head,
    names: list[str],
    axes: tuple[str, str],
    series: Sequence[str],
    values: Floats,
    one_scale: bool,
    statistic: str,
) -> Matrix:
    """Describe many values of many groups as a heat map, in each column by its own largest value."""
    unit, colours = "count" if statistic == "histogram" else statistic, None
    if not one_scale:
        unit = "share of the column's largest value"
        colours = values / np.nanmax(np.abs(values), axis=0, initial=1e-300)
    return Matrix(head, names, list(series), axes, [("", values)], unit, colours)


def _columns(head: Head, labels: Labels, parts: list[tuple[str, Values]], counted: bool) -> Columns:
    """Describe histograms: counts or shares, and densities where the bins are not equally wide."""
    edges = np.array(labels.breaks)
    widths = np.diff(edges)
    unit = "count" if counted else "share"
    if not np.allclose(widths, widths[0]):
        unit = f"density (share per unit of {labels.xname})"
        # as R: the area of all columns is 1
        totals = [float(each.values.sum()) if counted else 1.0 for _, each in parts]
        if min(totals) > 0.0:
            head = head._replace(thin=head.thin.removesuffix(_SCALED))
            parts = [
                (name, each.mapped(lambda x: x / (total * widths)))
                for (name, each), total in zip(parts, totals)
            ]
        else:
            unit = f"count per unit of {labels.xname}"
            parts = [(name, each.mapped(lambda x: x / widths)) for name, each in parts]
    return Columns(head, edges, [Panel("", each, title=name) for name, each in parts], labels.xname, unit)


def _table(result: ReleasePage, head: Head, values: Values) -> Picture:
    """Describe a table of two variables or more, or a matrix of variables."""
    labels, shape = result.labels, values.values.shape
    dimnames = labels.dimnames or [range(size) for size in shape]
    levels = [[str(each) for each in names] for names in dimnames]
    called = [str(each) for each in labels.dimension_names or [""] * len(levels)]
    unit = _axis(labels, result.statistic, "")
    if len(shape) == 2 and result.statistic == "corr" and levels[0] == levels[1] and shape == (2, 2):
        # one number, and no map of it
        pair = f"correlation of {levels[0][0]} and {levels[0][1]}"
        one = _part(values, np.s_[:1, 1:])
        return Points(head, [""], "", [Panel(pair, one, 0.0)], numbered=True)
    if len(shape) == 2 and result.statistic in ("cov", "corr") and levels[0] == levels[1]:
        return _variables(head, levels[0], values, result.statistic)
    return _several_ways(head, values, levels, called, unit, _least(result.statistic))


def _several_ways(
    head: Head,
    values: Values,
    levels: Sequence[Sequence[str]],
    called: Sequence[str],
    unit: str,
    least: float | None,
) -> Points | Matrix:
    """Describe a table of two ways or more: many levels down the side, few as marks, others as panels."""
    order = _order(list(map(len, levels)))
    values, called = values.mapped(lambda x: x.transpose(order)), [called[axis] for axis in order]
    levels = [levels[axis] for axis in order]
    further = list(product(*(range(len(each)) for each in levels[2:])))
    told = [
        ", ".join(_with_name([levels[axis][at]], called[axis])[0] for axis, at in enumerate(place, 2))
        for place in further
    ]
    rows, series = len(levels[0]), len(levels[1])
    if series <= _MOST_SERIES and rows <= _MOST_ROWS and len(further) <= _MOST_PANELS:
        panels = [
            Panel(unit, _part(values, np.s_[(..., *place)]), title=name, least=least)
            for place, name in zip(further, told)
        ]
        return Points(head, levels[0], called[0], panels, _with_name(levels[1], called[1]), shared=True)
    tables = [(name, _part(values, np.s_[(..., *place)]).values) for place, name in zip(further, told)]
    if len(further) > _MOST_PANELS:
        columns = [
            ", ".join((level, *(levels[axis][at] for axis, at in enumerate(place, 2))))
            for place in further
            for level in levels[1]
        ]
        wide = np.concatenate([each for _, each in tables], axis=1)
        return Matrix(
            _reached(head, values), levels[0], columns, (called[0], ", ".join(called[1:])), [("", wide)], unit
        )
    return Matrix(_reached(head, values), levels[0], levels[1], (called[0], called[1]), tables, unit)


def _order(sizes: list[int]) -> list[int]:
    """Return the order of a table's dimensions: the one down the side, that of marks, and those of panels."""
    axes = range(len(sizes))
    turned = len(sizes) > 2 or sizes[1] > _MOST_SERIES
    rows = max(axes, key=sizes.__getitem__) if turned else 0
    rest = [axis for axis in axes if axis != rows]
    series = next((axis for axis in rest if sizes[axis] <= _MOST_SERIES), rest[0])
    return [rows, series, *(axis for axis in rest if axis != series)]


def _variables(head: Head, names: list[str], values: Values, statistic: str) -> Matrix:
    """Describe covariances or correlations: the numbers are theirs, the colors correlations."""
    matrix = colours = values.values
    unit = "correlation"
    if statistic == "corr":
        head = _reached(head, values)
    else:
        unit = "color: covariance divided by both standard deviations"
        spread = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), np.nan))
        colours = np.clip(matrix / np.outer(spread, spread), -1.0, 1.0)
    return Matrix(head, names, names, ("", ""), [("", matrix)], unit, colours)


def _reached(head: Head, values: Values) -> Head:
    """Say above a heat map, which has no bars, how far its noise intervals reach."""
    if values.thick is None:
        return head
    reach = 0.5 * (values.thick[1] - values.thick[0])
    known = reach[np.isfinite(reach) & (reach > 0.0)]
    if not known.size:
        return head
    low, high = (number(float(f"{each:.3g}")) for each in (known.min(), known.max()))
    told = f"{low}" if low == high else f"{low} to {high}"
    return head._replace(numbers=f"{head.thick}s extend {told} to either side")
