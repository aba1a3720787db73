"""The plan of a release: its noise, and its accuracy for any epsilon and any number of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import fixed
from pydpstat._data.containers import listed
from pydpstat._lazy import pd
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy import Guarantee
from pydpstat.results._numbers import table
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results._report import (
    MOST_ROWS,
    Drawn,
    Facts,
    Report,
    Rows,
    left_out,
    number,
    plain,
    plain_guarantee,
    unit_fact,
)
from pydpstat.results._words import mechanism_words
from pydpstat.results.results import DPResults
from pydpstat.statistics._plan_request import Planned, Request, errors_of

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

_COLUMNS = ["epsilon", "n", "noise sd", "accuracy"]


@fixed
@dataclass(frozen=True, repr=False)
class Plan(Drawn, Report):
    """The noise that a release will have.

    Parameters
    ----------
    result : DPResults
        A release of made-up records with the same public arguments. Its value means nothing.
    request : Request
        The function with its public arguments.
    epsilon : float
        Privacy parameter, given or found.
    n : int or None
        Number of records, given or found, by group that of the smallest one; None where it does not matter.
    alpha : float
        Probability that the noise moves a value further than the accuracy.
    solved : {"accuracy", "epsilon", "n"}
        What was found.

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
    request: Request
    epsilon: float
    n: int | None
    alpha: float = 0.05
    solved: str = "accuracy"

    @property
    def noise(self) -> Noise:
        """The noise's distribution, with ``cdf``, ``ppf`` and ``std``; None for quantiles."""
        return self.result.noise

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """The distribution's scale, as `DPResults` has it."""
        return self.result.noise_scale

    @property
    def sensitivity(self) -> float | tuple[float, ...]:
        """The sensitivity that the noise covers."""
        return self.result.sensitivity

    @property
    def mechanism(self) -> str:
        """The mechanism's name."""
        return self.result.mechanism

    @property
    def guarantee(self) -> Guarantee:
        """What the release will guarantee."""
        return self.result.guarantee

    @property
    def grid(self) -> float | None:
        """Unit of the grid that the noisy value will lie on."""
        return self.result.grid

    @cached_property
    def _planned(self) -> Planned:
        return self.request.at(self.epsilon, self.n)

    @property
    def sd(self) -> float | pd.Series:
        """Standard deviation of the released value's noise, before any clipping.

        A float, or a Series with one value an element. Of quantiles it is the root of the mean squared
        distance from the records' own quantile.

        Raises
        ------
        PydpstatError
            If it depends on the data, and too little is stated of them.
        """
        return self._natural(errors_of(self._planned).sd())

    def accuracy(self, alpha: float | None = None) -> float | pd.Series:
        """Return the error that the noise will not exceed, with probability 1 - alpha.

        Parameters
        ----------
        alpha : float, optional
            Between 0 and 1; by default that of the plan.

        Returns
        -------
        float, or Series with one value an element

        Raises
        ------
        PydpstatError
            If `alpha` is not between 0 and 1, or the accuracy depends on the data, and too little is
            stated of them.
        """
        level = self.alpha if alpha is None else checks.probability(alpha, "alpha")
        return self._natural(errors_of(self._planned).reach(level))

    def _natural(self, values: npt.NDArray[np.float64]) -> float | pd.Series:
        return self.result._series(values) if self.result.value.ndim else float(values)

    def _picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import plan_picture

        return plan_picture(self, alpha)

    def to_frame(
        self,
        alpha: float | None = None,
        *,
        epsilon: float | Sequence[float] | None = None,
        n: int | Sequence[int] | None = None,
    ) -> pd.DataFrame:
        """Return noise and accuracy as a frame, a row an element, for one or more epsilons and sizes.

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
            NaN for an n that does not matter, and for an accuracy that depends on the data.

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
        """
        level = self.alpha if alpha is None else checks.probability(alpha, "alpha")
        frames = []
        for each in _several(self.epsilon, epsilon):
            for size in _several(self.n, n):
                own = each == self.epsilon and size == self.n
                chosen = self.epsilon if own else checks.epsilon(each)
                count = None if size is None else checks.integer(size, "n", 1, 2**53, hint="Use 1000.")
                planned = self._planned if own else self.request.at(chosen, count)
                errors, value = planned.errors, planned.result.value
                gone = np.full(value.shape, np.nan)
                found = (gone, gone) if errors is None else (errors.sd(), errors.reach(level))
                index = planned.result.labels.index(value)
                cells = (chosen, np.nan if count is None else count, *map(_flat, found))
                frames.append(pd.DataFrame(dict(zip(_COLUMNS, cells)), index=index))
        return pd.concat(frames)

    def summary(self, alpha: float | None = None) -> Summary:
        """Return the plan as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, optional
            Probability that the noise moves the value further than the accuracy shown; by default that of
            the plan.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        if alpha is None:
            return self._page(self._rows())
        return replace(self, alpha=checks.probability(alpha, "alpha")).summary()

    def _heading(self) -> str:
        return f"plan of {self.result._heading()}"

    def _facts(self) -> Facts:
        result, held = self.result, self.result.guarantee
        scales: Facts = []
        if isinstance(result.post, AsDrawn):
            # elsewhere these are in the unit of what is released inside
            noise = "-" if result.noise is None else _shown(result.noise_scale)
            scales = [("Sensitivity:", _shown(result.sensitivity)), ("Noise scale:", noise)]
        size = "-" if self.n is None else f"{self.n}{self._found('n')}"
        return [
            ("Statistic:", result.statistic),
            ("Mechanism:", mechanism_words(result.mechanism)),
            *scales,
            ("N of each group:" if self._by_group else "No. Observations:", size),
            ("Epsilon:", f"{number(self.epsilon)}{self._found('epsilon')}"),
            *([("Guaranteed epsilon:", number(held.epsilon))] if held.epsilon != self.epsilon else []),
            ("Delta:", number(held.delta)),
            ("Neighbors:", result.neighbors),
            *unit_fact(result.unit),
        ]

    def _every_row(self) -> Rows:
        return self._rows(None)

    def _rows(self, most: int | None = MOST_ROWS) -> Rows:
        result = self.result
        names = result.labels.elements(result.value)[:most]
        cells = [["-", "-"]] * len(names)
        if self._planned.errors is not None:
            errors = self._planned.errors
            columns = _flat(errors.sd()), _flat(errors.reach(self.alpha))
            cells = table([each[:most].tolist() for each in columns])
        return Rows(("noise sd", "accuracy"), names, cells)

    def _notes(self) -> list[str]:
        planned, result = self._planned, self.result
        notes = [f"The absolute noise is at most the accuracy with probability {1 - self.alpha:g}."]
        if planned.errors is None:
            notes = [f"The accuracy depends on the data: {planned.reason.rstrip('.')}."]
        elif self.request.rests_on(result):
            notes.append(f"{self.request.stated()}.")
        if self._by_group:
            notes.append("N is the number of records of each group: of the smallest one where they differ.")
        notes += left_out(result.value.size)
        if result.guarantee.conditions:
            notes.append(f"Conditions: {'; '.join(result.guarantee.conditions)}.")
        return [*notes, *result._counted()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        Examples
        --------
        >>> import pydpstat
        >>> planned = pydpstat.plan("count", 1.0)
        >>> planned.to_dict()["accuracy"], planned.to_dict()["solved"]
        (3.0, 'accuracy')
        """
        result, errors = self.result, self._planned.errors
        one = result.value.ndim == 0
        found: list[Any] = [None, None]
        if errors is not None:
            flat = map(_flat, (errors.sd(), errors.reach(self.alpha)))
            found = [each[0] if one else each for each in flat]
        content = {
            "statistic": result.statistic,
            "names": result.labels.elements(result.value),
            "n": self.n,
            "solved": self.solved,
            "alpha": self.alpha,
            "noise_sd": found[0],
            "accuracy": found[1],
            "noise_scale": None if result.noise is None else result.noise_scale,
            "mechanism": result.mechanism,
            "sensitivity": result.sensitivity,
            "epsilon": self.epsilon,
            "guarantee": plain_guarantee(result.guarantee),
            "bounds": result.bounds,
            "grid": result.grid,
        }
        return {name: plain(each) for name, each in content.items()}

    def _said(self) -> str:
        """Return the numbers in one line."""
        errors = self._planned.errors
        said = f"accuracy not known ({self._planned.reason.rstrip('.')})"
        if errors is not None:
            reach, sd = _shown(errors.reach(self.alpha)), _shown(errors.sd())
            said = f"accuracy {reach} with probability {1 - self.alpha:g}, noise sd {sd}"
        each = " in each group" if self._by_group else ""
        size = "" if self.n is None else f", n {self.n}{each}{self._found('n')}"
        epsilon = f"epsilon {number(self.epsilon)}{self._found('epsilon')}"
        unit = "" if self.result.unit is None else f", unit {self.result.unit}"
        return f"{said}{size}, {epsilon}, {self.result.neighbors} neighbors{unit}"

    @property
    def _by_group(self) -> bool:
        return self.n is not None and self.request.options.get("by") is not None

    def _found(self, name: str) -> str:
        return " (found)" if self.solved == name else ""

    def __str__(self) -> str:
        heading = self._heading()
        line = f"P{heading[1:]}: {self._said()}"
        if not self.result.value.ndim:
            return line
        return f"{line}\n{self.to_frame().to_string(float_format=number, max_rows=MOST_ROWS)}"

    def __repr__(self) -> str:
        return f"<Plan {self.result.statistic}: {self._said()}, {self.result.mechanism}>"


def _several(own: object, given: object) -> list[object]:
    values = listed(given)
    if given is None:
        return [own]
    return list(values) if isinstance(values, (list, tuple, range)) else [values]


def _flat(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.ravel(values, order="F")


def _shown(value: npt.ArrayLike) -> str:
    low, high = map(number, (np.min(value), np.max(value)))
    return low if low == high else f"{low} to {high}"
