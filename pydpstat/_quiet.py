"""Public functions that the caller's settings for floating-point errors do not disturb."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def quiet(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let a function run with NumPy's floating-point errors ignored.

    Whether a number overflows or is a signalling NaN depends on the data. A warning of it, or the error
    that ``np.seterr(all="raise")`` makes of it, would tell of them before anything is spent. What the
    functions do with such numbers is settled without these flags.

    Examples
    --------
    >>> @quiet
    ... def inverse(x):
    ...     return 1.0 / np.float64(x)
    >>> with np.errstate(all="raise"):
    ...     print(inverse(0.0))
    inf
    """

    @wraps(function)
    def undisturbed(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        with np.errstate(all="ignore"):
            return function(*arguments, **options)

    return undisturbed
