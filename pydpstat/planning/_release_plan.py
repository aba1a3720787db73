"""Plan of a release: its noise, and its accuracy as a function of epsilon and the number of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_frozen_changes
from pydpstat._data.containers import to_list
from pydpstat._lazy import pd
from pydpstat._release.charging import BudgetDefaults
from pydpstat.budget._allocating import Outlook, PlannedCall, Scope
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.planning._plan_request import PlannedRelease, PlanRequest, get_errors
from pydpstat.privacy import Guarantee
from pydpstat.results._numbers import format_rows
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    Plottable,
    Report,
    Rows,
    format_significant,
    make_omission_note,
    make_unit_fact,
    to_json_guarantee,
    to_json_types,
)
from pydpstat.results._words import describe_mechanism
from pydpstat.results.results import DPResults

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

_FRAME_COLUMNS = ["epsilon", "n", "noise sd", "accuracy"]


@explain_frozen_changes
@dataclass(frozen=True, repr=False)
class Plan(PlannedCall, Plottable, Report):
    """Plan of a release: its noise, guarantee and accuracy.

    Parameters
    ----------
    result : DPResults
        Release of artificial records with the same public arguments. Its value has no meaning.
    request : Request
        The function with its public arguments.
    epsilon : float
        Privacy parameter, given or computed.
    n : int or None
        Number of records, given or computed, by group that of the smallest one; None if it has no effect.
    alpha : float
        Probability that the absolute error by the noise exceeds the accuracy.
    solved : {"accuracy", "epsilon", "n"}
        Which quantity was computed.

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000, rng=1)
    >>> planned.noise_scale, round(planned.accuracy(), 4)
    (0.1, 0.2996)
    >>> print(pydpstat.plan("count", 1.0))
    Plan of count: accuracy 3 with probability 0.95, noise sd 1.35696, epsilon 1, bounded neighbors
    """

    result: DPResults
    request: PlanRequest
    epsilon: float
    n: int | None
    alpha: float = 0.05
    solved: str = "accuracy"

    @property
    def noise(self) -> Noise:
        """Noise distribution, with ``cdf``, ``ppf`` and ``std``; None for quantiles."""
        return self.result.noise

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """Scale of the noise distribution, as in `DPResults`."""
        return self.result.noise_scale

    @property
    def sensitivity(self) -> float | tuple[float, ...]:
        """Sensitivity to which the noise is calibrated."""
        return self.result.sensitivity

    @property
    def mechanism(self) -> str:
        """Name of the mechanism."""
        return self.result.mechanism

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the release."""
        return self.result.guarantee

    @property
    def grid(self) -> float | None:
        """Unit of the grid on which the noisy value will lie."""
        return self.result.grid

    @cached_property
    def _planned_release(self) -> PlannedRelease:
        return self.request.make_planned_release(self.epsilon, self.n)

    @property
    def sd(self) -> float | pd.Series:
        """Standard deviation of the released value's noise, before any clipping.

        A float, or a Series with one value per element. For quantiles it is the root mean squared distance from
        the quantile of the records.

        Raises
        ------
        PydpstatError
            If it depends on the data and their distribution is not sufficiently specified.
        """
        return self._to_float_or_series(get_errors(self._planned_release).compute_sd())

    def accuracy(self, alpha: float | None = None) -> float | pd.Series:
        """Return the bound that the absolute error will not exceed with probability 1 - alpha.

        Parameters
        ----------
        alpha : float, optional
            Between 0 and 1; by default that of the plan.

        Returns
        -------
        float, or Series with one value per element

        Raises
        ------
        PydpstatError
            If `alpha` is not between 0 and 1, or the accuracy depends on the data and their distribution is
            not sufficiently specified.
        """
        level = self.alpha if alpha is None else checks.check_probability(alpha, "alpha")
        return self._to_float_or_series(get_errors(self._planned_release).compute_error_bound(level))

    def _name_call(self) -> str:
        return self.result._format_heading()

    def _get_delta(self) -> float:
        return float(self.request.options.get("delta") or 0.0)

    def _in_scope(self, scope: Scope) -> PlanRequest:
        """Return the request as it is made in a budget, which sets what the call leaves open."""
        return self.request._replace(defaults=BudgetDefaults(*scope))

    def _compute_guarantee(self, epsilon: float, scope: Scope) -> Guarantee:
        return self._in_scope(scope).make_result(epsilon, self.n).guarantee

    def _compute_outlook(self, epsilon: float, scope: Scope) -> Outlook:
        errors = self._in_scope(scope).make_planned_release(epsilon, self.n).errors
        return Outlook() if errors is None else Outlook(float(np.max(errors.compute_error_bound(self.alpha))))

    def _to_float_or_series(self, values: npt.NDArray[np.float64]) -> float | pd.Series:
        return self.result._make_series(values) if self.result.value.ndim else float(values)

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_plan_picture

        return make_plan_picture(self, alpha)

    def to_frame(
        self,
        alpha: float | None = None,
        *,
        epsilon: float | Sequence[float] | None = None,
        n: int | Sequence[int] | None = None,
    ) -> pd.DataFrame:
        """Return noise and accuracy as a frame, one row per element, for one or more epsilons and sizes.

        Parameters
        ----------
        alpha : float, optional
            Between 0 and 1; by default that of the plan.
        epsilon : float or list of float, optional
            By default that of the plan.
        n : int or list of int, optional
            Numbers of records; by default that of the plan.

        Returns
        -------
        DataFrame with columns ``epsilon``, ``n``, ``noise sd``, ``accuracy``
            NaN for an n that has no effect, and for an accuracy that depends on the data.

        Examples
        --------
        >>> import pydpstat
        >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000)
        >>> planned.to_frame(epsilon=[0.5, 1], n=[1000, 4000]).round(3)
              epsilon     n  noise sd  accuracy
        mean      0.5  1000     0.283     0.599
        mean      0.5  4000     0.071     0.150
        mean      1.0  1000     0.141     0.300
        mean      1.0  4000     0.035     0.075

        A table of the accuracy by epsilon and size, in place of ``unstack``:

        >>> frame = planned.to_frame(epsilon=[0.5, 1], n=[1000, 4000])
        >>> frame.pivot(index="epsilon", columns="n", values="accuracy").round(3)
        n         1000   4000
        epsilon
        0.5      0.599  0.150
        1.0      0.300  0.075
        """
        level = self.alpha if alpha is None else checks.check_probability(alpha, "alpha")
        frames = []
        for epsilon_value in _collect_values(self.epsilon, epsilon):
            for size in _collect_values(self.n, n):
                is_planned = epsilon_value == self.epsilon and size == self.n
                checked_epsilon = self.epsilon if is_planned else checks.check_epsilon(epsilon_value)
                count = None if size is None else checks.check_integer(size, "n", 1, 2**53, hint="Use 1000.")
                planned = (
                    self._planned_release if is_planned else self.request.make_planned_release(checked_epsilon, count)
                )
                errors, value = planned.errors, planned.result.value
                unknown = np.full(value.shape, np.nan)
                error_columns = (
                    (unknown, unknown) if errors is None else (errors.compute_sd(), errors.compute_error_bound(level))
                )
                index = planned.result.labels.make_element_index(value)
                cells = (checked_epsilon, np.nan if count is None else count, *map(_convert_to_flat, error_columns))
                frames.append(pd.DataFrame(dict(zip(_FRAME_COLUMNS, cells)), index=index))
        return pd.concat(frames)

    def summary(self, alpha: float | None = None) -> Summary:
        """Return the plan as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, optional
            Probability that the absolute error by the noise exceeds the accuracy shown; by default that of
            the plan.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        if alpha is None:
            return self._make_page(self._make_rows())
        return replace(self, alpha=checks.check_probability(alpha, "alpha")).summary()

    def _format_heading(self) -> str:
        return f"plan of {self.result._format_heading()}"

    def _collect_facts(self) -> Facts:
        result, guarantee = self.result, self.result.guarantee
        scales: Facts = []
        if isinstance(result.post, NoisyValue):
            # for other values these are in the unit of intermediate releases
            noise = "-" if result.noise is None else _format_range(result.noise_scale)
            scales = [("Sensitivity:", _format_range(result.sensitivity)), ("Noise scale:", noise)]
        size = "-" if self.n is None else f"{self.n}{self._describe_solved('n')}"
        return [
            ("Statistic:", result.statistic),
            ("Mechanism:", describe_mechanism(result.mechanism)),
            *scales,
            ("N of each group:" if self._is_by_group else "No. Observations:", size),
            ("Epsilon:", f"{format_significant(self.epsilon)}{self._describe_solved('epsilon')}"),
            *(
                [("Guaranteed epsilon:", format_significant(guarantee.epsilon))]
                if guarantee.epsilon != self.epsilon
                else []
            ),
            ("Delta:", format_significant(guarantee.delta)),
            ("Neighbors:", result.neighbors),
            *make_unit_fact(result.unit),
        ]

    def _make_all_rows(self) -> Rows:
        return self._make_rows(None)

    def _make_rows(self, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        result = self.result
        names = result.labels.name_elements(result.value)[:max_rows]
        cells = [["-", "-"]] * len(names)
        if self._planned_release.errors is not None:
            errors = self._planned_release.errors
            columns = (
                _convert_to_flat(errors.compute_sd()),
                _convert_to_flat(errors.compute_error_bound(self.alpha)),
            )
            cells = format_rows([column[:max_rows].tolist() for column in columns])
        return Rows(("noise sd", "accuracy"), names, cells)

    def _collect_notes(self) -> list[str]:
        planned, result = self._planned_release, self.result
        notes = [f"The absolute noise is at most the accuracy with probability {1 - self.alpha:g}."]
        if planned.errors is None:
            notes = [f"The accuracy depends on the data: {planned.reason.rstrip('.')}."]
        elif self.request.is_data_dependent(result):
            notes.append(f"{self.request.describe_distribution()}.")
        if self._is_by_group:
            notes.append("N is the number of records of each group: of the smallest one where they differ.")
        notes += make_omission_note(result.value.size)
        if result.guarantee.conditions:
            notes.append(f"Conditions: {'; '.join(result.guarantee.conditions)}.")
        return [*notes, *result._make_contribution_notes()]

    def to_dict(self) -> dict[str, Any]:
        """Return all contents in plain JSON types.

        Examples
        --------
        >>> import pydpstat
        >>> planned = pydpstat.plan("count", 1.0)
        >>> planned.to_dict()["accuracy"], planned.to_dict()["solved"]
        (3.0, 'accuracy')
        """
        result, errors = self.result, self._planned_release.errors
        is_scalar = result.value.ndim == 0
        error_values: list[Any] = [None, None]
        if errors is not None:
            flat = map(_convert_to_flat, (errors.compute_sd(), errors.compute_error_bound(self.alpha)))
            error_values = [value[0] if is_scalar else value for value in flat]
        content = {
            "statistic": result.statistic,
            "names": result.labels.name_elements(result.value),
            "n": self.n,
            "solved": self.solved,
            "alpha": self.alpha,
            "noise_sd": error_values[0],
            "accuracy": error_values[1],
            "noise_scale": None if result.noise is None else result.noise_scale,
            "mechanism": result.mechanism,
            "sensitivity": result.sensitivity,
            "epsilon": self.epsilon,
            "guarantee": to_json_guarantee(result.guarantee),
            "bounds": result.bounds,
            "grid": result.grid,
        }
        return {name: to_json_types(value) for name, value in content.items()}

    def _describe_numbers(self) -> str:
        """Describe the accuracy, size and privacy parameters in one line."""
        errors = self._planned_release.errors
        accuracy = f"accuracy not known ({self._planned_release.reason.rstrip('.')})"
        if errors is not None:
            error_bound, sd = (
                _format_range(errors.compute_error_bound(self.alpha)),
                _format_range(errors.compute_sd()),
            )
            accuracy = f"accuracy {error_bound} with probability {1 - self.alpha:g}, noise sd {sd}"
        group_note = " in each group" if self._is_by_group else ""
        size = "" if self.n is None else f", n {self.n}{group_note}{self._describe_solved('n')}"
        epsilon = f"epsilon {format_significant(self.epsilon)}{self._describe_solved('epsilon')}"
        unit = "" if self.result.unit is None else f", unit {self.result.unit}"
        return f"{accuracy}{size}, {epsilon}, {self.result.neighbors} neighbors{unit}"

    @property
    def _is_by_group(self) -> bool:
        return self.n is not None and self.request.options.get("by") is not None

    def _describe_solved(self, name: str) -> str:
        return " (found)" if self.solved == name else ""

    def __str__(self) -> str:
        heading = self._format_heading()
        line = f"P{heading[1:]}: {self._describe_numbers()}"
        if not self.result.value.ndim:
            return line
        return f"{line}\n{self.to_frame().to_string(float_format=format_significant, max_rows=MAX_PAGE_ROWS)}"

    def __repr__(self) -> str:
        return f"<Plan {self.result.statistic}: {self._describe_numbers()}, {self.result.mechanism}>"


def _collect_values(default: object, given: object) -> list[object]:
    values = to_list(given)
    if given is None:
        return [default]
    return list(values) if isinstance(values, (list, tuple, range)) else [values]


def _convert_to_flat(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.ravel(values, order="F")


def _format_range(value: npt.ArrayLike) -> str:
    low, high = map(format_significant, (np.min(value), np.max(value)))
    return low if low == high else f"{low} to {high}"
