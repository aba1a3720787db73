"""Stated distributions of the data, which a plan is made for where the accuracy depends on the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Pair
from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]
NAMES = ("uniform", "normal")
EXAMPLE = "Give 'normal', 'uniform', or a frozen SciPy distribution such as scipy.stats.norm(45, 15)."
# of a range of 8 standard deviations the middle is the mean, as in plans of tests
_RANGE = 8.0


class Shape(Protocol):
    """What a plan needs of a distribution: SciPy's frozen distributions have it."""

    def cdf(self, x: Any) -> Any:
        """Return the share of records of at most x."""

    def ppf(self, q: Any) -> Any:
        """Return the quantile of a share."""

    def __hash__(self) -> int:
        """Return a number that tells it from others."""


class Uniform(NamedTuple):
    """Uniform from a bound to the other."""

    lower: float
    upper: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return ((x - self.lower) / (self.upper - self.lower)).clip(0.0, 1.0)

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return (1.0 - q) * self.lower + q * self.upper


class Normal(NamedTuple):
    """Normal."""

    mean: float
    sd: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return np.asarray(ndtr((x - self.mean) / self.sd))

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.asarray(self.mean + self.sd * ndtri(q))


class Point(NamedTuple):
    """All records at one place; at a bound noisy sums say least of a mean or a variance."""

    at: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return np.where(x >= self.at, 1.0, 0.0)

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.full_like(q, self.at)


def shapes_of(given: object, pairs: Bounds, columns: Sequence[str] | None) -> tuple[Shape, ...]:
    """Check the stated distributions: one for all columns, or a dict of them by column."""
    if isinstance(given, Mapping):
        if columns is None:
            raise PydpstatError(
                "distribution must be a single distribution without columns; got "
                f"{checks.shown(given)}. {EXAMPLE}"
            )
        each = checks.by_name(given, columns, "distribution", "column", "'normal'")
    else:
        each = [given] * len(pairs)
    return tuple(map(_shape, each, pairs))


def _shape(given: Any, pair: Pair) -> Shape:
    lower, upper = pair
    if isinstance(given, str):
        if checks.one_of(given, "distribution", NAMES) == "uniform":
            return Uniform(lower, upper)
        return Normal(0.5 * lower + 0.5 * upper, (upper - lower) / _RANGE)
    # a distribution without its parameters has `freeze`; a class is none
    able = all(callable(getattr(given, name, None)) for name in ("cdf", "ppf"))
    if able and not isinstance(given, type) and not hasattr(given, "freeze"):
        tried = checks.array_of(given.ppf(np.array([0.25, 0.5, 0.75])))
        if tried.shape == (3,) and tried.dtype.kind in "fiu" and np.isfinite(tried).all():
            return given  # type: ignore[no-any-return]
    raise PydpstatError(
        "distribution must be a univariate distribution with its parameters; got "
        f"{checks.shown(given)}. {EXAMPLE} No data are looked at."
    )


def share_shape(given: object) -> Shape:
    """Return the distribution of truth values with a stated share of true ones."""
    hint = "Give the share that you expect, for example 0.3."
    share = checks.number(
        given,
        "distribution",
        "a share from 0 to 1 for a proportion",
        lambda x: 0.0 <= x <= 1.0,
        hint,
    )
    return _Coin(share)


class _Coin(NamedTuple):
    share: float

    def cdf(self, x: Floats) -> Floats:
        return np.where(x >= 1.0, 1.0, np.where(x >= 0.0, 1.0 - self.share, 0.0))

    def ppf(self, q: Floats) -> Floats:
        return np.where(q > 1.0 - self.share, 1.0, 0.0)
