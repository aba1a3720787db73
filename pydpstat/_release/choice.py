"""The pipeline of a release without added noise: random numbers choose what is published."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pydpstat._release.calibration import SEEDED
from pydpstat._release.payment import Spender, pay
from pydpstat.privacy import Guarantee
from pydpstat.random import Source
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results.results import DPResults

UNCOVERED = (
    "the choice is made with the operating system's generator; the rounding inside its "
    "floating-point probabilities is not covered by the proof"
)


def release_choice(
    statistic: str,
    choose: Callable[[np.ndarray], tuple[object, Labels]],
    source: Source,
    *,
    draws: int,
    sensitivity: float,
    claim: Guarantee,
    guarantee: Guarantee,
    record: Call,
    bounds: tuple[float, float] | None = None,
    nobs: int | None = None,
    grid: float | None = None,
    mechanism: str = "exponential",
    exactly: Callable[[], tuple[object, Labels]] | None = None,
    uncovered: str | None = None,
    budget: Spender | None = None,
    named: Callable[[], str] = str,
    steps: tuple[str, ...] = (),
) -> DPResults:
    """Draw uniforms, let them choose, and return what may be published; its `noise` is None.

    `choose` makes the value and its labels of so many uniforms (`draws`) and holds the data; `exactly` does
    so from the exact distribution with the operating system's generator, and `uncovered` is what its proof
    leaves out. `sensitivity` is the utility's, and the chosen value lies on the public `grid`;
    `steps` describe the candidates in words.
    """
    condition = SEEDED if source.reproducible else UNCOVERED if exactly is None else uncovered
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    pay(budget, guarantee, record, named, mechanism)
    if not source.reproducible and exactly is not None:
        chosen, labels = exactly()
    else:
        chosen, labels = choose(source.uniform(draws))
    return DPResults(
        statistic=statistic,
        value=_array(chosen),
        labels=labels,
        noise=None,
        noise_scale=np.nan,
        mechanism=mechanism,
        sensitivity=sensitivity,
        claim=claim,
        guarantee=guarantee,
        bounds=bounds,
        nobs=nobs,
        post=AsDrawn(steps),
        reproducible=source.reproducible,
        grid=grid,
        record=record,
    )


def _array(chosen: object) -> np.ndarray:
    """Return an array or a number in its own type, anything else as an object, as an array."""
    if isinstance(chosen, np.ndarray):
        return chosen
    if type(chosen) is float or type(chosen) is int and abs(chosen) < 2**63:
        return np.asarray(chosen, dtype=np.float64 if type(chosen) is float else np.int64)
    value = np.empty((), dtype=object)
    value[()] = chosen
    return value
