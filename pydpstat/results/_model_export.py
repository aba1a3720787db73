"""A fitted model in other forms: plain JSON types, or an R vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydpstat.errors import MissingExtraError
from pydpstat.results import _stated as stated
from pydpstat.results._export import plain

if TYPE_CHECKING:
    from pydpstat.results.model_results import ModelResults


def to_dict(result: ModelResults) -> dict[str, Any]:
    """Return a fitted model in plain JSON types; an infinite epsilon is the text "infinite"."""
    return {
        "model": result.model,
        "coeff": plain(result.coeff),
        "names": list(result.names),
        "noise_sd": None if result.noise is None else plain(result.noise.std()),
        "perturbation": result.perturbation,
        **stated.plain(result),
        "gamma": result.gamma,
        "upper_bounds": plain(result.bounds[0]),
        "lower_bounds": plain(result.bounds[1]),
        "nobs": result.nobs,
        "reproducible": result.reproducible,
        "settings": {name.rstrip(":"): value for name, value in result.facts},
        "call": result.call,
        "r_call": result.r_call,
    }


def to_r(result: ModelResults) -> Any:
    """Return the coefficients as R's numeric vector."""
    try:
        import rpy2.robjects as robjects
    except ImportError as error:
        raise MissingExtraError("to_r()", "rpy2", "r") from error
    return robjects.FloatVector(result.coeff.tolist())
