"""Least squares as R fits them: LINPACK's reflections, in the order of the reference BLAS."""

from __future__ import annotations

import numpy as np

from pydpstat.porting.r._shapes import Array


def _dot(a: Array, b: Array) -> float:
    """The sum of products from the first to the last."""
    return float(np.add.accumulate(a * b)[-1]) if a.size else 0.0


def _norm(a: Array) -> float:
    return float(np.sqrt(_dot(a, a)))


def least_squares(x: Array, y: Array, tolerance: float) -> tuple[Array, Array, Array, Array, list[int]]:
    """Return coefficients, effects, residuals, the triangle, and the columns that others make up.

    Examples
    --------
    >>> x = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> least_squares(x, np.array([2.0, 3.0, 4.0]), 1e-7)[0].round(9)
    array([1., 1.])
    """
    q, effects = x.T.copy(), y.copy()
    p, n = q.shape
    norms = np.array([_norm(each) for each in q])
    first, heads = np.where(norms == 0, 1.0, norms), np.zeros(p)
    if p > n:
        return np.empty(0), effects, effects, np.zeros((p, p)), [n]
    for k in range(p):
        if norms[k] < first[k] * tolerance:
            return np.empty(0), effects, effects, np.zeros((p, p)), [k]
        if k == n - 1:
            break
        column = q[k, k:]
        size = np.copysign(_norm(column), column[0] or 1.0)
        column *= 1 / size
        column[0] += 1
        for j in range(k + 1, p):
            q[j, k:] += -_dot(column, q[j, k:]) / column[0] * column
            if norms[j]:
                rest = max(0.0, 1 - (abs(q[j, k]) / norms[j]) ** 2)
                norms[j] = norms[j] * np.sqrt(rest) if rest >= 1e-6 else _norm(q[j, k + 1 :])
        effects[k:] += -_dot(column, effects[k:]) / column[0] * column
        heads[k], column[0] = column[0], -size
    triangle, beta = np.triu(q[:, :p].T), effects[:p].copy()
    for k in range(p - 1, -1, -1):
        beta[k] /= triangle[k, k]
        beta[:k] -= beta[k] * triangle[:k, k]
    residuals = np.append(np.zeros(p), effects[p:])
    for k in range(min(p, n - 1) - 1, -1, -1):
        column = np.append(heads[k], q[k, k + 1 :])
        residuals[k:] += -_dot(column, residuals[k:]) / column[0] * column
    return beta, effects, residuals, triangle, []
