"""Release of DPpack's moments: final checks, the guarantee and the release."""

from __future__ import annotations

import math
from copy import copy
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.calibration import Calibration, QuerySpec, calibrate_release
from pydpstat._release.pipeline import Accept, Query, release_query
from pydpstat.dppack import _warnings
from pydpstat.dppack._noise import StatisticCalibrator, make_statistic_calibrator
from pydpstat.dppack._values import MECHANISMS, SENSITIVITIES
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.source import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor
from pydpstat.results._ranges import ParameterRange
from pydpstat.results.results import DPResults

PUBLIC_SIZE_CONDITIONS = (
    "the number of records is public",
    "whether values are missing is treated as public",
)
SCALE_REVEALS_SIZE = "nothing is guaranteed for added or removed records: the noise scale reveals their number"
REDRAWN_STEP = "redrawn until positive"
# equal values of one of these types differ at most in the sign of 0
_SCALAR_TYPES = frozenset((int, float, str))
_PRIVACY_ARGUMENTS = ("which_sensitivity", "mechanism", "delta", "type_DP")
ARGUMENT_NAMES = ("eps", "lower_bound", "upper_bound", *_PRIVACY_ARGUMENTS)
PAIR_ARGUMENT_NAMES = (
    "eps",
    "lower_bound1",
    "upper_bound1",
    "lower_bound2",
    "upper_bound2",
    *_PRIVACY_ARGUMENTS,
)


class MomentQuery(NamedTuple):
    """True value of a moment, private; replacing one of n records changes it by at most `scaled_sensitivity` / n."""

    statistic: str
    value: float
    scaled_sensitivity: float
    nobs: int


class _MomentPlan(NamedTuple):
    """Public part of a release, which depends only on the arguments and the number of records.

    `labels`, `call` and `nobs` are those of the result; `has_warnings` tells whether a warning is possible.
    """

    calibrator: StatisticCalibrator
    query_spec: QuerySpec
    calibration: Calibration
    labels: Labels
    call: Call
    nobs: int | None
    has_warnings: bool


def release_moment(
    function: str,
    moment: MomentQuery,
    name: str,
    arguments: tuple[object, ...],
    bounds: tuple[object, object],
    rng: object,
    publish: PostProcessor,
    accept: Accept | None = None,
) -> DPResults:
    """Check the remaining arguments in R's order, determine the guarantee, and release.

    `arguments` are the public arguments of the mirror, in R's order. `accept` and `publish` are the arguments
    `is_acceptable` and `postprocess` of `pydpstat._release.pipeline.release_query`.
    """
    *_, which, mechanism, delta, _ = arguments
    checks.check_choice(which, "which_sensitivity", SENSITIVITIES)
    checks.check_choice(mechanism, "mechanism", MECHANISMS)
    if which == "both":
        _warnings.note_single_value(function)
    source = source_from(rng, int_seeds_r=True)
    _, value, sensitivity_product, nobs = moment
    sensitivity = sensitivity_product / nobs if nobs else math.inf
    settings = (function, moment.statistic, name, nobs, sensitivity, source.reproducible, accept is not None)
    if _SCALAR_TYPES.issuperset(map(type, arguments)):
        # 0.0 and -0.0 are equal, but differ in the text of the call
        plan = _make_moment_plan(f"{bounds}{delta}", *settings, *arguments)
    else:
        # for example (1,) and (True,), which are equal, or an unhashable list
        plan = _make_moment_plan.__wrapped__("", *settings, *arguments)
    if plan.has_warnings:
        plan.calibrator.warn_weak_noise(plan.query_spec)
        warn_about_moment(plan.calibrator, plan.query_spec, plan.nobs is None, nobs)
    query = Query(
        moment.statistic,
        np.asarray(value, dtype=np.float64),
        plan.query_spec.sensitivities,
        plan.labels,
        nobs=plan.nobs,
    )
    return release_query(
        query,
        plan.calibration,
        source,
        # a release has a record of its own, by which a budget knows it
        call=copy(plan.call),
        bounds=bounds,
        is_acceptable=accept,
        postprocess=publish,
    )


# eps=1 and eps=1.0 are equal, but differ in the text of the call
@lru_cache(maxsize=256, typed=True)
def _make_moment_plan(
    signs: str,
    function: str,
    statistic: str,
    name: str,
    nobs: int,
    sensitivity: float,
    is_seeded: bool,
    is_redrawn: bool,
    *arguments: object,
) -> _MomentPlan:
    """Return the plan of a release; `signs` only distinguishes equal arguments with different text."""
    pairs = function == "covDP"
    argument_of = dict(zip(PAIR_ARGUMENT_NAMES if pairs else ARGUMENT_NAMES, arguments))
    bounded = argument_of["which_sensitivity"] == "bounded"
    spec = make_statistic_calibrator(
        function,
        argument_of,
        "bounded" if bounded else "unbounded",
        conditions=PUBLIC_SIZE_CONDITIONS if bounded else (*PUBLIC_SIZE_CONDITIONS, SCALE_REVEALS_SIZE),
        guaranteed_neighbors="bounded",
        is_redrawn=is_redrawn,
    )
    question = QuerySpec(statistic, (sensitivity,), 1, False, False)
    data = (("x1", "x1"), ("x2", "x2")) if pairs else (("x", "x"),)
    return _MomentPlan(
        spec,
        question,
        calibrate_release(question, spec, is_seeded),
        Labels(name),
        Call(function, data, tuple(argument_of.items()), "DPpack"),
        nobs if bounded else None,
        is_redrawn or not bounded or not spec.is_laplace,
    )


def warn_about_moment(calibrator: StatisticCalibrator, query_spec: QuerySpec, reveals_size: bool, nobs: int) -> None:
    """Warn of the effect of redrawing, and of a noise scale that reveals a private number of records."""
    if calibrator.is_redrawn and calibrator.is_laplace:
        _warnings.warn_redrawn_noise(calibrator.function, calibrator.eps)
    if reveals_size:
        noise = calibrator.calibrate(query_spec, query_spec.sensitivities)
        # removing a record changes a mean by up to its sensitivity, so the figure is known
        relative = noise.scale / query_spec.sensitivities[0] if calibrator.function == "meanDP" else None
        guarantee = calibrator.make_noise_guarantees(query_spec, noise)[1]
        _warnings.warn_scale_reveals_size(calibrator.function, guarantee, relative, nobs)


def is_positive(value: Floats) -> bool:
    """Return whether a noisy value is positive, so that it may be released."""
    return bool(value > 0.0)


def publish_unchanged(parameter_range: ParameterRange, steps: tuple[str, ...] = ()) -> PostProcessor:
    """Return the post-processing of R's unchanged value; the range is that of its interval."""

    def publish_value(value: Floats) -> tuple[Floats, PostProcessing]:
        return value, NoisyValue(steps, within=parameter_range)

    return publish_value
