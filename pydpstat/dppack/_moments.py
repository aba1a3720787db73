"""What DPpack's moments share: the last checks, the guarantee, the release."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.additive import Accept, Query, release
from pydpstat._release.calibration import Preparation, Question, prepare
from pydpstat.dppack import _warnings
from pydpstat.dppack._noise import Spec, statistic_spec
from pydpstat.dppack._values import MECHANISMS, SENSITIVITIES
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.source import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, Publish
from pydpstat.results._ranges import ParameterRange
from pydpstat.results.results import DPResults

FIXED = ("the number of records is public", "whether values are missing is treated as public")
SCALE_TELLS_N = "nothing is guaranteed for added or removed records: the noise scale reveals their number"
REDRAWN = "redrawn until positive"
# of what is equal and of one type only the sign of 0 may differ
_PLAIN = frozenset((int, float, str))
_PRIVACY = ("which_sensitivity", "mechanism", "delta", "type_DP")
NAMES = ("eps", "lower_bound", "upper_bound", *_PRIVACY)
NAMES_OF_PAIRS = ("eps", "lower_bound1", "upper_bound1", "lower_bound2", "upper_bound2", *_PRIVACY)


class Moment(NamedTuple):
    """The true value of a moment, private: replacing one of n records moves it by at most reach / n."""

    statistic: str
    value: float
    reach: float
    nobs: int


class _Plan(NamedTuple):
    """What of a release is public, and the same for the same arguments and number of records.

    `labels`, `record` and `nobs` are as the result has them; `warns` says whether there may be something
    to warn about.
    """

    spec: Spec
    question: Question
    prepared: Preparation
    labels: Labels
    record: Call
    nobs: int | None
    warns: bool


def release_moment(
    function: str,
    moment: Moment,
    name: str,
    arguments: tuple[object, ...],
    bounds: tuple[object, object],
    rng: object,
    publish: Publish,
    accept: Accept | None = None,
) -> DPResults:
    """Check the remaining arguments in R's order, say what holds, and release.

    The arguments are the public ones as the mirror got them, in R's order. `accept` and `publish` are as
    in `pydpstat._release.additive.release`; with `accept` the draw is repeated.
    """
    *_, which, mechanism, delta, _ = arguments
    checks.one_of(which, "which_sensitivity", SENSITIVITIES)
    checks.one_of(mechanism, "mechanism", MECHANISMS)
    if which == "both":
        _warnings.one_value(function)
    source = source_from(rng, int_seeds_r=True)
    _, value, reach, nobs = moment
    sensitivity = reach / nobs if nobs else math.inf
    asked = (function, moment.statistic, name, nobs, sensitivity, source.reproducible, accept is not None)
    if _PLAIN.issuperset(map(type, arguments)):
        # 0.0 and -0.0 are equal, but not in the text of the call
        plan = _planned(f"{bounds}{delta}", *asked, *arguments)
    else:
        # such as (1,) and (True,), which are equal, or a list, which cannot be hashed
        plan = _planned.__wrapped__("", *asked, *arguments)
    if plan.warns:
        plan.spec.warn(plan.question)
        warn_of_moment(plan.spec, plan.question, plan.nobs is None, nobs)
    query = Query(
        moment.statistic,
        np.asarray(value, dtype=np.float64),
        plan.question.sensitivities,
        plan.labels,
        nobs=plan.nobs,
    )
    return release(
        query, plan.prepared, source, record=plan.record, bounds=bounds, accept=accept, publish=publish
    )


# eps=1 and eps=1.0 are equal, but not in the text of the call
@lru_cache(maxsize=256, typed=True)
def _planned(
    signs: str,
    function: str,
    statistic: str,
    name: str,
    nobs: int,
    sensitivity: float,
    seeded: bool,
    redrawn: bool,
    *arguments: object,
) -> _Plan:
    """Return the plan of a release; `signs` only tells arguments apart that are equal."""
    pairs = function == "covDP"
    named = dict(zip(NAMES_OF_PAIRS if pairs else NAMES, arguments))
    bounded = named["which_sensitivity"] == "bounded"
    spec = statistic_spec(
        function,
        named,
        "bounded" if bounded else "unbounded",
        conditions=FIXED if bounded else (*FIXED, SCALE_TELLS_N),
        kept_for="bounded",
        redrawn=redrawn,
    )
    question = Question(statistic, (sensitivity,), 1, False, False)
    data = (("x1", "x1"), ("x2", "x2")) if pairs else (("x", "x"),)
    return _Plan(
        spec,
        question,
        prepare(question, spec, seeded),
        Labels(name),
        Call(function, data, tuple(named.items()), "DPpack"),
        nobs if bounded else None,
        redrawn or not bounded or not spec.is_laplace,
    )


def warn_of_moment(spec: Spec, question: Question, tells_n: bool, nobs: int) -> None:
    """Warn of what drawing again costs, and where the noise scale tells a private number of records."""
    if spec.redrawn and spec.is_laplace:
        _warnings.redrawn(spec.function, spec.eps)
    if tells_n:
        noise = spec.calibrate(question, question.sensitivities)
        # a removed record moves the mean by up to its sensitivity, the figure is known
        relative = noise.scale / question.sensitivities[0] if spec.function == "meanDP" else None
        kept = spec.by_noise(question, noise)[1]
        _warnings.noise_scale_tells_n(spec.function, kept, relative, nobs)


def is_positive(value: Floats) -> bool:
    """Tell whether a noisy value may stand."""
    return bool(value > 0.0)


def as_drawn(within: ParameterRange, steps: tuple[str, ...] = ()) -> Publish:
    """Publish the value as it is, which is R's; the range is for its interval."""

    def publish(value: Floats) -> tuple[Floats, PostProcessing]:
        return value, AsDrawn(steps, within=within)

    return publish
