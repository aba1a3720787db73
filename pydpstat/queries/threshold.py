"""The threshold above which a noisy count may show that its level occurs in the data."""

from __future__ import annotations

from fractions import Fraction

from pydpstat import multiple_precision

# 60 decimal digits
_BITS = 203


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
    mp = multiple_precision.functions()
    exact = mp.from_rational(rate.numerator, rate.denominator, _BITS)
    share = mp.mpf_add(mp.fone, mp.mpf_exp(mp.mpf_neg(exact), _BITS), _BITS)
    surprise = mp.mpf_neg(mp.mpf_log(mp.mpf_mul(mp.from_float(delta), share, _BITS), _BITS))
    # far above the roundings
    margin = mp.from_rational(10**40 + 1, 10**40, _BITS)
    reach = mp.mpf_mul(mp.mpf_div(surprise, exact, _BITS), margin, _BITS)
    return max(2, 1 + int(mp.to_int(mp.mpf_ceil(reach, _BITS))))
