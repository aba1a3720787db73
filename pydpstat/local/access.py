"""Data access by noise: each value is released separately, before it is collected.

Also the joint guarantee for persons at different nodes, which gave different answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from pydpstat._checks import describe_value
from pydpstat._data.columns import check_bounds, read_numbers
from pydpstat._data.containers import is_series
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.values import to_object_array
from pydpstat._lazy import pd
from pydpstat._release.options import Options, options
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat._warn import warn_large_epsilon
from pydpstat.errors import PydpstatError
from pydpstat.local._categories import is_single
from pydpstat.local.design import LOCAL_PRIVACY
from pydpstat.privacy import GaussianLoss, Guarantee, LaplaceLoss, PrivacyLoss, compose
from pydpstat.random import source_from
from pydpstat.results._labels import Labels

ONE_RELEASE_PER_VALUE = "one release per value, drawn by this access without a seed"
# other values raise an error, which no mechanism protects
NUMERIC_VALUES = "whether every value is a number, and none missing, is treated as public"


class ValueSequence(Protocol):
    """A sequence of values or answers in any container."""

    def __len__(self) -> int: ...

    def copy(self) -> ValueSequence: ...


class DataAccess(Protocol):
    """Argument of `FederatedArray.configure_data_access`: a design, or an access by noise."""

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the answer to each value."""

    def respond(self, values: object, rng: object = None) -> ValueSequence:
        """Return an answer for each value, drawn independently."""


class _NoiseAccess:
    """Common base of both accesses by noise."""

    # without slots every access would have a dictionary
    __slots__ = ()

    epsilon: float
    bounds: tuple[float, float]
    _mechanism: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        checked_options = self._options
        for name in {"epsilon", "delta"} & {*self.__slots__}:
            object.__setattr__(self, name, getattr(checked_options, name))
        warn_large_epsilon(self.epsilon)

    @property
    def _options(self) -> Options:
        delta = getattr(self, "delta", 0)
        return options(self.epsilon, delta, self._mechanism, "bounded", "error")

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the release of each value."""
        checked_options = self._options
        exact = checked_options.mechanism.loss(
            checked_options.mechanism.calibrate(checked_options.epsilon, checked_options.delta, 1.0),
            checked_options.epsilon,
            (1.0,),
        )
        return Guarantee(
            checked_options.epsilon,
            checked_options.delta,
            "bounded",
            (LOCAL_PRIVACY, ONE_RELEASE_PER_VALUE, NUMERIC_VALUES),
            exact,
        )

    @guard_release
    def respond(self, values: object, rng: object = None) -> Any:
        """Return each value with its own noise.

        Parameters
        ----------
        values : scalar or array_like of shape (n,)
            Numbers, none missing.
        rng : None, int, numpy.random.Generator or RRandom, optional
            Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

        Returns
        -------
        float, ndarray, or Series with the values' index and name

        Raises
        ------
        PydpstatError
            If a value is missing or not a number; the message does not state which of the two, or which value.
        """
        values = to_pandas_or_numpy(values, "values")
        single = is_single(values) or getattr(values, "ndim", 1) == 0
        numbers, bounds = _read_access_values(values, single), self.bounds
        answers = numbers.copy()
        if numbers.size:
            clipped = np.clip(numbers, *bounds)
            width = Fraction(bounds[1]) - Fraction(bounds[0])
            # each element is a separate release: replacing a value changes one of them, by at most the width
            query = Query(
                "value",
                clipped,
                (width,),
                Labels("value"),
                nobs=numbers.size,
                exact=tuple(map(Fraction, clipped)),
            )
            checked_options = self._options._replace(source=source_from(rng))
            released = release_statistic("respond", query, checked_options, bounds=bounds)
            answers = np.array(released.value)
        if single:
            return float(answers[0])
        if is_series(values):
            return pd.Series(answers, index=values.index, name=values.name)
        return answers


@dataclass(frozen=True, slots=True)
class LaplaceAccess(_NoiseAccess):
    """Each value with independent Laplace noise.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. It covers the release of one value.
    bounds : (float, float)
        Public bounds of the values, chosen without looking at them; values outside are clipped to
        them.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    GaussianAccess : Gaussian noise.
    federate_array : data queried through it.

    Notes
    -----
    Guarantee: local epsilon-DP for one replaced value. The noise has the scale
    (upper - lower) / epsilon; from the operating system it is exact and on a public grid.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2013). Local privacy and statistical minimax
    rates. FOCS 2013.

    Examples
    --------
    >>> from pydpstat.local import LaplaceAccess
    >>> LaplaceAccess(1.0, bounds=(0, 10)).respond([2.0, 3.5], rng=1).round(2)
    array([ 2.24, 26.62])
    """

    epsilon: float
    bounds: tuple[float, float]

    _mechanism = "laplace"


@dataclass(frozen=True, slots=True)
class GaussianAccess(_NoiseAccess):
    """Each value with independent Gaussian noise.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. It covers the release of one value.
    delta : float
        Privacy parameter; above 0 and below 1. It covers the release of one value.
    bounds : (float, float)
        Public bounds of the values, chosen without looking at them; values outside are clipped to
        them.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    LaplaceAccess : Laplace noise.
    federate_array : data queried through it.

    Notes
    -----
    Guarantee: local (epsilon, delta)-DP for one replaced value, by the analytic calibration.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy. ICML
    2018.

    Examples
    --------
    >>> from pydpstat.local import GaussianAccess
    >>> GaussianAccess(1.0, 1e-6, bounds=(0, 10)).respond([2.0, 3.5], rng=1).size
    2
    """

    epsilon: float
    delta: float
    bounds: tuple[float, float]

    _mechanism = "gaussian"


def _read_access_values(values: object, is_single_value: bool) -> np.ndarray:
    """Return values as floats, each converted separately."""
    column = values
    if is_single_value:
        column = values.reshape(1) if isinstance(values, np.ndarray) else to_object_array([values])
    elif isinstance(values, (list, tuple, range)):
        column = to_object_array(values)
    columns = None
    # the original message, which describes a value, is suppressed
    with suppress(PydpstatError):
        columns = read_numbers(column, "values")
    if columns is not None:
        if columns.names is not None:
            raise PydpstatError("values must be one variable; got columns. Give one column at a time.")
        numbers = np.asarray(columns.arrays[0], dtype=np.float64)
        if not np.isnan(numbers).any():
            return numbers
    received = (
        "another or a missing value" if is_single_value else (f"{type(values).__name__} with other or missing values")
    )
    raise PydpstatError(
        f"values must be a number or a vector of numbers, none missing; got {received}. Convert them "
        "first, and leave out missing values or replace them by a public number."
    )


def check_access(definition: DataAccess) -> DataAccess:
    """Check that an object can be used as a data access definition."""
    responds = callable(getattr(definition, "respond", None)) and not isinstance(definition, type)
    if responds and isinstance(getattr(definition, "guarantee", None), Guarantee):
        return definition
    raise PydpstatError(
        "definition must be a design or an access, with a guarantee and respond(values, rng); got "
        f"{describe_value(definition)}. Give for example RandomizedResponseCoins() or LaplaceAccess(1, bounds=(0, 1))."
    )


def combine_node_guarantees(nodes: Iterable[Sequence[Guarantee]]) -> Guarantee:
    """Return a guarantee that holds at each of several nodes, given the guarantees of each node's answers.

    Each person's data are at one node, so guarantees of different nodes do not add up (McSherry 2009, Theorem 4): the
    result has the largest epsilon and the largest delta of all nodes, within which they add up, and every condition
    once. It is for bounded neighbors if the guarantees are for different neighbors.
    """
    lists = [list(node_guarantees) for node_guarantees in nodes]
    if len({guarantee.neighbors for node_guarantees in lists for guarantee in node_guarantees}) > 1:
        lists = [[guarantee.as_bounded() for guarantee in node_guarantees] for node_guarantees in lists]
    # a single guarantee keeps its privacy curve
    each = [node_guarantees[0] if len(node_guarantees) == 1 else compose(node_guarantees) for node_guarantees in lists]
    return replace(
        # everything except the pair is common: neighbors, unit and all conditions
        compose(each),
        epsilon=max(guarantee.epsilon for guarantee in each),
        delta=max(guarantee.delta for guarantee in each),
        loss=_find_largest_loss([guarantee.loss for guarantee in each]),
    )


def _find_largest_loss(losses: list[PrivacyLoss | None]) -> PrivacyLoss | None:
    """Return the largest loss if all are of one ordered family; else None."""
    gaussian = [loss for loss in losses if isinstance(loss, GaussianLoss)]
    laplace = [loss for loss in losses if isinstance(loss, LaplaceLoss)]
    if len(gaussian) == len(losses):
        return max(gaussian, key=lambda loss: loss.mu)
    if len(laplace) == len(losses):
        return max(laplace, key=lambda loss: loss.epsilon)
    return losses[0] if len(losses) == 1 else None
