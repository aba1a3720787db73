"""What may be published of a private test: statistic, p-value, intervals, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call
from pydpstat.results._drawn import Drawn
from pydpstat.results._pvalues import at_floor, floor_note, shown_pvalue
from pydpstat.results._report import Facts, Rows, Stated, number

if TYPE_CHECKING:
    import pandas as pd


# how far p-values and intervals can be trusted
MEANINGS = {
    "exact": "exact, for every distribution of the records",
    "model": "exact under the assumptions below",
    "measured": "no proof; the level was measured, see the documentation",
}


class ConfidenceInterval(NamedTuple):
    """The ends of an interval.

    Examples
    --------
    >>> low, high = ConfidenceInterval(0.1, 0.4)
    >>> high
    0.4
    """

    low: float
    high: float


class Interval(Protocol):
    """What makes an interval of any level from released numbers; it keeps nothing private."""

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the parameter with probability `alpha` at most."""


class Release(Protocol):
    """What a test takes over from the release that it is made of."""

    @property
    def statistic(self) -> str:
        """Return what was released."""

    @property
    def value(self) -> npt.NDArray[Any]:
        """Return the released values."""

    @property
    def mechanism(self) -> str:
        """Return the noise's name."""

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """Return its scale."""

    @property
    def claim(self) -> Guarantee:
        """Return what was asked for."""

    @property
    def guarantee(self) -> Guarantee:
        """Return what holds."""

    @property
    def bounds(self) -> tuple[object, ...] | None:
        """Return public bounds of the data."""

    @property
    def nobs(self) -> int | None:
        """Return the number of records, where it is public."""

    @property
    def reproducible(self) -> bool:
        """Return whether a seed or a generator was given."""

    @property
    def record(self) -> Call:
        """Return the call, without data."""

    @property
    def params(self) -> pd.Series:
        """Return the released values with their names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class InferenceResults(Drawn, Stated, Frozen):
    """A private test or interval with its guarantee.

    It is made by the functions that test. It holds what may be published and nothing else: no data, no true
    value, no noise, no seed.

    Parameters
    ----------
    test : str
        The test's name (``"One-sample t test"``).
    statistic, pvalue : float or None
        The noisy statistic, and the probability of one at least as extreme under the null hypothesis. None
        for an interval alone.
    pvalue_floor : float
        The smallest p-value that the test can return, from public numbers alone, as of one that is simulated;
        0 where it has none. A p-value at the floor is shown as a limit, such as ``< 0.0022``.
    alternative : {"two-sided", "less", "greater"} or None
        The alternative hypothesis; None where there are no sides.
    null : tuple of (str, float)
        What the null hypothesis says: a parameter's name and value.
    released : tuple of (str, float)
        The noisy numbers that everything here is computed from.
    estimates : tuple of (str, float)
        What follows from them for the parameters, cut to their ranges.
    parameter : str
        What the interval is of (``"mean"``); empty without one.
    interval : Interval or None
        What makes the intervals.
    validity : {"exact", "model", "measured"}
        How far p-value and interval can be trusted: for every distribution, under a model, or by measurement.
    assumptions : tuple of str
        What they rest on, in words.
    remarks : tuple of str
        What else should be known of this result, such as that nothing can be said.
    mechanism : str
        The noise's name.
    noise_scale : float or ndarray
        Its scale, in the unit of the numbers that it was added to.
    claim, guarantee : Guarantee
        What was asked for, and what holds.
    bounds : tuple or None
        Public bounds of the data.
    nobs : int or None
        Number of records, where it is public.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : Call
        The call, without data.

    Examples
    --------
    >>> import pydpstat
    >>> r = InferenceResults.of(
    ...     pydpstat.count([True, False, True], 1.0, rng=1), test="Sign test", statistic=2.0, pvalue=0.5,
    ...     validity="exact",
    ... )
    >>> r.pvalue, r.epsilon
    (0.5, 1.0)
    >>> statistic, p = r
    >>> p
    0.5
    """

    test: str
    statistic: float | None
    pvalue: float | None
    pvalue_floor: float
    alternative: str | None
    null: tuple[tuple[str, float], ...]
    released: tuple[tuple[str, float], ...]
    estimates: tuple[tuple[str, float], ...]
    parameter: str
    interval: Interval | None
    validity: str
    assumptions: tuple[str, ...]
    remarks: tuple[str, ...]
    mechanism: str
    noise_scale: float | npt.NDArray[Any]
    claim: Guarantee
    guarantee: Guarantee
    bounds: tuple[object, ...] | None
    nobs: int | None
    reproducible: bool
    record: Call

    _title = "Differentially Private Inference"

    @classmethod
    def of(
        cls,
        release: Release,
        *,
        test: str,
        statistic: float | None = None,
        pvalue: float | None = None,
        pvalue_floor: float = 0.0,
        alternative: str | None = None,
        null: tuple[tuple[str, float], ...] = (),
        released: tuple[tuple[str, float], ...] | None = None,
        estimates: tuple[tuple[str, float], ...] = (),
        parameter: str = "",
        interval: Interval | None = None,
        validity: str,
        assumptions: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
    ) -> InferenceResults:
        """Return what follows from a release; the released numbers are its parameters where none are given.

        Examples
        --------
        >>> import pydpstat
        >>> noisy = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> InferenceResults.of(noisy, test="Sign test", validity="exact").released
        (('count', 3.0),)
        """
        if released is None:
            released = tuple((str(name), float(value)) for name, value in release.params.items())
            if release.value.ndim == 0:
                released = ((release.statistic, float(release.value)),)
        return cls(
            test=test,
            statistic=statistic,
            pvalue=pvalue,
            pvalue_floor=pvalue_floor,
            alternative=alternative,
            null=null,
            released=released,
            estimates=estimates,
            parameter=parameter,
            interval=interval,
            validity=validity,
            assumptions=assumptions,
            remarks=remarks,
            mechanism=release.mechanism,
            noise_scale=release.noise_scale,
            claim=release.claim,
            guarantee=release.guarantee,
            bounds=release.bounds,
            nobs=release.nobs,
            reproducible=release.reproducible,
            record=release.record,
        )

    def conf_int(self, level: float = 0.95) -> ConfidenceInterval:
        """Return a confidence interval for the parameter, which covers sampling and the privacy noise.

        It is post-processing: every level can be asked for, and costs nothing.

        Parameters
        ----------
        level : float, default 0.95
            Probability that the interval covers the parameter; from 0.5 to below 1.

        Returns
        -------
        ConfidenceInterval
            ``low`` and ``high``; one-sided where the alternative is.

        Raises
        ------
        PydpstatError
            Where `level` is not in its range, or the test has no interval.

        Examples
        --------
        >>> import pydpstat
        >>> noisy = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> InferenceResults.of(noisy, test="Sign test", validity="exact").conf_int()
        Traceback (most recent call last):
        ...
        pydpstat.errors.PydpstatError: Sign test has no interval. Use its p-value.
        """
        from pydpstat._checks import number as check_number
        from pydpstat.errors import PydpstatError

        if self.interval is None:
            raise PydpstatError(f"{self.test} has no interval. Use its p-value.")
        hint = "0.95 is usual; a share alpha of misses is the level 1 - alpha."
        check_number(level, "level", "at least 0.5 and below 1", lambda x: 0.5 <= x < 1.0, hint)
        return ConfidenceInterval(*self.interval.ends(1.0 - float(level)))

    def __iter__(self) -> Iterator[float | None]:
        """Yield the statistic and the p-value, as SciPy's results do: ``statistic, p = ...``."""
        return iter((self.statistic, self.pvalue))

    @property
    def params(self) -> pd.Series:
        """The estimates as a Series with their names."""
        import pandas as pd

        return pd.Series(dict(self.estimates), dtype="float64", name="estimate")

    def _facts(self) -> Facts:
        null = ", ".join(f"{name} = {number(value)}" for name, value in self.null)
        sides = [("Null hypothesis:", null), ("Alternative:", self.alternative)]
        scales = np.atleast_1d(self.noise_scale)
        shown = ", ".join(map(number, scales.tolist()))
        if len(shown) > 30:
            shown = f"{number(scales.min())} to {number(scales.max())}"
        return [
            ("Test:", self.test),
            *((name, text) for name, text in sides if text),
            ("Validity:", self.validity),
            ("Mechanism:", self.mechanism),
            ("Noise scale:", shown),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]

    def _rows(self) -> Rows:
        named: list[tuple[str, float | str | None]] = [("statistic", self.statistic)]
        if self.pvalue is not None:
            named.append(("p-value", shown_pvalue(self.pvalue, self.pvalue_floor)))
        named += self.estimates
        if self.interval is not None:
            # of a one-sided interval one end is the parameter's own
            ends = zip(("from", "to"), self.conf_int())
            named += [(f"{self.parameter}, 95% {name}", end) for name, end in ends]
        named += [(f"released {name}", value) for name, value in self.released]
        known = [(name, number(value)) for name, value in named if value is not None]
        return Rows(("value",), [name for name, _ in known], [[shown] for _, shown in known])

    def _notes(self) -> list[str]:
        lines = [*self._held(self.record.function), f"Validity: {MEANINGS[self.validity]}."]
        if self.assumptions:
            lines.append(f"Assumptions: {'; '.join(self.assumptions)}.")
        if self.pvalue is not None and at_floor(self.pvalue, self.pvalue_floor):
            lines.append(floor_note(self.pvalue_floor))
        return [*lines, *self.remarks, f"Call: {self.call}"]

    def _content(self) -> dict[str, object]:
        return {
            "test": self.test,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "pvalue_floor": self.pvalue_floor,
            "alternative": self.alternative,
            "null": dict(self.null),
            "released": dict(self.released),
            "estimates": dict(self.estimates),
            "parameter": self.parameter,
            "validity": self.validity,
            "assumptions": self.assumptions,
            "remarks": self.remarks,
            "mechanism": self.mechanism,
            "noise_scale": self.noise_scale,
            **self._privacy(),
            "bounds": self.bounds,
            "nobs": self.nobs,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import tested_picture

        return tested_picture(self, alpha)

    def __repr__(self) -> str:
        shown = "" if self.pvalue is None else shown_pvalue(self.pvalue, self.pvalue_floor)
        told = f": p {shown if shown.startswith('<') else f'= {shown}'}" if shown else ""
        return f"<InferenceResults {self.test}{told}, {self.validity}, {self._stated()}>"
