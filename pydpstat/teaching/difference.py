"""The differencing attack: information from an answer about one record if the others are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, SupportsFloat

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import Noise
from pydpstat.mechanisms._noise import get_density
from pydpstat.teaching.uniform import UniformNoise

Chance = float | Fraction
_MAX_CONTRIBUTIONS = 1000


@dataclass(frozen=True, repr=False)
class DifferencingAttack:
    """Information from an answer about a record if the others are known.

    `differencing` returns it.

    Parameters
    ----------
    answer : float
        The answer about all records.
    without : float
        The same statistic of the known records alone.
    contributions : tuple of float
        The possible contributions of the record, increasing.
    noise : Noise, UniformNoise or None
        The noise of the answer; None if the answer is exact.
    chances : tuple of float or Fraction
        Posterior probability of each contribution, if all have the same prior probability.

    See Also
    --------
    differencing : creates it.
    """

    answer: float
    without: float
    contributions: tuple[float, ...]
    noise: Noise | UniformNoise | None
    chances: tuple[Chance, ...]

    @property
    def guess(self) -> float:
        """The most likely contribution; with ties the smallest."""
        return self.contributions[max(range(len(self.chances)), key=self.chances.__getitem__)]

    @property
    def chance(self) -> Chance:
        """The probability that the guess is right, given this answer."""
        return max(self.chances)

    @property
    def success(self) -> Chance:
        """The probability that such a guess is right, averaged over all answers; it depends on the noise alone.

        It is 1 without noise, and one over the number of contributions with perfectly hiding noise.
        """
        if self.noise is None:
            return Fraction(1)
        if isinstance(self.noise, UniformNoise):
            return _compute_uniform_success(self.noise, [int(contribution) for contribution in self.contributions])
        return _compute_success(self.noise, self.contributions)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each contribution: the exact answer with it, and its chance.

        Examples
        --------
        >>> from pydpstat.teaching import differencing
        >>> differencing(6, 6).to_frame()
              exact answer chance
        adds
        0                6      1
        1                7      0
        """
        exact = [self.without + each for each in self.contributions]
        chances = [str(each) if isinstance(each, Fraction) else each for each in self.chances]
        return pd.DataFrame({"exact answer": exact, "chance": chances}, index=pd.Index(self.contributions, name="adds"))

    def __repr__(self) -> str:
        chance = str(self.chance) if isinstance(self.chance, Fraction) else f"{self.chance:.4g}"
        return (
            f"DifferencingAttack: {self.answer:.6g} with the record, {self.without:.6g} without: "
            f"it adds {self.guess:.6g} (chance {chance})"
        )


@explain_wrong_calls
def differencing(
    answer: SupportsFloat,
    without: float,
    contributions: Iterable[float] = (0, 1),
    noise: Noise | UniformNoise | None = None,
) -> DifferencingAttack:
    """Subtract the known records from an answer to learn the unknown one.

    Parameters
    ----------
    answer : number or DPResults
        The answer about all records: a count or a sum. For a `DPResults` of one number, its noise is used.
    without : float
        The same count or sum over the records that the attacker knows, all but one.
    contributions : iterable of float, default (0, 1)
        Possible contributions of the unknown record: 0 or 1 for a count. From two to 1,000 different ones.
    noise : Noise or UniformNoise, optional
        The noise of the answer: a unimodal distribution around 0. None (default)
        for an exact answer.

    Returns
    -------
    DifferencingAttack

    Raises
    ------
    PydpstatError
        If an argument is invalid, or the answer is not possible with any contribution.

    See Also
    --------
    averaging_attack, intersection_attack : other attacks.
    pydpstat.mean : a release protected against it.

    Notes
    -----
    For an exact answer the difference is the contribution. With noise of density p the posterior probability
    of the contribution c is proportional to ``p(answer - without - c)``. If the release is epsilon-DP and there
    are two contributions, no answer raises a probability of 1/2 above ``exp(epsilon) / (1 + exp(epsilon))``,
    and no guess is correct more often. Geometric noise for a count attains this bound; with Laplace noise the
    best guess is correct with probability ``1 - exp(-epsilon / 2) / 2``. The other records need not be known:
    an earlier answer, before the record was added, is sufficient.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 1.1
    (differencing attacks).
    Wasserman, L. and Zhou, S. (2010). A statistical framework for differential privacy. Journal of the
    American Statistical Association 105, Theorem 2.4.

    Examples
    --------
    >>> from pydpstat.mechanisms import SymmetricGeometricNoise
    >>> from pydpstat.teaching import differencing
    >>> differencing(6, 6)
    DifferencingAttack: 6 with the record, 6 without: it adds 0 (chance 1)
    >>> differencing(9, 6, noise=SymmetricGeometricNoise(0.5))
    DifferencingAttack: 9 with the record, 6 without: it adds 1 (chance 0.6225)
    """
    noise_used = noise if noise is not None else getattr(answer, "noise", None)
    density = get_density(noise_used) if isinstance(noise_used, Noise) and np.ndim(noise_used.scale) == 0 else None
    if noise_used is not None and not isinstance(noise_used, UniformNoise) and density is None:
        raise PydpstatError(
            "noise must be a distribution of one number with a density (pdf or pmf); "
            f"got {checks.describe_value(noise_used)}. Give for example LaplaceNoise(2.0), or None for an exact answer."
        )
    observed, base = _check_finite_number(answer, "answer"), _check_finite_number(without, "without")
    may_add = _check_contributions(contributions)
    residuals = [observed - base - contribution for contribution in may_add]
    if density is not None:
        likelihoods: Sequence[Chance] = [float(density(residual)) for residual in residuals]
    elif isinstance(noise_used, UniformNoise):
        for value in (observed, base, *may_add):
            checks.check_integer(value, "answer, without and contributions with UniformNoise")
        likelihoods = [noise_used.probability({int(residual)}) for residual in residuals]
    else:
        likelihoods = [Fraction(residual == 0) for residual in residuals]
    total = sum(likelihoods)
    if not total:
        raise PydpstatError(
            f"answer must be possible for one of the contributions {may_add}; got {observed:.6g}, and "
            f"{base:.6g} without the record. Check that both answer the same query, and check the "
            "noise."
        )
    return DifferencingAttack(
        observed, base, may_add, noise_used, tuple(likelihood / total for likelihood in likelihoods)
    )


def _check_finite_number(value: Any, name: str) -> float:
    # a result checks itself that it is one number
    try:
        number = float(value) if hasattr(value, "noise") else checks.check_scalar(value, name)
    except TypeError:
        number = math.nan
    if not math.isfinite(number):
        raise PydpstatError(
            f"{name} must be one finite number; got {checks.describe_value(value)}. Give a count or a sum."
        )
    return int(number) if number.is_integer() else number


def _check_contributions(values: Iterable[float]) -> tuple[float, ...]:
    try:
        items = () if isinstance(values, (str, bytes)) else tuple(values)
    except TypeError:
        items = ()
    numbers = sorted({_check_finite_number(item, "each of contributions") for item in items})
    if not 2 <= len(numbers) <= _MAX_CONTRIBUTIONS:
        raise PydpstatError(
            f"contributions must be from 2 to {_MAX_CONTRIBUTIONS:,} different numbers; got "
            f"{checks.describe_value(values)}. Give (0, 1) for a count."
        )
    return tuple(numbers)


def _compute_success(noise: Noise, contributions: Sequence[float]) -> float:
    """Return the probability that the nearest contribution, the likeliest for such noise, is the right one."""
    edges = [-math.inf, *(0.5 * (a + b) for a, b in pairwise(contributions)), math.inf]
    intervals = zip(contributions, edges, edges[1:])
    return math.fsum(float(noise.cdf(high - c)) - float(noise.cdf(low - c)) for c, low, high in intervals) / len(
        contributions
    )


def _compute_uniform_success(noise: UniformNoise, contributions: Sequence[int]) -> Fraction:
    # all contributions within reach of an answer are equally likely: one of them is right
    reached = {contribution + value for contribution in contributions for value in noise.values}
    return Fraction(len(reached), len(contributions) * len(noise.values))
