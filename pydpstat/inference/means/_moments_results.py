"""Results of noisy moments: means, variances, tests and confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat._null_distributions.means.noisy_t import NoisySums, NoisyTInterval
from pydpstat._records.moment_release import estimate_standardized_mean, estimate_standardized_variance
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import ALTERNATIVES
from pydpstat.inference.means._mean_tests import METHODS, make_one_sample_results
from pydpstat.privacy import Guarantee
from pydpstat.results import ConfidenceInterval, DPResults, InferenceResults
from pydpstat.results._call import Call
from pydpstat.results._intervals import CONFIDENCE, check_interval_kind
from pydpstat.results._numbers import format_rows
from pydpstat.results._report import Facts, GuaranteedReport, Plottable, Rows, format_significant, trim_name
from pydpstat.results._words import describe_mechanism, format_title, join_names


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MomentsResults(Plottable, GuaranteedReport, ReadOnlyArrays):
    """Noisy moments with their guarantee, and what follows from them.

    It is made by `moments`. It holds what may be published and nothing else: no data, no true value, no
    noise, no seed.

    Parameters
    ----------
    names : tuple of str or None
        The columns' names; None for a single variable.
    pairs : tuple of (float, float)
        The bounds of each.
    matrix : ndarray of shape (d + 1, d + 1)
        Noisy sums of the products of (1, z1, ..., zd); the number of records in the corner.
    noise_sd : ndarray of shape (d + 1, d + 1)
        The noise's standard deviations.
    sums : tuple of NoisySums
        The sums of each variable, and how their noise is made.
    release : DPResults
        The released numbers.
    claim, guarantee : Guarantee
        Requested guarantee, and the guarantee that holds.
    record : Call
        The call, without data.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.moments([1, 2, 3, 4] * 100, 1.0, bounds=(0, 5), rng=1)
    >>> r.nobs, r.epsilon, 0 <= r.mean <= 5
    (400, 1.0, True)
    """

    names: tuple[str, ...] | None
    pairs: Bounds
    matrix: npt.NDArray[np.float64]
    noise_sd: npt.NDArray[np.float64]
    sums: tuple[NoisySums, ...]
    release: DPResults
    claim: Guarantee
    guarantee: Guarantee
    record: Call

    @classmethod
    def of(
        cls,
        release: DPResults,
        names: tuple[str, ...] | None,
        pairs: Bounds,
        matrix: npt.NDArray[np.float64],
        noise_sd: npt.NDArray[np.float64],
        sums: tuple[NoisySums, ...],
    ) -> MomentsResults:
        """Return the results for a release of sums."""
        return cls(
            names=names,
            pairs=pairs,
            matrix=matrix,
            noise_sd=noise_sd,
            sums=sums,
            release=release,
            claim=release.claim,
            guarantee=release.guarantee,
            record=release.record,
        )

    @property
    def nobs(self) -> int | None:
        """Number of records, where it is public."""
        return self.release.nobs

    @property
    def reproducible(self) -> bool:
        """True if a seed or a generator was given: then it is not for publication."""
        return self.release.reproducible

    @property
    def mean(self) -> float | pd.Series:
        """The means, within the bounds: a float, or a Series for several columns."""
        return self._compute_each(
            lambda known, low, high: 0.5 * low + 0.5 * high + 0.5 * (high - low) * estimate_standardized_mean(known)
        )

    @property
    def var(self) -> float | pd.Series:
        """The variances with divisor n - 1, at least 0: a float, or a Series for several columns."""
        return self._compute_each(
            lambda known, low, high: (0.5 * (high - low)) ** 2 * estimate_standardized_variance(known)
        )

    @property
    def std(self) -> float | pd.Series:
        """The standard deviations: a float, or a Series for several columns."""
        return self._compute_each(
            lambda known, low, high: 0.5 * (high - low) * math.sqrt(estimate_standardized_variance(known))
        )

    def _compute_each(self, compute: Callable[..., float]) -> float | pd.Series:
        values = [compute(noisy_sums, *pair) for noisy_sums, pair in zip(self.sums, self.pairs)]
        if self.names is None:
            return float(values[0])

        return pd.Series(values, index=list(self.names), dtype="float64")

    @property
    def estimate(self) -> pd.Series:
        """Means and standard deviations as a Series with their names: `params`."""
        return self.params

    @property
    def params(self) -> pd.Series:
        """Means and standard deviations as a Series with their names."""
        return pd.Series(dict(self._collect_estimates()), dtype="float64", name="estimate")

    def _format_heading(self) -> str:
        return format_title("moments", self.record.describe_subject(join_names(self.names or ())))

    def _collect_estimates(self) -> list[tuple[str, float]]:
        means, spreads = (np.atleast_1d(estimates).tolist() for estimates in (self.mean, self.std))
        if self.names is None:
            return [("mean", means[0]), ("std", spreads[0])]
        rows = [(f"mean of {name}", value) for name, value in zip(self.names, means)]
        return rows + [(f"std of {name}", value) for name, value in zip(self.names, spreads)]

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return means and standard deviations as a frame, with the means' intervals.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses its mean, each by itself.

        Returns
        -------
        DataFrame
            Columns ``estimate``, ``lower`` and ``upper``, which are NaN for standard deviations.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.moments(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), rng=1)
        >>> list(r.to_frame().index)
        ['mean', 'std']
        """
        frame = self.params.to_frame().rename_axis("term")
        limits = [self._make_interval(index, checks.check_alpha(alpha)) for index in range(len(self.pairs))]
        frame[["lower", "upper"]] = [*limits, *[(math.nan, math.nan)] * len(limits)]
        return frame

    def _get_column_index(self, column: str | None) -> int:
        if column is None and len(self.pairs) == 1:
            return 0
        if self.names is None:
            shown = checks.describe_value(column)
            raise PydpstatError(f"column must be None for one variable; got {shown}. Leave it out.")
        return self.names.index(checks.check_choice(column, "column", self.names))

    def ttest(
        self, popmean: float, *, alternative: str = "two-sided", method: str = "t", column: str | None = None
    ) -> InferenceResults:
        """Test whether the mean is a given number; it costs nothing.

        Parameters
        ----------
        popmean : float
            The mean under the null hypothesis, within the bounds.
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            The alternative hypothesis.
        method : {"t", "exact"}, default "t"
            As in `ttest_1samp`; ``"exact"`` needs the number of records public here, and has more to say from
            200 records on.
        column : str, optional
            Which column, of several.

        Returns
        -------
        InferenceResults

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.moments(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), rng=1)
        >>> r.ttest(35, alternative="greater").pvalue < 0.01
        True
        """
        checks.check_choice(alternative, "alternative", ALTERNATIVES)
        checks.check_choice(method, "method", METHODS)
        index = self._get_column_index(column)
        arguments = {"alternative": alternative, "method": method, "column": column}
        defaults = {"alternative": ALTERNATIVES[0], "method": METHODS[0], "column": None}
        other = {name: value for name, value in arguments.items() if value != defaults[name]}
        release = replace(self.release, record=self.record.add_method_call("ttest", popmean, **other))
        return make_one_sample_results(release, self.sums[index], self.pairs[index], popmean, alternative, method)

    def conf_int(self, alpha: float = 0.05, kind: str | None = None, *, column: str | None = None) -> Any:
        """Return a confidence interval for the mean, which covers sampling and the privacy noise.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses the mean; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.
        column : str, optional
            Which column, of several; by default all of them.

        Returns
        -------
        ConfidenceInterval, or DataFrame with columns 0 (lower) and 1 (upper) and a row for each column
            ``low`` and ``high``, within the bounds. The frame is of the columns of a frame, where none is
            chosen; each interval stands alone.

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.moments(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), rng=1)
        >>> low, high = r.conf_int(0.01)
        >>> 30 < low < 40 < high < 50
        True
        """
        level = checks.check_alpha(alpha)
        check_interval_kind(kind, CONFIDENCE, "moments")
        if column is not None or self.names is None:
            return self._make_interval(self._get_column_index(column), level)

        limits = [self._make_interval(index, level) for index in range(len(self.names))]
        return pd.DataFrame([*map(tuple, limits)], index=list(self.names), columns=[0, 1])

    def _make_interval(self, index: int, alpha: float) -> ConfidenceInterval:
        low, high = self.pairs[index]
        interval = NoisyTInterval(self.sums[index], 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)
        return ConfidenceInterval(*interval.compute_limits(alpha))

    def _collect_facts(self) -> Facts:
        return [
            ("Function:", self.record.function),
            ("Mechanism:", describe_mechanism(self.release.mechanism)),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]

    def _make_rows(self) -> Rows:
        frame = self.to_frame()
        columns = [["" if value != value else value for value in frame[name].tolist()] for name in frame]
        return Rows(("estimate", "[0.025", "0.975]"), list(map(trim_name, frame.index)), format_rows(columns))

    def _collect_notes(self) -> list[str]:
        note = "Tests and intervals, ttest() and conf_int(), have no additional privacy cost."
        return [*self._make_guarantee_notes(self.record.function), note, f"Call: {self.call}"]

    def _collect_content(self) -> dict[str, object]:
        return {
            "names": self.names,
            **dict(self._collect_estimates()),
            "matrix": self.matrix,
            "noise_sd": self.noise_sd,
            "mechanism": self.release.mechanism,
            "noise_scale": self.release.noise_scale,
            **self._collect_privacy(),
            "bounds": self.pairs,
            "nobs": self.nobs,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_moments_picture

        return make_moments_picture(self, alpha)

    def __repr__(self) -> str:
        shown = format_significant(self.mean) if self.names is None else f"{len(self.pairs)} variables"
        return f"<MomentsResults: {shown}, {self.release.mechanism}, {self._format_guarantee()}>"
