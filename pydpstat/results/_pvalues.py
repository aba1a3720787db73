"""How a p-value is shown: as a limit where it is as small as its test can return, or below a millionth."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal

from pydpstat.results._report import number

# what is smaller is shown as a limit: how much smaller says nothing that a decision could rest on
LEAST = 1e-6


def limit_above(floor: float) -> str:
    """Return the next number of two digits above a floor.

    Examples
    --------
    >>> limit_above(0.00212), limit_above(0.0001)
    ('0.0022', '0.00011')
    """
    # what a sum of floats adds far behind is no part of it
    decimal = Decimal(f"{floor:.10g}")
    unit = Decimal(1).scaleb(decimal.adjusted() - 1)
    return f"{float(decimal.quantize(unit, rounding=ROUND_FLOOR) + unit):.2g}"


def at_floor(pvalue: float, floor: float) -> bool:
    """Tell whether a p-value is as small as its test can return, as far as two digits show."""
    return floor > 0.0 and pvalue < float(limit_above(floor))


def shown_pvalue(pvalue: float, floor: float) -> str:
    """Return a p-value as text, with three significant digits.

    Examples
    --------
    >>> shown_pvalue(0.00212, 0.00212), shown_pvalue(0.0412345, 0.0), shown_pvalue(1e-300, 0.0)
    ('< 0.0022', '0.0412', '< 1e-06')
    """
    if pvalue < LEAST:
        return f"< {LEAST:g}"
    return f"< {limit_above(floor)}" if at_floor(pvalue, floor) else f"{pvalue:.3g}"


def floor_note(floor: float) -> str:
    """Return the note on a floor."""
    return f"The test returns no p-value below {number(floor)}."
