"""Runs the tutorial's Python lines and compares each value with the one that R printed."""

from __future__ import annotations

import ast
import copy
import enum
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat.errors import PrivacyWarning
from pydpstat.tutorial.printing import as_r_prints
from pydpstat.tutorial.steps import PYTHON_PREAMBLE, Step

# the C library's logarithm may round differently on another processor
LAST_PLACES = 2


class Agreement(enum.Enum):
    """How a value agrees with the one that R printed; the value is the text that is shown."""

    EQUAL = "equal"
    PRINTED = "equal to the printed digits"
    DIFFERENT = "DIFFERENT"

    def __bool__(self) -> bool:
        return self is not Agreement.DIFFERENT


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a step gave.

    Parameters
    ----------
    step : Step
    values : tuple of ndarray
        Our values, one for each recorded one.
    agreements : tuple of Agreement
        One for each value.
    next_uniform : float or None
        Our next uniform number, where R's is recorded.
    warnings : tuple of str
        The texts of the step's PrivacyWarnings.
    """

    step: Step
    values: tuple[np.ndarray, ...]
    agreements: tuple[Agreement, ...]
    next_uniform: float | None
    warnings: tuple[str, ...]

    @property
    def next_agreement(self) -> Agreement:
        """Whether the next uniform number is R's, to the last bit."""
        return Agreement.EQUAL if self.next_uniform == self.step.next_uniform else Agreement.DIFFERENT

    @property
    def equal(self) -> bool:
        """Whether all values and the next uniform number are R's."""
        return all((*self.agreements, self.next_agreement))


class Session:
    """A Python session in which the steps run one after the other, as the lines of an R script do.

    Attributes
    ----------
    names : dict
        The session's variables.

    Examples
    --------
    >>> from pydpstat.tutorial.session import Session
    >>> from pydpstat.tutorial.steps import STEPS
    >>> Session().run(STEPS[0]).equal
    True
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        exec("\n".join(PYTHON_PREAMBLE), self.names)

    def run(self, step: Step) -> Outcome:
        """Run the lines of a step exactly as they are shown, and compare.

        Parameters
        ----------
        step : Step
            The next step.

        Returns
        -------
        Outcome

        Raises
        ------
        Exception
            Whatever the lines raise.

        Examples
        --------
        >>> from pydpstat.tutorial.session import Session
        >>> from pydpstat.tutorial.steps import STEPS
        >>> Session().run(STEPS[1]).values
        (array(0.50079015),)
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PrivacyWarning)
            result = self._evaluate(step.python)
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(step.recorded):
            raise RuntimeError(f"{step.title}: {len(results)} values, but {len(step.recorded)} are recorded")
        recorded = [np.asarray(each.value, dtype=np.float64) for each in step.recorded]
        values = tuple(_shaped(ours, theirs.shape) for ours, theirs in zip(results, recorded))
        return Outcome(
            step,
            values,
            tuple(agreement(theirs, ours, step.logarithms) for theirs, ours in zip(recorded, values)),
            # a copy draws, so that the stream goes on as if nobody had looked
            None if step.next_uniform is None else float(copy.copy(self.names["rng"]).runif(1)[0]),
            _privacy_warnings(caught),
        )

    def _evaluate(self, lines: tuple[str, ...]) -> Any:
        script = ast.parse("\n".join(lines))
        last = script.body.pop()
        if not isinstance(last, ast.Expr):
            raise RuntimeError(f"the last line must be an expression, not {lines[-1]!r}")
        exec(compile(script, "<tutorial>", "exec"), self.names)
        return eval(compile(ast.Expression(last.value), "<tutorial>", "eval"), self.names)


def agreement(recorded: np.ndarray, ours: np.ndarray, logarithms: bool = False) -> Agreement:
    """Compare values with those that R printed to 17 digits.

    Parameters
    ----------
    recorded, ours : ndarray of float64
        R's values and ours.
    logarithms : bool, default False
        Whether two units in the last place are allowed, if the seven digits that R prints agree.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.tutorial.session import agreement
    >>> agreement(np.array(0.5), np.array(0.5)).value
    'equal'
    >>> agreement(np.array(0.5), np.nextafter(0.5, 1.0)).value
    'DIFFERENT'
    """
    if recorded.shape != ours.shape:
        return Agreement.DIFFERENT
    if (recorded == ours).all():
        return Agreement.EQUAL
    near = bool((np.abs(ours - recorded) <= LAST_PLACES * np.spacing(np.abs(recorded))).all())
    if logarithms and near and as_r_prints(recorded) == as_r_prints(ours):
        return Agreement.PRINTED
    return Agreement.DIFFERENT


def _shaped(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a value as an array; R has no scalars, so one number of any dimension is one number."""
    array = np.asarray(value, dtype=np.float64)
    return array.reshape(()) if shape == () and array.size == 1 else array


def _privacy_warnings(caught: Iterable[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return the texts of the PrivacyWarnings, and pass every other warning on."""
    texts = []
    for each in caught:
        if issubclass(each.category, PrivacyWarning):
            texts.append(str(each.message))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return tuple(texts)
