"""Numbers as a table shows them: in columns that align, and p-values with the limits of their tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

# significant digits of the largest number, and the fewest of the smallest
_DIGITS, _FEWEST = 6, 3
_MOST_DIGITS = 9
# above, a number is shown by itself
_WIDEST = 15


class Shown(str):
    """A number as a cell shows it, which knows its value."""

    value: float

    @classmethod
    def of(cls, value: float, text: str) -> Shown:
        """Return a text for a value."""
        shown = cls(text)
        shown.value = value
        return shown

    def rounded(self, decimals: int) -> str:
        """Return the value with a number of decimals."""
        return f"{round(self.value, decimals) + 0.0:.{decimals}f}" if math.isfinite(self.value) else str(self)


class Rows(NamedTuple):
    """The table below the facts: its columns' heads, and a name and cells for each row."""

    headers: tuple[str, ...]
    names: list[str]
    cells: list[list[str]]


def column(values: Iterable[object]) -> list[str]:
    """Return the cells of a column; numbers have six significant digits in the largest of them."""
    shown = list(values)
    numbers = [each for each in shown if isinstance(each, float) and math.isfinite(each)]
    decimals = _decimals(numbers)
    return [_cell(each, decimals) for each in shown]


def table(columns: Sequence[Iterable[object]], by_row: bool = False) -> list[list[str]]:
    """Return the rows of some columns, with one number of decimals in each column, or in each row."""
    if by_row:
        return [column(row) for row in zip(*columns)]
    return list(map(list, zip(*map(column, columns))))


def _cell(value: object, decimals: int | None) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    text = f"{value + 0.0:.6g}"
    if math.isfinite(value) and decimals is not None:
        text = f"{round(value, decimals) + 0.0:.{decimals}f}"
    return Shown.of(float(value), text)


def _decimals(numbers: list[float]) -> int | None:
    """Return how many decimals all of them are shown with; None where they are too far apart."""
    sizes = [abs(each) for each in numbers if each]
    if not sizes:
        return 0
    high, low = (_exponent(end) for end in (max(sizes), min(sizes)))
    needed = max(map(_own_decimals, sizes))
    fewest = min(needed, _FEWEST - 1 - low)
    decimals = max(min(needed, _DIGITS - 1 - high), fewest, 0)
    if high >= _WIDEST or high < -4 or high + 1 + decimals > max(_MOST_DIGITS, high + 1):
        return None
    return decimals


def _exponent(size: float) -> int:
    return int(f"{size:.{_DIGITS - 1}e}".partition("e")[2])


def _own_decimals(size: float) -> int:
    exponent = Decimal(f"{size:.{_DIGITS}g}").normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


# what is smaller is shown as a limit: how much smaller says nothing that a decision could rest on
LEAST = 1e-6


def limit_above(floor: float) -> str:
    """Return the next number of two digits above a floor."""
    # what a sum of floats adds far behind is no part of it
    decimal = Decimal(f"{floor:.10g}")
    unit = Decimal(1).scaleb(decimal.adjusted() - 1)
    return f"{float(decimal.quantize(unit, rounding=ROUND_FLOOR) + unit):.2g}"


def at_floor(pvalue: float, floor: float) -> bool:
    """Tell whether a p-value is as small as its test can return, as far as two digits show."""
    return floor > 0.0 and pvalue < float(limit_above(floor))


def shown_pvalue(pvalue: float, floor: float) -> str:
    """Return a p-value as text, with three significant digits."""
    if pvalue < LEAST:
        return f"< {LEAST:g}"
    return f"< {limit_above(floor)}" if at_floor(pvalue, floor) else f"{pvalue:.3g}"


def floor_note(floor: float) -> str:
    """Return the note on a floor."""
    return f"The test returns no p-value below {floor:.6g}."
