"""Release of statistics: calibration by the checked options, and the guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from pydpstat._answering import explain_wrong_calls, hide_frames
from pydpstat._release.calibration import SEEDED_CONDITION, QuerySpec, calibrate_release
from pydpstat._release.declared_facts import FunctionCall, current_call, get_design_call, get_series_names
from pydpstat._release.options import Options
from pydpstat._release.pipeline import Query, release_query
from pydpstat._release.scope import EMPTY_SCOPE
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.random.source import SYSTEM
from pydpstat.results._call import Call, NamedArgument, format_argument
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor, ScaledValue
from pydpstat.results._words import UNLABELED_FUNCTIONS
from pydpstat.results.results import DPResults

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

EXPANSION_STEP = "divided by the sample's share"


def guard_release(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Decorate a release function so that floating-point flags cannot reveal data.

    Overflow and signalling NaNs depend on the data. NumPy's warnings about them, or the errors raised under
    ``np.seterr(all="raise")``, would disclose them before the budget is charged, so the flags are ignored here;
    the functions handle such values themselves. Calls that do not fit the signature raise an explained error.
    """

    called = explain_wrong_calls(function)

    @wraps(called)
    def run_guarded(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        outer = current_call.get()
        token = current_call.set(
            FunctionCall(function.__name__, arguments, options, outer.design_context, bool(outer.function))
        )
        try:
            with np.errstate(all="ignore"):
                return called(*arguments, **options)
        except PydpstatError as error:
            raise hide_frames(error) from error.__cause__
        finally:
            current_call.reset(token)

    return run_guarded


class OptionsCalibrator(NamedTuple):
    """Calibrator of a statistic by its options; `conditions` are added to those of the options."""

    options: Options
    conditions: tuple[str, ...] = ()

    def calibrate(self, query_spec: QuerySpec, sensitivities: tuple[float, ...]) -> Noise:
        """Return noise for one sensitivity of the whole value, or for one of each element."""
        options = self.options
        if len(sensitivities) == 1:
            shape = {"vector_shape": query_spec.vector_shape} if options.norm == math.inf else {}
            return options.mechanism.calibrate_vector(
                options.epsilon, options.delta, sensitivities[0], query_spec.size, query_spec.integer, **shape
            )
        return options.mechanism.calibrate_each(options.epsilon, options.delta, sensitivities)

    def make_guarantees(self, query_spec: QuerySpec, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee; the noise covers the effect of rounding to the grid."""
        options = self.options
        loss = options.mechanism.loss(noise, options.epsilon, query_spec.sensitivities)
        return options.make_guarantees(loss, self.conditions)


def make_calibrator(options: Options, conditions: tuple[str, ...] = ()) -> OptionsCalibrator:
    """Return the calibrator of a statistic with the public options only, so that it can be a cache key."""
    return OptionsCalibrator(options._replace(scope=EMPTY_SCOPE, source=SYSTEM, budget=None), conditions)


def release_statistic(
    function: str,
    query: Query,
    options: Options,
    *,
    data_names: tuple[str, ...] = ("data",),
    public_arguments: tuple[tuple[str, object], ...] = (),
    bounds: tuple[object, ...] | None = None,
    postprocess: PostProcessor | None = None,
    conditions: tuple[str, ...] = (),
    is_total: bool = False,
) -> DPResults:
    """Release a statistic with calibrated noise.

    The query has one sensitivity for the whole value or one for each element. `data_names` are the names of the
    data arguments and `public_arguments` the public arguments of the function (bounds, edges, levels), for the call
    record; `conditions` are those of the guarantee in addition to the options' conditions. `postprocess` is that of
    `pydpstat._release.pipeline.release_query`. A total (`is_total`) of a sample is divided by the sample's share.
    """
    if is_total and options.sampling_rate is not None:
        postprocess = _make_sample_expansion(postprocess, float(1 / options.sampling_rate))
    source = options.source
    return release_query(
        query,
        calibrate_release(query.spec, make_calibrator(options, conditions), source.reproducible),
        source,
        call=make_call(function, options, data_names, public_arguments),
        bounds=bounds,
        postprocess=postprocess,
        budget=options.budget,
    )


def make_stage_guarantees(options: Options, conditions: tuple[str, ...]) -> tuple[Guarantee, Guarantee]:
    """Return the claim and the guarantee of stages that are charged together."""
    claim, guarantee = options.make_guarantees(None, conditions)
    return claim, guarantee.with_conditions(SEEDED_CONDITION) if options.source.reproducible else guarantee


def release_stage(query: Query, options: Options, epsilon: float, conditions: tuple[str, ...], call: Call) -> DPResults:
    """Release one of several stages with a separate epsilon; the caller charges all stages together."""
    spec, source = make_calibrator(options._replace(epsilon=epsilon), conditions), options.source
    return release_query(query, calibrate_release(query.spec, spec, source.reproducible), source, call=call)


def _make_sample_expansion(postprocess: PostProcessor | None, factor: float) -> PostProcessor:
    """Return the post-processing of a sample's noisy total: `postprocess`, then multiplication by `factor`."""

    def expand_total(noisy_value: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        value, post = (noisy_value, NoisyValue()) if postprocess is None else postprocess(noisy_value)
        before = np.asarray(post.factor) if isinstance(post, ScaledValue) else np.asarray(1.0)
        scale = tuple((before * factor).tolist()) if before.ndim else float(before * factor)
        within = None if post.within is None else post.within.scale_range(factor)
        steps = (*post.steps, EXPANSION_STEP)
        # intervals of shares remain those of the sample
        return value * factor, ScaledValue(scale, steps, population=post.population, within=within)

    return expand_total


def make_call(
    function: str,
    options: Options,
    data_names: tuple[str, ...],
    public_arguments: tuple[tuple[str, object], ...] = (),
) -> Call:
    """Return the call record without data; options at their defaults are left out."""
    public: list[tuple[str, object]] = [("epsilon", options.epsilon), *public_arguments]
    if options.mechanism.approximate:
        public.append(("delta", options.delta))
    if not options.is_default_mechanism:
        chosen = options.mechanism
        public.append(("mechanism", chosen.name if options.is_mechanism_named else NamedArgument(repr(chosen))))
    if options.neighbors != "bounded":
        public.append(("neighbors", options.neighbors))
    if options.missing != "error":
        public.append(("missing", options.missing))
    if options.unit is not None and all(name != "unit" for name, _ in public_arguments):
        public.append(("unit", options.unit))
    design_call = get_design_call(function)
    if design_call is not None and design_call.data != data_names[0]:
        # the groups are the samples passed to the function
        groups = (f"groups={format_argument(list(design_call.groups), 'groups')}",) if design_call.groups else ()
        data_names = (design_call.data, *groups) if design_call.data else ()
    names = get_series_names(function) if design_call is None and function in UNLABELED_FUNCTIONS else ()
    pairs = tuple([(name, name) for name in data_names])
    return Call(function, pairs, tuple(public), design_call=design_call, names=names)
