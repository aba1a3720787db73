"""Pictures of tests, comparisons, models, moments, plans and null distributions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError
from pydpstat.plots._pictures import (
    CurvePicture,
    IntervalLimits,
    NullPicture,
    Panel,
    PictureHead,
    PictureValues,
    PointPicture,
)
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import MIN_SHOWN_PVALUE, format_pvalue
from pydpstat.results._report import Plottable, format_level, format_privacy_line
from pydpstat.results._terms import label_terms
from pydpstat.results._words import get_printed_name

# coefficients smaller than the largest by this factor are drawn in a panel of their own
_SEPARATE_SCALE_RATIO, _MAX_SCALES = 10.0, 3
# maximum number of further estimates in the subtitle
_MAX_OTHER_ESTIMATES = 3
# range and number of epsilons around the planned one, and factors of the planned sample size
_EPSILON_FACTOR, _N_EPSILONS, _SIZE_FACTORS = 20.0, 13, (0.1, 1.0, 10.0)
_MIN_EPSILON, _MAX_EPSILON = 1e-4, 50.0


def make_test_picture(result: Any, alpha: float) -> PointPicture:
    """Describe a test by intervals of several levels and the null value, or by its p-value."""
    numbers = [] if result.statistic is None else [f"statistic {result.statistic:,.6g}"]
    pvalue_text = "" if result.pvalue is None else format_pvalue(result.pvalue, result.pvalue_floor)
    if pvalue_text:
        numbers.append(f"p {pvalue_text}" if pvalue_text.startswith("<") else f"p = {pvalue_text}")
    head = PictureHead(
        result._format_heading(), format_privacy_line(result, result.mechanism), "", "confidence interval"
    )
    estimates, null = dict(result.estimates), dict(result.null)
    if result.interval is not None and len(estimates) <= _MAX_OTHER_ESTIMATES + 1:
        # estimates that the parameter is computed from
        others = [name for name in estimates if name != result.parameter]
        numbers = [*(f"{name} {estimates[name]:,.6g}" for name in others), *numbers]
    head = head._replace(numbers=", ".join(numbers))
    if result.behind is not None:
        picture = result.behind._describe_picture(alpha)
        if isinstance(picture, PointPicture):
            panels = [item._replace(label=_label_with_variable(item.label, result)) for item in picture.panels]
            picture = picture._replace(panels=panels)
        head = picture.head._replace(title=head.title, numbers=head.numbers, privacy=head.privacy)
        return picture._replace(head=head)
    if result.interval is not None:
        alphas = sorted({0.5, 0.2, alpha}, reverse=True)
        low, high = np.array([result.conf_int(item) for item in alphas]).T[:, :, None]
        values = np.full(low.shape, estimates.get(result.parameter, np.nan))
        label_text = _label_with_variable(_name_parameter(result), result)
        panel = Panel(label_text, PictureValues(values, None, (low, high)), null.get(result.parameter))
        return PointPicture(head, [format_level(item) for item in alphas], "level", [panel])
    if estimates and set(estimates) <= set(null):
        pairs = np.array([(estimates[name], null[name]) for name in estimates])
        return PointPicture(
            head,
            list(estimates),
            "",
            [Panel("estimate", PictureValues(pairs))],
            ("estimate", "null hypothesis"),
        )
    if result.pvalue is None:
        raise PydpstatError(f"{result.test} has neither an interval nor a p-value to draw. Print it instead.")
    pvalue = max(result.pvalue, result.pvalue_floor, MIN_SHOWN_PVALUE)
    label = "p-value (log scale; dashed: 0.05)"
    panel = Panel(label, PictureValues(np.array([[pvalue]])), 0.05, is_log=True, point_label=pvalue_text)
    return PointPicture(head, [""], "", [panel], has_numbers=True)


def _name_parameter(result: Any) -> str:
    """Return the parameter's name, of a difference with its two samples."""
    samples = [name.partition(" of ")[2] for name, _ in result.estimates if name != result.parameter]
    if result.parameter == "difference" and len(samples) == 2 and all(samples):
        return f"difference of {samples[0]} and {samples[1]}"
    return str(result.parameter)


def _label_with_variable(what: str, result: Any) -> str:
    """Return an axis label with the name of its variable, if it has one."""
    variable, *qualifiers = re.split(" (?:by|on|where) ", result.record.describe_subject())
    if not variable or variable in what or " and " in variable:
        return what
    if what in ("mean", "proportion", "predicted mean"):
        return f"{what} of {variable}"
    return f"{what} ({variable})" if qualifiers else what


def make_pairs_picture(result: Any, alpha: float) -> PointPicture:
    """Describe the pairwise differences of groups with their intervals."""
    limits = result.conf_int(alpha).to_numpy()
    low, high = limits[:, :1], limits[:, 1:]
    kind = "confidence interval" if result.correction is None else "simultaneous confidence interval"
    heading = result._format_heading()
    head = PictureHead(
        f"{heading[0].upper()}{heading[1:]}", format_privacy_line(result), "", f"{format_level(alpha)} {kind}"
    )
    names = [" \N{MINUS SIGN} ".join(_format_group_levels(group) for group in pair) for pair in result.groups]
    values = PictureValues(result.estimate.to_numpy()[:, None], None, (low, high))
    word = "share" if result.record.function == "crosstab" else get_printed_name(result.record.function)
    suffix = f" of {result.variable}" if result.variable else ""
    return PointPicture(head, names, "pair", [Panel(f"difference of the {word}s{suffix}", values, 0.0)])


def _format_group_levels(group: object) -> str:
    return ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def make_coefficients_picture(
    title: str, result: Any, limits: IntervalLimits | None, kind: str, alpha: float, label: str
) -> PointPicture:
    """Describe coefficients with intervals, in separate panels if their scales differ much."""
    series = result.params
    values = series.to_numpy()
    magnitudes = [np.abs(values), *(np.abs(limit) for limit in limits or ())]
    sizes = np.max([np.where(np.isfinite(item), item, 0.0) for item in magnitudes], axis=0)
    # levels of a factor share one scale, to be compared
    factors = [re.sub(r"\[[^\]]*\]", "", str(name)) for name in series.index]
    factor_sizes = {name: sizes[[name == item for item in factors]].max() for name in factors}
    scales = np.array([factor_sizes[name] for name in factors])
    panels: list[Panel] = []
    remaining = np.ones(values.size, dtype=bool)
    while remaining.any():
        is_last = len(panels) == _MAX_SCALES - 1
        selected = remaining & (is_last | (scales * _SEPARATE_SCALE_RATIO >= scales[remaining].max()))
        columns = [np.where(selected, item, np.nan)[:, None] for item in (values, *(limits or ()))]
        column_limits = (columns[1], columns[2]) if limits else None
        item = (
            PictureValues(columns[0], column_limits)
            if kind == "noise"
            else PictureValues(columns[0], None, column_limits)
        )
        panels.append(Panel(label, item, 0.0, rows=selected))
        remaining &= ~selected
    interval_label = f"{format_level(alpha)} {kind} interval"
    head = PictureHead(
        title, format_privacy_line(result, getattr(result, "mechanism", "")), interval_label, interval_label
    )
    names = list(label_terms(list(map(str, series.index))))
    return PointPicture(head, names, "", panels)


def make_combinations_picture(result: Any, alpha: float) -> PointPicture:
    """Describe linear hypotheses or predicted means with their confidence intervals."""
    low, high = np.asarray(result.conf_int(alpha)).T[:, :, None]
    values = PictureValues(result.params.to_numpy()[:, None], None, (low, high))
    interval_label = f"{format_level(alpha)} confidence interval"
    head = PictureHead(result._format_heading(), format_privacy_line(result, result.mechanism), "", interval_label)
    label, kind = result._axis_labels
    panel = Panel(_label_with_variable(label, result), values)
    return PointPicture(head, result._name_rows(), kind, [panel])


def make_moments_picture(result: Any, alpha: float) -> PointPicture:
    """Describe means with confidence intervals, one panel per column."""
    means = np.atleast_1d(result.mean)
    panels = []
    for column, mean in enumerate(means.tolist()):
        low, high = result.conf_int(alpha, column=None if result.names is None else result.names[column])
        values = PictureValues(np.array([[mean]]), None, (np.array([[low]]), np.array([[high]])))
        panels.append(
            Panel(
                f"mean of {result.names[column]}" if result.names else _label_with_variable("mean", result),
                values,
            )
        )
    interval_label = f"{format_level(alpha)} confidence interval"
    head = PictureHead(
        "Means from noisy moments", format_privacy_line(result, result.release.mechanism), "", interval_label
    )
    return PointPicture(head, [""], "", panels, has_numbers=True)


def make_plan_picture(plan: Any, alpha: float) -> CurvePicture:
    """Describe the accuracy of a plan's least accurate value as a function of epsilon."""
    # raises an error if the accuracy is unknown
    accuracy = float(np.max(plan.accuracy(alpha)))
    epsilon, n = plan.epsilon, plan.n
    low, high = max(epsilon / _EPSILON_FACTOR, _MIN_EPSILON), min(epsilon * _EPSILON_FACTOR, _MAX_EPSILON)
    epsilons = np.unique([*np.geomspace(min(low, epsilon), max(high, epsilon), _N_EPSILONS), epsilon])
    sizes = [None] if n is None else sorted({max(1, round(share * n)) for share in _SIZE_FACTORS})
    values = []
    for size in sizes:
        frame = plan.to_frame(alpha, epsilon=epsilons.tolist(), n=size)
        values.append(frame.groupby("epsilon")["accuracy"].max().to_numpy())
    names = ["" if size is None else f"n = {size:,}" for size in sizes]
    statistic = plan.result.statistic
    noun = "group" if isinstance(plan.result.labels, GroupLabels) else "value"
    scope = f"least accurate {noun}, " if plan.result.value.ndim else ""
    label = f"accuracy of the {statistic} ({scope}with probability {format_level(alpha)})"
    head = PictureHead(f"Plan of a {statistic}", format_privacy_line(plan.result, plan.result.mechanism))
    return CurvePicture(head, epsilons, names, np.array(values), "epsilon", label, (float(epsilon), accuracy))


def make_power_picture(plan: Any) -> PointPicture:
    """Describe the power of a planned test and of alternative tests."""
    records = f"{plan.n:,}" if isinstance(plan.n, int) else ", ".join(map(str, plan.n))
    title = f"Plan of {plan.test}: n = {records}, epsilon = {plan.epsilon:.4g}, effect = {plan.effect:.4g}"
    powers = PictureValues(np.array([[power] for _, power in plan.powers]))
    label = f"power (probability of a p-value of at most {plan.alpha:g} if the effect is present)"
    return PointPicture(
        PictureHead(title), [name for name, _ in plan.powers], "", [Panel(label, powers)], has_numbers=True
    )


_N_BINS, _TAIL_PROBABILITY = 60, 5e-4
# a discrete statistic with at most this many values has one bin per value
_MAX_DISCRETE_VALUES = 180
# minimum width of a bin, as a share of the regular width
_MIN_BIN_SHARE = 0.3


class TailProbability(Protocol):
    """Upper tail probability of a distribution."""

    @property
    def effective_range(self) -> tuple[float, float]:
        """Range that holds nearly all of the probability."""

    def __call__(self, x: float) -> float:
        """Return the probability of a value of at least x."""


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution(Plottable):
    """Distribution of a noisy statistic under the null hypothesis."""

    # probability of a value at least as large as the argument
    tail: TailProbability
    statistic: float
    # upper end of the range [0, highest] in which it is symmetric; None if only large values are extreme
    highest: float | None = None
    alternative: str = "two-sided"
    # spacing of a discrete statistic's values
    step: float = 0.0

    def find_extreme_ranges(self) -> tuple[tuple[float, float], ...]:
        """Return the ranges of values that are at least as extreme as the statistic."""
        observed = self.statistic
        if self.highest is None or self.alternative == "greater":
            return ((observed, np.inf),)
        if self.alternative == "less":
            return ((-np.inf, observed),)
        low, high = sorted((observed, round(self.highest - observed, 12)))
        return (-np.inf, low), (high, np.inf)

    def _describe_picture(self, alpha: float) -> NullPicture:
        extreme = self.find_extreme_ranges()
        limits = [x for pair in extreme for x in pair if np.isfinite(x)]
        low, high = (
            min(self._find_upper_quantile(1.0 - _TAIL_PROBABILITY), *limits),
            max(self._find_upper_quantile(_TAIL_PROBABILITY), *limits),
        )
        margin = 0.03 * (high - low)
        low, high = low - margin, high + margin
        if 0.0 < (high - low) <= _MAX_DISCRETE_VALUES * self.step:
            points = self.step * np.arange(np.floor(low / self.step), np.ceil(high / self.step) + 1.0)
            edges = points - 0.5 * self.step
        else:
            edges = np.linspace(low, high, _N_BINS + 1)
            is_near = np.abs(edges[:, None] - np.array(limits)).min(axis=1) < _MIN_BIN_SHARE * (edges[1] - edges[0])
            points = edges = np.unique(np.concatenate([edges[~is_near], limits]))
        masses = -np.diff([self.tail(x) for x in points.tolist()])
        density, centers = np.maximum(masses, 0.0) / np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        # a value is the center of its bin up to rounding
        tolerance = 0.25 * self.step
        is_extreme = [(lower - tolerance <= centers) & (centers <= upper + tolerance) for lower, upper in extreme]
        return NullPicture(PictureHead(""), edges, density, self.statistic, np.any(is_extreme, axis=0))

    def _find_upper_quantile(self, share: float) -> float:
        """Return the point that is exceeded with probability `share`."""
        return bisect_up(lambda x: self.tail(x) > share, *self.tail.effective_range, steps=50)[1]
