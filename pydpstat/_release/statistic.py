"""How pydpstat's statistics are released: options checked, `release` called, guarantee stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from pydpstat._answering import answered
from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import SEEDED, Question, prepare
from pydpstat._release.declared import asked_for, handed, names_handed
from pydpstat._release.options import Options
from pydpstat._release.scope import NOTHING
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.random.source import SYSTEM
from pydpstat.results._call import Call, Named, plainly
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, Publish, Scaled
from pydpstat.results._words import UNLABELED
from pydpstat.results.results import DPResults

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

EXPANDED = "divided by the sample's share"


def quiet(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let a function run with NumPy's floating-point errors ignored, and its arguments known.

    Whether a number overflows or is a signalling NaN depends on the data. A warning of it, or the error
    that ``np.seterr(all="raise")`` makes of it, would tell of them before anything is spent. What the
    functions do with such numbers is settled without these flags.
    """

    called = answered(function)

    @wraps(called)
    def undisturbed(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        token = handed.set((function.__name__, arguments, options))
        try:
            with np.errstate(all="ignore"):
                return called(*arguments, **options)
        finally:
            handed.reset(token)

    return undisturbed


class Protection(NamedTuple):
    """How one of pydpstat's statistics is protected; the conditions come on top of what the options say."""

    options: Options
    conditions: tuple[str, ...] = ()

    def calibrate(self, question: Question, sensitivities: tuple[float, ...]) -> Noise:
        """Return noise for one sensitivity of the whole value, or for one of each element."""
        how = self.options
        if len(sensitivities) == 1:
            ball = {"ball": question.ball} if how.norm == math.inf else {}
            return how.mechanism.calibrate_vector(
                how.epsilon, how.delta, sensitivities[0], question.size, question.integer, **ball
            )
        return how.mechanism.calibrate_each(how.epsilon, how.delta, sensitivities)

    def account(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee: what being rounded onto the grid adds, the noise covers."""
        how = self.options
        loss = how.mechanism.loss(noise, how.epsilon, question.sensitivities)
        return how.promise(loss, self.conditions)


def protected(how: Options, conditions: tuple[str, ...] = ()) -> Protection:
    """Return how a statistic is protected: what is public of the options, by which noise is remembered."""
    return Protection(how._replace(scope=NOTHING, source=SYSTEM, budget=None), conditions)


def release_statistic(
    function: str,
    query: Query,
    options: Options,
    *,
    data: tuple[str, ...] = ("data",),
    arguments: tuple[tuple[str, object], ...] = (),
    bounds: tuple[object, ...] | None = None,
    publish: Publish | None = None,
    conditions: tuple[str, ...] = (),
    total: bool = False,
) -> DPResults:
    """Release a statistic with calibrated noise.

    The query has one sensitivity for the whole value or one for each element. `data` are the data
    arguments' names and `arguments` the function's own public ones (bounds, edges, levels), for the call;
    the conditions are what the guarantee rests on, besides what the options say. `publish` is as in
    `pydpstat._release.additive.release`. A `total` on a sample is divided by the sample's share.
    """
    if total and options.sampled is not None:
        publish = _expanded(publish, float(1 / options.sampled))
    source = options.source
    return release(
        query,
        prepare(query.question, protected(options, conditions), source.reproducible),
        source,
        record=call(function, options, data, arguments),
        bounds=bounds,
        publish=publish,
        budget=options.budget,
    )


def promise_of_stages(options: Options, conditions: tuple[str, ...]) -> tuple[Guarantee, Guarantee]:
    """Return the claim and the guarantee of stages that are paid for together."""
    claim, held = options.promise(None, conditions)
    return claim, held.with_conditions(SEEDED) if options.source.reproducible else held


def release_stage(
    query: Query, options: Options, epsilon: float, conditions: tuple[str, ...], record: Call
) -> DPResults:
    """Release one of several stages with its own epsilon; the caller pays for all of them together."""
    spec, source = protected(options._replace(epsilon=epsilon), conditions), options.source
    return release(query, prepare(query.question, spec, source.reproducible), source, record=record)


def _expanded(publish: Publish | None, factor: float) -> Publish:
    """Return what is done to a noisy total of a sample: what else is done, and times a factor."""

    def expanded(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        value, post = (noisy, AsDrawn()) if publish is None else publish(noisy)
        before = np.asarray(post.factor) if isinstance(post, Scaled) else np.asarray(1.0)
        scale = tuple((before * factor).tolist()) if before.ndim else float(before * factor)
        within = None if post.within is None else post.within.scaled(factor)
        steps = (*post.steps, EXPANDED)
        # what is said of shares is said of those of the sample
        return value * factor, Scaled(scale, steps, population=post.population, within=within)

    return expanded


def call(
    function: str, options: Options, data: tuple[str, ...], arguments: tuple[tuple[str, object], ...] = ()
) -> Call:
    """Return the call without its data; options at their defaults are left out."""
    public: list[tuple[str, object]] = [("epsilon", options.epsilon), *arguments]
    if options.mechanism.approximate:
        public.append(("delta", options.delta))
    if not options.default:
        chosen = options.mechanism
        public.append(("mechanism", chosen.name if options.named else Named(repr(chosen))))
    if options.neighbors != "bounded":
        public.append(("neighbors", options.neighbors))
    if options.missing != "error":
        public.append(("missing", options.missing))
    if options.unit is not None and all(name != "unit" for name, _ in arguments):
        public.append(("unit", options.unit))
    asked = asked_for(function)
    if asked is not None and asked.data != data[0]:
        # the groups are the samples that the function itself is given
        groups = (f"groups={plainly(list(asked.groups), 'groups')}",) if asked.groups else ()
        data = (asked.data, *groups) if asked.data else ()
    names = names_handed(function) if asked is None and function in UNLABELED else ()
    pairs = tuple([(name, name) for name in data])
    return Call(function, pairs, tuple(public), asked=asked, names=names)
