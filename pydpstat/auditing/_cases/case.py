"""A release to audit with its known properties; and a single stage of a release as a release."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pydpstat._release.options import options
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import make_call, release_stage
from pydpstat.mechanisms import Mechanism
from pydpstat.privacy import Guarantee
from pydpstat.results import DPResults

Release = Callable[..., object]
Options = dict[str, Any]
UNIT_BOUNDS: Options = {"bounds": (0, 1)}
UNBOUNDED: Options = {"neighbors": "unbounded"}
GAUSSIAN: Options = {"mechanism": "gaussian", "delta": 1e-3}
MAX_DRAWS = 1_000_000


@dataclass(frozen=True)
class Case:
    """A release, a function of the data or of the data and `size`, with two neighbors that attain its worst case.

    The claim, None if the results state it themselves, is known to be violated ("defect"), is satisfied ("sound"), or
    is violated as documented ("exception"). `row` is the finding's name in the table of the originals' defects, `true`
    the true epsilon at the claim's delta, NaN if unknown. At a million draws the lower bound of a defect must also
    exceed `at_least`; `max_draws` draws suffice.
    """

    kind: Literal["defect", "sound", "exception"]
    name: str
    release: Release
    data: object
    neighbor: object
    claim: Guarantee | None = None
    row: str = ""
    true: float = math.nan
    at_least: float = 0.0
    max_draws: int = MAX_DRAWS


def make_sound_case(
    name: str,
    release: Release,
    data: object,
    neighbor: object,
    max_draws: int = MAX_DRAWS,
    true: float = 1.0,
    claim: Guarantee | None = None,
) -> Case:
    """Return the case of a release that satisfies its claim."""
    return Case("sound", name, release, data, neighbor, claim, true=true, max_draws=max_draws)


def draw_many(draw: Callable[[], np.ndarray], batch_size: int, size: int) -> np.ndarray:
    """Return `size` draws from a function that makes `batch_size` at a time."""
    return np.concatenate([draw() for _ in range(-(-size // batch_size))])[:size]


def make_stage_release(
    function: str, make_query: Callable[[Any], Query], mechanism: Mechanism | None = None
) -> Release:
    """Return a release of a query of the records, by default with Laplace or geometric noise."""
    checked_options = options(1.0, 0, "laplace", "bounded", "error", allow_objects=False)
    if mechanism is not None:
        checked_options = checked_options._replace(mechanism=mechanism)
    record = make_call(function, checked_options, ("formula", "data"))

    def release_data(data: object) -> DPResults:
        return release_stage(make_query(data), checked_options, 1.0, (), record)

    return release_data
