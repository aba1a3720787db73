"""Selection of the best of several candidates by their scores."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, read_columns, read_single_column
from pydpstat._data.native import to_public_list
from pydpstat._data.values import is_missing, to_object_array
from pydpstat._frozen import hide_values
from pydpstat._release.charging import check_budget
from pydpstat._release.choice import release_choice
from pydpstat._release.declared_facts import warn_call_epsilon
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.random._weighted_choice import choose_by_weight, permute_and_flip
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

# numbers with an exact ratio; that of a Decimal may exceed memory because of its exponent
ExactNumber = int | float | Fraction | np.integer | np.floating
_EXCLUDED_TYPES = (bool, np.timedelta64)
CHOICE_MECHANISMS = ("exponential", "noisy max")
SENSITIVITY_CONDITION = "the given sensitivity is correct for these neighbors"


@guard_release
def choose(
    candidates: Collection[object],
    scores: Data,
    epsilon: float,
    sensitivity: float,
    *,
    mechanism: str = "exponential",
    rng: object = None,
    budget: Chargeable | None = None,
) -> DPResults:
    """Release a candidate with approximately the highest score.

    Parameters
    ----------
    candidates : sequence of length k
        Public candidates, fixed without looking at the data.
    scores : array_like of shape (k,)
        Quality of each candidate for the data; finite integers, floats or fractions.
    epsilon : float
        Privacy parameter; positive and finite.
    sensitivity : float
        Largest change of a score by one record; above 0 and finite.
    mechanism : {"exponential", "noisy max"}, default "exponential"
        The exponential mechanism, or permute-and-flip, which is never worse in expectation.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is the selected candidate. It does not contain the scores.

    Raises
    ------
    PydpstatError
        If an argument is invalid. Scores that are not finite are an error as well: a score with a finite sensitivity is
        finite for all data sets or for none.

    See Also
    --------
    crosstab : all counts, if more than the largest is of interest.
    ExponentialMechanism : the selection of R's DPpack.

    Notes
    -----
    Guarantee: (epsilon, 0), for the neighbors for which `sensitivity` holds.

    ``"exponential"``: the probability of a candidate is proportional to
    exp(epsilon * score / (2 * sensitivity)). One record multiplies a weight and the sum of all
    weights by at most exp(epsilon / 2) each, in either direction.

    ``"noisy max"``: report the largest of the scores plus exponential noise of scale
    2 sensitivity / epsilon. That distribution is drawn by permute-and-flip, without any noisy score:
    candidates come in random order, and each is taken with probability
    exp(epsilon * (score - highest) / (2 * sensitivity)), by a Bernoulli trial.

    Both distributions are exact (`pydpstat.random.secure`). Scores are not
    rounded, also if they are integers, long doubles or fractions that no float represents: their differences are
    computed exactly. The caller must ensure that `sensitivity` covers rounding in their computation.

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
    eps = checks.check_epsilon(epsilon)
    checked_sensitivity = checks.check_positive(
        sensitivity, "sensitivity", ("Give the most that one record can change a score.")
    )
    checks.check_choice(mechanism, "mechanism", CHOICE_MECHANISMS)
    warn_call_epsilon(eps)
    choices = _check_candidates(candidates)
    utility = read_scores(scores, len(choices))
    source = source_from(rng)
    rate = Fraction(eps) / (2 * Fraction(checked_sensitivity))

    def choose_one(_: object = None) -> tuple[object, Labels]:
        if mechanism == "exponential":
            index = choose_by_weight(utility.floats, rate, source, exact_utilities=utility.exact_utilities)
        else:
            index = permute_and_flip(utility.floats, rate, source, utility.exact_utilities)
        return choices[index], Labels("choice")

    public: tuple[tuple[str, object], ...] = (("epsilon", eps), ("sensitivity", checked_sensitivity))
    if mechanism != "exponential":
        public = (*public, ("mechanism", mechanism))
    return release_choice(
        "choice",
        choose_one,
        source,
        n_draws=0,
        sensitivity=checked_sensitivity,
        claim=Guarantee(eps),
        guarantee=Guarantee(eps, 0.0, "bounded", (SENSITIVITY_CONDITION,)),
        call=Call("choose", (("candidates", "candidates"), ("scores", "scores")), public),
        mechanism="exponential" if mechanism == "exponential" else "permute-and-flip",
        choose_exactly=choose_one,
        budget=check_budget(budget),
    )


def _check_candidates(candidates: object) -> list[object]:
    values = to_public_list(candidates, "candidates")
    if isinstance(values, (list, tuple, range)) and len(values):
        return list(values)
    raise PydpstatError(
        f"candidates must be a sequence with at least one candidate; got {checks.describe_value(candidates)}. "
        "Give a list."
    )


class Scores(NamedTuple):
    """Scores of the candidates. Private.

    `exact_utilities` has the differences from the best score, at most 0, and `floats` the nearest floats;
    `exact_utilities` is None if `floats` represents the scores exactly.
    """

    floats: np.ndarray
    exact_utilities: Sequence[Fraction] | None = None

    def __repr__(self) -> str:
        return hide_values(self)


def read_scores(scores: Data, n_candidates: int) -> Scores:
    """Read one score for each candidate; raise an error for a different number of scores or non-finite ones.

    A 64-bit float does not represent every integer above 2^53, nor every long double or fraction. Rounding could
    change such scores by more than their sensitivity, so their differences are computed as rationals first.
    """
    column = read_single_column(scores, "scores", _read_score_columns)
    values = column.arrays[0]
    if column.size != n_candidates:
        raise PydpstatError(
            f"scores must be one number for each of the {n_candidates} candidates; got {type(scores).__name__} "
            f"of {column.size} values. Give them in the candidates' order."
        )
    wide = values.dtype.itemsize > (8 if values.dtype.kind == "f" else 4)
    if wide and values.dtype.kind in "iu":
        # modulo 2^64 the differences are correct for signed and unsigned integers
        short = np.subtract(values.max(), values).astype(np.uint64)
        if short.max() < 2**53:
            return Scores(-short.astype(np.float64))
    if wide:
        values = values.astype(object)
    exactly = values.dtype.kind == "O"
    if not (all(map(_is_finite_number, values.tolist())) if exactly else np.isfinite(values).all()):
        raise PydpstatError(
            "scores must be finite; some are not. A score that can be infinite or missing has no "
            "sensitivity: clip it to public bounds first."
        )
    if not exactly:
        return Scores(values.astype(np.float64))
    ratios = list(map(_convert_to_fraction, values.tolist()))
    top = max(ratios)
    below = [score_ratio - top for score_ratio in ratios]
    # the nearest floats; very low utilities become the lowest float
    return Scores(np.array([max(checks.as_float(each), -sys.float_info.max) for each in below]), below)


def _read_score_columns(scores: Any, argument: str) -> Columns:
    # NumPy would convert integers to float in a list that has a float
    values = to_object_array(scores) if type(scores) in (list, tuple) else scores
    return read_columns(values, argument, lambda column: (_read_exact_numbers(column), None))


def _read_exact_numbers(column: object) -> np.ndarray:
    """Read numbers without conversion, in their dtype or as objects; NaN if masked."""
    values = column if isinstance(column, np.ndarray) else np.asarray(column)
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(object), np.nan)
    if values.dtype.kind in "fiu":
        return values
    other = next((type(number) for number in values.ravel().tolist() if not _is_exact_number(number)), None)
    if other is None and values.dtype.kind == "O":
        return values
    raise PydpstatError(
        f"scores must be numbers; got {(other or values.dtype.type).__name__} among them. Give integers, "
        "floats or fractions."
    )


def _is_exact_number(value: object) -> bool:
    return isinstance(value, get_args(ExactNumber)) and not isinstance(value, _EXCLUDED_TYPES) or is_missing(value)


def _is_finite_number(value: object) -> bool:
    return not is_missing(value) and value not in (math.inf, -math.inf)


def _convert_to_fraction(value: ExactNumber) -> Fraction:
    # NumPy integers have no as_integer_ratio
    if isinstance(value, (int, np.integer)):
        return Fraction(int(value))
    return Fraction(*value.as_integer_ratio())
