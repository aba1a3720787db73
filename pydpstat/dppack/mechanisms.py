"""DPpack's mechanisms: noise for values with a sensitivity given by the caller."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import get_row_labels
from pydpstat._data.native import read_variable, to_public_list
from pydpstat._release.calibration import calibrate_release
from pydpstat._release.pipeline import Query, release_query
from pydpstat.dppack._noise import AllocationCalibrator, calibrate_analytic_loop, check_noise_delta
from pydpstat.dppack._values import check_mirror_epsilon, get_column_name, to_plain_array
from pydpstat.errors import PydpstatError
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

GIVEN_CONDITIONS = ("the given sensitivities are correct for these neighbors",)


@explain_wrong_calls
def LaplaceMechanism(
    true_values: npt.ArrayLike,
    eps: float,
    sensitivities: npt.ArrayLike,
    alloc_proportions: npt.ArrayLike | None = None,
    *,
    rng: object = None,
) -> DPResults:
    """Release numbers with Laplace noise, as ``DPpack::LaplaceMechanism`` does.

    Parameters
    ----------
    true_values : float or array_like
        The true values, of any shape. A Series keeps its names.
    eps : float
        Privacy parameter epsilon of the whole release; above 0 and finite.
    sensitivities : float or array_like
        L1 sensitivity of all values together, or one for each value, in the values' unit.
    alloc_proportions : array_like, optional
        Shares of epsilon for the values, one for each sensitivity. By default the noise of all
        values is calibrated to the sum of the sensitivities.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    pydpstat.mechanisms.Laplace : pydpstat's mechanism, for a release.
    DPMechLaplace : that of diffpriv.

    Notes
    -----
    Guarantee: epsilon, for neighbors between which the values differ by at most `sensitivities`.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006.

    Examples
    --------
    >>> from pydpstat import LaplaceMechanism, RRandom
    >>> r = LaplaceMechanism([10, 20], 1.0, 1.0, rng=RRandom(123))
    >>> r.estimate.round(3)
    array([ 9.447, 20.859])
    """
    arguments = {"eps": eps, "sensitivities": sensitivities, "alloc_proportions": alloc_proportions}
    return _release_values("LaplaceMechanism", true_values, arguments, rng)


@explain_wrong_calls
def GaussianMechanism(
    true_values: npt.ArrayLike,
    eps: float,
    delta: float,
    sensitivities: npt.ArrayLike,
    type_DP: str = "aDP",
    alloc_proportions: npt.ArrayLike | None = None,
    analytic: bool = False,
    tol: float = 1e-12,
    *,
    rng: object = None,
) -> DPResults:
    """Release numbers with Gaussian noise, as ``DPpack::GaussianMechanism`` does.

    Parameters
    ----------
    true_values : float or array_like
        The true values, of any shape. A Series keeps its names.
    eps : float
        Privacy parameter epsilon; above 0 and finite, below 1 for the classical ``"aDP"``.
    delta : float
        Privacy parameter delta; a small probability.
    sensitivities : float or array_like
        L2 sensitivity of all values together, or one for each value, in the values' unit.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic differential privacy.
    alloc_proportions : array_like, optional
        Shares of epsilon and delta for the values, one for each sensitivity.
    analytic : bool, default False
        Calibrate by the analytic Gaussian mechanism, which holds for every epsilon.
    tol : float, default 1e-12
        Absolute tolerance of the analytic calibration.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        If `delta` is 1 or more, or if the analytic calibration misses a small delta.

    See Also
    --------
    pydpstat.mechanisms.Gaussian : pydpstat's mechanism, for a release.
    calibrateAnalyticGaussianMechanism : its noise with the analytic calibration.

    Notes
    -----
    Guarantee: (epsilon, delta), for neighbors whose values differ by at most `sensitivities`.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, appendix A.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy.
    ICML 2018.

    Examples
    --------
    >>> from pydpstat import GaussianMechanism, RRandom
    >>> r = GaussianMechanism(10, 0.5, 0.01, 1.0, analytic=True, rng=RRandom(123))
    >>> round(r, 3), round(r.noise_scale, 3)
    (8.236, 3.147)
    """
    arguments = {
        "eps": eps,
        "delta": delta,
        "sensitivities": sensitivities,
        "type_DP": type_DP,
        "alloc_proportions": alloc_proportions,
        "analytic": analytic,
        "tol": tol,
    }
    return _release_values("GaussianMechanism", true_values, arguments, rng)


@overload
def calibrateAnalyticGaussianMechanism(
    epsilon: float, delta: float, sensitivity: float, tol: float = 1e-12
) -> float: ...


@overload
def calibrateAnalyticGaussianMechanism(
    epsilon: float, delta: float, sensitivity: npt.ArrayLike, tol: float = 1e-12
) -> float | npt.NDArray[np.float64]: ...


@explain_wrong_calls
def calibrateAnalyticGaussianMechanism(
    epsilon: float, delta: float, sensitivity: npt.ArrayLike, tol: float = 1e-12
) -> float | npt.NDArray[np.float64]:
    """Return the analytic Gaussian mechanism's scale by R's bisection.

    `pydpstat.calibrate_gaussian` is more accurate, faster, and never below the exact value.

    Parameters
    ----------
    epsilon : float
        Privacy parameter epsilon; above 0.
    delta : float
        Privacy parameter delta; from 0 to 1.
    sensitivity : float or array_like
        L2 sensitivity, in the statistic's unit.
    tol : float, default 1e-12
        The bisection stops when delta is met to this absolute tolerance.

    Returns
    -------
    float or ndarray
        The standard deviation, in the statistic's unit.

    Raises
    ------
    PydpstatError
        If R stops or never returns.

    See Also
    --------
    calibrate_gaussian : pydpstat's function.
    GaussianMechanism : noise with this scale.

    Notes
    -----
    Guarantee: delta is met to within `tol`. For delta of 1e-12 or less, R's default tolerance may
    give a much larger delta than asked for.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy.
    ICML 2018, algorithm 1.

    Examples
    --------
    >>> from pydpstat import calibrateAnalyticGaussianMechanism
    >>> round(calibrateAnalyticGaussianMechanism(1, 1e-6, 1), 6)
    4.224679
    """
    return calibrate_analytic_loop(epsilon, delta, sensitivity, tol)


def _release_values(function: str, true_values: npt.ArrayLike, arguments: dict[str, Any], rng: object) -> DPResults:
    """Check in R's order, calibrate, and release; Laplace noise has no delta."""
    true_values = read_variable(true_values, "true_values", needs_order=True)
    value = to_plain_array(true_values)
    if value is None or value.dtype.kind not in "fiu":
        truths = value is not None and value.dtype.kind == "b"
        received = "truth values" if truths else type(true_values).__name__
        raise PydpstatError(
            f"true_values must be numeric atomic vectors or scalars; got {received}. Give a number, a list or an "
            "array of numbers."
        )
    labels = Labels(get_column_name(true_values, "value"), get_row_labels(true_values))
    # checked by the calibration
    lists = {name: to_public_list(each, name) for name, each in arguments.items()}
    sensitivities = tuple(checks.to_array(lists["sensitivities"]).ravel().tolist())
    query = Query("value", value.astype(np.float64), sensitivities, labels)
    source = source_from(rng, int_seeds_r=True)
    is_laplace = "delta" not in arguments
    spec = AllocationCalibrator(
        function,
        is_laplace,
        check_mirror_epsilon(arguments["eps"]),
        0.0 if is_laplace else check_noise_delta(arguments["delta"]),
        arguments.get("type_DP"),
        arguments.get("analytic", False),
        "bounded",
        GIVEN_CONDITIONS,
        alloc_proportions=lists["alloc_proportions"],
        tol=arguments.get("tol", 1e-12),
    )
    prepared = calibrate_release(query.spec, spec, source.reproducible)
    spec.warn_weak_noise(query.spec)
    record = Call(function, (("true_values", "true.values"),), tuple(arguments.items()), "DPpack")
    return release_query(query, prepared, source, call=record)
