"""diffpriv's sensitivity: distance between values of a target, and the order statistic of the sampler."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.progress import Progress
from pydpstat._warn import note_r_warning
from pydpstat.diffpriv._given import (
    Function,
    add_record,
    check_natural_number,
    check_returned_function,
    check_returned_number,
    evaluate_target,
    read_target_numbers,
    replace_slots,
    to_data_set,
)
from pydpstat.diffpriv._sampler_plan import MAX_SAMPLES, make_sampler_plan
from pydpstat.diffpriv.bernstein import check_lattice_size, evaluate_on_lattice
from pydpstat.diffpriv.mechanisms import (
    DPMech,
    DPMechBernstein,
    DPMechExponential,
    DPMechGaussian,
    DPMechLaplace,
    DPMechNumeric,
)
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import source_from

Mechanism = TypeVar("Mechanism", bound=DPMech)

_log = logging.getLogger(__name__)


@explain_wrong_calls
def sensitivityNorm(mechanism: DPMech, X1: object, X2: object) -> float:
    """Return the distance between a target's values on two data sets.

    R's function is ``diffpriv::sensitivityNorm``.

    Parameters
    ----------
    mechanism : DPMech
        Mechanism with the target and the norm: L1 (Laplace), L2 (Gaussian), or the largest
        difference over the responses (exponential) or the lattice points (Bernstein).
    X1, X2 : object
        Two data sets, in any form that the target accepts.

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        If the target does not return what the mechanism needs.

    See Also
    --------
    sensitivitySampler : the largest of many draws of it.
    DPMechNumeric : the mechanisms that use it.

    Notes
    -----
    The result is not private: the distance is an exact function of the data.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). Pain-free random differential privacy with sensitivity
    sampling. ICML 2017.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace, sensitivityNorm
    >>> m = DPMechLaplace(target=lambda X: sum(X) / len(X), dims=1)
    >>> sensitivityNorm(m, [1.0, 2.0], [1.0, 5.0])
    1.5
    """
    if isinstance(mechanism, (DPMechLaplace, DPMechGaussian)):
        return _compute_numeric_norm(
            mechanism, evaluate_target(mechanism.target, X1), evaluate_target(mechanism.target, X2)
        )
    if isinstance(mechanism, (DPMechExponential, DPMechBernstein)):
        function1, function2 = (check_returned_function(evaluate_target(mechanism.target, X)) for X in (X1, X2))
        if isinstance(mechanism, DPMechExponential):
            pairs = [
                (check_returned_number(function1(response)), check_returned_number(function2(response)))
                for response in mechanism.responseSet
            ]
            return _compute_max_norm(np.array([a - b for a, b in pairs]))
        dims, k = get_lattice_shape(mechanism)
        with np.errstate(invalid="ignore", over="ignore"):
            return _compute_max_norm(evaluate_on_lattice(function1, dims, k) - evaluate_on_lattice(function2, dims, k))
    raise PydpstatError(
        f"mechanism must be one of diffpriv's; got {checks.describe_value(mechanism)}. Give for example "
        "DPMechLaplace(target=lambda X: sum(X), sensitivity=1)."
    )


def get_lattice_shape(mechanism: DPMechBernstein) -> tuple[int, int]:
    """Return dims and latticeK of a lattice of allowed size; raise an error for an empty object, which has none."""
    if mechanism.dims is None or mechanism.latticeK is None:
        raise PydpstatError("DPMechBernstein needs latticeK and dims; this object was created without them.")
    check_lattice_size(mechanism.dims, mechanism.latticeK, "latticeK")
    return mechanism.dims, mechanism.latticeK


def _compute_numeric_norm(mechanism: DPMechLaplace | DPMechGaussian, raw1: object, raw2: object) -> float:
    dims = mechanism.dims
    if type(raw1) is float and type(raw2) is float and dims == 1:
        return abs(raw1 - raw2)
    numbers1, numbers2 = read_target_numbers(raw1)[0], read_target_numbers(raw2)[0]
    if numbers1.size != numbers2.size:
        raise PydpstatError(
            "target must return the same number of values on both data sets; it returned "
            f"{numbers1.size} and {numbers2.size}. Check it on data sets of this size."
        )
    if dims is None:
        note_r_warning("the mechanism's dims is not set.")
    elif not numbers1.size == numbers2.size == dims:
        note_r_warning(f"the number of values that target returns differs from dims, {dims}.")
    # infinite values lead to R's Inf or NaN
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        difference = np.ravel(numbers1) - np.ravel(numbers2)
        if isinstance(mechanism, DPMechGaussian):
            return math.sqrt(r.sum(difference * difference))
        return float(r.sum(np.abs(difference)))


def _compute_max_norm(difference: Floats) -> float:
    return float(np.abs(difference).max())


@explain_wrong_calls
def sensitivitySampler(
    object: Mechanism,
    oracle: Function,
    n: int,
    m: int | None = None,
    gamma: float | None = None,
    *,
    rng: object = None,
) -> Mechanism:
    """Estimate a mechanism's sensitivity from random data.

    R's function is ``diffpriv::sensitivitySampler``.

    Parameters
    ----------
    object : DPMech
        Mechanism, which is not changed; a copy is returned.
    oracle : callable
        ``oracle(n)`` returns n random records: an array of numbers, a list, or a matrix or frame
        with records in rows; for 1 it may return the record itself. One with a parameter ``rng``
        is called as ``oracle(n, rng=rng)``, so that it can draw from the same stream.
    n : int
        Number of records of the data to be released; at least 1.
    m : int, optional
        Number of random pairs of data sets; by default the number required by `gamma`.
    gamma : float, optional
        Share of the data sets for which the sensitivity may be too small; between 0 and 1. By
        default the smallest for `m`.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Passed to an oracle with this parameter; None is a new NumPy generator, an int seeds R's stream.

    Returns
    -------
    DPMech
        With the sampled `sensitivity`, `gammaSensitivity`, and `dims` if it was not set.

    Raises
    ------
    PydpstatError
        If neither `m` nor `gamma` is given, if `gamma` is too small for `m`, or if R returns a sensitivity that is
        missing or infinite.

    See Also
    --------
    sensitivitySamplerManual : sampler with a given number of draws.
    pydpstat.teaching.sensitivity : a search for the largest change.

    Notes
    -----
    Guarantee of a release with it: random differential privacy, for data whose records are drawn
    independently from exactly this oracle; for other data nothing is guaranteed. `releaseResponse` warns. If
    the influential records are rare, the sampled sensitivity can be 0, and then no noise is added.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). Pain-free random differential privacy with sensitivity
    sampling. ICML 2017.
    Hall, R., Rinaldo, A. and Wasserman, L. (2012). Random differential privacy. Journal of Privacy
    and Confidentiality 4(2), 43-59.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat import DPMechLaplace, RRandom, sensitivitySampler
    >>> rng = RRandom(123)
    >>> m = DPMechLaplace(target=lambda X: float(np.mean(X)), dims=1)
    >>> m = sensitivitySampler(m, lambda n: rng.rnorm(n), n=100, gamma=0.33)
    >>> round(m.sensitivity, 4), m.gammaSensitivity
    (0.0226, 0.33)
    """
    _check_mechanism(object)
    plan = make_sampler_plan(m, gamma)
    _log.info("Sampling sensitivity: m=%d gamma=%r k=%d", *plan)
    return sensitivitySamplerManual(
        replace_slots(object, gammaSensitivity=plan.gamma), oracle, n, plan.m, plan.k, rng=rng
    )


@explain_wrong_calls
def sensitivitySamplerManual(
    object: Mechanism, oracle: Function, n: int, m: int, k: int, *, rng: object = None
) -> Mechanism:
    """Estimate a sensitivity by an order statistic of random distances.

    R's function is ``diffpriv::sensitivitySamplerManual``.

    `sensitivitySampler` is preferred: this function does not set `gammaSensitivity`.

    Parameters
    ----------
    object : DPMech
        Mechanism, which is not changed; a copy is returned.
    oracle : callable
        As in `sensitivitySampler`.
    n : int
        Number of records of the data to be released; at least 1.
    m : int
        Number of random pairs of data sets; at least 1.
    k : int
        Rank of the selected distance among the m in ascending order; from 1 to `m`.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        As in `sensitivitySampler`.

    Returns
    -------
    DPMech
        With the sampled `sensitivity`, and `dims` if it was not set.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R returns a sensitivity that is missing or infinite.

    See Also
    --------
    sensitivitySampler : sampler that determines the number of draws.

    Notes
    -----
    Guarantee of a release with it: random differential privacy at best, with an unknown gamma.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). Pain-free random differential privacy with sensitivity
    sampling. ICML 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat import DPMechLaplace, RRandom, sensitivitySamplerManual
    >>> rng = RRandom(123)
    >>> m = DPMechLaplace(target=lambda X: float(np.mean(X)), dims=1)
    >>> m = sensitivitySamplerManual(m, lambda n: rng.rnorm(n), n=100, m=10, k=10)
    >>> round(m.sensitivity, 4)
    0.0226
    """
    _check_mechanism(object)
    if not callable(oracle):
        raise PydpstatError(
            f"oracle must be a function of the number of records; got {checks.describe_value(oracle)}. "
            "Give for example lambda n: rng.rnorm(n)."
        )
    n, m, k = (
        check_natural_number(n, "n", MAX_SAMPLES),
        check_natural_number(m, "m", MAX_SAMPLES),
        check_natural_number(k, "k"),
    )
    if k > m:
        raise PydpstatError(f"k must be a whole number from 1 to m, which is {m}; got {k}.")
    draw = _bind_oracle(oracle, rng)
    slots: dict[str, int] = {}
    if isinstance(object, DPMechNumeric) and object.dims is None:
        slots["dims"] = int(read_target_numbers(object.target(to_data_set(draw(n))))[0].size)
    distances = np.sort(_sample_distances(replace_slots(object, **slots), draw, n, m))
    # missing distances sort last here and are left out in R
    sensitivity = float(distances[k - 1])
    if not math.isfinite(sensitivity):
        raise PydpstatError(
            "the sampled sensitivity is missing or infinite, as R's NA or Inf: target returns such values on "
            "data from the oracle. Check both."
        )
    return replace_slots(object, sensitivity=sensitivity, _sampled=True, **slots)


def _sample_distances(object: DPMech, draw: Callable[[int], object], n: int, m: int) -> np.ndarray:
    """Return the distances of m random pairs of data sets that differ in their last record."""
    distances = np.empty(m)
    with Progress(lambda: m, "samples") as progress:
        for i in range(m):
            common = draw(n - 1)
            data1 = add_record(common, draw(1))
            data2 = add_record(common, draw(1))
            distances[i] = sensitivityNorm(object, data1, data2)
            progress.add_done()
    return distances


def _bind_oracle(oracle: Function, rng: object) -> Callable[[int], object]:
    """Return the oracle as a function of the number of records only."""
    source_from(rng, int_seeds_r=True)
    seed = checks.as_integer(rng)
    if not checks.has_parameter(oracle, "rng"):
        if seed is not None:
            raise PydpstatError(
                f"rng={rng!r} has no effect: oracle has no parameter rng. Write def oracle(n, rng), "
                "or let it use its own generator."
            )
        return oracle
    if rng is None:
        rng = np.random.default_rng()
    elif seed is not None:
        from pydpstat.random.r_stream import RRandom

        rng = RRandom(seed)
    return lambda size: oracle(size, rng=rng)


def _check_mechanism(object: object) -> None:
    if not isinstance(object, DPMech):
        raise PydpstatError(
            f"object must be a DPMech; got {type(object).__name__}. Create one, for example DPMechLaplace()."
        )
