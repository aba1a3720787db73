"""A release in other forms: plain JSON types, or an R object."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.results import _stated as stated

if TYPE_CHECKING:
    from pydpstat.results.results import DPResults


def to_dict(result: DPResults) -> dict[str, Any]:
    """Return a release in plain JSON types; an infinite epsilon is the text "infinite"."""
    value = np.ravel(result.value, order="F")
    errors = np.full(value.shape, math.nan)
    if result.noise is not None:
        errors = np.ravel(result.post.standard_error(result.noise, result.value), order="F")
    return {
        "statistic": result.statistic,
        "estimate": plain(value if result.value.ndim else value[0]),
        "shape": list(result.value.shape),
        "names": result.labels.elements(result.value),
        "breaks": plain(result.labels.breaks),
        "noise_sd": plain(errors if result.value.ndim else errors[0]),
        "noise_scale": plain(result.noise_scale),
        "mechanism": result.mechanism,
        "sensitivity": plain(result.sensitivity),
        **stated.plain(result),
        "bounds": plain(result.bounds),
        "nobs": result.nobs,
        "postprocessing": list(result.postprocessing),
        "reproducible": result.reproducible,
        "grid": result.grid,
        "call": result.call,
        "r_call": result.r_call,
    }


def to_r(result: DPResults) -> Any:
    """Return the estimate as the R object that the R original returns."""
    try:
        import rpy2.robjects as robjects
    except ImportError as error:
        raise MissingExtraError("to_r()", "rpy2", "r") from error
    labels = result.labels
    if result.value.dtype.kind == "O":
        return _candidate(result.value.item())
    whole = result.value.dtype.kind == "i" and abs(int(result.value)) < 2**31
    vector = (robjects.IntVector if whole else robjects.FloatVector)(
        np.ravel(result.value, order="F").tolist()
    )
    if labels.breaks is not None:
        parts = labels.histogram(result.value)
        histogram = robjects.ListVector(
            {
                "breaks": robjects.FloatVector(parts.breaks.tolist()),
                "counts": vector,
                "mids": robjects.FloatVector(parts.mids.tolist()),
                "xname": parts.xname,
                "equidist": parts.equidist,
            }
        )
        return robjects.r("function(x) structure(x, class = 'histogram')")(histogram)
    if labels.dimnames is not None:
        # only these arguments of table() let a missing value be a level
        missing = any(name in ("useNA", "exclude") for name, _ in result.record.arguments)
        names = [
            robjects.StrVector(
                [robjects.NA_Character if missing and level == "NA" else level for level in levels]
            )
            for levels in labels.dimnames
        ]
        axis_names = labels.dimension_names or ("",) * len(names)
        build = robjects.r(
            "function(x, dims, axes, ...) "
            "structure(array(x, dims, stats::setNames(list(...), axes)), class = 'table')"
        )
        return build(vector, robjects.IntVector(result.value.shape), robjects.StrVector(axis_names), *names)
    if labels.names is not None:
        return robjects.r("function(x, names) stats::setNames(x, names)")(
            vector, robjects.StrVector(labels.names)
        )
    if result.value.ndim > 1:
        return robjects.r["array"](vector, dim=robjects.IntVector(result.value.shape))
    return vector


def _candidate(candidate: Any) -> Any:
    import rpy2.robjects as robjects

    kinds = {str: robjects.StrVector, bool: robjects.BoolVector, int: robjects.IntVector}
    if type(candidate) in kinds:
        return kinds[type(candidate)]([candidate])
    raise PydpstatError(
        f"to_r() has no R object for a candidate of type {type(candidate).__name__}. Use its text or number."
    )


def plain(value: Any) -> Any:
    """Return a value in plain JSON types; NaN and infinities, which JSON has not, are None."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (type(None), bool, int, float, str)) else str(value)
