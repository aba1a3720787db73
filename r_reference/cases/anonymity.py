"""Microaggregation by MDAV, against R's package sdcMicro, whose functions have no mirror here.

sdcMicro takes distances in standard deviations, so the other side has ``standardize=True``. Of rows at
the same distance it does not always take the first ones, and one column alone it cuts in its sorted
order, which is another method: no case has ties or a single column.
"""

from __future__ import annotations

import math
from typing import Any

from pydpstat.parity.case import Case, Inputs

CLOSE = 1e-12
ROUNDING = "the same groups; both sides add up a group's values in another order"


def _column(size: int, step: float, scale: float, shift: float = 0.0) -> list[float]:
    """Return numbers without any pattern of equal distances."""
    return [round(shift + scale * math.sin(step * place * place + place), 6) for place in range(1, size + 1)]


def _table(size: int) -> Inputs:
    return {"a": _column(size, 0.7, 2e5, 5e5), "b": _column(size, 1.3, 40.0), "c": _column(size, 2.1, 0.01)}


def _case(name: str, inputs: Inputs, k: str, **options: Any) -> Case:
    columns = ", ".join(inputs)
    named = ", ".join(f"{column}={column}" for column in inputs)
    how: dict[str, Any] = {"level": "rtol", "tolerance": CLOSE, "reason": ROUNDING, **options}
    return Case(
        f"microaggregation/{name}",
        "microaggregation",
        "sdcMicro",
        f"x <- data.frame({columns})\n"
        f'unlist(sdcMicro::microaggregation(x, method = "mdav", aggr = {k})$mx, use.names = FALSE)',
        "from pydpstat.anonymity import microaggregation\n"
        f"x = pd.DataFrame(dict({named}))\n"
        f"microaggregation(x, {k}, standardize=True).to_numpy()",
        inputs,
        draws=False,
        **how,
    )


_OUTLIER = {**_table(30), "a": [*_column(29, 0.7, 2e5, 5e5), 1.17e8]}
_CONSTANT = {"a": _column(14, 0.7, 3.0), "b": [5.0] * 14, "c": _column(14, 2.1, 1.0)}

CASES = (
    *(_case(f"k = {k}", _table(40), str(k)) for k in (1, 2, 3, 7, 13, 40)),
    *(_case(f"{size} rows, k = 3", _table(size), "3") for size in range(3, 13)),
    _case("an outlier", _OUTLIER, "4"),
    _case("a constant column", _CONSTANT, "3"),
    _case(
        "k above the number of rows",
        _table(5),
        "6",
        level="refused",
        tolerance=0.0,
        reason="R returns one group of fewer than k rows",
    ),
    _case(
        "k is no whole number",
        _table(9),
        "2.5",
        level="refused",
        tolerance=0.0,
        reason="R cuts k down, to groups of fewer than k rows",
    ),
    _case(
        "a missing value",
        {**_table(9), "b": [None, *_column(8, 1.3, 40.0)]},
        "3",
        level="refused",
        tolerance=0.0,
        reason="R takes -999 for the missing value, forms groups and means with it, and puts NA back",
    ),
    _case("a column of text", {**_table(4), "b": ["p", "q", "r", "s"]}, "2", level="error", tolerance=0.0),
)
