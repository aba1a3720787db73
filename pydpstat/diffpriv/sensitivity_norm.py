"""How far apart two data sets are in a mechanism's norm: the distance that its noise has to cover."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat._warn import note
from pydpstat.diffpriv._responses import exact_numbers, function_of, quality
from pydpstat.diffpriv.bernstein import check_lattice, lattice_values
from pydpstat.diffpriv.mechanisms import (
    DPMech,
    DPMechBernstein,
    DPMechExponential,
    DPMechGaussian,
    DPMechLaplace,
)
from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]


def sensitivityNorm(mechanism: DPMech, X1: Any, X2: Any) -> float:
    """Return the distance between a target's values on two data sets, as ``diffpriv::sensitivityNorm``.

    Parameters
    ----------
    mechanism : DPMech
        Its target is evaluated, and its norm taken: L1 (Laplace), L2 (Gaussian), or the largest
        difference over the responses (exponential) or the lattice points (Bernstein).
    X1, X2 : object
        The two data sets, whatever the target takes.

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        Where the target does not return what the mechanism needs.

    Notes
    -----
    Nothing is protected: the distance is an exact function of the data.

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
        return _numeric_norm(mechanism, mechanism.target(X1), mechanism.target(X2))
    if isinstance(mechanism, DPMechExponential):
        first, second = function_of(mechanism.target(X1)), function_of(mechanism.target(X2))
        pairs = [(quality(first(each)), quality(second(each))) for each in mechanism.responseSet]
        return _largest(np.array([a - b for a, b in pairs]))
    if isinstance(mechanism, DPMechBernstein):
        first, second = function_of(mechanism.target(X1)), function_of(mechanism.target(X2))
        dims, k = lattice_of(mechanism)
        with np.errstate(invalid="ignore", over="ignore"):
            return _largest(lattice_values(first, dims, k) - lattice_values(second, dims, k))
    raise PydpstatError(
        f"mechanism must be one of diffpriv's; got {type(mechanism).__name__}. Make a DPMechLaplace, say."
    )


def lattice_of(mechanism: DPMechBernstein) -> tuple[int, int]:
    """Return dims and latticeK, which an empty object does not have, of a lattice that can be evaluated."""
    if mechanism.dims is None or mechanism.latticeK is None:
        raise PydpstatError("DPMechBernstein needs latticeK and dims; this object was made without them.")
    check_lattice(mechanism.dims, mechanism.latticeK, "latticeK")
    return mechanism.dims, mechanism.latticeK


def _numeric_norm(mechanism: DPMechLaplace | DPMechGaussian, raw1: Any, raw2: Any) -> float:
    dims = mechanism.dims
    if type(raw1) is float and type(raw2) is float and dims == 1:
        return abs(raw1 - raw2)
    first, second = exact_numbers(raw1)[0], exact_numbers(raw2)[0]
    if first.size != second.size:
        raise PydpstatError(
            "target must return as many numbers on both data sets; it returned "
            f"{first.size} and {second.size}. Check it on data sets of this size."
        )
    if dims is None:
        note("the mechanism's dims is not set.")
    elif not first.size == second.size == dims:
        note(f"target does not return as many numbers as dims says, {dims}.")
    # infinite values make R's Inf or NaN
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        difference = np.ravel(first) - np.ravel(second)
        if isinstance(mechanism, DPMechGaussian):
            return math.sqrt(r.sum(difference * difference))
        return float(r.sum(np.abs(difference)))


def _largest(difference: Floats) -> float:
    return float(np.abs(difference).max())
