"""Randomised response that keeps a given epsilon, for two categories or more."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.local._categories import BINARY, categories_of, place_of
from pydpstat.local._estimate import Response
from pydpstat.local._truths import Codes
from pydpstat.local.design import ResponseDesign
from pydpstat.random import Source, secure


class RandomizedResponse(ResponseDesign):
    """Randomised response: each person answers the truth, or by chance one of the other categories.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of each answer; at least 0. With 0 answers are independent of the truth,
        and nothing can be estimated; with infinity they are the truth, and `respond` refuses.
    categories : int or list, default 2
        How many there are, k, for the values 0 to k - 1; or a list of them, public and chosen
        without the data. Their types are the answers' types: ``[False, True]`` for truth values.
    missing : "error" or one of the categories, default "error"
        What a missing value counts as. No answer shows then that a value was missing.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed.

    Notes
    -----
    Guarantee: local epsilon-DP. The truth is answered with probability
    ``exp(epsilon) / (exp(epsilon) + k - 1)``, and each other category with 1 over the same
    denominator, so that the chance of any answer changes by a factor of at most exp(epsilon) when
    the truth is replaced. Nobody who collects the answers has to be trusted. A person who answers
    several times, or several questions, spends epsilon each time.

    For two categories every design that keeps epsilon is a randomisation of this one's answers. For k
    categories it is the right one where k is below about ``3 exp(epsilon) + 2``; for more there are
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

    def __init__(self, epsilon: float, categories: Any = 2, missing: Any = "error") -> None:
        kept = _epsilon(epsilon)
        found = BINARY if type(categories) is int and categories == 2 else categories_of(categories)
        others = len(found.labels) - 1
        ratio = math.exp(-kept)
        true = 1.0 / (1.0 + others * ratio)
        response = Response(ratio * true, true, -math.expm1(-kept) * true, others * ratio * true)
        super().__init__(found, kept, response, place_of(missing, found))
        # what repr() shows
        self._given = categories if isinstance(categories, int) else list(found.labels), missing
        # of an answer that is not the truth; none is drawn without a finite epsilon
        self._chance: secure.Chance | None = None
        if kept == 0.0:
            self._chance = secure.RationalChance(others, others + 1)
        elif kept < math.inf:
            self._chance = secure.LogisticChance(kept, others)

    def _matrix(self) -> np.ndarray:
        k = len(self.categories)
        matrix = np.full((k, k), self._response.other)
        np.fill_diagonal(matrix, self._response.true)
        return matrix

    def _answers(self, codes: Codes, source: Source | None) -> Codes:
        if source is None:
            assert self._chance is not None
            moved = secure.flips(codes.size, self._chance)
        else:
            moved = source.uniform(codes.size) < self._response.missed
        if codes.dtype == np.bool_:
            return np.logical_xor(codes, moved, out=moved)
        places = np.flatnonzero(moved)
        others = len(self.categories) - 1
        if source is None:
            chosen = secure.integers(places.size, others)
        else:
            chosen = (source.uniform(places.size) * others).astype(np.int64)
        # the k - 1 others are numbered without the truth
        given = codes.copy()
        given[places] = chosen + (chosen >= codes[places])
        return given

    def __repr__(self) -> str:
        categories, missing = self._given
        parts = [f"{self._epsilon!r}"]
        if categories != 2:
            parts.append(f"categories={categories!r}")
        if self._missing is not None:
            parts.append(f"missing={missing!r}")
        return f"RandomizedResponse({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RandomizedResponse, (self._epsilon, *self._given)


def _epsilon(value: Any) -> float:
    number = checks.unwrap(value)
    if checks.is_number(number) and checks.as_float(number) >= 0.0:
        return checks.as_float(number)
    raise PydpstatError(
        f"epsilon must be a number of at least 0; got {checks.shown(value)}. Give one number, for example 1."
    )
