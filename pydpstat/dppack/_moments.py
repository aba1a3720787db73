"""What DPpack's mean, variance and covariance share: the last checks, the guarantee, the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydpstat import _checks as checks
from pydpstat._release.additive import release
from pydpstat._release.calibration import prepare
from pydpstat._release.query import Query
from pydpstat._warn import note
from pydpstat.dppack import _warnings
from pydpstat.dppack._arguments import SENSITIVITIES
from pydpstat.dppack._spec import check_mechanism, statistic_spec
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results.results import DPResults

FIXED = (
    "the number of records is public",
    "no value is missing, and everybody knows it",
)
SCALE_TELLS_N = "for added or removed records nothing holds: the noise scale reveals their number"


def release_moment(
    function: str,
    query: Query,
    arguments: dict[str, Any],
    bounds: Any,
    data: tuple[tuple[str, str], ...],
    rng: Any,
    **pipeline: Any,
) -> DPResults:
    """Check the remaining arguments in R's order, say what holds, and release.

    Parameters
    ----------
    function : str
        The mirror's name.
    query : Query
        The moment.
    arguments : dict
        The public arguments, by their Python names, in R's order.
    bounds : tuple
        Public bounds of the data.
    data : tuple of (str, str)
        Texts of the data arguments, in Python and in R.
    rng
        Source of the noise, as the mirror got it.
    **pipeline
        `accept` and `publish` of `pydpstat._release.additive.release`; with `accept` the draw is repeated.
    """
    which = checks.one_of(arguments["which_sensitivity"], "which_sensitivity", SENSITIVITIES)
    mechanism = check_mechanism(arguments["mechanism"])
    if which == "both":
        note(
            f"{function}: bounded and unbounded sensitivity are the same here, so one value is returned."
        )
    bounded = which == "bounded"
    source = source_from(rng, int_seeds_r=True)
    spec = statistic_spec(
        function,
        mechanism,
        arguments["eps"],
        arguments["delta"],
        arguments["type_DP"],
        "bounded" if bounded else "unbounded",
        conditions=FIXED if bounded else (*FIXED, SCALE_TELLS_N),
        kept_for="bounded",
        redrawn="accept" in pipeline,
    )
    shown = query if bounded else replace(query, nobs=None)
    prepared = prepare(shown.question, spec, source.reproducible)
    spec.warn(shown.question)
    if spec.redrawn and spec.is_laplace:
        _warnings.redrawn(function, spec.eps)
    if not bounded:
        noise = spec.calibrate(query.question, query.sensitivities)
        # where a removed record moves the statistic by up to its sensitivity, the figure is known
        relative = noise.scale / query.sensitivities[0] if function == "meanDP" else None
        kept = spec.by_noise(query.question, noise)[1]
        _warnings.noise_scale_tells_n(function, kept, relative, query.nobs)
    record = Call(function, data, tuple(arguments.items()), "DPpack")
    return release(shown, prepared, source, record=record, bounds=bounds, **pipeline)
