"""Randomized response for a given epsilon, with two or more categories, and with two coins."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat._answering import explain_wrong_calls
from pydpstat.local._categories import BINARY, Codes, parse_categories, parse_missing_category
from pydpstat.local._intervals import AnswerProbabilities
from pydpstat.local.design import ResponseDesign, check_share
from pydpstat.random import Source, secure


class RandomizedResponse(ResponseDesign):
    """Randomized response: the true answer or, at random, another category.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of each answer; at least 0. With 0 answers are independent of the truth, and nothing can be
        estimated; with infinity they are the truth, and `respond` raises an error.
    categories : int or list, default 2
        Number of categories k, for the values 0 to k - 1; or a list of them, public and chosen
        without the data. The answers have their types: ``[False, True]`` for booleans.
    missing : "error" or one of the categories, default "error"
        Treatment of missing values: ``"error"`` raises an error, a category replaces them. Answers then do not show
        that a value was missing.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    RandomizedResponseCoins : two categories, with two coins.
    pydpstat.proportion : a release of centrally held data, with far less noise.

    Notes
    -----
    Guarantee: local epsilon-DP. The truth is answered with probability
    ``exp(epsilon) / (exp(epsilon) + k - 1)``, and each other category with 1 over the same
    denominator, so that the probability of any answer changes by a factor of at most exp(epsilon) when
    the truth is replaced. The collector of the answers need not be trusted. A person who answers
    several times, or several questions, spends epsilon each time.

    For two categories every epsilon-DP design is a randomization of this design's answers. For k
    categories it is preferable if k is below about ``3 exp(epsilon) + 2``; for more there are
    designs with smaller variances (Wang et al. 2017).

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.
    Kairouz, P., Oh, S. and Viswanath, P. (2016). Extremal mechanisms for local differential privacy.
    Journal of Machine Learning Research 17.
    Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for
    frequency estimation. USENIX Security 2017.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponse
    >>> RandomizedResponse(1.0986122886681098).design_matrix.round(4)
    truth      0     1
    answer
    0       0.75  0.25
    1       0.25  0.75
    >>> smokes = RandomizedResponse(2.0, ["never", "sometimes", "daily"])
    >>> answers = smokes.respond(["never", "daily", "never", "sometimes"])
    >>> answers.size
    4
    """

    __slots__ = ("_chance", "_given")

    def __init__(self, epsilon: float, categories: object = 2, missing: object = "error") -> None:
        hint = "Give one number, for example 1."
        checked_epsilon = checks.check_number(
            epsilon, "epsilon", "a number of at least 0", lambda number: number >= 0.0, hint
        )
        count = checks.as_integer(categories)
        parsed = BINARY if count == 2 else parse_categories(categories)
        n_others = len(parsed.labels) - 1
        ratio = math.exp(-checked_epsilon)
        true = 1.0 / (1.0 + n_others * ratio)
        response = AnswerProbabilities(
            ratio * true, true, -math.expm1(-checked_epsilon) * true, n_others * ratio * true
        )
        super().__init__(parsed, checked_epsilon, response, parse_missing_category(missing, parsed))
        # the arguments shown by repr()
        self._given = list(parsed.labels) if count is None else count, missing
        # probability of an answer other than the truth; without a finite epsilon none is drawn
        self._chance: secure.Chance | None = None
        if checked_epsilon == 0.0:
            self._chance = secure.RationalChance(n_others, n_others + 1)
        elif checked_epsilon < math.inf:
            self._chance = secure.LogisticChance(checked_epsilon, n_others)

    def _compute_matrix(self) -> np.ndarray:
        k = len(self.categories)
        matrix = np.full((k, k), self._response.other)
        np.fill_diagonal(matrix, self._response.true)
        return matrix

    def _draw_answers(self, codes: Codes, source: Source) -> Codes:
        if not source.reproducible:
            assert self._chance is not None
            is_changed = secure.flips(codes.size, self._chance)
        else:
            is_changed = source.uniform(codes.size) < self._response.missed
        if codes.dtype == np.bool_:
            return np.logical_xor(codes, is_changed, out=is_changed)
        indices = np.flatnonzero(is_changed)
        n_others = len(self.categories) - 1
        if not source.reproducible:
            offsets = secure.integers(indices.size, n_others)
        else:
            offsets = (source.uniform(indices.size) * n_others).astype(np.int64)
        # the k - 1 others are numbered without the truth
        answers = codes.copy()
        answers[indices] = offsets + (offsets >= codes[indices])
        return answers

    def __repr__(self) -> str:
        categories, missing = self._given
        arguments = [f"{self._epsilon!r}"]
        if categories != 2:
            arguments.append(f"categories={categories!r}")
        if self._missing is not None:
            arguments.append(f"missing={missing!r}")
        return f"RandomizedResponse({', '.join(arguments)})"

    def __reduce__(self) -> tuple[object, ...]:
        return RandomizedResponse, (self._epsilon, *self._given)


class RandomizedResponseCoins(ResponseDesign):
    """Randomized response for yes and no, with two coins.

    If the first coin shows tails, the person answers the truth. If it shows heads, the second coin decides:
    heads for 1 and tails for 0.

    Parameters
    ----------
    prob_head_first : float, default 0.5
        Probability of heads of the first coin, from 0 to 1. With 1 answers are independent of the truth.
    prob_head_second : float, default 0.5
        Probability of heads of the second coin, from 0 to 1.

    Raises
    ------
    PydpstatError
        If a probability is not from 0 to 1.

    See Also
    --------
    RandomizedResponse : any number of categories.

    Notes
    -----
    Guarantee: local epsilon-DP with the larger of ``log P(1|1) / P(1|0)`` and
    ``log P(0|0) / P(0|1)``, where P(1|1) = 1 - p1 + p1 p2 and P(1|0) = p1 p2. It is rounded up.
    With p1 = 0, or p2 = 0 or 1 (unless p1 = 1), some answer reveals the truth with certainty: epsilon is
    infinite, and `respond` raises an error. For fair coins epsilon is log 3. At the same epsilon no pair
    of coins is more informative than one whose second coin is fair, which is `RandomizedResponse`.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
    question randomized response model. Journal of the American Statistical Association 64.
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy. Foundations and
    Trends in Theoretical Computer Science 9, section 3.2.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponseCoins
    >>> coins = RandomizedResponseCoins()
    >>> coins.epsilon
    1.0986122886681098
    >>> coins.design_matrix
    truth      0     1
    answer
    0       0.75  0.25
    1       0.25  0.75
    """

    __slots__ = ("_coins",)

    def __init__(self, prob_head_first: float = 0.5, prob_head_second: float = 0.5) -> None:
        p1 = check_share(prob_head_first, "prob_head_first", "Give for example 0.5.")
        p2 = check_share(prob_head_second, "prob_head_second", "Give for example 0.5.")
        self._coins = p1, p2
        response = AnswerProbabilities(p1 * p2, 1.0 - p1 + p1 * p2, 1.0 - p1, p1 * (1.0 - p2))
        super().__init__(BINARY, compute_coin_epsilon(p1, p2), response, None)

    @property
    def prob_head_first(self) -> float:
        """The first coin's probability of heads."""
        return self._coins[0]

    @property
    def prob_head_second(self) -> float:
        """The second coin's probability of heads."""
        return self._coins[1]

    def _compute_matrix(self) -> np.ndarray:
        design = self._response
        return np.array([[1.0 - design.other, design.missed], [design.other, design.true]])

    def _draw_answers(self, codes: Codes, source: Source) -> Codes:
        p1, p2 = self._coins
        if source.reproducible:
            heads = source.uniform(codes.size) < p1
            return np.where(heads, source.uniform(codes.size) < p2, codes)
        if p2 == 0.5:
            # with a fair second coin, the truth is flipped half of the time
            top, bottom = p1.as_integer_ratio()
            is_changed = secure.flips(codes.size, secure.RationalChance(top, 2 * bottom))
            return np.logical_xor(codes, is_changed, out=is_changed)
        toss = secure.RationalChance(*p1.as_integer_ratio())
        indices = np.flatnonzero(secure.flips(codes.size, toss))
        answers = codes.copy()
        answers[indices] = secure.flips(indices.size, secure.RationalChance(*p2.as_integer_ratio()))
        return answers

    def __repr__(self) -> str:
        return f"RandomizedResponseCoins({self._coins[0]!r}, {self._coins[1]!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return RandomizedResponseCoins, self._coins


@lru_cache(maxsize=256)
def compute_coin_epsilon(first: float, second: float) -> float:
    """Return the epsilon of a design with two coins, rounded up to the next float."""
    p, q = Fraction(first), Fraction(second)
    if p == 1:
        return 0.0
    # the larger of the two ratios 1 + (1 - p) / (p q) and 1 + (1 - p) / (p (1 - q))
    rarer = p * min(q, 1 - q)
    if rarer == 0:
        return math.inf
    mp = multiple_precision.get_functions()
    excess = (1 - p) / rarer
    # compensates the digits that are lost in the logarithm of a ratio near 1
    lost = max(excess.denominator.bit_length() - excess.numerator.bit_length(), 0)
    ratio = mp.from_rational(excess.numerator + excess.denominator, excess.denominator, 120 + lost, "u")
    return float(mp.to_float(mp.mpf_log(ratio, 120, "u"), rnd="u"))


@explain_wrong_calls
def required_n(
    epsilon: float,
    width: float,
    *,
    alpha: float = 0.05,
    proportion: float | None = None,
    kind: str = "population",
    categories: int = 2,
) -> int:
    """Return the number of persons needed for an interval of a given width.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. It covers one answer.
    width : float
        Upper end minus lower end; above 0 and below 1.
    alpha : float, default 0.05
        Probability that the interval does not cover.
    proportion : float, optional
        Expected proportion, from 0 to 1; by default the one that requires the most persons.
    kind : {"population", "randomization"}, default "population"
        Whether the interval covers sampling and randomization, or the randomization alone.
    categories : int, default 2
        Number of categories.

    Returns
    -------
    int
        By the normal approximation: ``(2 z sd / width)**2``, rounded up, where sd is the standard
        deviation of one answer's estimate.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or more than 2**53 persons are needed.

    See Also
    --------
    uncertainty : the width for a given number of answers.
    pydpstat.plan : planning for centrally held data.

    Examples
    --------
    >>> from pydpstat.local import required_n
    >>> required_n(1.0986122886681098, 0.1)
    1537
    """
    design = RandomizedResponse(checks.check_epsilon(epsilon), categories)
    return design.required_n(width, alpha=alpha, proportion=proportion, kind=kind)
