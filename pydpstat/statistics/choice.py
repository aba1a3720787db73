"""The choice of the best of several candidates."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._data.containers import listed
from pydpstat._quiet import quiet
from pydpstat._release.additive import Spender
from pydpstat._release.choice import release_choice
from pydpstat._release.statistic import check_budget
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.scores import scores_of
from pydpstat.statistics._kernels.selection import permute_and_flip, weighted

MECHANISMS = ("exponential", "noisy max")
RIGHT = "the sensitivity given is right for the neighbors meant"


@quiet
def choose(
    candidates: Collection[object],
    scores: Data,
    epsilon: float,
    sensitivity: float,
    *,
    mechanism: str = "exponential",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release which of several candidates has about the highest score.

    Parameters
    ----------
    candidates : sequence of length k
        What can be chosen: public, and fixed without looking at the data.
    scores : array_like of shape (k,)
        How good each candidate is for the data; finite integers, floats or fractions.
    epsilon : float
        Privacy parameter; above 0 and finite.
    sensitivity : float
        How far one record can move any score; above 0 and finite.
    mechanism : {"exponential", "noisy max"}, default "exponential"
        The exponential mechanism, or permute-and-flip, which is never worse in expectation.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is the chosen candidate. The scores are not in it.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed. Scores that are not finite are an error as well: a score
        with a finite sensitivity is finite for all data sets or for none.

    Notes
    -----
    Guarantee: (epsilon, 0), for the neighbors for which `sensitivity` holds.

    ``"exponential"``: the probability of a candidate is proportional to
    exp(epsilon * score / (2 * sensitivity)). One record multiplies a weight and the sum of all
    weights by at most exp(epsilon / 2) each, in either direction.

    ``"noisy max"``: report the largest of the scores plus exponential noise of scale
    2 sensitivity / epsilon. That law is drawn by permute-and-flip, without any noisy score:
    candidates come in random order, and each is taken with probability
    exp(epsilon * (score - highest) / (2 * sensitivity)), by a Bernoulli trial.

    Both laws are exact (`pydpstat.random.secure`). Scores are taken as the numbers that they are, also
    integers, long doubles and fractions that no float holds: their differences are taken exactly. That
    `sensitivity` covers the rounding in their own computation is up to the caller.

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.
    McKenna, R. and Sheldon, D. (2020). Permute-and-flip: a new mechanism for differentially private
    selection. NeurIPS 2020.
    Ding, Z., Kifer, D., Steinke, T. et al. (2021). The permute-and-flip mechanism is identical to
    report-noisy-max with exponential noise. arXiv:2105.07260.

    Examples
    --------
    >>> import pydpstat
    >>> votes = {"north": 120, "south": 310, "west": 95}
    >>> r = pydpstat.choose(list(votes), list(votes.values()), 1.0, 1)
    >>> r.estimate
    'south'
    """
    eps = checks.epsilon(epsilon)
    reach = checks.positive(sensitivity, "sensitivity", "Give how far one record can move a score.")
    checks.one_of(mechanism, "mechanism", MECHANISMS)
    choices = _candidates(candidates)
    utility = scores_of(scores, len(choices))
    source = source_from(rng)
    rate = Fraction(eps) / (2 * Fraction(reach))
    claim = Guarantee(eps)

    def choose_one(_: object = None) -> tuple[object, Labels]:
        if mechanism == "exponential":
            place = weighted(utility.floats, rate, source, exact=utility.below)
        else:
            place = permute_and_flip(utility.floats, rate, source, utility.below)
        return choices[place], Labels("choice")

    public: tuple[tuple[str, object], ...] = (("epsilon", eps), ("sensitivity", reach))
    if mechanism != "exponential":
        public = (*public, ("mechanism", mechanism))
    return release_choice(
        "choice",
        choose_one,
        source,
        draws=0,
        sensitivity=reach,
        claim=claim,
        guarantee=Guarantee(eps, 0.0, "bounded", (RIGHT,)),
        record=Call("choose", (("candidates", "candidates"), ("scores", "scores")), public),
        mechanism="exponential" if mechanism == "exponential" else "permute-and-flip",
        exactly=choose_one,
        budget=check_budget(budget),
    )


def _candidates(candidates: object) -> list[object]:
    values = listed(candidates)
    if isinstance(values, (list, tuple, range)) and len(values):
        return list(values)
    raise PydpstatError(
        f"candidates must be a sequence with one candidate at least; got {checks.shown(candidates)}. "
        "Give a list."
    )
