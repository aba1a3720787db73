"""diffpriv's releases: the response of a target on private data, protected by a mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._release.calibration import QuerySpec, calibrate_release
from pydpstat._release.choice import release_choice
from pydpstat._release.pipeline import Query, release_query
from pydpstat._warn import note_r_warning
from pydpstat.diffpriv._given import (
    check_returned_function,
    check_returned_number,
    evaluate_target,
    read_target_numbers,
)
from pydpstat.diffpriv.bernstein import Bernstein, evaluate_on_lattice
from pydpstat.diffpriv.mechanisms import DPMech, DPMechBernstein, DPMechExponential, DPMechGaussian, DPMechLaplace
from pydpstat.diffpriv.params import (
    DPParamsDel,
    DPParamsEps,
    get_delta,
    make_release_call,
    make_release_guarantees,
    make_result_params,
)
from pydpstat.diffpriv.sensitivity import get_lattice_shape
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import compute_classical_sd
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, secure, source_from
from pydpstat.random.r_stream._sample import order_decreasing
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults


@explain_wrong_calls
def releaseResponse(mechanism: DPMech, privacyParams: DPParamsEps, X: object, *, rng: object = None) -> DPResponse:
    """Release a mechanism's target, as ``diffpriv::releaseResponse``.

    Parameters
    ----------
    mechanism : DPMechLaplace, DPMechGaussian, DPMechExponential or DPMechBernstein
        The target, its sensitivity, and the noise.
    privacyParams : DPParamsEps, DPParamsDel or DPParamsGam
        The parameters; the Gaussian mechanism needs a delta above 0.
    X : object
        Data set, in any form that the target accepts.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResponse
        A `DPResults` with ``response``, ``privacyParams``, ``sensitivity``, ``dims``, ``latticeK``
        and ``responseSet``. The response is a float, an array or a Series like the value of the target;
        one of the responses (exponential); a function of points (Bernstein).

    Raises
    ------
    PydpstatError
        If an argument is invalid, if the target does not return what the mechanism needs, or if R would return NaN or
        an infinite value.

    Warns
    -----
    PrivacyWarning
        If the guarantee is weaker than claimed: the exponential mechanism, a Gaussian one with a large
        epsilon, a sampled sensitivity, no noise at all.

    See Also
    --------
    DPMechLaplace, DPMechGaussian, DPMechExponential, DPMechBernstein : the mechanisms.
    mean, choose : releases of pydpstat.

    Notes
    -----
    Guarantee: (epsilon, delta) for one replaced record if the sensitivity is a proven bound and
    no warning is given.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). Pain-free random differential privacy with sensitivity
    sampling. ICML 2017.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace, DPParamsEps, RRandom, releaseResponse
    >>> m = DPMechLaplace(sensitivity=1 / 4, target=lambda X: sum(X) / len(X), dims=1)
    >>> r = releaseResponse(m, DPParamsEps(epsilon=1), [0.1, 0.4, 0.3, 1.0], rng=RRandom(123))
    >>> round(r.response, 3), r.guarantee.epsilon
    (0.517, 1.0)
    """
    if not isinstance(privacyParams, DPParamsEps):
        raise PydpstatError(
            "privacyParams must be a DPParamsEps, DPParamsDel or DPParamsGam; "
            f"got {type(privacyParams).__name__}. Give for example DPParamsEps(epsilon=1)."
        )
    source = _resolve_source(rng)
    if isinstance(mechanism, (DPMechLaplace, DPMechGaussian)):
        return _release_numbers(mechanism, privacyParams, X, source)
    if isinstance(mechanism, DPMechExponential):
        return _release_choice(mechanism, privacyParams, X, source)
    if isinstance(mechanism, DPMechBernstein):
        return _release_function(mechanism, privacyParams, X, source)
    raise PydpstatError(
        f"mechanism must be one of diffpriv's; got {checks.describe_value(mechanism)}. Give for example "
        "DPMechLaplace(target=lambda X: sum(X), sensitivity=1)."
    )


def _resolve_source(rng: object) -> Source:
    source = source_from(rng, int_seeds_r=True)
    from pydpstat.random._seeded import DifferenceSource, RSource

    return DifferenceSource(source.stream) if isinstance(source, RSource) else source


class ResponseCalibrator(NamedTuple):
    """Calibrator of a target's response; both objects are mutable, so that it cannot be cached."""

    mechanism: DPMech
    params: DPParamsEps

    def calibrate(self, query_spec: QuerySpec, sensitivities: tuple[float, ...]) -> LaplaceNoise | GaussianNoise:
        """Return noise by R's calibration."""
        sensitivity, params = sensitivities[0], self.params
        if sensitivity == math.inf:
            raise PydpstatError(
                "sensitivity must be finite; got inf, for which R returns NaN or stops. "
                "Give a proven bound, or let sensitivitySampler estimate one."
            )
        if isinstance(self.mechanism, DPMechGaussian):
            sd = compute_classical_sd(params.epsilon, get_delta(params), sensitivity)
            return GaussianNoise.mirrored(_require_finite_scale(sd))
        return LaplaceNoise.mirrored(_require_finite_scale(sensitivity / params.epsilon))

    def make_guarantees(self, query_spec: QuerySpec, noise: object) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee, and warn if they differ."""
        return make_release_guarantees(self.mechanism, self.params, noise)


def _release_numbers(
    mechanism: DPMechLaplace | DPMechGaussian, params: DPParamsEps, X: object, source: Source
) -> DPResponse:
    value, names = read_target_numbers(evaluate_target(mechanism.target, X))
    if mechanism.dims is None:
        raise PydpstatError(
            "dims must be set to the number of values that target returns; got None. "
            "Give it, or let sensitivitySampler find it."
        )
    if value.size != mechanism.dims:
        note_r_warning(f"the number of values that target returns differs from dims, {mechanism.dims}.")
    published = make_result_params(mechanism, params)
    if isinstance(mechanism, DPMechGaussian):
        _check_delta(params)
    query = Query("response", value, (mechanism.sensitivity,), Labels("response", names))
    released = _release_query(query, mechanism, params, source)
    return make_response(released, privacyParams=published, dims=mechanism.dims)


def _release_query(query: Query, mechanism: DPMech, params: DPParamsEps, source: Source) -> DPResults:
    prepared = calibrate_release(query.spec, ResponseCalibrator(mechanism, params), source.reproducible)
    return release_query(query, prepared, source, call=make_release_call(mechanism, params))


def _release_function(mechanism: DPMechBernstein, params: DPParamsEps, X: object, source: Source) -> DPResponse:
    exact = check_returned_function(evaluate_target(mechanism.target, X))
    dims, k = get_lattice_shape(mechanism)
    published = make_result_params(mechanism, params)
    points = (k + 1) ** dims

    # one record changes each coefficient by up to the sensitivity, and their L1 norm by the sum over all
    query = Query(
        "response",
        evaluate_on_lattice(exact, dims, k),
        (mechanism.sensitivity * points,),
        Labels("coefficient"),
    )
    released = _release_query(query, mechanism, params, source)
    # as in R's list, the sensitivity is that at one lattice point
    return make_response(released, privacyParams=published, sensitivity=mechanism.sensitivity, dims=dims, latticeK=k)


def _release_choice(mechanism: DPMechExponential, params: DPParamsEps, X: object, source: Source) -> DPResponse:
    score = check_returned_function(evaluate_target(mechanism.target, X))
    responses = mechanism.responseSet
    qualities = [check_returned_number(score(response)) for response in responses]
    prob = _compute_probabilities(qualities, params.epsilon, mechanism.sensitivity)
    published = make_result_params(mechanism, params)
    claim, guarantee = make_release_guarantees(mechanism, params, None)
    released = release_choice(
        "response",
        lambda uniforms: (responses[_select_index(prob, float(uniforms[0]))], Labels("response")),
        source,
        n_draws=1,
        sensitivity=mechanism.sensitivity,
        claim=claim,
        guarantee=guarantee,
        call=make_release_call(mechanism, params),
        # R's probabilities exactly: they are proportional to the qualities
        choose_exactly=lambda: (
            responses[secure.choose(np.zeros(len(qualities)), measure=np.abs(qualities))],
            Labels("response"),
        ),
    )
    return make_response(released, privacyParams=published, responseSet=tuple(responses))


def _compute_probabilities(qualities: list[float], epsilon: float, sensitivity: float) -> Floats:
    """Return the probabilities that R's sample() uses; epsilon and the sensitivity cancel."""
    with np.errstate(all="ignore"):
        prob = np.array(qualities) * np.divide(epsilon, 2.0 * sensitivity)
        prob /= r.sum(prob)
    if not np.isfinite(prob).all():
        raise PydpstatError(
            f"the probabilities of the responses are not numbers with sensitivity {sensitivity!r} and "
            f"epsilon {epsilon!r}: both must be finite and the sensitivity above 0, no quality may be "
            "missing or infinite, and their sum must not be 0."
        )
    if not prob.any():
        raise PydpstatError(
            f"too few positive probabilities: with sensitivity {sensitivity!r} and epsilon {epsilon!r} the "
            "qualities overflow, or they are all 0. Give a larger sensitivity."
        )
    if (prob < 0.0).any():
        raise PydpstatError(
            "the qualities of the responses must not have both signs: R's probabilities are proportional to "
            "them. Add a public constant that makes them positive."
        )
    prob /= np.add.accumulate(prob)[-1]
    return prob


def _select_index(prob: Floats, uniform: float) -> int:
    """Return the index that R's sample() selects, with the probabilities in descending order."""
    order = order_decreasing(prob)
    index = int(np.searchsorted(np.add.accumulate(prob[order]), uniform))
    return int(order[min(index, order.size - 1)])


def _check_delta(params: DPParamsEps) -> None:
    if not isinstance(params, DPParamsDel):
        raise PydpstatError(
            f"privacyParams must have a delta for DPMechGaussian; got {params!r}. "
            "Give for example DPParamsDel(epsilon=0.5, delta=1e-6)."
        )
    if params.delta == 0.0:
        raise PydpstatError(
            "privacyParams must have a delta above 0 for DPMechGaussian; got 0, for which R returns NaN. "
            "Give a small one, for example 1e-6."
        )


def _require_finite_scale(scale: float) -> float:
    if not math.isfinite(scale):
        raise PydpstatError(
            "the noise scale is not finite, so R would return NaN. Give a larger epsilon; "
            f"got {checks.describe_value(scale)}."
        )
    return float(scale)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResponse(DPResults):
    """Released response: `DPResults` with the names of R's list.

    R's list also contains the target; this class has no function of the caller and no private data.

    Parameters
    ----------
    privacyParams : DPParamsEps
        Copy of the parameters; a `DPParamsGam` if the sensitivity was sampled.
    dims : int or None
        Number of released numbers, or of the released function's coordinates.
    latticeK : int or None
        Lattice steps of a released function.
    responseSet : tuple or None
        Candidate responses.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace, DPParamsEps, RRandom, releaseResponse
    >>> m = DPMechLaplace(sensitivity=1, target=len, dims=1)
    >>> r = releaseResponse(m, DPParamsEps(), ["a", "b"], rng=RRandom(123))
    >>> round(r.response, 3), r.privacyParams, r.dims, r.sensitivity
    (2.267, DPParamsEps(epsilon=1.0), 1, 1.0)
    """

    privacyParams: DPParamsEps
    dims: int | None = None
    latticeK: int | None = None
    responseSet: tuple[object, ...] | None = None

    @property
    def response(self) -> Any:
        """Released response: a float, an array, a Series, a selected response, or a function."""
        if self.latticeK is not None and self.dims is not None:
            return Bernstein(self.dims, self.latticeK, self.value)
        return self.estimate


def make_response(released: DPResults, **parts: object) -> DPResponse:
    """Return a release with the fields of R's list, which may replace its own."""
    values = {field.name: getattr(released, field.name) for field in fields(released)}
    return DPResponse(**{**values, **parts})
