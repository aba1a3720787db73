"""Common base of the designs of randomized response: answers, estimates and planning."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._lazy import pd
from pydpstat._release.charging import charge_budget
from pydpstat._release.statistic import guard_release
from pydpstat._warn import warn_large_epsilon
from pydpstat.errors import PydpstatError
from pydpstat.local._categories import Categories, Category, Codes, read, wrap_answers
from pydpstat.local._intervals import (
    DISTRIBUTIONS,
    KINDS,
    METHODS,
    AnswerCount,
    AnswerProbabilities,
    FixedAnswerCount,
    SampledAnswerCount,
    compute_count_limits,
    compute_proportion_interval,
    compute_standard_errors,
    estimate_by_moments,
    is_accepted_by_blaker,
)
from pydpstat.privacy import Guarantee
from pydpstat.random import Source, source_from

if TYPE_CHECKING:
    from pydpstat.local.results import ResponseResults

LOCAL_PRIVACY = (
    "local: each person's answer satisfies it, no matter who collects the answers; neighbors: this "
    "person's value replaced"
)
ONE_ANSWER_PER_PERSON = "one answer per person, drawn by this design without a seed"
# other values raise an error, which no mechanism protects
VALUES_IN_CATEGORIES = "whether every value is one of the categories is treated as public"
IN_CATEGORIES_OR_MISSING = "whether every value is one of the categories or missing is treated as public"
ESTIMATORS = ("moment", "ml")
_MAX_PERSONS = 2.0**53
# tolerance for equal proportions: interval limits are found to within 1e-12
_PROPORTION_TOLERANCE = 1e-9
# below this spread, rounding errors are not negligible compared to the information in an answer
_MIN_SPREAD = 1e-12


class ResponseDesign(HelpfulErrors, ABC):
    """A design of randomized response, with its answer probabilities.

    `RandomizedResponse` and `RandomizedResponseCoins` are the designs.

    See Also
    --------
    RandomizedResponse, RandomizedResponseCoins : the designs.
    ResponseResults : the results of its estimates.
    """

    __slots__ = ("_categories", "_epsilon", "_guarantee", "_missing", "_response")

    def __init__(
        self, categories: Categories, epsilon: float, response: AnswerProbabilities, missing: int | None
    ) -> None:
        self._categories, self._epsilon, self._response = categories, epsilon, response
        self._missing = missing
        suitable = VALUES_IN_CATEGORIES if missing is None else IN_CATEGORIES_OR_MISSING
        self._guarantee = Guarantee(epsilon, 0.0, "bounded", (LOCAL_PRIVACY, ONE_ANSWER_PER_PERSON, suitable))

    @property
    def epsilon(self) -> float:
        """Privacy parameter of each answer; infinite if an answer can rule out a truth."""
        return self._epsilon

    @property
    def categories(self) -> tuple[Category, ...]:
        """Categories of the truths and the answers."""
        return self._categories.labels

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of an answer, and of all answers: neighbors differ in one person's value."""
        return self._guarantee

    @property
    def design_matrix(self) -> pd.DataFrame:
        """Probability of each answer (rows) for each truth (columns)."""
        names = pd.Index(list(self.categories), name="answer", dtype=object)
        return pd.DataFrame(self._compute_matrix(), index=names, columns=names.rename("truth"))

    @abstractmethod
    def _compute_matrix(self) -> np.ndarray:
        """Return the matrix of answer probabilities."""

    @abstractmethod
    def _draw_answers(self, codes: Codes, source: Source) -> Codes:
        """Draw an answer for each truth, both given by their codes."""

    @abstractmethod
    def __repr__(self) -> str:
        """Return the call that creates the design."""

    @guard_release
    def respond(self, values: object, rng: object = None) -> Any:
        """Draw an answer for each person's true value.

        Parameters
        ----------
        values : scalar or array_like
            True values, one per person: an array of any shape, list, Series, Index or Categorical of the
            design's categories, or a single value. Numbers and truth values that are equal are the same
            category: 1, 1.0 and True. Missing values are None, NaN, NaT, NA and masked ones.
        rng : None, int, numpy.random.Generator or RRandom, optional
            Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

        Returns
        -------
        scalar, ndarray, Series or Index
            Answers: one of `categories` for a single value; a Series with the values' index and name; an
            Index with their name; for anything else an array of their shape. The dtype depends on
            the design only: for 0 to k - 1 the smallest integer type that has them, int8 up to 128;
            otherwise that of an array of `categories`, as converted by pandas for a Series or an Index.

        Raises
        ------
        PydpstatError
            If a value is missing or not a category, the container differs, or the design
            protects nothing.

        Notes
        -----
        Guarantee: the design's. Container, shape, index and name of the values are public; the answers do
        not depend on anything else of them except by randomization, not even on types. An error states that
        a value is not a category (or, without `missing`, is missing), but not which; that no value is must
        be public. With ``rng=None`` each answer has its own coins with an exact distribution: random bits
        are compared with the binary digits of the probability until they decide.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponse
        >>> RandomizedResponse(1.0).respond([1, 0, 0, 1, 1], rng=1)
        array([1, 0, 1, 1, 1], dtype=int8)
        """
        if math.isinf(self._epsilon):
            raise PydpstatError(
                "respond() needs a design with a finite epsilon; with this one answers can reveal "
                "the truth with certainty. Use a smaller epsilon, or two coins that can each show "
                "either side."
            )
        warn_large_epsilon(self._epsilon)
        codes, container = read(values, "values", self._categories, self._missing)
        source = source_from(rng)
        charge_budget(None, self.guarantee, f"respond(values, {self!r})", mechanism="randomized response")
        return wrap_answers(self._draw_answers(codes, source), container, self._categories)

    def estimate(self, answers: object, method: str = "moment") -> ResponseResults:
        """Estimate the proportions of the truths from answers.

        Parameters
        ----------
        answers : array_like
            Answers of all persons, as returned by `respond`.
        method : {"moment", "ml"}, default "moment"
            Estimate used for the result's `params`: the moment estimate, which is unbiased and may
            lie outside [0, 1], or the maximum-likelihood one. The result has both.

        Returns
        -------
        ResponseResults
            The estimate is one number, the proportion of 1, for a design with the categories 0 and 1,
            and a Series of all categories' proportions for any other.

        Raises
        ------
        PydpstatError
            If there is no answer, one is missing or not a category, or answers have no information on
            the truth (epsilon 0 or close to it).

        Notes
        -----
        Guarantee: the design's, as this is post-processing of the answers. Repeating it, also
        with another method, costs no budget.

        References
        ----------
        Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
        bias. Journal of the American Statistical Association 60.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponseCoins
        >>> r = RandomizedResponseCoins().estimate([1] * 35 + [0] * 65)
        >>> round(r, 3)
        0.2
        """
        from pydpstat.local.results import make_response_results

        checks.check_choice(method, "method", ESTIMATORS)
        self._check_informative()
        return make_response_results(self, self._count_answers(answers), method)

    def _count_answers(self, answers: object) -> tuple[int, ...]:
        codes = read(answers, "answers", self._categories).codes
        if not codes.size:
            raise PydpstatError("answers must have at least one answer; got none. Give the answers of all persons.")
        if codes.dtype == np.bool_:
            ones = int(np.count_nonzero(codes))
            return codes.size - ones, ones
        return tuple(np.bincount(codes, minlength=len(self.categories)).tolist())

    def required_n(
        self, width: float, *, alpha: float = 0.05, proportion: float | None = None, kind: str = "population"
    ) -> int:
        """Return the number of persons needed for an interval of a given width.

        Parameters
        ----------
        width, alpha, proportion, kind
            As in `pydpstat.local.required_n`.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponseCoins
        >>> RandomizedResponseCoins().required_n(0.1)
        1537
        """
        self._check_informative()
        response = self._response
        longest, level = checks.check_probability(width, "width"), checks.check_probability(alpha, "alpha")
        kind_index = KINDS.index(checks.check_choice(kind, "kind", KINDS))
        if proportion is None:
            # the variance is linear or a parabola in p, with its maximum at an end or where the answer is a fair coin
            fair = min(max((0.5 - response.other) / response.spread, 0.0), 1.0)
            candidates = np.array([0.0, fair, 1.0])
        else:
            candidates = np.array([_check_proportion(proportion)])
        sd = float(compute_standard_errors(candidates, 1, response)[kind_index].max())
        n_persons = (2.0 * NormalDist().inv_cdf(1.0 - level / 2.0) * sd / longest) ** 2
        if not n_persons < _MAX_PERSONS:
            raise PydpstatError(
                f"width must be large enough for 2**53 persons; got {checks.describe_value(width)}, which needs "
                "more. Use a larger width or a larger epsilon."
            )
        return max(math.ceil(n_persons), 1)

    def coverage(
        self,
        n: int,
        proportion: float,
        *,
        alpha: float = 0.05,
        kind: str = "randomization",
        method: str = "blaker",
    ) -> float:
        """Return the probability that an interval covers a category's proportion, exactly.

        Parameters
        ----------
        n : int
            Number of answers.
        proportion : float
            The true proportion, from 0 to 1. With ``"randomization"`` it is the share of some of
            the n persons, a multiple of 1 / n.
        alpha, kind, method
            As in `ResponseResults.conf_int`.

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        Notes
        -----
        It is a sum over the distribution of the number of answers, not a simulation: a binomial one with
        ``"population"``, that of a sum of two binomial numbers with ``"randomization"``.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponse
        >>> round(RandomizedResponse(1.0).coverage(100, 0.2), 4)
        0.9578
        """
        self._check_informative()
        level = checks.check_probability(alpha, "alpha")
        checked_kind = checks.check_choice(kind, "kind", KINDS)
        distribution: AnswerCount = DISTRIBUTIONS[checked_kind](_check_sample_size(n), self._response)
        checks.check_choice(method, "method", METHODS)
        true = _check_proportion(proportion)
        parameter = true * distribution.max_parameter
        if isinstance(distribution, FixedAnswerCount):
            parameter = round(parameter)
            if abs(parameter - true * distribution.max_parameter) > 1e-6:
                example = parameter / distribution.max_parameter
                raise PydpstatError(
                    f"proportion must be a whole number of the n persons with kind 'randomization'; got "
                    f"{checks.describe_value(proportion)} of {n}. Give for example {example!r}."
                )
        answer_distribution = distribution.get_distribution(parameter)

        def is_covered(count: int) -> bool:
            low, high = compute_proportion_interval(distribution, count, level, method)
            return low - _PROPORTION_TOLERANCE <= true <= high + _PROPORTION_TOLERANCE

        # outside these limits all counts have the same interval
        min_count, max_count = compute_count_limits(distribution)
        # near the counts that Blaker's test accepts are those of every method
        numbers = range(answer_distribution.start, answer_distribution.start + answer_distribution.mass.size)
        accepted = [number for number in numbers if is_accepted_by_blaker(answer_distribution, number, level)]
        low, high = (min(max(each, min_count), max_count) for each in (accepted[0], accepted[-1]))
        low, high = (
            _find_last_covering(is_covered, low, -1, min_count),
            _find_last_covering(is_covered, high, 1, max_count),
        )
        missed_below = answer_distribution.compute_lower_tail(low - 1) if low > min_count else 0.0
        missed_above = answer_distribution.compute_upper_tail(high + 1) if high < max_count else 0.0
        return 1.0 - missed_below - missed_above

    def bias(self, n: int, proportion: float, estimator: str = "ml") -> float:
        """Return the bias of an estimator of the proportion of 1, exactly.

        Parameters
        ----------
        n : int
            Number of answers.
        proportion : float
            True proportion, from 0 to 1, in the population from which the n persons are sampled.
        estimator : {"ml", "moment"}, default "ml"
            The maximum-likelihood estimate, or the moment one, which is unbiased.

        Raises
        ------
        PydpstatError
            If an argument is invalid, or the design has more than two categories: the maximum-likelihood estimates
            depend on all answers' numbers together then.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponse
        >>> round(RandomizedResponse(0.5).bias(100, 0.02), 4)
        0.0696
        """
        self._check_informative()
        if len(self.categories) > 2:
            raise PydpstatError(
                f"bias() is for designs of two categories; this one has {len(self.categories)}. Simulate it."
            )
        checks.check_choice(estimator, "estimator", ESTIMATORS)
        true = _check_proportion(proportion)
        distribution = SampledAnswerCount(_check_sample_size(n), self._response).get_distribution(true)
        estimates = estimate_by_moments(distribution.start + np.arange(distribution.mass.size), n, self._response)
        if estimator == "ml":
            estimates = np.clip(estimates, 0.0, 1.0)
        return float((distribution.mass * (estimates - true)).sum())

    def _check_informative(self) -> None:
        if self._response.spread < _MIN_SPREAD:
            raise PydpstatError(
                f"epsilon must be large enough for informative answers; got {self._epsilon!r}, at "
                "which they are practically independent of the truth. Use a larger epsilon."
            )

    def _get_key(self) -> tuple[object, ...]:
        return type(self).__name__, repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResponseDesign) and self._get_key() == other._get_key()

    def __hash__(self) -> int:
        return hash(self._get_key())


def _find_last_covering(is_covered: Callable[[int], bool], count: int, step: int, last: int) -> int:
    """Return the last count, in one direction, whose interval covers; the limits increase with the count."""
    while not is_covered(count):
        count -= step
    while count != last and is_covered(count + step):
        count += step
    return count


def check_share(value: object, name: str, hint: str) -> float:
    """Check a number from 0 to 1."""
    return checks.check_number(value, name, "a number from 0 to 1", lambda number: 0.0 <= number <= 1.0, hint)


def _check_proportion(value: float) -> float:
    return check_share(value, "proportion", "Give for example 0.2.")


def _check_sample_size(n: int) -> int:
    return checks.check_integer(n, "n", 1, _MAX_PERSONS - 1.0, hint="Give for example 100.")
