"""Vectors with attributes, which R prints below the values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class AttributedVector(np.ndarray):
    """A vector with attributes that R prints below it: arithmetic preserves them, subsets have none.

    `r_class` is its class in R, or an empty string.
    """

    attributes: dict[str, object]
    r_class: str

    def __array_finalize__(self, other: object) -> None:
        self.attributes, self.r_class = {}, ""

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        plain = [np.asarray(each) if isinstance(each, AttributedVector) else each for each in inputs]
        result = getattr(ufunc, method)(*plain, **options)
        kept = isinstance(result, np.ndarray) and result.shape == self.shape and result.dtype != bool
        return with_attributes(result, self.attributes) if kept else result


def with_attributes(values: np.ndarray, attributes: Mapping[str, object], r_class: str = "") -> AttributedVector:
    """Return a vector with attributes, and optionally an R class.

    Examples
    --------
    >>> x = with_attributes(np.array([1.0, 2.0]), {"unit": "cm"})
    >>> (x * 2).attributes, (x > 1).tolist(), x[:1].attributes
    ({'unit': 'cm'}, [False, True], {})
    """
    result = np.asarray(values).view(AttributedVector)
    result.attributes, result.r_class = dict(attributes), r_class
    return result
