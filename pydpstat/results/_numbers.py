"""Numbers as a table shows them: in columns that align, and p-values with the limits of their tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

# significant digits of the largest number, and the fewest of the smallest
_MAX_SIGNIFICANT, _MIN_SIGNIFICANT = 6, 3
_MAX_DIGITS = 9
# above, a number is shown by itself
_MAX_EXPONENT = 15


class FormattedNumber(str):
    """A number as a cell shows it, which knows its value."""

    value: float

    @classmethod
    def from_value(cls, value: float, text: str) -> FormattedNumber:
        """Return a text for a value."""
        shown = cls(text)
        shown.value = value
        return shown

    def format_rounded(self, decimals: int) -> str:
        """Return the value with a number of decimals."""
        return f"{round(self.value, decimals) + 0.0:.{decimals}f}" if math.isfinite(self.value) else str(self)


class Rows(NamedTuple):
    """The table below the facts: its columns' heads, and a name and cells for each row."""

    headers: tuple[str, ...]
    names: list[str]
    cells: list[list[str]]


def format_column(values: Iterable[object]) -> list[str]:
    """Return the cells of a column; numbers have six significant digits in the largest of them."""
    shown = list(values)
    numbers = [each for each in shown if isinstance(each, float) and math.isfinite(each)]
    decimals = _choose_decimals(numbers)
    return [_format_column_cell(each, decimals) for each in shown]


def format_rows(columns: Sequence[Iterable[object]], by_row: bool = False) -> list[list[str]]:
    """Return the rows of some columns, with one number of decimals in each column, or in each row."""
    if by_row:
        return [format_column(row) for row in zip(*columns)]
    return list(map(list, zip(*map(format_column, columns))))


def _format_column_cell(value: object, decimals: int | None) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    text = f"{value + 0.0:.6g}"
    if math.isfinite(value) and decimals is not None:
        text = f"{round(value, decimals) + 0.0:.{decimals}f}"
    return FormattedNumber.from_value(float(value), text)


def _choose_decimals(numbers: list[float]) -> int | None:
    """Return how many decimals all of them are shown with; None where they are too far apart."""
    sizes = [abs(each) for each in numbers if each]
    if not sizes:
        return 0
    high, low = (_get_exponent(end) for end in (max(sizes), min(sizes)))
    needed = max(map(_count_decimals, sizes))
    fewest = min(needed, _MIN_SIGNIFICANT - 1 - low)
    decimals = max(min(needed, _MAX_SIGNIFICANT - 1 - high), fewest, 0)
    if high >= _MAX_EXPONENT or high < -4 or high + 1 + decimals > max(_MAX_DIGITS, high + 1):
        return None
    return decimals


def _get_exponent(size: float) -> int:
    return int(f"{size:.{_MAX_SIGNIFICANT - 1}e}".partition("e")[2])


def _count_decimals(size: float) -> int:
    exponent = Decimal(f"{size:.{_MAX_SIGNIFICANT}g}").normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


# what is smaller is shown as a limit: how much smaller says nothing that a decision could rest on
MIN_SHOWN_PVALUE = 1e-6


def round_up_floor(floor: float) -> str:
    """Return the next number of two digits above a floor."""
    # what a sum of floats adds far behind is no part of it
    decimal = Decimal(f"{floor:.10g}")
    unit = Decimal(1).scaleb(decimal.adjusted() - 1)
    return f"{float(decimal.quantize(unit, rounding=ROUND_FLOOR) + unit):.2g}"


def is_at_floor(pvalue: float, floor: float) -> bool:
    """Tell whether a p-value is as small as its test can return, as far as two digits show."""
    return floor > 0.0 and pvalue < float(round_up_floor(floor))


def format_pvalue(pvalue: float, floor: float) -> str:
    """Return a p-value as text, with three significant digits."""
    if pvalue < MIN_SHOWN_PVALUE:
        return f"< {MIN_SHOWN_PVALUE:g}"
    return f"< {round_up_floor(floor)}" if is_at_floor(pvalue, floor) else f"{pvalue:.3g}"


def make_floor_note(floor: float) -> str:
    """Return the note on a floor."""
    return f"The test returns no p-value below {floor:.6g}."
