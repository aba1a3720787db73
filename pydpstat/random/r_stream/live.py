"""The random stream of the R session that rpy2 runs inside this process."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.errors import MissingExtraError, PydpstatError


def _session(feature: str) -> Any:
    try:
        import rpy2.rinterface as rinterface
    except ImportError as error:
        raise MissingExtraError(feature, "rpy2", "r") from error
    rinterface.initr()
    return rinterface


def read_state() -> np.ndarray:
    """Return ``.Random.seed`` of the live R session."""
    rinterface = _session("RRandom.from_r()")
    if ".Random.seed" not in rinterface.globalenv.keys():
        raise PydpstatError(
            "The R session must have a .Random.seed; it has none, as nothing was drawn yet. "
            "Call set.seed() in R."
        )
    # not through memoryview(): rpy2 3.5.9 loses a reference to None in every call of it
    return np.array(rinterface.globalenv[".Random.seed"])


def write_state(state: np.ndarray) -> None:
    """Set ``.Random.seed`` of the live R session."""
    rinterface = _session("RRandom.to_r()")
    rinterface.globalenv[".Random.seed"] = rinterface.IntSexpVector.from_memoryview(state.data)
