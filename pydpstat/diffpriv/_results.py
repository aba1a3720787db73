"""What `releaseResponse` returns: a release that also has the parts of R's list by their names."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pydpstat.diffpriv.bernstein import Bernstein
from pydpstat.diffpriv.params import DPParamsEps
from pydpstat.results.results import DPResults


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResponse(DPResults):
    """A released response: `DPResults` with the names of R's list.

    R's list also carries the target; this has no function of the caller and nothing private.

    Parameters
    ----------
    privacyParams : DPParamsEps
        Copy of the parameters; a `DPParamsGam` where the sensitivity was sampled.
    dims : int or None
        Number of released numbers, or of the released function's coordinates.
    latticeK : int or None
        Lattice steps of a released function.
    responseSet : tuple or None
        The responses that could be chosen.

    Examples
    --------
    >>> from pydpstat import DPMechLaplace, DPParamsEps, RRandom, releaseResponse
    >>> m = DPMechLaplace(sensitivity=1, target=len, dims=1)
    >>> r = releaseResponse(m, DPParamsEps(), ["a", "b"], rng=RRandom(123))
    >>> round(r.response, 3), r.privacyParams, r.dims, r.sensitivity
    (2.267, DPParamsEps(epsilon=1.0), 1, 1.0)
    """

    privacyParams: DPParamsEps
    dims: int | None = None
    latticeK: int | None = None
    responseSet: tuple[Any, ...] | None = None

    @property
    def response(self) -> Any:
        """The released response: a float, an array, a Series, a chosen response, or a function."""
        if self.latticeK is not None and self.dims is not None:
            return Bernstein(self.dims, self.latticeK, self.value)
        return self.estimate


def response_of(released: DPResults, **parts: Any) -> DPResponse:
    """Return a release with the parts of R's list, which may replace its own."""
    values = {field.name: getattr(released, field.name) for field in fields(released)}
    return DPResponse(**{**values, **parts})
