"""From the numbers of answers to proportions: arrays in, arrays out.

In a design of k categories the answer j is given with probability a by who is not j, and with
a + s by who is (`Response`): its probability is ``a + s p_j``, with p_j the proportion of j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Response:
    """How one answer depends on the truth.

    Parameters
    ----------
    other : float
        Probability of the answer where it is not the truth.
    true : float
        Probability of the answer where it is the truth.
    spread : float
        The second minus the first, computed without cancellation.
    missed : float
        One minus the second, computed without cancellation.
    """

    other: float
    true: float
    spread: float
    missed: float

    def chance(self, proportion: npt.ArrayLike) -> Floats:
        """Return the answer's probability."""
        return np.asarray(self.other + self.spread * np.asarray(proportion), dtype=np.float64)

    def mirrored(self) -> Response:
        """Return how not giving the answer depends on not being it."""
        return Response(self.missed, 1.0 - self.other, self.spread, self.other)


def moment(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the proportions whose answers have the observed shares; they may be outside 0 to 1.

    Parameters
    ----------
    counts : array_like of shape (...)
        How often each answer was given.
    n : int
        Number of answers.
    response : Response
        The design.

    Notes
    -----
    It is unbiased, also where the persons are fixed and only their answers are random.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.

    Examples
    --------
    >>> float(moment(35, 100, Response(0.25, 0.75, 0.5, 0.25)).round(3))
    0.2
    """
    return (np.asarray(counts, dtype=np.float64) / n - response.other) / response.spread


def likeliest(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the maximum-likelihood proportions: at least 0, with the sum 1.

    Parameters
    ----------
    counts : array_like of shape (k,)
        How often each answer was given.
    n : int
        Their sum.
    response : Response
        The design.

    Returns
    -------
    ndarray of shape (k,)

    Notes
    -----
    The log-likelihood ``sum_j c_j log(a + s p_j)`` is concave. By the conditions of Karush, Kuhn and
    Tucker the answers' probabilities are ``max(a, c_j / v)`` at its maximum, with the v that makes
    their sum 1. If the m most frequent answers are those above a, v is their sum of counts over
    ``1 - (k - m) a``; the largest m whose least frequent answer is above a is right. So the
    maximum is found by sorting, without iteration. Of two categories it is the moment estimate cut
    to 0 and 1.

    References
    ----------
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure
    control and misclassification: a review. International Statistical Review 70.

    Examples
    --------
    >>> likeliest([10, 45, 45], 100, Response(0.25, 0.5, 0.25, 0.5)).round(3)
    array([0. , 0.5, 0.5])
    """
    given = np.asarray(counts, dtype=np.float64)
    order = np.argsort(-given, kind="stable")
    sums = np.cumsum(given[order])
    # what is left of the probability for the m most frequent answers: s plus m times a
    room = response.spread + response.other * np.arange(1, given.size + 1)
    above = given[order] * room > response.other * sums
    # the first one always is, as s > 0; all after the first that is not are not
    m = int(np.argmin(above)) if not above.all() else given.size
    ratio = room[m - 1] / sums[m - 1]
    result = np.zeros(given.shape)
    result[order[:m]] = (given[order[:m]] * ratio - response.other) / response.spread
    return np.clip(result, 0.0, 1.0)


def standard_errors(proportions: npt.ArrayLike, n: int, response: Response) -> tuple[Floats, Floats]:
    """Return the standard deviations of moment estimates: by randomisation alone, and with sampling.

    Parameters
    ----------
    proportions : array_like of shape (...)
        The true proportions, or estimates of them from 0 to 1.
    n : int
        Number of answers.
    response : Response
        The design.

    Returns
    -------
    randomization, population : ndarray
        The first for fixed persons, ``p b (1-b) + (1-p) a (1-a)`` an answer; the second, which adds
        ``s^2 p (1-p)``, for a random sample of persons. Both over n, and the root over s.

    Examples
    --------
    >>> [round(float(each), 4) for each in standard_errors(0.2, 100, Response(0.25, 0.75, 0.5, 0.25))]
    [0.0866, 0.0954]
    """
    p = np.asarray(proportions, dtype=np.float64)
    if_true = response.true * response.missed
    if_not = response.other * (1.0 - response.other)
    coins = p * if_true + (1.0 - p) * if_not
    sampling = (response.spread * response.spread) * (p * (1.0 - p))
    return np.sqrt(coins / n) / response.spread, np.sqrt((coins + sampling) / n) / response.spread
