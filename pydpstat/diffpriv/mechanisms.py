"""diffpriv's mechanisms: target, sensitivity and kind of noise of a release."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydpstat.diffpriv._given import (
    Function,
    Slot,
    SlotObject,
    check_dimension,
    check_given_sensitivity,
    check_natural_number,
    check_response_set,
    check_sampling_gamma,
    check_target,
    refuse_unnamed,
)
from pydpstat.errors import PydpstatError


def return_zero(X: object) -> float:
    """Return 0, as the default target of a mechanism."""
    return 0.0


class DPMech(SlotObject):
    """Base class of the mechanisms, as R's virtual class ``DPMech``.

    Only its subclasses can be created.

    Parameters
    ----------
    sensitivity : float, default inf
        Largest change of the value of `target` by replacing one record; at least 0.
    target : callable
        Function of the data set whose value is released.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.

    Raises
    ------
    PydpstatError
        If the base class is instantiated.

    See Also
    --------
    DPMechLaplace, DPMechGaussian, DPMechExponential, DPMechBernstein : the mechanisms.
    releaseResponse : release by a mechanism.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). diffpriv: An R package for easy differential privacy.
    Journal of Machine Learning Research 18.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace
    >>> from pydpstat.diffpriv import DPMech
    >>> isinstance(DPMechLaplace(), DPMech)
    True
    """

    sensitivity = Slot(check_given_sensitivity)
    target = Slot(check_target)
    gammaSensitivity = Slot(check_sampling_gamma)

    def __init__(
        self,
        *unnamed: object,
        sensitivity: float = math.inf,
        target: Function = return_zero,
        gammaSensitivity: float | None = None,
    ) -> None:
        if type(self) in (DPMech, DPMechNumeric):
            raise PydpstatError(
                f"{type(self).__name__} is virtual and cannot be created. Use DPMechLaplace, "
                "DPMechGaussian, DPMechExponential or DPMechBernstein."
            )
        refuse_unnamed(self, unnamed)
        self.sensitivity = sensitivity
        self.target = target
        self.gammaSensitivity = gammaSensitivity

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "sensitivity":
            vars(self).pop("_sampled", None)

    @property
    def sampled(self) -> bool:
        """Whether the sensitivity is an estimate from `sensitivitySampler` rather than a bound."""
        return self.gammaSensitivity is not None or "_sampled" in vars(self)


class DPMechNumeric(DPMech):
    """Base class of mechanisms for numbers, as R's ``DPMechNumeric``.

    Only its subclasses can be created.

    Parameters
    ----------
    sensitivity : float, default inf
        Largest change of the value of `target` by replacing one record; at least 0.
    target : callable
        Function of the data set that returns numbers.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.
    dims : int, optional
        Number of values that `target` returns.

    Raises
    ------
    PydpstatError
        If the base class is instantiated.

    See Also
    --------
    DPMechLaplace, DPMechGaussian : its subclasses.

    References
    ----------
    Rubinstein, B. I. P. and Alda, F. (2017). diffpriv: An R package for easy differential privacy.
    Journal of Machine Learning Research 18.

    Examples
    --------
    >>> from pydpstat import DPMechGaussian, DPMechNumeric
    >>> isinstance(DPMechGaussian(), DPMechNumeric)
    True
    """

    dims = Slot(check_dimension)

    def __init__(
        self,
        *unnamed: object,
        sensitivity: float = math.inf,
        target: Function = return_zero,
        gammaSensitivity: float | None = None,
        dims: int | None = None,
    ) -> None:
        super().__init__(*unnamed, sensitivity=sensitivity, target=target, gammaSensitivity=gammaSensitivity)
        self.dims = dims


class DPMechLaplace(DPMechNumeric):
    """Laplace mechanism for numbers, as ``diffpriv::DPMechLaplace``.

    Parameters
    ----------
    sensitivity : float, default inf
        L1 distance by which replacing one record can change the numbers; at least 0. With 0 the exact
        numbers are released; infinity must first be replaced by `sensitivitySampler`.
    target : callable
        Function of the data set that returns a number or a vector of numbers. By default 0.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.
    dims : int, optional
        Number of values that `target` returns. `releaseResponse` needs it; `sensitivitySampler` sets it.

    Attributes
    ----------
    sensitivity, target, gammaSensitivity, dims
        Checked on assignment; R's ``@<-`` does not check them.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    pydpstat.mechanisms.Laplace : pydpstat's mechanism.
    releaseResponse : its release.

    Notes
    -----
    Guarantee of a release: epsilon, if `sensitivity` is a proven bound.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace, DPParamsEps, RRandom, releaseResponse
    >>> m = DPMechLaplace(sensitivity=1 / 4, target=lambda X: sum(X) / len(X), dims=1)
    >>> r = releaseResponse(m, DPParamsEps(epsilon=1), [0.1, 0.4, 0.3, 1.0], rng=RRandom(123))
    >>> round(r.response, 3)
    0.517
    """


class DPMechGaussian(DPMechNumeric):
    """Gaussian mechanism for numbers, as ``diffpriv::DPMechGaussian``.

    Parameters
    ----------
    sensitivity : float, default inf
        L2 distance by which replacing one record can change the numbers; at least 0. With 0 the exact
        numbers are released; infinity must first be replaced by `sensitivitySampler`.
    target : callable
        Function of the data set that returns a number or a vector of numbers. By default 0.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.
    dims : int, optional
        Number of values that `target` returns. `releaseResponse` needs it; `sensitivitySampler` sets it.

    Attributes
    ----------
    sensitivity, target, gammaSensitivity, dims
        Checked on assignment; R's ``@<-`` does not check them.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    pydpstat.mechanisms.Gaussian : pydpstat's mechanism, with the analytic calibration.
    releaseResponse : its release.

    Notes
    -----
    Guarantee of a release: (epsilon, delta) below epsilon 1, if `sensitivity` is a proven bound.
    The formula of the noise fails for large epsilons; `releaseResponse` then warns with the exact
    delta.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, appendix A.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy.
    ICML 2018.

    Examples
    --------
    >>> from pydpstat import DPMechGaussian, DPParamsDel, RRandom, releaseResponse
    >>> m = DPMechGaussian(sensitivity=1 / 4, target=lambda X: sum(X) / len(X), dims=1)
    >>> p = DPParamsDel(epsilon=0.5, delta=0.01)
    >>> round(releaseResponse(m, p, [0.1, 0.4, 0.3, 1.0], rng=RRandom(123)).response, 3)
    -0.421
    """


class DPMechExponential(DPMech):
    """Selection of one response from a set, as ``diffpriv::DPMechExponential``.

    Parameters
    ----------
    sensitivity : float, default inf
        Largest change of a quality by replacing one record; at least 0.
    target : callable
        Function of the data set that returns a function from responses to their qualities.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.
    responseSet : list
        Candidate responses, at least one, fixed without looking at the data.

    Attributes
    ----------
    sensitivity, target, gammaSensitivity, responseSet
        Checked on assignment; R's ``@<-`` does not check them.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    choose : pydpstat's selection, with the epsilon that holds.
    releaseResponse : its release.

    Notes
    -----
    R chooses with probabilities proportional to the qualities, in which epsilon and the sensitivity
    cancel: it is not the exponential mechanism, and no epsilon holds. `releaseResponse` warns.

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.

    Examples
    --------
    >>> from pydpstat import DPMechExponential
    >>> m = DPMechExponential(sensitivity=1, target=lambda X: lambda r: X.count(r), responseSet=["a", "b"])
    >>> m.responseSet
    ['a', 'b']
    """

    responseSet = Slot(check_response_set)

    def __init__(
        self,
        *unnamed: object,
        sensitivity: float = math.inf,
        target: Function = return_zero,
        gammaSensitivity: float | None = None,
        responseSet: Sequence[object] = (),
    ) -> None:
        super().__init__(*unnamed, sensitivity=sensitivity, target=target, gammaSensitivity=gammaSensitivity)
        if _has_default_slots(self) and isinstance(responseSet, tuple) and not responseSet:
            # R makes the empty object without a check
            vars(self)["responseSet"] = []
        else:
            self.responseSet = responseSet


class DPMechBernstein(DPMech):
    """Release of a function on the unit cube, as ``diffpriv::DPMechBernstein``.

    Parameters
    ----------
    sensitivity : float, default inf
        Largest change of the function at a lattice point by replacing one record; at least 0.
    target : callable
        Function of the data set that returns a function of a point: a float if `dims` is 1,
        else an array of `dims` numbers.
    gammaSensitivity : float, optional
        If the sensitivity was sampled: the share of data sets for which it may be too small.
    latticeK : int
        Number of lattice steps along each coordinate; at least 1.
    dims : int
        Number of coordinates; at least 1.

    Attributes
    ----------
    sensitivity, target, gammaSensitivity, latticeK, dims
        Checked on assignment; R's ``@<-`` does not check them.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    bernstein : the approximation that it releases.
    releaseResponse : its release.

    Notes
    -----
    Guarantee of a release: epsilon, if `sensitivity` is a proven bound. The released function
    has its noisy coefficients and nothing else. In R it is a closure whose environment also has
    the data, the exact function and the noise: saving or sharing it publishes the data.

    References
    ----------
    Alda, F. and Rubinstein, B. I. P. (2017). The Bernstein mechanism: function release under
    differential privacy. AAAI 2017.

    Examples
    --------
    >>> from pydpstat import DPMechBernstein, DPParamsEps, RRandom, releaseResponse
    >>> m = DPMechBernstein(sensitivity=0.1, target=lambda X: lambda y: y * sum(X), latticeK=2, dims=1)
    >>> r = releaseResponse(m, DPParamsEps(epsilon=2), [0.5, 1.0], rng=RRandom(123))
    >>> round(r.response(0.5), 3)
    0.857
    """

    latticeK = Slot(check_natural_number)
    dims = Slot(check_natural_number)

    def __init__(
        self,
        *unnamed: object,
        sensitivity: float = math.inf,
        target: Function = return_zero,
        gammaSensitivity: float | None = None,
        latticeK: int | None = None,
        dims: int | None = None,
    ) -> None:
        super().__init__(*unnamed, sensitivity=sensitivity, target=target, gammaSensitivity=gammaSensitivity)
        if _has_default_slots(self) and latticeK is None and dims is None:
            # R makes the empty object without a check
            vars(self).update(latticeK=None, dims=None)
        else:
            self.latticeK = latticeK
            self.dims = dims


def _has_default_slots(mechanism: DPMech) -> bool:
    return mechanism.sensitivity == math.inf and mechanism.target is return_zero and mechanism.gammaSensitivity is None
