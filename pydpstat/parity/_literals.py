"""A comparison's inputs as text of R and of Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from pydpstat.parity.case import Factor, Input


def assignments(inputs: Mapping[str, Input]) -> list[str]:
    """Return one R assignment for each input, numbers without loss."""
    return [f"{name} <- {r_literal(value, exact=True)}" for name, value in inputs.items()]


def r_literal(value: object, exact: bool = False) -> str:
    """Return a value as R code.

    Parameters
    ----------
    value : object
        A scalar, a list or an array of them, or a `Factor`.
    exact : bool, default False
        Whether to write the bits of numbers, and not what a person would type.

    Examples
    --------
    >>> from pydpstat.parity._literals import r_literal
    >>> r_literal([1.0, 2.5]), r_literal(Factor(("b", None), ("a", "b")))
    ('c(1, 2.5)', 'factor(c("b", NA), levels = c("a", "b"))')
    >>> r_literal([1, 2], exact=True), r_literal([0.5, float("nan")], exact=True)
    ('c(1L, 2L)', 'c(0x1.0000000000000p-1, NaN)')
    """
    if isinstance(value, Factor):
        return f"factor({r_literal(value.values, exact)}, levels = {r_literal(value.levels, exact)})"
    if isinstance(value, np.ndarray) and value.ndim > 1:
        cells = r_literal(value.ravel(order="F").tolist(), exact)
        if value.ndim == 2 and not exact:
            return f"matrix({cells}, nrow = {value.shape[0]})"
        return f"array({cells}, c({', '.join(map(str, value.shape))}))"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(_r_element(item, exact) for item in value)})" if value else "numeric(0)"
    return _r_element(value, exact)


def _r_element(value: object, exact: bool) -> str:
    if value is None:
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}L" if abs(int(value)) < 2**31 else f"{int(value)}"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        text = number.hex() if exact and math.isfinite(number) else _number(number, "NaN", "Inf")
        return text.removesuffix(".0")
    return _quoted(value)


def python_literal(value: object) -> str:
    """Return a value as Python code; numbers stand in a NumPy array, as parity cases see them.

    Examples
    --------
    >>> from pydpstat.parity._literals import python_literal
    >>> python_literal([1.0, 2.5]), python_literal(["a", "b"])
    ('np.array([1.0, 2.5])', '["a", "b"]')
    """
    if isinstance(value, Factor):
        return f"pd.Categorical({_python_list(value.values)}, categories={_python_list(value.levels)})"
    if isinstance(value, np.ndarray):
        return f"np.array({_python_list(value.tolist())})"
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return f"np.array({_python_list([math.nan if item is None else item for item in value])})"
    return _python_element(value)


def _python_list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(_python_element, values))}]"


def _python_element(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return _python_list(value)
    if isinstance(value, float):
        return _number(value, "math.nan", "math.inf")
    return _quoted(value) if isinstance(value, str) else repr(value)


def _number(value: float, nan: str, infinity: str) -> str:
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    return repr(value)


def _quoted(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
