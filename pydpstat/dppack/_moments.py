"""What DPpack's mean, variance and covariance share: the last checks, the guarantee, the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydpstat import _checks as checks
from pydpstat._release.calibration import Noise, noise_scale
from pydpstat._release.query import Query
from pydpstat._warn import note
from pydpstat.dppack import _warnings
from pydpstat.dppack._arguments import SENSITIVITIES
from pydpstat.dppack._protect import check_mechanism, protect
from pydpstat.mechanisms.laplace import truncated_positive_epsilon
from pydpstat.privacy import Guarantee
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
    redrawn = "accept" in pipeline and mechanism == "Laplace"

    def correct(kept: Guarantee, noise: Noise) -> Guarantee:
        epsilon = kept.epsilon
        conditions: tuple[str, ...] = FIXED
        if redrawn:
            _warnings.redrawn(function, epsilon)
            epsilon = truncated_positive_epsilon(epsilon)
        if which != "bounded":
            # where a removed record moves the statistic by up to its sensitivity, the figure is known
            relative = noise_scale(noise) / query.sensitivities[0] if function == "meanDP" else None
            _warnings.noise_scale_tells_n(function, kept, relative, query.nobs)
            conditions = (*FIXED, SCALE_TELLS_N)
        # drawn again until it is positive, the noise has another law
        loss = None if "accept" in pipeline else kept.loss
        return Guarantee(epsilon, kept.delta, "bounded", conditions, loss)

    return protect(
        function,
        query if which == "bounded" else replace(query, nobs=None),
        arguments["eps"],
        mechanism,
        arguments["delta"],
        arguments["type_DP"],
        source_from(rng, int_seeds_r=True),
        neighbors="bounded" if which == "bounded" else "unbounded",
        record=Call(function, data, tuple(arguments.items()), "DPpack"),
        correct=correct,
        bounds=bounds,
        **pipeline,
    )
