"""Putting answers into a container: made from their places, the design's categories and what is public."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.local.categories import Categories
from pydpstat.local.truths import Codes, Container


def answers_of(codes: Codes, container: Container, categories: Categories) -> Any:
    """Return answers in a container like the truths', of the type that the design's categories have.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The answers' places among the categories.
    container : Container
        What the truths came in.
    categories : Categories
        The design's.

    Returns
    -------
    scalar, ndarray, Series or Index
        One of the categories for a single truth. Else an array of their type; or, for a Series or an
        index, one of the type that pandas gives to all the categories.
    """
    shape, like = container
    if shape is None:
        return categories.labels[int(codes[0])]
    if like is None and categories.counted:
        kind = categories.table.dtype
        # a truth value is a byte of 0 or 1
        same = codes.dtype == np.bool_ and kind.itemsize == 1
        return (codes.view(kind) if same else codes.astype(kind)).reshape(shape)
    chosen = codes.astype(np.intp, copy=False)
    if like is None:
        return categories.table.take(chosen).reshape(shape)
    import pandas as pd

    if isinstance(like, pd.Index):
        return pd.Index(categories.table).take(chosen).rename(like.name)
    held = pd.Series(categories.table)
    return pd.Series(held.array.take(chosen), index=like.index, name=like.name, dtype=held.dtype)
