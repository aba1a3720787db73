"""Pictures of tests, comparisons, models, moments, plans, and of a statistic in its null distribution."""

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
from pydpstat.results._words import get_printed_name

# a coefficient that is so many times smaller than the largest needs a scale of its own
_SEPARATE_SCALE_RATIO, _MAX_SCALES = 10.0, 3
# estimates beside the one that is drawn
_MAX_OTHER_ESTIMATES = 3
# a plan's accuracy is drawn for epsilons to both sides of its own, and for sizes beside its own
_EPSILON_FACTOR, _N_EPSILONS, _SIZE_FACTORS = 20.0, 13, (0.1, 1.0, 10.0)
_MIN_EPSILON, _MAX_EPSILON = 1e-4, 50.0


def make_test_picture(result: Any, alpha: float) -> PointPicture:
    """Describe a test: intervals of several levels beside the null hypothesis, or else its p-value."""
    told = [] if result.statistic is None else [f"statistic {result.statistic:,.6g}"]
    shown = "" if result.pvalue is None else format_pvalue(result.pvalue, result.pvalue_floor)
    if shown:
        told.append(f"p {shown}" if shown.startswith("<") else f"p = {shown}")
    head = PictureHead(
        result._format_heading(), format_privacy_line(result, result.mechanism), "", "confidence interval"
    )
    estimates, null = dict(result.estimates), dict(result.null)
    if result.interval is not None and len(estimates) <= _MAX_OTHER_ESTIMATES + 1:
        # what the parameter is made of
        others = [name for name in estimates if name != result.parameter]
        told = [*(f"{name} {estimates[name]:,.6g}" for name in others), *told]
    head = head._replace(numbers=", ".join(told))
    if result.behind is not None:
        picture = result.behind._describe_picture(alpha)
        if isinstance(picture, PointPicture):
            panels = [each._replace(label=_label_with_variable(each.label, result)) for each in picture.panels]
            picture = picture._replace(panels=panels)
        head = picture.head._replace(title=head.title, numbers=head.numbers, privacy=head.privacy)
        return picture._replace(head=head)
    if result.interval is not None:
        alphas = sorted({0.5, 0.2, alpha}, reverse=True)
        low, high = np.array([result.conf_int(each) for each in alphas]).T[:, :, None]
        values = np.full(low.shape, estimates.get(result.parameter, np.nan))
        named = _label_with_variable(result.parameter, result)
        panel = Panel(named, PictureValues(values, None, (low, high)), null.get(result.parameter))
        return PointPicture(head, [format_level(each) for each in alphas], "level", [panel])
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
    at = max(result.pvalue, result.pvalue_floor, MIN_SHOWN_PVALUE)
    label = "p-value (log scale; dashed: 0.05)"
    panel = Panel(label, PictureValues(np.array([[at]])), 0.05, is_log=True, point_label=shown)
    return PointPicture(head, [""], "", [panel], has_numbers=True)


def _label_with_variable(what: str, result: Any) -> str:
    """Return what an axis shows with the variable that it is of, where that has a name."""
    variable, *rest = re.split(" (?:by|on|where) ", result.record.describe_subject())
    if not variable or variable in what or " and " in variable:
        return what
    if what in ("mean", "proportion", "predicted mean"):
        return f"{what} of {variable}"
    return f"{what} ({variable})" if rest else what


def make_pairs_picture(result: Any, alpha: float) -> PointPicture:
    """Describe the differences of pairs of groups."""
    ends = result.conf_int(alpha).to_numpy()
    low, high = ends[:, :1], ends[:, 1:]
    kind = "confidence interval" if result.correction is None else "simultaneous confidence interval"
    heading = result._format_heading()
    head = PictureHead(
        f"{heading[0].upper()}{heading[1:]}", format_privacy_line(result), "", f"{format_level(alpha)} {kind}"
    )
    names = [" \N{MINUS SIGN} ".join(_format_group_levels(each) for each in pair) for pair in result.groups]
    values = PictureValues(result.estimate.to_numpy()[:, None], None, (low, high))
    word = "share" if result.record.function == "crosstab" else get_printed_name(result.record.function)
    of = f" of {result.variable}" if result.variable else ""
    return PointPicture(head, names, "pair", [Panel(f"difference of the {word}s{of}", values, 0.0)])


def _format_group_levels(group: object) -> str:
    return ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def make_coefficients_picture(
    title: str, result: Any, limits: IntervalLimits | None, kind: str, alpha: float, label: str
) -> PointPicture:
    """Describe coefficients; those that are much smaller than others have their own panel."""
    series = result.params
    values = series.to_numpy()
    every = [np.abs(values), *(np.abs(end) for end in limits or ())]
    each_size = np.max([np.where(np.isfinite(each), each, 0.0) for each in every], axis=0)
    # the levels of a factor are compared, on one scale
    factors = [re.sub(r"\[[^\]]*\]", "", str(name)) for name in series.index]
    largest = {name: each_size[[name == each for each in factors]].max() for name in factors}
    size = np.array([largest[name] for name in factors])
    panels: list[Panel] = []
    left = np.ones(values.size, dtype=bool)
    while left.any():
        last = len(panels) == _MAX_SCALES - 1
        chosen = left & (last | (size * _SEPARATE_SCALE_RATIO >= size[left].max()))
        shown = [np.where(chosen, each, np.nan)[:, None] for each in (values, *(limits or ()))]
        pair = (shown[1], shown[2]) if limits else None
        each = PictureValues(shown[0], pair) if kind == "noise" else PictureValues(shown[0], None, pair)
        panels.append(Panel(label, each, 0.0, rows=chosen))
        left &= ~chosen
    named = f"{format_level(alpha)} {kind} interval"
    head = PictureHead(title, format_privacy_line(result, getattr(result, "mechanism", "")), named, named)
    return PointPicture(head, [str(each) for each in series.index], "", panels)


def make_combinations_picture(result: Any, alpha: float) -> PointPicture:
    """Describe linear hypotheses or predicted means with their confidence intervals."""
    low, high = np.asarray(result.conf_int(alpha)).T[:, :, None]
    values = PictureValues(result.params.to_numpy()[:, None], None, (low, high))
    named = f"{format_level(alpha)} confidence interval"
    head = PictureHead(result._format_heading(), format_privacy_line(result, result.mechanism), "", named)
    label, kind = result._axis_labels
    panel = Panel(_label_with_variable(label, result), values)
    return PointPicture(head, [str(each) for each in result.params.index], kind, [panel])


def make_moments_picture(result: Any, alpha: float) -> PointPicture:
    """Describe means with their confidence intervals, a panel for each column."""
    means = np.atleast_1d(result.mean)
    panels = []
    for place, mean in enumerate(means.tolist()):
        low, high = result.conf_int(alpha, column=None if result.names is None else result.names[place])
        values = PictureValues(np.array([[mean]]), None, (np.array([[low]]), np.array([[high]])))
        panels.append(
            Panel(
                f"mean of {result.names[place]}" if result.names else _label_with_variable("mean", result),
                values,
            )
        )
    told = f"{format_level(alpha)} confidence interval"
    head = PictureHead("Means from noisy moments", format_privacy_line(result, result.release.mechanism), "", told)
    return PointPicture(head, [""], "", panels, has_numbers=True)


def make_plan_picture(plan: Any, alpha: float) -> CurvePicture:
    """Describe the accuracy of a plan, which has ``to_frame(alpha, epsilon=, n=)``, of its largest value."""
    # says why, where nothing is known
    reach = float(np.max(plan.accuracy(alpha)))
    epsilon, n = plan.epsilon, plan.n
    low, high = max(epsilon / _EPSILON_FACTOR, _MIN_EPSILON), min(epsilon * _EPSILON_FACTOR, _MAX_EPSILON)
    places = np.unique([*np.geomspace(min(low, epsilon), max(high, epsilon), _N_EPSILONS), epsilon])
    sizes = [None] if n is None else sorted({max(1, round(share * n)) for share in _SIZE_FACTORS})
    values = []
    for size in sizes:
        frame = plan.to_frame(alpha, epsilon=places.tolist(), n=size)
        values.append(frame.groupby("epsilon")["accuracy"].max().to_numpy())
    names = ["" if size is None else f"n = {size:,}" for size in sizes]
    statistic = plan.result.statistic
    one = "group" if isinstance(plan.result.labels, GroupLabels) else "value"
    least = f"least accurate {one}, " if plan.result.value.ndim else ""
    unit = f"accuracy of the {statistic} ({least}with probability {format_level(alpha)})"
    head = PictureHead(f"Plan of a {statistic}", format_privacy_line(plan.result, plan.result.mechanism))
    return CurvePicture(head, places, names, np.array(values), "epsilon", unit, (float(epsilon), reach))


def make_power_picture(plan: Any) -> PointPicture:
    """Describe the power of a planned test and of others for the same question."""
    records = f"{plan.n:,}" if isinstance(plan.n, int) else ", ".join(map(str, plan.n))
    title = f"Plan of {plan.test}: n = {records}, epsilon = {plan.epsilon:.4g}, effect = {plan.effect:.4g}"
    powers = PictureValues(np.array([[power] for _, power in plan.powers]))
    label = f"power (probability of a p-value of at most {plan.alpha:g} if the effect is present)"
    return PointPicture(
        PictureHead(title), [name for name, _ in plan.powers], "", [Panel(label, powers)], has_numbers=True
    )


_N_BINS, _TAIL_PROBABILITY = 60, 5e-4
# up to so many values of a discrete statistic have a bin each
_MAX_DISCRETE_VALUES = 180
# a bin is not drawn where it would be narrower than this share of the others
_MIN_BIN_SHARE = 0.3


class TailProbability(Protocol):
    """The upper tail of a distribution."""

    @property
    def effective_range(self) -> tuple[float, float]:
        """Return between which values nearly all are."""

    def __call__(self, x: float) -> float:
        """Return the probability of at least x."""


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution(Plottable):
    """The distribution of a noisy statistic under the null hypothesis."""

    # the probability of a value at least as large
    tail: TailProbability
    statistic: float
    # it is symmetric from 0 to the highest; None where only large values speak against the hypothesis
    highest: float | None = None
    alternative: str = "two-sided"
    # the distance between two values of a discrete statistic
    step: float = 0.0

    def find_extreme_ranges(self) -> tuple[tuple[float, float], ...]:
        """Return the ranges of values that are at least as extreme as the statistic."""
        at = self.statistic
        if self.highest is None or self.alternative == "greater":
            return ((at, np.inf),)
        if self.alternative == "less":
            return ((-np.inf, at),)
        low, high = sorted((at, round(self.highest - at, 12)))
        return (-np.inf, low), (high, np.inf)

    def _describe_picture(self, alpha: float) -> NullPicture:
        extreme = self.find_extreme_ranges()
        inner = [each for pair in extreme for each in pair if np.isfinite(each)]
        low, high = (
            min(self._find_upper_quantile(1.0 - _TAIL_PROBABILITY), *inner),
            max(self._find_upper_quantile(_TAIL_PROBABILITY), *inner),
        )
        room = 0.03 * (high - low)
        low, high = low - room, high + room
        if 0.0 < (high - low) <= _MAX_DISCRETE_VALUES * self.step:
            places = self.step * np.arange(np.floor(low / self.step), np.ceil(high / self.step) + 1.0)
            edges = places - 0.5 * self.step
        else:
            edges = np.linspace(low, high, _N_BINS + 1)
            near = np.abs(edges[:, None] - np.array(inner)).min(axis=1) < _MIN_BIN_SHARE * (edges[1] - edges[0])
            places = edges = np.unique(np.concatenate([edges[~near], inner]))
        masses = -np.diff([self.tail(each) for each in places.tolist()])
        density, middles = np.maximum(masses, 0.0) / np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        # a value is in the middle of its bin but for rounding
        slack = 0.25 * self.step
        far = [(first - slack <= middles) & (middles <= last + slack) for first, last in extreme]
        return NullPicture(PictureHead(""), edges, density, self.statistic, np.any(far, axis=0))

    def _find_upper_quantile(self, share: float) -> float:
        """Return where this share lies above."""
        return bisect_up(lambda x: self.tail(x) > share, *self.tail.effective_range, steps=50)[1]
