"""Pictures of released values: points, histograms, distribution functions and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.plots._pictures import (
    DistributionPicture,
    HistogramPicture,
    IntervalLimits,
    MatrixPicture,
    Panel,
    PictureHead,
    PictureValues,
    PointPicture,
)
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._population import HasSubject
from pydpstat.results._released import ReleasedValue
from pydpstat.results._report import format_level, format_privacy_line, format_significant
from pydpstat.results._shapes import TABLE_STATISTICS
from pydpstat.results._words import format_title, get_printed_name

Picture = PointPicture | HistogramPicture | DistributionPicture | MatrixPicture
# maximum numbers of values with population intervals, which take up to a third of a second each
_MAX_COUNT_INTERVALS, _MAX_MOMENT_INTERVALS = 200, 24
_MOMENT_STATISTICS = ("mean", "var", "std", "cov", "corr")
# maximum numbers of series with distinct marks, of panels, and of rows
_MAX_SERIES, _MAX_PANELS, _MAX_ROWS = 5, 12, 60
_TITLE_WORDS = {"table": "counts", "margins": "counts", "share below": "distribution"}
_MAX_SUBJECT_LENGTH = 90
_SCALED_SHARE_SUFFIX = " of the share, in counts"
# statistics whose columns share one scale
_COUNT_STATISTICS = (*TABLE_STATISTICS, "count", "nunique")
_SINGLE_SCALE_STATISTICS = ("proportion", "share", "count", "nunique", "quantiles")


def make_release_picture(result: ReleasedValue, alpha: float) -> Picture:
    """Describe the picture of released values."""
    if result.value.dtype.kind not in "f":
        raise PydpstatError(
            f"this release of {result.statistic} chose one of the candidates and has no number to draw. "
            "Print it instead."
        )
    labels: Any = result.labels
    statistic = result.statistic
    is_count = statistic in (*TABLE_STATISTICS, "histogram") and "divided by their sum" not in result.postprocessing
    values, is_scaled = _compute_picture_values(result, alpha, is_count)
    head = _make_head(result, alpha, _SCALED_SHARE_SUFFIX if is_scaled else "")
    if isinstance(labels, GroupLabels):
        return _make_group_picture(result, head, values, is_count)
    if labels.breaks is not None:
        return _make_histogram_picture(head, labels, [("", values)], is_count)
    axis = _format_axis_label(labels, statistic, labels.name)
    if statistic == "share below":
        points = np.array(labels.dimnames[0], dtype=np.float64)
        return DistributionPicture(
            head, [Panel("", values)], points, False, labels.dimension_names[0], _get_support(result)
        )
    if statistic in ("quantile", "quantiles") and values.values.ndim == 1 and values.values.size > 1:
        points = np.array(labels.names, dtype=np.float64)
        return DistributionPicture(head, [Panel("", values)], points, True, _get_variable_name(labels, statistic))
    if values.values.ndim > 1:
        return _make_table_picture(result, head, values)
    names = labels.name_elements(result.value)
    if values.values.ndim and labels.names and statistic not in _SINGLE_SCALE_STATISTICS and len(names) <= _MAX_PANELS:
        panels = [
            Panel(_format_axis_label(labels, statistic, name), _select_values(values, np.s_[j : j + 1, None]))
            for j, name in enumerate(names)
        ]
        return PointPicture(head, [""], "", panels, has_numbers=True)
    shown = _select_values(values, np.s_[..., None] if values.values.ndim else np.s_[None, None])
    kind = ", ".join(filter(None, labels.dimension_names))
    row_names = [""] if not values.values.ndim else names
    # a single number is drawn at the scale of its interval, not from 0
    axis_start = _get_axis_start(statistic) if len(row_names) > 1 else None
    panel = Panel("count" if is_count else axis, shown, axis_start=axis_start)
    return PointPicture(head, row_names, kind, [panel], has_numbers=len(names) <= 12)


def _make_head(result: ReleasedValue, alpha: float, of_what: str) -> PictureHead:
    statistic = result.statistic
    word = _TITLE_WORDS.get(statistic, get_printed_name(statistic))
    labels: Any = result.labels
    # numeric names, such as shares or edges, are on the axis
    described = replace(labels, names=None) if labels.names and _can_parse_numbers(labels.names) else labels
    variables = result.record.describe_subject(described.describe_variables(statistic))
    subject = format_title(word, variables) if variables else ""
    if described is labels and len(subject) > _MAX_SUBJECT_LENGTH:
        count = len(labels.names or labels.dimnames[0] if labels.names or labels.dimnames else ())
        subject = f"{word} of {count} variables"
    # a mirrored function keeps its R name
    function = result.record.function
    subject = subject or (function if result.record.package else get_printed_name(function))
    level = format_level(alpha)
    interval_labels = f"{level} noise interval", f"{level} confidence interval{of_what}"
    privacy = format_privacy_line(result, result.mechanism) + ("" if result.noise is not None else ", no interval")
    title = subject if subject == function else subject[:1].upper() + subject[1:]
    return PictureHead(title, privacy, *interval_labels)


def _get_support(result: ReleasedValue) -> tuple[float, float] | None:
    """Return the points where a histogram's distribution function reaches 0 and 1, or None."""
    return getattr(getattr(result.post, "known", None), "outer", None)


def _can_parse_numbers(names: Sequence[str]) -> bool:
    try:
        return bool([float(name) for name in names])
    except ValueError:
        return False


def _compute_picture_values(result: ReleasedValue, alpha: float, is_count: bool) -> tuple[PictureValues, bool]:
    """Return values with both kinds of intervals, and whether the second are scaled from shares."""
    noise = None if result.noise is None else result._compute_interval(alpha)
    population = result.post.population
    max_values = _MAX_MOMENT_INTERVALS if result.statistic in _MOMENT_STATISTICS else _MAX_COUNT_INTERVALS
    if population is None or result.value.size > max_values:
        return PictureValues(result.value, noise), False
    limits: IntervalLimits = result._compute_population_interval(alpha)
    is_scaled = is_count and isinstance(population, HasSubject) and bool(population.subject)
    if is_scaled:
        # shares refer to each group's total, or to the overall total
        is_grouped = isinstance(result.labels, GroupLabels) and result.value.ndim > 1
        total = result.value.sum(axis=-1, keepdims=True) if is_grouped else result.value.sum()
        total = np.maximum(total, 0.0)
        limits = limits[0] * total, limits[1] * total
    return PictureValues(result.value, noise, limits), is_scaled


def _select_values(values: PictureValues, index: Any) -> PictureValues:
    return values.map_arrays(lambda each: each[index])


def _get_variable_name(labels: Labels, statistic: str) -> str:
    return labels.name if labels.name != statistic else "value"


def _format_axis_label(labels: Labels, statistic: str, name: str) -> str:
    """Return an axis label: the statistic, its variable, and its unit if it differs."""
    if statistic in TABLE_STATISTICS:
        return "count"
    word = get_printed_name(statistic)
    if statistic == "cov" and " : " in name:
        first, second = name.split(" : ", 1)
        word, name = ("variance", first) if first == second else (word, f"{first} and {second}")
    suffix = f" of {name}" if name not in (statistic, "", "value") and not name.startswith(f"{statistic}[") else ""
    return f"{word}{suffix}{' (unit squared)' if statistic == 'var' else ''}"


def _make_group_picture(result: ReleasedValue, head: PictureHead, values: PictureValues, is_count: bool) -> Picture:
    labels: Any = result.labels
    statistic = result.statistic
    names = [", ".join(map(str, row)) for row in labels.rows]
    kind = ", ".join(filter(None, labels.keys))
    if labels.breaks is not None and len(names) <= _MAX_PANELS:
        return _make_histogram_picture(
            head, labels, [(name, _select_values(values, index)) for index, name in enumerate(names)], is_count
        )
    if statistic == "share below" and len(names) <= _MAX_PANELS:
        points = np.array(labels.names, dtype=np.float64)
        panels = [Panel("", _select_values(values, index), title=name) for index, name in enumerate(names)]
        axis = labels.xname if labels.xname != "x" else "value"
        return DistributionPicture(head, panels, points, False, axis, _get_support(result))
    shown, series = values.map_arrays(labels.to_plot_matrix), labels.series
    one_scale = labels.breaks is not None or statistic in (*_SINGLE_SCALE_STATISTICS, "quantile", "share below")
    if len(series) > _MAX_PANELS or one_scale and len(series) > _MAX_SERIES:
        return _make_heat_map(
            head, names, (kind, labels.xname if labels.breaks else ""), series, shown.values, one_scale, statistic
        )
    if one_scale and len(series) > 1:
        panel = Panel(_format_axis_label(labels, statistic, _get_variable_name(labels, statistic)), shown)
        return PointPicture(head, names, kind, [panel], _format_legend_levels(series, *labels.dimension_names))
    if not series and len(labels.keys) > 1:
        picture = _make_crossed_picture(head, labels, shown, statistic)
        if picture is not None:
            return picture
    panels = [
        Panel(
            _format_axis_label(labels, statistic, name),
            _select_values(shown, np.s_[:, index : index + 1]),
            axis_start=_get_axis_start(statistic),
        )
        for index, name in enumerate(series or (labels.name,))
    ]
    return PointPicture(head, names, kind, panels)


def _make_crossed_picture(
    head: PictureHead, labels: GroupLabels, values: PictureValues, statistic: str
) -> PointPicture | MatrixPicture | None:
    """Describe groups by several keys as a table, or return None if a list of groups suits better."""
    levels = [list(dict.fromkeys(row[key] for row in labels.rows)) for key in range(len(labels.keys))]
    sizes = tuple(map(len, levels))
    has_few_levels = any(1 < size <= _MAX_SERIES for size in sizes)
    if list(product(*levels)) != list(labels.rows) or not has_few_levels and len(labels.rows) <= _MAX_ROWS:
        return None
    table = values.map_arrays(lambda x: x.reshape(sizes))
    unit = _format_axis_label(labels, statistic, labels.name)
    level_texts = [list(map(str, key_levels)) for key_levels in levels]
    return _make_multiway_picture(
        head, table, level_texts, list(map(str, labels.keys)), unit, _get_axis_start(statistic)
    )


def _format_legend_levels(levels: Sequence[object], name: str = "") -> list[str]:
    """Return the legend texts of levels."""
    return [f"{name} = {level}" if name else str(level) for level in levels]


def _get_axis_start(statistic: str) -> float | None:
    """Return the start of the axis: 0 for counts, else None."""
    return 0.0 if statistic in _COUNT_STATISTICS else None


def _make_heat_map(
    head: PictureHead,
    names: list[str],
    axes: tuple[str, str],
    series: Sequence[str],
    values: Floats,
    one_scale: bool,
    statistic: str,
) -> MatrixPicture:
    """Describe many values of many groups as a heat map, colored by column if scales differ."""
    unit, colours = "count" if statistic == "histogram" else statistic, None
    if not one_scale:
        unit = "share of the column's largest value"
        colours = values / np.nanmax(np.abs(values), axis=0, initial=1e-300)
    return MatrixPicture(head, names, list(series), axes, [("", values)], unit, colours)


def _make_histogram_picture(
    head: PictureHead, labels: Labels, parts: list[tuple[str, PictureValues]], is_count: bool
) -> HistogramPicture:
    """Describe histograms of counts or shares, or of densities if bin widths differ."""
    edges = np.array(labels.breaks)
    widths = np.diff(edges)
    unit = "count" if is_count else "share"
    if not np.allclose(widths, widths[0]):
        unit = f"density (share per unit of {labels.xname})"
        # as in R, the total area is 1
        totals = [float(values.values.sum()) if is_count else 1.0 for _, values in parts]
        if min(totals) > 0.0:
            head = head._replace(thin=head.thin.removesuffix(_SCALED_SHARE_SUFFIX))
            parts = [
                (name, values.map_arrays(lambda x: x / (total * widths)))
                for (name, values), total in zip(parts, totals)
            ]
        else:
            unit = f"count per unit of {labels.xname}"
            parts = [(name, values.map_arrays(lambda x: x / widths)) for name, values in parts]
    return HistogramPicture(head, edges, [Panel("", values, title=name) for name, values in parts], labels.xname, unit)


def _make_table_picture(result: ReleasedValue, head: PictureHead, values: PictureValues) -> Picture:
    """Describe a table of two or more variables, or a matrix of variables."""
    labels, shape = result.labels, values.values.shape
    dimnames = labels.dimnames or [range(size) for size in shape]
    levels = [[str(level) for level in names] for names in dimnames]
    axis_names = [str(level) for level in labels.dimension_names or [""] * len(levels)]
    unit = _format_axis_label(labels, result.statistic, "")
    if len(shape) == 2 and result.statistic == "corr" and levels[0] == levels[1] and shape == (2, 2):
        # a single correlation is drawn as a point
        label = f"correlation of {levels[0][0]} and {levels[0][1]}"
        cell = _select_values(values, np.s_[:1, 1:])
        return PointPicture(head, [""], "", [Panel(label, cell, 0.0)], has_numbers=True)
    if len(shape) == 2 and result.statistic in ("cov", "corr") and levels[0] == levels[1]:
        return _make_matrix_picture(head, levels[0], values, result.statistic)
    return _make_multiway_picture(head, values, levels, axis_names, unit, _get_axis_start(result.statistic))


def _make_multiway_picture(
    head: PictureHead,
    values: PictureValues,
    levels: Sequence[Sequence[str]],
    names: Sequence[str],
    unit: str,
    axis_start: float | None,
) -> PointPicture | MatrixPicture:
    """Describe a multiway table: rows down the side, series as marks, further dimensions as panels."""
    order = _order_axes(list(map(len, levels)))
    values, names = values.map_arrays(lambda x: x.transpose(order)), [names[axis] for axis in order]
    levels = [levels[axis] for axis in order]
    panel_indices = list(product(*(range(len(axis_levels)) for axis_levels in levels[2:])))
    panel_titles = [
        ", ".join(
            _format_legend_levels([levels[axis][level_index]], names[axis])[0]
            for axis, level_index in enumerate(index, 2)
        )
        for index in panel_indices
    ]
    rows, series = len(levels[0]), len(levels[1])
    if series <= _MAX_SERIES and rows <= _MAX_ROWS and len(panel_indices) <= _MAX_PANELS:
        panels = [
            Panel(unit, _select_values(values, np.s_[(..., *index)]), title=name, axis_start=axis_start)
            for index, name in zip(panel_indices, panel_titles)
        ]
        return PointPicture(
            head, levels[0], names[0], panels, _format_legend_levels(levels[1], names[1]), has_shared_scale=True
        )
    tables = [
        (name, _select_values(values, np.s_[(..., *index)]).values) for index, name in zip(panel_indices, panel_titles)
    ]
    if len(panel_indices) > _MAX_PANELS:
        columns = [
            ", ".join((level, *(levels[axis][level_index] for axis, level_index in enumerate(index, 2))))
            for index in panel_indices
            for level in levels[1]
        ]
        wide = np.concatenate([table for _, table in tables], axis=1)
        return MatrixPicture(
            _add_noise_range(head, values), levels[0], columns, (names[0], ", ".join(names[1:])), [("", wide)], unit
        )
    return MatrixPicture(_add_noise_range(head, values), levels[0], levels[1], (names[0], names[1]), tables, unit)


def _order_axes(sizes: list[int]) -> list[int]:
    """Return the order of a table's dimensions: rows, series, then panels."""
    axes = range(len(sizes))
    is_reordered = len(sizes) > 2 or sizes[1] > _MAX_SERIES
    rows = max(axes, key=sizes.__getitem__) if is_reordered else 0
    others = [axis for axis in axes if axis != rows]
    series = next((axis for axis in others if sizes[axis] <= _MAX_SERIES), others[0])
    return [rows, series, *(axis for axis in others if axis != series)]


def _make_matrix_picture(head: PictureHead, names: list[str], values: PictureValues, statistic: str) -> MatrixPicture:
    """Describe a matrix of covariances or correlations, colored by correlation."""
    matrix = colours = values.values
    unit = "correlation"
    if statistic == "corr":
        head = _add_noise_range(head, values)
    else:
        unit = "color: covariance divided by both standard deviations"
        spread = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), np.nan))
        colours = np.clip(matrix / np.outer(spread, spread), -1.0, 1.0)
    return MatrixPicture(head, names, names, ("", ""), [("", matrix)], unit, colours)


def _add_noise_range(head: PictureHead, values: PictureValues) -> PictureHead:
    """Add the range of the noise intervals' half-widths to the head of a heat map."""
    if values.thick is None:
        return head
    half_widths = 0.5 * (values.thick[1] - values.thick[0])
    positive = half_widths[np.isfinite(half_widths) & (half_widths > 0.0)]
    if not positive.size:
        return head
    low, high = (format_significant(float(f"{width:.3g}")) for width in (positive.min(), positive.max()))
    text = f"{low}" if low == high else f"{low} to {high}"
    return head._replace(numbers=f"{head.thick}s extend {text} to either side")
