"""Pictures of tests, comparisons, models, moments, plans, and of a statistic in its null distribution."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError
from pydpstat.plots._pictures import Ends, Head, Lines, Null, Panel, Points, Values
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import LEAST, shown_pvalue
from pydpstat.results._report import Drawn, level_of, privacy_line
from pydpstat.results._words import printed

# a coefficient that is so many times smaller than the largest needs a scale of its own
_APART, _MOST_SCALES = 10.0, 3
# estimates beside the one that is drawn
_MOST_TOLD = 3
# a plan's accuracy is drawn for epsilons to both sides of its own, and for sizes beside its own
_AROUND, _POINTS, _SIZES = 20.0, 13, (0.1, 1.0, 10.0)
_LEAST, _MOST = 1e-4, 50.0


def tested_picture(result: Any, alpha: float) -> Points:
    """Describe a test: intervals of several levels beside the null hypothesis, or else its p-value."""
    told = [] if result.statistic is None else [f"statistic {result.statistic:,.6g}"]
    shown = "" if result.pvalue is None else shown_pvalue(result.pvalue, result.pvalue_floor)
    if shown:
        told.append(f"p {shown}" if shown.startswith("<") else f"p = {shown}")
    head = Head(result._heading(), privacy_line(result, result.mechanism), "", "confidence interval")
    estimates, null = dict(result.estimates), dict(result.null)
    if result.interval is not None and len(estimates) <= _MOST_TOLD + 1:
        # what the parameter is made of
        others = [name for name in estimates if name != result.parameter]
        told = [*(f"{name} {estimates[name]:,.6g}" for name in others), *told]
    head = head._replace(numbers=", ".join(told))
    if result.behind is not None:
        picture = result.behind._picture(alpha)
        if isinstance(picture, Points):
            panels = [each._replace(label=_of_variable(each.label, result)) for each in picture.panels]
            picture = picture._replace(panels=panels)
        head = picture.head._replace(title=head.title, numbers=head.numbers, privacy=head.privacy)
        return picture._replace(head=head)
    if result.interval is not None:
        alphas = sorted({0.5, 0.2, alpha}, reverse=True)
        low, high = np.array([result.conf_int(each) for each in alphas]).T[:, :, None]
        values = np.full(low.shape, estimates.get(result.parameter, np.nan))
        named = _of_variable(result.parameter, result)
        panel = Panel(named, Values(values, None, (low, high)), null.get(result.parameter))
        return Points(head, [level_of(each) for each in alphas], "level", [panel])
    if estimates and set(estimates) <= set(null):
        pairs = np.array([(estimates[name], null[name]) for name in estimates])
        return Points(
            head, list(estimates), "", [Panel("estimate", Values(pairs))], ("estimate", "null hypothesis")
        )
    if result.pvalue is None:
        raise PydpstatError(f"{result.test} has neither an interval nor a p-value to draw. Print it instead.")
    at = max(result.pvalue, result.pvalue_floor, LEAST)
    label = "p-value (log scale; dashed: 0.05)"
    panel = Panel(label, Values(np.array([[at]])), 0.05, log=True, told=shown)
    return Points(head, [""], "", [panel], numbered=True)


def _of_variable(what: str, result: Any) -> str:
    """Return what an axis shows with the variable that it is of, where that has a name."""
    variable, *rest = re.split(" (?:by|on|where) ", result.record.about())
    if not variable or variable in what or " and " in variable:
        return what
    if what in ("mean", "proportion", "predicted mean"):
        return f"{what} of {variable}"
    return f"{what} ({variable})" if rest else what


def pairs_picture(result: Any, alpha: float) -> Points:
    """Describe the differences of pairs of groups."""
    ends = result.conf_int(alpha).to_numpy()
    low, high = ends[:, :1], ends[:, 1:]
    kind = "confidence interval" if result.correction is None else "simultaneous confidence interval"
    heading = result._heading()
    head = Head(f"{heading[0].upper()}{heading[1:]}", privacy_line(result), "", f"{level_of(alpha)} {kind}")
    names = [" \N{MINUS SIGN} ".join(_group(each) for each in pair) for pair in result.groups]
    values = Values(result.estimate.to_numpy()[:, None], None, (low, high))
    word = "share" if result.record.function == "crosstab" else printed(result.record.function)
    of = f" of {result.variable}" if result.variable else ""
    return Points(head, names, "pair", [Panel(f"difference of the {word}s{of}", values, 0.0)])


def _group(group: object) -> str:
    return ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def coefficients_picture(
    title: str, result: Any, ends: Ends | None, kind: str, alpha: float, label: str
) -> Points:
    """Describe coefficients; those that are much smaller than others have their own panel."""
    series = result.params
    values = series.to_numpy()
    every = [np.abs(values), *(np.abs(end) for end in ends or ())]
    each_size = np.max([np.where(np.isfinite(each), each, 0.0) for each in every], axis=0)
    # the levels of a factor are compared, on one scale
    factors = [re.sub(r"\[[^\]]*\]", "", str(name)) for name in series.index]
    largest = {name: each_size[[name == each for each in factors]].max() for name in factors}
    size = np.array([largest[name] for name in factors])
    panels: list[Panel] = []
    left = np.ones(values.size, dtype=bool)
    while left.any():
        last = len(panels) == _MOST_SCALES - 1
        chosen = left & (last | (size * _APART >= size[left].max()))
        shown = [np.where(chosen, each, np.nan)[:, None] for each in (values, *(ends or ()))]
        pair = (shown[1], shown[2]) if ends else None
        each = Values(shown[0], pair) if kind == "noise" else Values(shown[0], None, pair)
        panels.append(Panel(label, each, 0.0, rows=chosen))
        left &= ~chosen
    named = f"{level_of(alpha)} {kind} interval"
    head = Head(title, privacy_line(result, getattr(result, "mechanism", "")), named, named)
    return Points(head, [str(each) for each in series.index], "", panels)


def followed_picture(result: Any, alpha: float) -> Points:
    """Describe linear hypotheses or predicted means with their confidence intervals."""
    low, high = np.asarray(result.conf_int(alpha)).T[:, :, None]
    values = Values(result.params.to_numpy()[:, None], None, (low, high))
    named = f"{level_of(alpha)} confidence interval"
    head = Head(result._heading(), privacy_line(result, result.mechanism), "", named)
    label, kind = result._axes
    panel = Panel(_of_variable(label, result), values)
    return Points(head, [str(each) for each in result.params.index], kind, [panel])


def moments_picture(result: Any, alpha: float) -> Points:
    """Describe means with their confidence intervals, a panel for each column."""
    means = np.atleast_1d(result.mean)
    panels = []
    for place, mean in enumerate(means.tolist()):
        low, high = result.conf_int(alpha, column=None if result.names is None else result.names[place])
        values = Values(np.array([[mean]]), None, (np.array([[low]]), np.array([[high]])))
        panels.append(
            Panel(f"mean of {result.names[place]}" if result.names else _of_variable("mean", result), values)
        )
    told = f"{level_of(alpha)} confidence interval"
    head = Head("Means from noisy moments", privacy_line(result, result.release.mechanism), "", told)
    return Points(head, [""], "", panels, numbered=True)


def plan_picture(plan: Any, alpha: float) -> Lines:
    """Describe the accuracy of a plan, which has ``to_frame(alpha, epsilon=, n=)``, of its largest value."""
    # says why, where nothing is known
    reach = float(np.max(plan.accuracy(alpha)))
    epsilon, n = plan.epsilon, plan.n
    low, high = max(epsilon / _AROUND, _LEAST), min(epsilon * _AROUND, _MOST)
    places = np.unique([*np.geomspace(min(low, epsilon), max(high, epsilon), _POINTS), epsilon])
    sizes = [None] if n is None else sorted({max(1, round(share * n)) for share in _SIZES})
    values = []
    for size in sizes:
        frame = plan.to_frame(alpha, epsilon=places.tolist(), n=size)
        values.append(frame.groupby("epsilon")["accuracy"].max().to_numpy())
    names = ["" if size is None else f"n = {size:,}" for size in sizes]
    statistic = plan.result.statistic
    one = "group" if isinstance(plan.result.labels, GroupLabels) else "value"
    least = f"least accurate {one}, " if plan.result.value.ndim else ""
    unit = f"accuracy of the {statistic} ({least}with probability {level_of(alpha)})"
    head = Head(f"Plan of a {statistic}", privacy_line(plan.result, plan.result.mechanism))
    return Lines(head, places, names, np.array(values), "epsilon", unit, (float(epsilon), reach))


def power_picture(plan: Any) -> Points:
    """Describe the power of a planned test and of others for the same question."""
    records = f"{plan.n:,}" if isinstance(plan.n, int) else ", ".join(map(str, plan.n))
    title = f"Plan of {plan.test}: n = {records}, epsilon = {plan.epsilon:.4g}, effect = {plan.effect:.4g}"
    powers = Values(np.array([[power] for _, power in plan.powers]))
    label = f"power (probability of a p-value of at most {plan.alpha:g} if the effect is present)"
    return Points(Head(title), [name for name, _ in plan.powers], "", [Panel(label, powers)], numbered=True)


_BINS, _TAIL = 60, 5e-4
# up to so many values of a discrete statistic have a bin each
_MOST_VALUES = 180
# a bin is not drawn where it would be narrower than this share of the others
_NARROW = 0.3


class Tail(Protocol):
    """The upper tail of a distribution."""

    @property
    def ends(self) -> tuple[float, float]:
        """Return between which values nearly all are."""

    def __call__(self, x: float) -> float:
        """Return the probability of at least x."""


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution(Drawn):
    """The distribution of a noisy statistic under the null hypothesis."""

    # the probability of a value at least as large
    tail: Tail
    statistic: float
    # it is symmetric from 0 to the highest; None where only large values speak against the hypothesis
    highest: float | None = None
    alternative: str = "two-sided"
    # the distance between two values of a discrete statistic
    step: float = 0.0

    def extreme(self) -> tuple[tuple[float, float], ...]:
        """Return the ranges of values that are at least as extreme as the statistic."""
        at = self.statistic
        if self.highest is None or self.alternative == "greater":
            return ((at, np.inf),)
        if self.alternative == "less":
            return ((-np.inf, at),)
        low, high = sorted((at, round(self.highest - at, 12)))
        return (-np.inf, low), (high, np.inf)

    def _picture(self, alpha: float) -> Null:
        extreme = self.extreme()
        inner = [each for pair in extreme for each in pair if np.isfinite(each)]
        low, high = min(self._place(1.0 - _TAIL), *inner), max(self._place(_TAIL), *inner)
        room = 0.03 * (high - low)
        low, high = low - room, high + room
        if 0.0 < (high - low) <= _MOST_VALUES * self.step:
            places = self.step * np.arange(np.floor(low / self.step), np.ceil(high / self.step) + 1.0)
            edges = places - 0.5 * self.step
        else:
            edges = np.linspace(low, high, _BINS + 1)
            near = np.abs(edges[:, None] - np.array(inner)).min(axis=1) < _NARROW * (edges[1] - edges[0])
            places = edges = np.unique(np.concatenate([edges[~near], inner]))
        masses = -np.diff([self.tail(each) for each in places.tolist()])
        density, middles = np.maximum(masses, 0.0) / np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        # a value is in the middle of its bin but for rounding
        slack = 0.25 * self.step
        far = [(first - slack <= middles) & (middles <= last + slack) for first, last in extreme]
        return Null(Head(""), edges, density, self.statistic, np.any(far, axis=0))

    def _place(self, share: float) -> float:
        """Return where this share lies above."""
        return bisect_up(lambda x: self.tail(x) > share, *self.tail.ends, steps=50)[1]
