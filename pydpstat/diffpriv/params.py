"""Privacy parameters of diffpriv: epsilon, (epsilon, delta), and random differential privacy."""

from __future__ import annotations

from pydpstat import _checks as checks
from pydpstat._warn import note
from pydpstat.diffpriv._slots import Slot, Slotted, named_only


def _positive(value: object, name: str) -> float:
    hint = "Give for example 1."
    return checks.number(value, name, "one number above 0", lambda number: number > 0.0, hint)


def _share(value: object, name: str) -> float:
    hint = "Give for example 1e-6."
    return checks.number(value, name, "one number in [0, 1)", lambda number: 0.0 <= number < 1.0, hint)


class DPParamsEps(Slotted):
    """Privacy parameter epsilon, as ``diffpriv::DPParamsEps``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.

    Attributes
    ----------
    epsilon : float
        Checked on assignment; R checks it in ``setEpsilon<-`` but not in ``@<-``.

    Raises
    ------
    PydpstatError
        Where a value is not allowed, or given without its name.

    See Also
    --------
    DPParamsDel : with a delta.
    Guarantee : what holds.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 2.

    Examples
    --------
    >>> from pydpstat import DPParamsEps
    >>> p = DPParamsEps(epsilon=0.5)
    >>> p.epsilon = 2
    >>> p
    DPParamsEps(epsilon=2.0)
    """

    epsilon = Slot(_positive)

    def __init__(self, *unnamed: object, epsilon: float = 1) -> None:
        named_only(self, unnamed)
        self.epsilon = epsilon

    def getEpsilon(self) -> float:
        """Return epsilon."""
        return float(self.epsilon)

    def setEpsilon(self, value: float) -> None:
        """Set epsilon of this object; R's ``setEpsilon(p) <- value`` changes one variable."""
        self.epsilon = value

    def toGamma(self, gamma: float) -> DPParamsGam:
        """Return the same parameters for random differential privacy.

        Parameters
        ----------
        gamma : float
            Share of the data sets for which nothing is promised; in [0, 1).

        Examples
        --------
        >>> from pydpstat import DPParamsEps
        >>> DPParamsEps(epsilon=2).toGamma(0.1)
        DPParamsGam(epsilon=2.0, delta=0.0, gamma=0.1)
        """
        return DPParamsGam(epsilon=self.epsilon, delta=delta_of(self), gamma=gamma)


class DPParamsDel(DPParamsEps):
    """Privacy parameters epsilon and delta, as ``diffpriv::DPParamsDel``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.
    delta : float, default 0
        In [0, 1). The Gaussian mechanism needs one above 0.

    Attributes
    ----------
    epsilon, delta : float
        Checked on assignment.

    Raises
    ------
    PydpstatError
        Where a value is not allowed, or given without its name.

    See Also
    --------
    DPParamsEps : epsilon alone.
    Guarantee : what holds.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 2.

    Examples
    --------
    >>> from pydpstat import DPParamsDel
    >>> DPParamsDel(epsilon=0.5, delta=1e-6)
    DPParamsDel(epsilon=0.5, delta=1e-06)
    """

    delta = Slot(_share)

    def __init__(self, *unnamed: object, epsilon: float = 1, delta: float = 0) -> None:
        super().__init__(*unnamed, epsilon=epsilon)
        self.delta = delta

    def getDelta(self) -> float:
        """Return delta."""
        return float(self.delta)

    def setDelta(self, value: float) -> None:
        """Set delta of this object; R's ``setDelta(p) <- value`` changes one variable."""
        self.delta = value


class DPParamsGam(DPParamsDel):
    """Parameters of random differential privacy, as ``diffpriv::DPParamsGam``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.
    delta : float, default 0
        In [0, 1). The Gaussian mechanism needs one above 0.
    gamma : float, default 0.05
        Share of the data sets, drawn from the assumed distribution of records, for which
        (epsilon, delta) is not promised; in [0, 1).

    Attributes
    ----------
    epsilon, delta, gamma : float
        Checked on assignment.

    Raises
    ------
    PydpstatError
        Where a value is not allowed, or given without its name.

    See Also
    --------
    sensitivitySampler : what gamma speaks of.
    DPParamsDel : without the random sensitivity.

    References
    ----------
    Hall, R., Rinaldo, A. and Wasserman, L. (2012). Random differential privacy. Journal of Privacy
    and Confidentiality 4(2), 43-59.

    Examples
    --------
    >>> from pydpstat import DPParamsGam
    >>> DPParamsGam(epsilon=0.5, gamma=0.1)
    DPParamsGam(epsilon=0.5, delta=0.0, gamma=0.1)
    """

    gamma = Slot(_share)

    def __init__(self, *unnamed: object, epsilon: float = 1, delta: float = 0, gamma: float = 0.05) -> None:
        super().__init__(*unnamed, epsilon=epsilon, delta=delta)
        self.gamma = gamma

    def getGamma(self) -> float:
        """Return gamma."""
        return float(self.gamma)

    def setGamma(self, value: float) -> None:
        """Set gamma of this object; R's ``setGamma(p) <- value`` changes one variable."""
        self.gamma = value

    def toGamma(self, gamma: float) -> DPParamsGam:
        """Return the same parameters with another gamma, and remark on it as R does.

        Parameters
        ----------
        gamma : float
            Share of the data sets for which nothing is promised; in [0, 1).
        """
        note("toGamma() on a DPParamsGam only replaces its gamma.")
        return super().toGamma(gamma)


def delta_of(params: DPParamsEps) -> float:
    """Return the parameters' delta, 0 where they have none."""
    return float(params.delta) if isinstance(params, DPParamsDel) else 0.0
