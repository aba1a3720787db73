"""Columns of numbers as a table shows them: with one number of decimals, so that they align."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

# significant digits of the largest number, and the fewest of the smallest
_DIGITS, _FEWEST = 6, 3
_MOST_DIGITS = 9
# above, a number is shown by itself
_WIDEST = 15


class Shown(str):
    """A number as a cell shows it, which knows its value.

    Examples
    --------
    >>> shown = Shown.of(2704.0, "2704.00")
    >>> shown, shown.rounded(1)
    ('2704.00', '2704.0')
    """

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
    """Return the cells of a column; numbers have six significant digits in the largest of them.

    Whole numbers stay whole, what is missing is a dash, and texts are as they are. Where numbers are too far
    apart for one number of decimals each is shown by itself.

    Examples
    --------
    >>> column([2312.93, 2328.7, 2704.0]), column([7943, 12]), column([1.0, float("nan")])
    (['2312.93', '2328.70', '2704.00'], ['7943', '12'], ['1', '-'])
    """
    shown = list(values)
    numbers = [each for each in shown if isinstance(each, float) and math.isfinite(each)]
    decimals = _decimals(numbers)
    return [_cell(each, decimals) for each in shown]


def table(columns: Sequence[Iterable[object]], by_row: bool = False) -> list[list[str]]:
    """Return the rows of some columns, with one number of decimals in each column, or in each row.

    Examples
    --------
    >>> table([[1.5, 2.25], [3, 4]])
    [['1.50', '3'], ['2.25', '4']]
    >>> table([[54.0012, 24921.8], [0.00114, 3.9545]], by_row=True)
    [['54.00120', '0.00114'], ['24921.80', '3.95']]
    """
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
