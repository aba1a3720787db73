"""Pipeline of a release without added noise: a random selection of the published value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pydpstat._release.calibration import SEEDED_CONDITION
from pydpstat._release.charging import Chargeable, charge_budget
from pydpstat.privacy import Guarantee
from pydpstat.random import Source
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results._shapes import make_release
from pydpstat.results.results import DPResults

CHOICE_ROUNDING_CONDITION = (
    "the choice is made with the operating system's generator; the rounding inside its "
    "floating-point probabilities is not covered by the proof"
)


def release_choice(
    statistic: str,
    choose: Callable[[np.ndarray], tuple[object, Labels]],
    source: Source,
    *,
    n_draws: int,
    sensitivity: float,
    claim: Guarantee,
    guarantee: Guarantee,
    call: Call,
    bounds: tuple[float, float] | None = None,
    nobs: int | None = None,
    grid: float | None = None,
    mechanism: str = "exponential",
    choose_exactly: Callable[[], tuple[object, Labels]] | None = None,
    exact_condition: str | None = None,
    budget: Chargeable | None = None,
    describe_subject: Callable[[], str] = str,
    steps: tuple[str, ...] = (),
) -> DPResults:
    """Select a value at random and return its release, whose `noise` is None.

    `choose` computes the value and its labels from `n_draws` uniforms and holds the data. `choose_exactly` selects
    from the exact distribution with the operating system's generator; `exact_condition` is the part that its proof
    does not cover. `sensitivity` is that of the utility, and the selected value lies on the public `grid`;
    `steps` describe the candidates in words.
    """
    condition = (
        SEEDED_CONDITION
        if source.reproducible
        else CHOICE_ROUNDING_CONDITION
        if choose_exactly is None
        else exact_condition
    )
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    charge_budget(budget, guarantee, call, describe_subject, mechanism)
    if not source.reproducible and choose_exactly is not None:
        chosen, labels = choose_exactly()
    else:
        chosen, labels = choose(source.uniform(n_draws))
    made: DPResults = make_release(
        statistic=statistic,
        value=_convert_to_array(chosen),
        labels=labels,
        noise=None,
        noise_scale=np.nan,
        mechanism=mechanism,
        sensitivity=sensitivity,
        claim=claim,
        guarantee=guarantee,
        bounds=bounds,
        nobs=nobs,
        post=NoisyValue(steps),
        reproducible=source.reproducible,
        grid=grid,
        record=call,
    )
    return made


def _convert_to_array(choice: object) -> np.ndarray:
    """Convert a choice to an array: a float or an int in its type, other values as an object."""
    if isinstance(choice, np.ndarray):
        return choice
    if type(choice) is float or type(choice) is int and abs(choice) < 2**63:
        return np.asarray(choice, dtype=np.float64 if type(choice) is float else np.int64)
    value = np.empty((), dtype=object)
    value[()] = choice
    return value
