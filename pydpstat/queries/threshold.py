"""The threshold above which a noisy count may show that its level occurs in the data."""

from __future__ import annotations

from fractions import Fraction


def release_threshold(rate: Fraction, delta: float) -> int:
    """Return the smallest T >= 2 with P(1 + K >= T) <= delta for symmetric geometric noise K.

    Parameters
    ----------
    rate : Fraction
        P(K = k) is proportional to exp(-rate |k|).
    delta : float
        Above 0 and below 1.

    Returns
    -------
    int

    Notes
    -----
    P(K >= j) = a^j / (1 + a) for j >= 0, a = exp(-rate), so T - 1 is at least
    -log(delta (1 + a)) / rate. Multiple precision decides which whole number comes next; in a tie
    that it could not see it takes the larger one.

    References
    ----------
    Korolova, A., Kenthapadi, K., Mishra, N. and Ntoulas, A. (2009). Releasing search queries and
    clicks privately. WWW 2009 (the method; the integer law is derived above).

    Examples
    --------
    >>> release_threshold(Fraction(1), 1e-6)
    15
    """
    import mpmath

    with mpmath.workdps(60):
        exact = mpmath.mpf(rate.numerator) / rate.denominator
        reach = -mpmath.log(mpmath.mpf(delta) * (1 + mpmath.exp(-exact))) / exact
        return max(2, 1 + int(mpmath.ceil(reach * (1 + mpmath.mpf(10) ** -40))))
