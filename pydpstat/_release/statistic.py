"""How the package's own statistics are protected: options in, `release` called, guarantee stated."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from pydpstat._checks import shown
from pydpstat._release.additive import release
from pydpstat._release.calibration import Noise, Preparation, prepare
from pydpstat._release.noise import calibrate, loss
from pydpstat._release.options import Options
from pydpstat._release.query import Query, Question
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results._postprocessing import PostProcessing
from pydpstat.results.results import DPResults


def protect(
    function: str,
    query: Query,
    options: Options,
    rng: Any,
    budget: Any,
    *,
    data: tuple[str, ...] = ("data",),
    arguments: tuple[tuple[str, Any], ...] = (),
    bounds: Any = None,
    publish: Callable[[np.ndarray], tuple[np.ndarray, PostProcessing]] | None = None,
    conditions: tuple[str, ...] = (),
) -> DPResults:
    """Release a statistic with calibrated noise.

    Parameters
    ----------
    function : str
        The public function's name.
    query : Query
        The statistic; its sensitivities are one for the whole value or one for each element
        (`pydpstat._release.noise.calibrate` says how they share the budget).
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
        _prepared(query.question, options, conditions, source is not None),
        source,
        record=call(function, options, data, arguments),
        bounds=bounds,
        publish=publish,
        budget=check_budget(budget),
    )


# all of it is public: the same call is prepared once
@lru_cache(maxsize=256)
def _prepared(question: Question, options: Options, conditions: tuple[str, ...], seeded: bool) -> Preparation:
    claim = Guarantee(options.epsilon, options.delta, options.neighbors)

    def account(noise: Noise) -> tuple[Guarantee, Guarantee]:
        # what being rounded onto the grid adds to the sensitivity, the noise grows by
        exact = loss(noise, options, question.sensitivities)
        stated = (*options.conditions, *conditions)
        return claim, Guarantee(options.epsilon, options.delta, options.neighbors, stated, exact)

    return prepare(
        question,
        lambda sensitivities: calibrate(options, sensitivities, question.integer),
        account,
        seeded,
    )


def call(
    function: str, options: Options, data: tuple[str, ...], arguments: tuple[tuple[str, Any], ...] = ()
) -> Call:
    """Return the call without its data; options at their defaults are left out."""
    public: list[tuple[str, Any]] = [("epsilon", options.epsilon), *arguments]
    if options.mechanism == "gaussian":
        public += [("delta", options.delta), ("mechanism", options.mechanism)]
    if not options.bounded:
        public.append(("neighbors", options.neighbors))
    if options.missing != "error":
        public.append(("missing", options.missing))
    return Call(function, tuple([(name, name) for name in data]), tuple(public))


def check_budget(budget: Any) -> Any:
    """Check that a budget, where one is given, can be spent from."""
    if budget is None or callable(getattr(budget, "spend", None)):
        return budget
    raise PydpstatError(
        f"budget must be None or a Budget; got {shown(budget)}. Give pydpstat.Budget(epsilon)."
    )
