"""Formatting of numbers in aligned columns, and of p-values with the floors of their tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

# maximum significant digits of the largest number, and minimum of the smallest
_MAX_SIGNIFICANT, _MIN_SIGNIFICANT = 6, 3
_MAX_DIGITS = 9
# from this exponent on, numbers are formatted individually
_MAX_EXPONENT = 15


class FormattedNumber(str):
    """Text of a number in a cell, with its value."""

    value: float

    @classmethod
    def from_value(cls, value: float, text: str) -> FormattedNumber:
        """Return the text with its value attached."""
        number = cls(text)
        number.value = value
        return number

    def format_rounded(self, decimals: int) -> str:
        """Return the value with fixed decimals."""
        return f"{round(self.value, decimals) + 0.0:.{decimals}f}" if math.isfinite(self.value) else str(self)


class Rows(NamedTuple):
    """Column headers, row names and cells of a table."""

    headers: tuple[str, ...]
    names: list[str]
    cells: list[list[str]]


def format_column(values: Iterable[object]) -> list[str]:
    """Return the cells of a column with common decimals, six significant digits in the largest number."""
    cells = list(values)
    numbers = [value for value in cells if isinstance(value, float) and math.isfinite(value)]
    decimals = _choose_decimals(numbers)
    return [_format_column_cell(value, decimals) for value in cells]


def format_rows(columns: Sequence[Iterable[object]], by_row: bool = False) -> list[list[str]]:
    """Return the rows of a table, with common decimals within each column or each row."""
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
    """Return the common number of decimals, or None if the magnitudes differ too much."""
    sizes = [abs(number) for number in numbers if number]
    if not sizes:
        return 0
    high, low = (_get_exponent(size) for size in (max(sizes), min(sizes)))
    max_needed = max(map(_count_decimals, sizes))
    fewest = min(max_needed, _MIN_SIGNIFICANT - 1 - low)
    decimals = max(min(max_needed, _MAX_SIGNIFICANT - 1 - high), fewest, 0)
    if high >= _MAX_EXPONENT or high < -4 or high + 1 + decimals > max(_MAX_DIGITS, high + 1):
        return None
    return decimals


def _get_exponent(size: float) -> int:
    return int(f"{size:.{_MAX_SIGNIFICANT - 1}e}".partition("e")[2])


def _count_decimals(size: float) -> int:
    exponent = Decimal(f"{size:.{_MAX_SIGNIFICANT}g}").normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


# smaller p-values are shown as a limit, since their size affects no decision
MIN_SHOWN_PVALUE = 1e-6


def round_up_floor(floor: float) -> str:
    """Return the next two-digit number above a floor, as text."""
    # ten digits remove the rounding error of a sum of floats
    decimal = Decimal(f"{floor:.10g}")
    unit = Decimal(1).scaleb(decimal.adjusted() - 1)
    return f"{float(decimal.quantize(unit, rounding=ROUND_FLOOR) + unit):.2g}"


def is_at_floor(pvalue: float, floor: float) -> bool:
    """Return whether a p-value equals its test's floor to two digits."""
    return floor > 0.0 and pvalue < float(round_up_floor(floor))


def format_pvalue(pvalue: float, floor: float) -> str:
    """Return a p-value with three significant digits, or as a limit."""
    if pvalue < MIN_SHOWN_PVALUE:
        return f"< {MIN_SHOWN_PVALUE:g}"
    return f"< {round_up_floor(floor)}" if is_at_floor(pvalue, floor) else f"{pvalue:.3g}"


def format_pvalue_cells(pvalues: Iterable[float], floors: Iterable[float]) -> list[str]:
    """Return p-values as a summary prints them, with an empty text for NaN."""
    return ["" if math.isnan(pvalue) else format_pvalue(pvalue, floor) for pvalue, floor in zip(pvalues, floors)]


def make_floor_note(floor: float) -> str:
    """Return the note on the smallest attainable p-value."""
    return f"The test returns no p-value below {floor:.6g}."
