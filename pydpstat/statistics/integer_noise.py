"""Integer noise for counts by the symmetric geometric mechanism."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import get_row_labels, get_series_name
from pydpstat._data.native import read_variable
from pydpstat._release.calibration import FixedNoiseCalibrator, calibrate_release
from pydpstat._release.charging import charge_budget
from pydpstat._release.pipeline import Query, release_query
from pydpstat._release.statistic import guard_release
from pydpstat._warn import warn_large_epsilon, warn_privacy
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.privacy import GeometricLoss, Guarantee
from pydpstat.r_arithmetic._arrays import to_numeric
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

NOISE_METHODS = ("difference", "sign")
# above this scale the largest of 2^53 draws would not fit into a 64-bit integer
MAX_NOISE_SCALE = 2.0**56
MAX_COUNT = 2**53
MAX_NOISE_DRAWS = 2**32
Geometric = SymmetricGeometricNoise | SignGeometricNoise
SENSITIVITY_CONDITIONS = ("the given sensitivity is correct for these neighbors",)


@guard_release
def symmetric_geometric(value: npt.ArrayLike, epsilon: float, *, sensitivity: int = 1, rng: object = None) -> DPResults:
    """Release counts with symmetric geometric noise, as integers.

    Parameters
    ----------
    value : int or array_like of int
        The counts, of any shape. A Series keeps its names.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    sensitivity : int, default 1
        L1 sensitivity of all counts together: 1 for one count or for disjoint cells if a record
        is added or removed, 2 for disjoint cells if a record is replaced.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

    Returns
    -------
    DPResults

    Raises
    ------
    PydpstatError
        If a value is not whole or an argument is invalid.

    See Also
    --------
    count : counts with this noise.
    symmetric_geometric_noise : draws of the noise only.
    pydpstat.mechanisms.Geometric : the mechanism.

    Notes
    -----
    Guarantee: epsilon, for neighbors between which the counts differ by at most `sensitivity`.
    The noise is the difference of two geometric variables; P(k) is proportional to
    ``exp(-epsilon |k| / sensitivity)``.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> from pydpstat import symmetric_geometric
    >>> r = symmetric_geometric(120, 1.0)
    >>> float(r).is_integer(), r.guarantee.epsilon
    (True, 1.0)
    """
    value = read_variable(value, "value", needs_order=True)
    counts = _check_integers(value)
    noise = SymmetricGeometricNoise(epsilon, sensitivity)
    _check_spread(noise)
    claim = Guarantee(noise.epsilon)
    guarantee = Guarantee(
        noise.epsilon, 0.0, "bounded", SENSITIVITY_CONDITIONS, GeometricLoss(noise.epsilon, noise.sensitivity)
    )
    name = get_series_name(value)
    labels = Labels("count" if name is None else name, get_row_labels(value))
    query = Query("count", counts, (float(noise.sensitivity),), labels, integer=True)
    source = source_from(rng)
    return release_query(
        query,
        calibrate_release(query.spec, FixedNoiseCalibrator(noise, claim, guarantee), source.reproducible),
        source,
        call=Call("symmetric_geometric", (("value", "value"),), (("epsilon", epsilon), ("sensitivity", sensitivity))),
    )


@explain_wrong_calls
def symmetric_geometric_noise(
    size: int, epsilon: float, *, sensitivity: int = 1, method: str = "difference", rng: object = None
) -> np.ndarray:
    """Draw integer noise for counts.

    Parameters
    ----------
    size : int
        Number of values; at least 0.
    epsilon : float
        Privacy parameter; positive and finite.
    sensitivity : int, default 1
        L1 sensitivity of the counts together.
    method : {"difference", "sign"}, default "difference"
        The difference of two geometric variables, or a random sign times one. The latter appears
        in teaching texts and is not the symmetric geometric distribution.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

    Returns
    -------
    ndarray of int64, shape (size,)

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    Warns
    -----
    PrivacyWarning
        With ``method="sign"``, which satisfies epsilon + log(2) only.

    See Also
    --------
    symmetric_geometric : counts with this noise, and a guarantee.
    pydpstat.mechanisms.SymmetricGeometricNoise : its distribution.

    Notes
    -----
    Guarantee of a count plus this noise: epsilon with ``"difference"``, epsilon + log(2) with
    ``"sign"``.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> from pydpstat import RRandom, symmetric_geometric_noise
    >>> symmetric_geometric_noise(5, 1.0, rng=RRandom(123))
    array([-2,  0,  0,  0,  0])
    """
    if not checks.is_number(size) or not 0 <= size < math.inf or size != int(size):
        raise PydpstatError(f"size must be a whole number of at least 0; got {checks.describe_value(size)}.")
    if size > MAX_NOISE_DRAWS:
        raise PydpstatError(f"size must be at most 2**32; got {checks.describe_value(size)}. Draw in several parts.")
    checks.check_choice(method, "method", NOISE_METHODS)
    source = source_from(rng)
    kind: type[Geometric] = SymmetricGeometricNoise if method == "difference" else SignGeometricNoise
    noise = kind(epsilon, sensitivity)
    _check_spread(noise)
    true_epsilon = noise.epsilon
    if isinstance(noise, SignGeometricNoise):
        true_epsilon = noise.epsilon_kept
        # a random sign times a geometric variable is not the symmetric geometric distribution
        warn_privacy(
            "symmetric_geometric_noise with method='sign' gives 0 twice the weight of the symmetric "
            f"geometric distribution. Its true epsilon is {noise.epsilon_kept:.4f}, not "
            f"{noise.epsilon:g}; at epsilon {noise.epsilon:g} its delta is "
            f"{float(noise.delta(noise.epsilon)):.4f}. Use method='difference'.",
            row="1",
            use="symmetric_geometric",
        )
    public = (("epsilon", epsilon), ("sensitivity", sensitivity), ("method", method))
    charge_budget(
        None,
        Guarantee(true_epsilon, 0.0, "bounded", SENSITIVITY_CONDITIONS),
        Call("symmetric_geometric_noise", (), public),
    )
    return noise.draw(source, int(size), 1.0).astype(np.int64)


def _check_spread(noise: Geometric) -> None:
    if noise.sensitivity / noise.epsilon > MAX_NOISE_SCALE:
        raise PydpstatError(
            f"epsilon must be large enough that the noise fits into 64-bit integers; got {noise.epsilon!r} "
            f"for sensitivity {noise.sensitivity!r}. Use at least {noise.sensitivity / MAX_NOISE_SCALE:.3g}."
        )
    warn_large_epsilon(noise.epsilon)


def _check_integers(value: npt.ArrayLike) -> np.ndarray:
    flat = to_numeric(value, "value")
    if flat.dtype.kind == "b" or not (np.isfinite(flat) & (flat == np.rint(flat))).all():
        raise PydpstatError(
            f"value must be whole numbers; got {type(value).__name__} with other values. "
            "Give counts, or use LaplaceMechanism for real numbers."
        )
    if flat.size and (flat.max() > MAX_COUNT or flat.min() < -MAX_COUNT):
        raise PydpstatError("value must be counts up to 2**53 in size, which a float holds exactly; rescale them.")
    shape = np.shape(value)
    if math.prod(shape) != flat.size:
        raise PydpstatError(f"value must be numbers; got {type(value).__name__} with several in one element.")
    return flat.astype(np.float64).reshape(shape, order="F")
