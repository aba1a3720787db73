"""R's integers and doubles, where the type of a Python number is ambiguous."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import as_character as _text

# the largest integer in R
MAX_INTEGER = 2**31 - 1
# from here on the text of a double may differ from that of an integer
_MIN_AMBIGUOUS_INTEGER = 100_000


class Integer(int):
    """A large integer of R; the results of arithmetic may be doubles."""


def make_r_integer(x: Any) -> int:
    """Return a number as an R integer.

    Examples
    --------
    >>> make_r_integer(7), make_r_integer(100_000), type(make_r_integer(100_000)).__name__
    (7, 100000, 'Integer')
    """
    return Integer(x) if abs(x) >= _MIN_AMBIGUOUS_INTEGER else int(x)


def is_double(x: object) -> bool:
    """Return whether an integral Python number is a double in R, as large ones are.

    Examples
    --------
    >>> is_double(5), is_double(100_000), is_double(make_r_integer(100_000))
    (False, True, False)
    """
    return type(x) is int and abs(x) >= _MIN_AMBIGUOUS_INTEGER


def check_number_text(*values: Any) -> None:
    """Check that numbers have the same text in R and Python: 100000 is 1e+05 in R unless it is an integer.

    Examples
    --------
    >>> check_number_text(5, 100_001, 1e5, make_r_integer(100_000))
    """
    for x in values:
        if isinstance(x, (list, tuple)):
            check_number_text(*x)
        elif isinstance(x, Mapping):
            check_number_text(*x.values())
        elif is_double(x) and _text(x) != _text(float(x)):
            raise PydpstatError(
                f"R writes {_text(float(x))} for a double and {x} for an integer, as a length is; got {x}: "
                "write r.as_numeric(x) or r.as_integer(x), whichever it is in the R script"
            )


def integers(x: Any) -> Any:
    """Return integers within R's range: beyond 2,147,483,647, R's result is NA, which is an error here.

    Examples
    --------
    >>> integers(np.array([1, 2])), integers(1e10)
    (array([1, 2]), 10000000000.0)
    """
    if np.asarray(x).dtype.kind == "i" and np.abs(x).max(initial=0) > MAX_INTEGER:
        raise PydpstatError("the result is beyond R's integers, where R has NA: use doubles, as by r.as_numeric(x)")
    return x
