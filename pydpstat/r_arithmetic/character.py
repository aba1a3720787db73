"""Numbers and truth values as R's as.character writes them."""

from __future__ import annotations

from typing import Any

_DIGITS = 15


def as_character(value: Any) -> str:
    """One value as a label, doubles with 15 significant digits at most.

    Parameters
    ----------
    value : bool, int, float or str
        Or one of NumPy's scalars of these kinds.

    Returns
    -------
    str

    References
    ----------
    R Core Team, R 4.2.2, ``?as.character``.

    Examples
    --------
    >>> as_character(0.1 + 0.2), as_character(1e5), as_character(100000), as_character(True)
    ('0.3', '1e+05', '100000', 'TRUE')
    """
    if hasattr(value, "dtype"):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _double(value) if isinstance(value, float) else str(value)


def _double(x: float) -> str:
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Inf" if x > 0 else "-Inf"
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.{_DIGITS - 1}e}".split("e")
    power = int(exponent)
    significant = len(mantissa.rstrip("0").replace("-", "").replace(".", ""))
    decimals = max(0, significant - power - 1)
    # Fixed notation unless it is wider; the sign counts for both.
    fixed_width = max(power, 0) + 1 + (decimals + 1 if decimals else 0)
    scientific_width = significant + (significant > 1) + (5 if abs(power) >= 100 else 4)
    if fixed_width <= scientific_width:
        return f"{x:.{decimals}f}"
    return f"{x:.{significant - 1}e}"
