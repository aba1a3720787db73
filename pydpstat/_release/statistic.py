"""How pydpstat's statistics are released: options checked, `release` called, guarantee stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, wraps
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import (
    REAL,
    SEEDED,
    VECTOR,
    Question,
    checked_delta,
    chosen_mechanism,
    prepare,
)
from pydpstat._release.declared import asked_for, handed, names_handed, stated
from pydpstat._release.payment import Spender, defaults
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.privacy.losses import PrivacyLoss
from pydpstat.random.source import Source, source_from
from pydpstat.results._call import Call, Named, plainly
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, Publish, Scaled
from pydpstat.results._words import UNLABELED
from pydpstat.results.results import DPResults

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

# the value that replaces missing ones, or how they are treated
Missing = str | float | np.generic
# delta, mechanism, neighbors and missing, as they were given
Public = tuple[float, str | Mechanism | None, str | None, Missing]
COMPLETE = "whether values are missing is treated as public"
# no value may take a missing one's place
NO_VALUE = type(None)
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
        token = handed.set((function.__name__, arguments))
        try:
            with np.errstate(all="ignore"):
                return called(*arguments, **options)
        finally:
            handed.reset(token)

    return undisturbed


class Options(NamedTuple):
    """How a statistic is to be protected, checked.

    `default` and `named`: whether the mechanism is the function's default, and was given by name.
    `scattered`: records are counted in groups or by units, so that nobody knows how many are counted where.
    At most `most` records of a `unit` count. `sampled` is the sample's share of the records. `either`: the
    function has unbounded neighbors, too. `facts` are what a design has declared and the release rests on, in
    words.
    """

    epsilon: float
    delta: float
    mechanism: Mechanism
    neighbors: str
    missing: Missing
    default: bool
    named: bool
    scattered: bool = False
    unit: str | None = None
    most: int = 1
    sampled: Fraction | None = None
    either: bool = True
    facts: tuple[str, ...] = ()

    @property
    def bounded(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors == "bounded" and not self.scattered

    @property
    def ends(self) -> int:
        """How many groups a neighbor changes: a record that is replaced may leave one and enter another."""
        return 2 if self.scattered and self.neighbors == "bounded" else 1

    @property
    def norm(self) -> float:
        """Which norm of a change the noise answers to: 2 for Gaussian noise, inf for cubes, else 1."""
        return self.mechanism.norm

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return (*self.facts, COMPLETE) if self.missing == "error" else self.facts

    def promise(
        self, loss: PrivacyLoss | None = None, conditions: tuple[str, ...] = ()
    ) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee of a release with this loss, on a sample where there is one.

        The claim is what was asked for, and on a sample what follows for all records.
        """
        claim = Guarantee(self.epsilon, self.delta, self.neighbors, unit=self.unit)
        held = replace(claim, conditions=(*self.conditions, *conditions), loss=loss)
        if self.sampled is None:
            return claim, held
        sampling = "without replacement" if self.neighbors == "bounded" else "poisson"
        held = held.subsampled(self.sampled, sampling)
        return replace(held, conditions=(), loss=None), held


class OnlyBounded(NamedTuple):
    """Why a function has bounded neighbors only, and what to use where the number of records is private."""

    reason: str
    instead: str


def options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str | None,
    missing: Missing,
    *,
    mechanisms: tuple[Mechanism, ...] = REAL,
    others: bool = True,
    fill: type = float,
    budget: Spender | None = None,
    only: OnlyBounded | None = None,
) -> Options:
    """Check how a statistic is to be protected.

    The mechanisms are those that have a name in the function, its default first; with `others` an object
    may be given, too. Without any, of `VECTOR`, `for_columns` chooses. `fill` is what may take a missing
    value's place: a number (float), a truth value (bool), a level (str: any plain value), or none. Without
    neighbors they are those of the budget that pays; `only` refuses unbounded ones.
    """
    # before what is remembered: the same call means something else in another block
    if neighbors is None:
        neighbors = defaults(check_budget(budget)).neighbors
    given = (epsilon, delta, mechanism, neighbors, missing, mechanisms, others, fill, only is None)
    try:
        how = _options(*given)
    except TypeError:
        # what cannot be hashed is checked all the same
        how = _options.__wrapped__(*given)
    if only is not None and neighbors != "bounded":
        raise PydpstatError(f"neighbors must be 'bounded' {only.reason}; got {neighbors!r}. {only.instead}")
    facts = stated()
    return how._replace(facts=facts) if facts else how


# all of it is public; typed, as True and 1.0 are other answers than 1
@lru_cache(maxsize=256, typed=True)
def _options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str,
    missing: Missing,
    mechanisms: tuple[Mechanism, ...],
    others: bool,
    fill: type,
    either: bool,
) -> Options:
    eps = checks.epsilon(epsilon)
    chosen = chosen_mechanism(mechanism, mechanisms, others)
    checks.one_of(neighbors, "neighbors", NEIGHBORS)
    return Options(
        eps,
        checked_delta(delta, chosen),
        chosen,
        neighbors,
        missing_rule(missing, neighbors, fill, either),
        # a default is not shown in calls
        mechanism is None if mechanisms is VECTOR else chosen is mechanisms[0],
        isinstance(mechanism, str),
        either=either,
    )


def for_columns(how: Options, columns: int) -> Options:
    """Return the options with the default mechanism for so many numbers that a record changes together.

    Of one number all that have a pure epsilon are Laplace noise; of several a cube's has less variance.
    """
    return how._replace(mechanism=VECTOR[-1]) if how.default and columns > 1 else how


def missing_rule(missing: Missing, neighbors: str, fill: type = float, either: bool = True) -> Missing:
    """Check what is to be done with missing values: "error", "drop", or a public value."""
    if type(missing) is str and missing == "error":
        return missing
    if isinstance(missing, str) and missing == "drop":
        if neighbors == "unbounded":
            return missing
        ways = ["give a public value instead"] if fill is not NO_VALUE else []
        ways += ["use neighbors='unbounded'"] if either else []
        way = ", or ".join(ways) or "fill the missing values first, by a rule that uses each record alone"
        raise PydpstatError(
            "missing must not be 'drop' with neighbors 'bounded': the number of remaining records "
            f"would be private. {way[0].upper()}{way[1:]}."
        )
    if fill is bool and isinstance(missing, (bool, np.bool_)):
        return bool(missing)
    if fill is float and checks.is_number(missing) and not math.isnan(checks.as_float(missing)):
        return checks.as_float(missing)
    if fill is str and isinstance(missing, (str, bool, int, float, np.generic)) and missing == missing:
        return missing
    place = {float: "a number", bool: "True or False", str: "a level"}[fill]
    hint = checks.meant(missing, "missing", ("error", "drop"))
    raise PydpstatError(
        f"missing must be 'error', 'drop' or {place} that replaces missing values; got "
        f"{checks.shown_option(missing)}. {hint}"
    )


def check_records(how: Options, size: int, least: int, statistic: str, argument: str = "data") -> None:
    """Check the public number of records."""
    if size < least:
        way = "If the number is private, use neighbors='unbounded'." if how.either else "Give more records."
        raise PydpstatError(
            f"{argument} must have at least {least} record{'s' * (least > 1)} for a {statistic} under "
            f"bounded neighbors; got {size}. {way}"
        )


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


def release_statistic(
    function: str,
    query: Query,
    options: Options,
    rng: object,
    budget: Spender | None,
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
    source = source_from(rng)
    return release(
        query,
        prepare(query.question, Protection(options, conditions), source.reproducible),
        source,
        record=call(function, options, data, arguments),
        bounds=bounds,
        publish=publish,
        budget=check_budget(budget),
    )


def promise_of_stages(
    options: Options, conditions: tuple[str, ...], source: Source
) -> tuple[Guarantee, Guarantee]:
    """Return the claim and the guarantee of stages that are paid for together."""
    claim, held = options.promise(None, conditions)
    return claim, held.with_conditions(SEEDED) if source.reproducible else held


def release_stage(
    query: Query, options: Options, epsilon: float, conditions: tuple[str, ...], source: Source, record: Call
) -> DPResults:
    """Release one of several stages with its own epsilon; the caller pays for all of them together."""
    spec = Protection(options._replace(epsilon=epsilon), conditions)
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


def check_budget(budget: Spender | None) -> Spender | None:
    """Check that a budget, where one is given, can be spent from."""
    if budget is None or callable(getattr(budget, "spend", None)) and not isinstance(budget, type):
        return budget
    got = "the class itself" if isinstance(budget, type) else checks.shown(budget)
    raise PydpstatError(
        f"budget must be None or a Budget; got {got}. Give pydpstat.Budget(epsilon), or "
        "pydpstat.Budget(epsilon, path=...) for a file."
    )
