"""How many truth values are true, and how many are false."""

from __future__ import annotations

import numpy as np

from pydpstat._release.options import Missing
from pydpstat.errors import PydpstatError


def tally(truths: np.ndarray, absent: np.ndarray | None, missing: Missing) -> tuple[int, int]:
    """Count true and false values.

    Parameters
    ----------
    truths : ndarray of bool, shape (n,)
        The values.
    absent : ndarray of bool, shape (n,), or None
        Which of them are missing; None where none is.
    missing : {"error", "drop", True, False}
        What to do with them.

    Raises
    ------
    PydpstatError
        With ``"error"``, where a value is missing.

    Examples
    --------
    >>> tally(np.array([True, False, True]), np.array([False, False, True]), "drop")
    (1, 1)
    """
    if absent is None or not absent.any():
        true = int(np.count_nonzero(truths))
        return true, truths.size - true
    if missing == "error":
        raise missing_values()
    true = int(np.count_nonzero(truths & ~absent))
    gone = int(np.count_nonzero(absent))
    false = truths.size - gone - true
    if missing == "drop":
        return true, false
    return (true + gone, false) if missing else (true, false + gone)


def missing_values() -> PydpstatError:
    """Return the error of data that should be complete and are not."""
    return PydpstatError(
        "missing must say what to do, as the data have missing values: this error tells that they have. "
        "Give a public value that takes their place (missing=0), or missing='drop' with "
        "neighbors='unbounded'."
    )
