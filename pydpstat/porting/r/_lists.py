"""Lists of elements, names that are given or taken away, and the alphabet."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.porting.r._shapes import items, listed, vector
from pydpstat.porting.r._vectors import setNames

letters = frozen(np.array(list("abcdefghijklmnopqrstuvwxyz"), dtype=object))
LETTERS = frozen(np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dtype=object))


def as_list(x: Any) -> Any:
    """Return a list of the elements, by the names that they have.

    Examples
    --------
    >>> as_list(np.array([1, 2]))
    [1, 2]
    """
    names, values = items(x)
    return listed(values, names)


def unname(obj: Any) -> Any:
    """Return the elements without their names.

    Examples
    --------
    >>> unname({"a": 1})
    [1]
    """
    if isinstance(obj, (list, dict)):
        return items(obj)[1]
    return np.asarray(obj) if np.ndim(obj) == 2 else vector(obj)


def set_names(object: Any, names: Any) -> Any:
    """Return what x is after ``names(x) <- names``."""
    return unname(object) if names is None else setNames(object, names)
