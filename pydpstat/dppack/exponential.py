"""DPpack's exponential mechanism: selection of a candidate by a utility computed from the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import has_columns, is_series
from pydpstat._data.native import read_variable
from pydpstat._lazy import pd
from pydpstat._release.choice import release_choice
from pydpstat.dppack._values import check_mirror_epsilon, to_plain_array
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._exponential import Choice
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.random import secure, source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

GIVEN_CONDITIONS = (
    "the given sensitivity is correct for these neighbors",
    "measure and candidates were chosen without the data",
)


@explain_wrong_calls
def ExponentialMechanism(
    utility: npt.ArrayLike,
    eps: float,
    sensitivity: float,
    measure: npt.ArrayLike | None = None,
    candidates: object = None,
    *,
    rng: object = None,
) -> DPResults:
    """Choose a candidate by utility, as ``DPpack::ExponentialMechanism``.

    Parameters
    ----------
    utility : array_like of shape (n,)
        Utility of each candidate, computed from the data. The names of a Series are kept.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    sensitivity : float
        Largest change of a utility by one record; above 0.
    measure : array_like of shape (n,), optional
        Public weight of each candidate, at least 0; 1 by default.
    candidates : sequence of length n, optional
        Candidates of the utilities. By default the position of the selected one is returned.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults
        Its estimate is the selected candidate as given, or its position, an int counted from 1 as in R.
        If `utility` is a Series with names, the position is a Series with the selected name.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return ``integer(0)``.

    See Also
    --------
    choose : pydpstat's function, whose guarantee holds exactly.
    DPMechExponential : that of diffpriv.

    Notes
    -----
    Guarantee: epsilon, for neighbors between which no utility differs by more than `sensitivity`.
    The probability of a candidate is proportional to measure * exp(eps * utility / (2 * sensitivity)).

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.

    Examples
    --------
    >>> from pydpstat import ExponentialMechanism, RRandom
    >>> votes = [12, 40, 31]
    >>> ExponentialMechanism(votes, 0.5, 1, rng=RRandom(123)).estimate
    2
    >>> ExponentialMechanism(votes, 0.5, 1, candidates=["tea", "coffee", "juice"], rng=RRandom(123)).estimate
    'coffee'
    """
    utility, measure, candidates = (
        read_variable(argument, name, needs_order=True)
        for argument, name in ((utility, "utility"), (measure, "measure"), (candidates, "candidates"))
    )
    values = _read_floats(utility, "utility", booleans=False)
    eps = check_mirror_epsilon(eps)
    sens = checks.check_scalar(sensitivity, "sensitivity")
    if sens <= 0:
        raise PydpstatError(
            f"sensitivity must be > 0; got {checks.describe_value(sensitivity)}. Give the most that one record "
            "can change a utility."
        )
    weights = None if measure is None else _read_measure(measure, values.size)
    choices = None if candidates is None else _read_candidates(candidates, values.size)
    choice = Choice(values, eps, sens, weights)
    source = source_from(rng, int_seeds_r=True)
    if source.reproducible:
        choice.check_candidates()
    # R uses the names of the utility, else of the measure; candidates have separate names
    element_names = [
        _get_series_names(argument) for argument in ((utility, measure) if candidates is None else (candidates,))
    ]
    names = next((each for each in element_names if each is not None), None)

    def label_choice(place: int) -> tuple[object, Labels]:
        labels = Labels("choice", None if names is None else (str(names[place]),))
        if choices is None:
            return place + 1, labels
        candidate = choices[place]
        # convert a NumPy scalar to a Python object
        return candidate.item() if isinstance(candidate, np.generic) else candidate, labels

    claim = Guarantee(eps, 0.0, "bounded")
    optional = (("measure", measure), ("candidates", candidates))
    optional_texts = tuple((f"{name}={name}", f"{name} = {name}") for name, value in optional if value is not None)
    return release_choice(
        "choice",
        lambda uniforms: label_choice(choice.choose_index(float(uniforms[0]))),
        source,
        n_draws=1,
        sensitivity=sens,
        claim=claim,
        guarantee=Guarantee(eps, 0.0, "bounded", GIVEN_CONDITIONS),
        call=Call(
            "ExponentialMechanism",
            (("utility", "utility"), *optional_texts),
            (("eps", eps), ("sensitivity", sensitivity)),
            "DPpack",
        ),
        grid=1.0 if choices is None and not source.reproducible else None,
        choose_exactly=lambda: label_choice(secure.choose(values, secure.choice_rate(eps, sens), weights)),
    )


def _read_floats(x: object, name: str, booleans: bool) -> np.ndarray:
    """Read numbers as a flat float array; error messages show only the type of the data."""
    array = to_plain_array(x)
    if array is not None and array.size == 0 and array.dtype.kind in "fO":
        array = np.empty(0)
    if array is None or array.dtype.kind not in ("fiub" if booleans else "fiu"):
        raise PydpstatError(
            f"{name} must be numeric atomic, a vector or a number; got {type(x).__name__}. "
            "Give a list, an array or a Series of numbers."
        )
    return array.astype(np.float64, copy=False).ravel(order="F")


def _read_measure(measure: object, size: int) -> np.ndarray:
    weights = _read_floats(measure, "measure", booleans=True)
    if weights.size != size:
        raise PydpstatError(
            f"Length of measure must match length of utility ({size}); got {weights.size}. "
            "Give one weight for each candidate."
        )
    if not (weights >= 0).all():
        raise PydpstatError("Values in measure cannot be negative or missing; some are. Give weights of at least 0.")
    return weights


def _read_candidates(candidates: Any, size: int) -> Sequence[object]:
    """Return the candidates as a sequence that can be indexed by position."""
    if isinstance(candidates, (str, bytes, dict, set)) or has_columns(candidates):
        raise PydpstatError(
            f"candidates must be a sequence, one for each utility; got {type(candidates).__name__}. "
            "Give a list, an array or a Series."
        )
    if isinstance(candidates, np.ndarray):
        candidates = candidates.ravel(order="F")
    elif not has_length(candidates) or not hasattr(candidates, "__getitem__"):
        candidates = [candidates]
    # a MultiIndex has tuples instead of an array
    several = getattr(candidates, "nlevels", 1) > 1
    candidates = list(candidates) if several else getattr(candidates, "array", candidates)
    if len(candidates) != size:
        raise PydpstatError(
            f"Length of candidates must match length of utility ({size}); got {len(candidates)}. "
            "Give one candidate for each utility."
        )
    return candidates


def _get_series_names(x: object) -> Sequence[object] | None:
    """Return the names of a Series; None for the default index of pandas."""
    if not is_series(x):
        return None

    return None if isinstance(x.index, pd.RangeIndex) else x.index
