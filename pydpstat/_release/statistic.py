"""How pydpstat's statistics are released: options in, `release` called, guarantee stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pydpstat._checks import shown
from pydpstat._release.additive import Spender, release
from pydpstat._release.calibration import prepare
from pydpstat._release.options import INTEGER, REAL, Options
from pydpstat._release.query import Query, Question
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.random.source import source_from
from pydpstat.results._call import Call, Named
from pydpstat.results._postprocessing import PostProcessing
from pydpstat.results.results import DPResults


class Protection(NamedTuple):
    """How one of pydpstat's statistics is protected.

    Parameters
    ----------
    options : Options
        What was asked for.
    conditions : tuple of str
        What the guarantee rests on, besides what the options say.
    """

    options: Options
    conditions: tuple[str, ...] = ()

    def calibrate(self, question: Question, sensitivities: tuple[float, ...]) -> Noise:
        """Return noise for one sensitivity of the whole value, or for one of each element."""
        how = self.options
        if len(sensitivities) == 1:
            return how.mechanism.calibrate_vector(
                how.epsilon, how.delta, sensitivities[0], question.size, question.integer
            )
        return how.mechanism.calibrate_each(how.epsilon, how.delta, sensitivities)

    def account(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee: what being rounded onto the grid adds, the noise covers."""
        how = self.options
        loss = how.mechanism.loss(noise, how.epsilon, question.sensitivities)
        stated = (*how.conditions, *self.conditions)
        claim = Guarantee(how.epsilon, how.delta, how.neighbors)
        return claim, Guarantee(how.epsilon, how.delta, how.neighbors, stated, loss)


def release_statistic(
    function: str,
    query: Query,
    options: Options,
    rng: object,
    budget: Spender | None,
    *,
    data: tuple[str, ...] = ("data",),
    arguments: tuple[tuple[str, object], ...] = (),
    bounds: object = None,
    publish: Callable[[np.ndarray], tuple[np.ndarray, PostProcessing]] | None = None,
    conditions: tuple[str, ...] = (),
) -> DPResults:
    """Release a statistic with calibrated noise.

    Parameters
    ----------
    function : str
        The public function's name.
    query : Query
        The statistic; its sensitivities are one for the whole value or one for each element.
    options : Options
        How it is to be protected.
    rng, budget
        As the caller gave them.
    data : tuple of str
        The data arguments' names, for the call.
    arguments : tuple of (str, value)
        The function's own public arguments (bounds, edges, levels), for the call.
    bounds : tuple, optional
        Public bounds of the data, for the result.
    publish : callable, optional
        Post-processing: the noisy value in, the published one and its description out.
    conditions : tuple of str
        What the guarantee rests on, besides what the options say.
    """
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


def call(
    function: str, options: Options, data: tuple[str, ...], arguments: tuple[tuple[str, object], ...] = ()
) -> Call:
    """Return the call without its data; options at their defaults are left out."""
    public: list[tuple[str, object]] = [("epsilon", options.epsilon), *arguments]
    if options.mechanism.approximate:
        public.append(("delta", options.delta))
    if not options.default:
        named = options.mechanism in (*REAL, *INTEGER)
        public.append(("mechanism", options.mechanism.name if named else Named(repr(options.mechanism))))
    if not options.bounded:
        public.append(("neighbors", options.neighbors))
    if options.missing != "error":
        public.append(("missing", options.missing))
    return Call(function, tuple([(name, name) for name in data]), tuple(public))


def check_budget(budget: Spender | None) -> Spender | None:
    """Check that a budget, where one is given, can be spent from."""
    if budget is None or callable(getattr(budget, "spend", None)):
        return budget
    raise PydpstatError(
        f"budget must be None or a Budget; got {shown(budget)}. Give pydpstat.Budget(epsilon)."
    )
