"""Numbers and truth values as R's as.character writes them."""

from __future__ import annotations

import numpy as np

from pydpstat.r_arithmetic.moments import HAS_80_BIT

_DIGITS = 15
_LARGEST_TABLED = 27


def as_character(value: object, scipen: int = 0) -> str:
    """One value as a label, doubles with 15 significant digits at most.

    Parameters
    ----------
    value : bool, int, float or str
        Or one of NumPy's scalars of these kinds.
    scipen : int, optional
        By how much wider than the scientific notation the fixed one may be, as R's option.

    Returns
    -------
    str

    See Also
    --------
    factor : where levels are named by it.

    References
    ----------
    R Core Team, R 4.2.2, ``?as.character``.

    Examples
    --------
    >>> as_character(0.1 + 0.2), as_character(1e5), as_character(100000), as_character(True)
    ('0.3', '1e+05', '100000', 'TRUE')
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _double(value, scipen) if isinstance(value, float) else str(value)


def _double(x: float, scipen: int) -> str:
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Inf" if x > 0 else "-Inf"
    if x == 0:
        return "0"
    significant, power = shape(x)
    decimals = max(0, significant - power - 1)
    # Fixed notation unless it is wider; the sign counts for both.
    fixed_width = max(power, 0) + 1 + (decimals + 1 if decimals else 0)
    scientific_width = significant + (significant > 1) + (5 if abs(power) >= 100 else 4)
    if fixed_width <= scientific_width + scipen:
        text, tail = f"{x:.{decimals}f}", ""
    else:
        text, _, tail = f"{x:.{significant - 1}e}".partition("e")
        tail = f"e{tail}"
    # The digits were counted before the last rounding, which may have left zeros.
    return (text.rstrip("0").rstrip(".") if "." in text else text) + tail


def shape(x: float, digits: int = _DIGITS) -> tuple[int, int]:
    """Return how many of so many significant digits are not trailing zeros, and the power of ten.

    Examples
    --------
    >>> shape(1200.0), shape(0.00123456789, 7)
    ((2, 3), (7, -3))
    """
    mantissa, exponent = f"{abs(x):.{digits + 2}e}".split("e")
    # R counts the digits after scaling in long double, which near a tie may round the other way.
    if "35" <= mantissa[-3:-1] < "65" and HAS_80_BIT and digits <= _DIGITS:
        return _shape_as_scaled(abs(x), int(exponent), digits)
    mantissa, exponent = f"{abs(x):.{digits - 1}e}".split("e")
    return max(1, len(mantissa.replace(".", "").rstrip("0"))), int(exponent)


def _shape_as_scaled(x: float, power: int, digits: int) -> tuple[int, int]:
    shift = power - digits + 1
    scaled = np.longdouble(x)
    if abs(shift) <= _LARGEST_TABLED:
        # R's table is in double: beyond 10**22 it is inexact.
        factor = np.longdouble(float(f"1e{abs(shift)}"))
        scaled = scaled / factor if shift > 0 else scaled * factor
    else:
        scaled = scaled / np.longdouble(10.0) ** shift
    found = str(int(np.rint(scaled)))
    return max(1, len(found.rstrip("0"))), shift + len(found) - 1
