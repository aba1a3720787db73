"""Before the survey: how many persons are needed, and what intervals and estimators are worth, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.local._distributions import Counted, Distribution, Fixed, Floats, Response, Sampled
from pydpstat.local._intervals import (
    DISTRIBUTIONS,
    KINDS,
    METHODS,
    accepts,
    ends,
    interval,
    moment,
    standard_errors,
)
from pydpstat.r_arithmetic.elementary import tanh

ESTIMATORS = ("moment", "ml")
_MOST = 2.0**53
# proportions this close are equal: interval ends are found to within 1e-12
_CLOSE = 1e-9


@answered
def get_prob_from_epsilon(epsilon: object) -> float | Floats:
    """Return the first coin's probability of heads for a given epsilon.

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameter; at least 0.

    Returns
    -------
    float or ndarray
        ``2 / (1 + exp(epsilon))``, that is 2 (1 - f) with f = exp(epsilon) / (1 + exp(epsilon)). The
        second coin is fair.

    Raises
    ------
    PydpstatError
        Where an epsilon is negative, missing or no number.

    See Also
    --------
    RandomizedResponseCoins : where it is used.

    Examples
    --------
    >>> from pydpstat.local import get_prob_from_epsilon
    >>> round(get_prob_from_epsilon(1.0986122886681098), 12)
    0.5
    """
    if type(epsilon) is float and 0.0 <= epsilon < 700.0:
        return 2.0 / (1.0 + math.exp(epsilon))
    from scipy.special import expit

    values = _numbers(epsilon, "epsilon", "at least 0", lambda each: each >= 0.0, "Give for example 1.")
    return _plain(2.0 * expit(-values))


@answered
def uncertainty(mean_answer: object, n: object, epsilon: object) -> float | Floats:
    """Return two standard errors of a proportion of randomized answers.

    They cover sampling and randomization.

    Parameters
    ----------
    mean_answer : float or array_like
        Share of answers 1, from 0 to 1.
    n : int or array_like
        Number of answers.
    epsilon : float or array_like
        Privacy parameter of each answer; above 0.

    Returns
    -------
    float or ndarray
        ``2 / (2f - 1) * sqrt(r (1 - r) / n)`` with r the share of answers and f as in
        `get_prob_from_epsilon`.

    Raises
    ------
    PydpstatError
        Where an argument is out of its range.

    See Also
    --------
    required_n : the other way round.

    Notes
    -----
    A result's `uncertainty` is the same number wherever r is between the chances of an answer 1 at
    the proportions 0 and 1; beyond them the result takes the nearer one.

    Examples
    --------
    >>> from pydpstat.local import uncertainty
    >>> round(uncertainty(0.3507, 10000, 1.0986122886681098), 4)
    0.0191
    """
    hint = "Give the share of answers 1."
    mean = _numbers(mean_answer, "mean_answer", "from 0 to 1", lambda p: (p >= 0.0) & (p <= 1.0), hint)
    size = _numbers(n, "n", "at least 1", lambda each: each >= 1.0, "Give the number of answers.")
    eps = _numbers(
        epsilon, "epsilon", "above 0", lambda each: each > 0.0, "With 0, answers are uninformative."
    )
    return _plain(2.0 / tanh(0.5 * eps) * np.sqrt(mean * (1.0 - mean) / size))


def persons(response: Response, width: float, alpha: float, proportion: float | None, kind: str) -> int:
    """Return how many persons a design needs; arguments as in `pydpstat.local.required_n`."""
    longest, level = checks.probability(width, "width"), checks.probability(alpha, "alpha")
    place = KINDS.index(checks.one_of(kind, "kind", KINDS))
    if proportion is None:
        # the variance is linear or a parabola in p: largest at an end, or where the answer is a fair coin
        fair = min(max((0.5 - response.other) / response.spread, 0.0), 1.0)
        candidates = np.array([0.0, fair, 1.0])
    else:
        candidates = np.array([_proportion(proportion)])
    sd = float(standard_errors(candidates, 1, response)[place].max())
    needed = (2.0 * NormalDist().inv_cdf(1.0 - level / 2.0) * sd / longest) ** 2
    if not needed < _MOST:
        raise PydpstatError(
            f"width must be large enough for 2**53 persons; got {checks.shown(width)}, which needs "
            "more. Use a larger width or a larger epsilon."
        )
    return max(math.ceil(needed), 1)


def coverage(response: Response, n: int, proportion: float, alpha: float, kind: str, method: str) -> float:
    """Return the probability that an interval covers a proportion, from the answers' exact distribution."""
    level = checks.probability(alpha, "alpha")
    distribution: Distribution = DISTRIBUTIONS[checks.one_of(kind, "kind", KINDS)](_size(n), response)
    checks.one_of(method, "method", METHODS)
    true = _proportion(proportion)
    parameter = true * distribution.top
    if isinstance(distribution, Fixed):
        parameter = round(parameter)
        if abs(parameter - true * distribution.top) > 1e-6:
            raise PydpstatError(
                f"proportion must be a whole number of the n persons with kind 'randomization'; got "
                f"{checks.shown(proportion)} of {n}. Give for example {parameter / distribution.top!r}."
            )
    there = distribution.at(parameter)

    def covers(count: int) -> bool:
        low, high = interval(distribution, count, level, method)
        return low - _CLOSE <= true <= high + _CLOSE

    # beyond these two all counts have one interval
    least, most = ends(distribution)
    low, high = (min(max(each, least), most) for each in _accepted(there, level))
    low, high = _edge(covers, low, -1, least), _edge(covers, high, 1, most)
    missed_below = there.at_most(low - 1) if low > least else 0.0
    missed_above = there.at_least(high + 1) if high < most else 0.0
    return 1.0 - missed_below - missed_above


def _accepted(there: Counted, alpha: float) -> tuple[int, int]:
    """Return the smallest and the largest count that Blaker's test accepts, near which every method's are."""
    numbers = range(there.start, there.start + there.mass.size)
    kept = [number for number in numbers if accepts(there, number, alpha)]
    return kept[0], kept[-1]


def _edge(covers: Callable[[int], bool], count: int, step: int, last: int) -> int:
    """Return the last count, in a direction, whose interval covers; the ends grow with the count."""
    while not covers(count):
        count -= step
    while count != last and covers(count + step):
        count += step
    return count


def bias(response: Response, n: int, proportion: float, estimator: str) -> float:
    """Return an estimator's expected value minus the proportion, exactly, for two categories and a sample."""
    checks.one_of(estimator, "estimator", ESTIMATORS)
    true = _proportion(proportion)
    there = Sampled(_size(n), response).at(true)
    counts = there.start + np.arange(there.mass.size)
    estimates = moment(counts, n, response)
    if estimator == "ml":
        estimates = np.clip(estimates, 0.0, 1.0)
    return float((there.mass * (estimates - true)).sum())


def share(value: object, name: str, hint: str) -> float:
    """Check a number from 0 to 1."""
    return checks.number(value, name, "a number from 0 to 1", lambda number: 0.0 <= number <= 1.0, hint)


def _proportion(value: float) -> float:
    return share(value, "proportion", "Give for example 0.2.")


def _size(n: int) -> int:
    return checks.integer(n, "n", 1, _MOST - 1.0, hint="Give for example 100.")


def _numbers(
    value: object, name: str, allowed: str, fits: Callable[[np.ndarray], np.ndarray], hint: str
) -> Floats:
    array = checks.array_of(value)
    if array.dtype.kind not in "iuf" or np.isnan(array).any():
        raise PydpstatError(
            f"{name} must be a number, or an array of them, none missing; got {type(value).__name__}."
        )
    if not fits(array).all():
        raise PydpstatError(f"{name} must all be {allowed}; got {checks.shown(value)}. {hint}")
    return array.astype(np.float64)


def _plain(values: Floats) -> float | Floats:
    return float(values) if np.ndim(values) == 0 else values
