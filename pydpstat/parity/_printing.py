"""Numbers, vectors and matrices as R prints them, and tables: the one place that lays text out in columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

DIGITS = 7
Names = tuple[tuple[str, ...], tuple[str, ...]]


def as_r_prints(values: npt.ArrayLike) -> list[str]:
    """Format numbers as R prints a vector: seven significant digits, and the same decimals for all.

    They are finite and of ordinary size, as R's scientific notation is not imitated. The texts are in R's
    order (first dimension fastest), without padding.

    Examples
    --------
    >>> as_r_prints(0.49855899423826489)
    ['0.498559']
    >>> as_r_prints([287.05834243, 408.7466, 30.5])
    ['287.0583', '408.7466', '30.5000']
    """
    numbers = np.ravel(values, order="F").tolist()
    shortest = [f"{number:.{DIGITS}g}" for number in numbers]
    if any("e" in text or "n" in text for text in shortest):
        return shortest
    decimals = max((len(text.partition(".")[2]) for text in shortest), default=0)
    return [f"{number:.{decimals}f}" for number in numbers]


def matrix_lines(values: npt.NDArray[np.float64], dimnames: Names | None = None) -> list[str]:
    """Format a matrix as R prints it, each column on its own; without names they are ``[1,]`` and ``[,1]``.

    The lines are those of column names and of each row, all of the same width.

    Examples
    --------
    >>> matrix_lines(np.array([[7.0, 9.0], [11.0, 0.0]]), (("a", "b"), ("USA", "non-USA")))
    ['  USA non-USA', 'a   7       9', 'b  11       0']
    """
    rows, columns = values.shape
    row_names = dimnames[0] if dimnames else tuple(f"[{i + 1},]" for i in range(rows))
    column_names = dimnames[1] if dimnames else tuple(f"[,{j + 1}]" for j in range(columns))
    blocks = [_padded(["", *row_names], left=True)]
    blocks += [_padded([name, *as_r_prints(values[:, j])]) for j, name in enumerate(column_names)]
    return [" ".join(cells) for cells in zip(*blocks)]


def vector_lines(values: npt.ArrayLike, labels: Sequence[str] = (), width: int = 80) -> list[str]:
    """Format texts and then numbers as R prints a vector, each line with the number of its first element.

    Examples
    --------
    >>> vector_lines([1.5, 2.0, 3.0], width=14)
    ['[1] 1.5 2.0', '[3] 3.0']
    """
    cells = _padded([*(f'"{label}"' for label in labels), *as_r_prints(values)])
    size = max(1, (width - 6) // (len(cells[0]) + 1)) if cells else 1
    starts = range(0, len(cells), size)
    marks = _padded([f"[{1 + start}]" for start in starts])
    return [f"{mark} {' '.join(cells[start : start + size])}" for mark, start in zip(marks, starts)]


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of texts, the first of them headings, in columns that begin below each other.

    Examples
    --------
    >>> table_lines([("name", "cases"), ("meanDP", "3")])
    ['name    cases', '-------------', 'meanDP  3']
    """
    columns = [_padded(list(column), left=True) for column in zip(*rows)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns)]
    return [lines[0], "-" * len(lines[0]), *lines[1:]]


def _padded(texts: list[str], left: bool = False) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.ljust(width) if left else text.rjust(width) for text in texts]
