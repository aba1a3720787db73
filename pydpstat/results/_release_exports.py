"""Exports of releases: CSV by kind of interval, and the R object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pydpstat._files import Target
from pydpstat.results._exports import write_csv
from pydpstat.results._released import ReleasedValue

if TYPE_CHECKING:
    import pandas as pd


class HasFrame(Protocol):
    """A release with a frame of values and intervals."""

    def to_frame(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return value, noise standard deviation and intervals as a frame."""


def to_csv(
    self: HasFrame, path: Target | None = None, *, digits: int | None = None, kind: str | None = None
) -> str | None:
    """Return `to_frame` as CSV in full precision, or write it into a file.

    Parameters
    ----------
    path : str, path-like or writable text file, optional
        Where to write it; a file of that name is replaced. By default the text is returned.
    digits : int, optional, keyword only
        Number of decimals. By default all digits.
    kind : str, optional, keyword only
        That of `to_frame`: "noise" leaves out confidence intervals for the population.

    Returns
    -------
    str or None
        The text; None where `path` is given. A text that a spreadsheet would run as a formula has an
        apostrophe in front.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or the file cannot be written.

    See Also
    --------
    DPResults.to_frame : the same numbers as a frame.

    Examples
    --------
    >>> import numpy as np, pydpstat as dp
    >>> r = dp.mean(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), population=True, rng=1)
    >>> print(r.to_csv().splitlines()[0])
    term,estimate,noise sd,noise lower,noise upper,lower,upper
    """
    return write_csv(self.to_frame(kind=kind), path, digits)


def to_r(self: ReleasedValue) -> Any:
    """Return the estimate as the R object of the R original; needs rpy2.

    Raises
    ------
    MissingExtraError
        If rpy2 is not installed; the message has the command.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
    >>> r.to_r()[0] == float(r)  # doctest: +SKIP
    True
    """
    # only these arguments of R's table() make missing values a level
    missing = any(name in ("useNA", "exclude") for name, _ in self.record.arguments)
    return self.labels.to_r_object(self.value, missing)
