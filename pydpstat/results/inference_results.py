"""Results of a private test: statistic, p-value, intervals and their validity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pydpstat import _checks as checks
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.results import _tidy
from pydpstat.results._call import Call
from pydpstat.results._intervals import ConfidenceInterval, InferencePage, Interval, OpaqueInterval, copy_release_fields
from pydpstat.results._numbers import format_pvalue
from pydpstat.results._report import Plottable


class Release(Protocol):
    """Release behind a test, with the fields of `copy_release_fields`."""

    @property
    def statistic(self) -> str:
        """Name of the statistic."""

    @property
    def value(self) -> np.ndarray:
        """Released values."""

    @property
    def record(self) -> Call:
        """Call without data."""

    @property
    def params(self) -> pd.Series:
        """Released values with their names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class InferenceResults(Plottable, InferencePage, ReadOnlyArrays):
    """A private test or interval with its guarantee.

    The tests return it. It contains only what may be published: no data, true value, noise or seed.

    Parameters
    ----------
    test : str
        The test's name (``"One-sample t test"``).
    statistic, pvalue : Any
        The noisy statistic, and the probability of one at least as extreme under the null hypothesis: floats,
        or None for an interval alone.
    pvalue_floor : float
        The smallest p-value that the test can return, from public numbers alone, as of one that is simulated;
        0 where it has none. A p-value at the floor is shown as a limit, such as ``< 0.0022``.
    alternative : {"two-sided", "less", "greater"} or None
        The alternative hypothesis; None where there are no sides.
    null : tuple of (str, float)
        Null hypothesis: name and value of a parameter.
    released : tuple of (str, float)
        The noisy numbers that all results are computed from.
    estimates : tuple of (str, float)
        Estimates of the parameters from these numbers, clipped to their ranges.
    parameter : str
        Parameter that the interval covers (``"mean"``); empty without one.
    interval : Interval or None
        Confidence interval of any level.
    validity : {"exact", "model", "measured"}
        Validity of p-value and interval: for every distribution, under a model, or by measurement.
    assumptions : tuple of str
        Assumptions of p-value and interval, in words.
    remarks : tuple of str
        Further remarks, for example that the result is uninformative.
    behind : DPResults or None
        Subject of the hypothesis, which `plot` draws: means of groups, or shares of levels.
    mechanism : str
        The noise's name.
    noise_scale : float or ndarray
        Its scale, in the unit of the numbers that it was added to.
    claim, guarantee : Guarantee
        Requested guarantee, and the guarantee that holds.
    bounds : tuple or None
        Public bounds of the data.
    nobs : int or None
        Number of records, where it is public.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : Call
        The call, without data.

    See Also
    --------
    DPResults : what statistics return.
    PairwiseResults : all pairs of groups.

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

    _inner = (*ReadOnlyArrays._inner, "interval")

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        names = () if self._df is not None else ("df",)
        return names if self.interval is not None else (*names, "conf_int", "confidence_interval")

    @classmethod
    def of(
        cls, release: Release, *, interval: Interval | None = None, df: int | None = None, **own: Any
    ) -> InferenceResults:
        """Make the result of a test on a release.

        `own` has the other fields by their names. The released numbers are the release's parameters where
        none are given.

        Examples
        --------
        >>> import pydpstat
        >>> noisy = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> InferenceResults.of(noisy, test="Sign test", validity="exact").released
        (('count', 3.0),)
        """
        if "released" not in own:
            numbers = {release.statistic: release.value} if release.value.ndim == 0 else release.params
            own["released"] = tuple((str(name), float(value)) for name, value in numbers.items())
        opaque = None if interval is None else OpaqueInterval(interval)
        return cls(**{**copy_release_fields(release), **own}, interval=opaque, _df=df)

    @property
    def df(self) -> int:
        """Degrees of freedom of a chi-square statistic.

        Raises
        ------
        PydpstatError
            For other tests, whose statistics have no distribution with degrees of freedom.
        """

        if self._df is None:
            raise PydpstatError(
                f"{self.test} has no degrees of freedom: the distribution of its statistic includes the "
                "noise, and is no t, F or chi-square distribution. Use pvalue and conf_int()."
            )
        return self._df

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return `conf_int` by its confidence level, as in SciPy.

        Parameters
        ----------
        confidence_level : float, default 0.95
            Probability that the interval covers the parameter; at least 0.5 and below 1.

        Returns
        -------
        ConfidenceInterval
            ``low`` and ``high``.

        Raises
        ------
        PydpstatError
            As `conf_int` does.

        See Also
        --------
        InferenceResults.conf_int : the same by alpha.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.binomtest(np.repeat([True, False], [60, 40]), 1.0, rng=1)
        >>> r.confidence_interval(0.9) == r.conf_int(0.1)
        True
        """

        hint = "0.95 is usual."
        checks.check_number(
            confidence_level, "confidence_level", "at least 0.5 and below 1", lambda x: 0.5 <= x < 1.0, hint
        )
        # round to 15 digits, so that 0.9 becomes an alpha of 0.1
        return self.conf_int(round(1.0 - float(confidence_level), 15))

    def __iter__(self) -> Iterator[float | None]:
        """Yield the statistic and the p-value, as SciPy's results do: ``statistic, p = ...``."""
        return iter((self.statistic, self.pvalue))

    @property
    def estimate(self) -> Any:
        """The estimates as in `params`; the statistic of a test without estimates."""
        return self.params if self.estimates else self.statistic

    @property
    def params(self) -> pd.Series:
        """The estimates as a Series with their names."""
        return pd.Series(dict(self.estimates), dtype="float64", name="estimate")

    tidy, glance = _tidy.tidy_test, _tidy.glance_test

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_test_picture

        return make_test_picture(self, alpha)

    def __repr__(self) -> str:
        pvalue_text = "" if self.pvalue is None else format_pvalue(self.pvalue, self.pvalue_floor)
        suffix = f": p {pvalue_text if pvalue_text.startswith('<') else f'= {pvalue_text}'}" if pvalue_text else ""
        return f"<InferenceResults {self.test}{suffix}, {self.validity}, {self._format_guarantee()}>"
