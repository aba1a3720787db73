"""Readable names of coefficients and of new records, for pages, exports and pictures.

Users address coefficients by the names of statsmodels' formulas, which stay the index of every frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydpstat._data.containers import has_columns

_LEVEL = re.compile(r"(?P<variable>.+?)\[(?:T\.)?(?P<level>.*)\]", re.DOTALL)
_CATEGORY = re.compile(r"C\((?P<column>[^,()]+)(?:,.*)?\)", re.DOTALL)
# largest number of columns that name a new record
_MAX_COLUMNS = 4
# first coefficient's name of a model with a formula, in which a colon is an interaction
_FORMULA_CONSTANT = "Intercept"


def label_terms(names: Sequence[str]) -> tuple[str, ...]:
    """Return readable names: "education: primary x sex: f" for ``education[T.primary]:sex[T.f]``.

    The first name is the constant's. Names that would no longer differ are returned unchanged.
    """
    has_formula = list(names[:1]) == [_FORMULA_CONSTANT]
    labels = tuple(
        " x ".join(map(_label_factor, _split_interaction(name) if has_formula else [name])) for name in names
    )
    return labels if len(set(labels)) == len(labels) else tuple(names)


def _split_interaction(name: str) -> list[str]:
    """Split a term at colons outside of brackets; a term whose brackets do not match stays whole."""
    parts, depth = [""], 0
    for letter in name:
        depth += (letter in "([") - (letter in ")]")
        if letter == ":" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if depth == 0 and all(parts) else [name]


def _label_factor(name: str) -> str:
    match = _LEVEL.fullmatch(name)
    if match is None:
        return name
    category = _CATEGORY.fullmatch(match["variable"])
    return f"{category['column'].strip() if category else match['variable']}: {match['level']}"


def label_records(data: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """Return a text for each new record with the values of the columns in which they differ.

    Empty if there are too many of these columns, or the data are not columns in memory.
    """
    try:
        if isinstance(data, Mapping) or has_columns(data):
            values = {name: list(np.atleast_1d(np.asarray(data[name], dtype=object))) for name in columns}
        else:
            values = dict(zip(columns, np.asarray(data, dtype=object).T.tolist()))
    except (TypeError, ValueError, KeyError, IndexError):
        return ()
    differing = [name for name, column in values.items() if len({*map(str, column)}) > 1] or list(values)
    if not differing or len(differing) > _MAX_COLUMNS:
        return ()
    rows = zip(*(values[name] for name in differing))
    return tuple(", ".join(f"{name}: {_format_value(value)}" for name, value in zip(differing, row)) for row in rows)


def _format_value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
