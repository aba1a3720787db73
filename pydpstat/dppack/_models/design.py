"""Predictors as R reads them: a frame or a matrix, and a column of ones put in front of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]


def design_matrix(X: Any, add_bias: bool = False, name: str = "X") -> tuple[Floats, tuple[str, ...]]:
    """Return predictors as a new column-major matrix, and the columns' names.

    Parameters
    ----------
    X : DataFrame or array_like of shape (n, p)
        A message tells only its type and shape.
    add_bias : bool, default False
        Whether to put a column "bias" of ones in front, which R does to a data frame only. A
        column that has this name already is replaced.
    name : str, default "X"
        The argument's name, for messages.

    Returns
    -------
    (ndarray of shape (n, d), tuple of str)

    Raises
    ------
    PydpstatError
        Where it is no matrix of numbers, or `add_bias` meets something else than a DataFrame.
    """
    frame = hasattr(X, "columns") and hasattr(X, "iloc")
    if add_bias and not frame:
        raise PydpstatError(
            f"{name} must be a DataFrame where add_bias is True; got {type(X).__name__}. "
            "Give pandas.DataFrame(X), or add the column of ones yourself."
        )
    if frame:
        return _frame(X, add_bias, name)
    try:
        matrix = np.array(X)
    except ValueError:
        raise PydpstatError(f"{name} must have rows of equal length; got a ragged list.") from None
    if matrix.ndim != 2:
        raise PydpstatError(
            f"{name} must be a DataFrame or a matrix with a row for each record; got {type(X).__name__} "
            f"with {matrix.ndim} dimensions. Give x.reshape(-1, 1) for a single predictor."
        )
    values = _numbers(matrix, name)
    return np.asfortranarray(values), tuple(f"x{j + 1}" for j in range(values.shape[1]))


def as_records(X: Any, add_bias: bool = False) -> Floats:
    """Return new records for a prediction; a vector is one column, as R's as.matrix makes it."""
    if np.ndim(X) == 1 and not hasattr(X, "columns") and not add_bias:
        X = np.reshape(np.asarray(X), (-1, 1))
    return design_matrix(X, add_bias)[0]


def _frame(X: Any, add_bias: bool, name: str) -> tuple[Floats, tuple[str, ...]]:
    names = [str(column) for column in X.columns]
    columns = [np.asarray(X.iloc[:, j]) for j in range(len(names))]
    if add_bias and names == ["bias"]:
        raise PydpstatError(
            f"{name} must have another column than 'bias' where add_bias is True; rename it, or leave "
            "add_bias out."
        )
    if add_bias:
        ones = np.ones(len(X))
        if "bias" in names:
            columns[names.index("bias")] = ones
        else:
            names, columns = [*names, "bias"], [*columns, ones]
        # R moves the last column to the front, whichever it is
        names, columns = [names[-1], *names[:-1]], [columns[-1], *columns[:-1]]
    values = np.empty((len(X), len(names)), order="F")
    for j, column in enumerate(columns):
        values[:, j] = _numbers(column, name)
    return values, tuple(names)


def _numbers(values: npt.NDArray[Any], name: str) -> Floats:
    if values.dtype.kind == "O":
        try:
            plain = [np.nan if each is None else each for each in values.ravel().tolist()]
            values = np.array(plain).reshape(values.shape)
        except (TypeError, ValueError):
            pass
    if values.dtype.kind not in "fiub":
        raise PydpstatError(
            f"{name} must have numeric columns only; got one of type {values.dtype}. "
            "Turn factors and texts into indicator columns first."
        )
    return values.astype(np.float64)
