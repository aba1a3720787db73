"""What may be published of a release: the estimate, its noise and its guarantee; nothing private."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results._intervals import NOISE, resolve_interval_kind
from pydpstat.results._labels import Estimate, Labels
from pydpstat.results._postprocessing import DerivedValue, ShareOfTotal
from pydpstat.results._release_page import ReleasePage
from pydpstat.results._report import StatementMixin, format_significant


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResults(ReleasePage, ReadOnlyArrays):
    """A released statistic with its noise and its guarantee.

    The statistics return it. It contains only what may be published: no data, true value, noise or seed.

    Parameters
    ----------
    statistic : str
        What was released (``"mean"``).
    value : ndarray of float64
        The released value, in R's dimensions. A choice has a place (int64) or a candidate (object).
    labels : Labels
        Names of its elements.
    noise : distribution or None
        The distribution of the noise, with ``cdf``, ``ppf`` and ``std``; None where no public one exists.
    noise_scale : float or ndarray
        The distribution's scale: Laplace's scale, the Gaussian's standard deviation, in the statistic's unit.
        NaN where there is no noise.
    mechanism : str
        The mechanism's name.
    sensitivity : float or tuple of float
        The global sensitivity that the noise covers, in the statistic's unit.
    claim : Guarantee
        What was asked for.
    guarantee : Guarantee
        What holds.
    bounds : tuple or None
        Public bounds of the data.
    nobs : int or None
        Number of records, where it is public.
    post : PostProcessing
        What was done to the noisy value.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    grid : float or None
        Unit of the public grid that the value lies on; None for a value from a seeded stream.
    record : Call
        The call, without data.

    See Also
    --------
    InferenceResults : what tests return.
    RegressionResults : what regressions return.
    statement : what a paper says of it.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
    >>> round(r, 3)
    1.809
    >>> r.noise_scale
    1.25
    """

    _inner = (*ReadOnlyArrays._inner, "post")

    def __post_init__(self) -> None:
        # by name: to look through all fields takes longer than a small release may
        object.__setattr__(self, "value", freeze_array(self.value))
        if isinstance(self.noise_scale, np.ndarray):
            object.__setattr__(self, "noise_scale", freeze_array(self.noise_scale))

    @property
    def estimate(self) -> Estimate:
        """The released value in its natural shape: float, array, Series, DataFrame or Histogram."""
        return self.labels.to_pandas(self.value)

    @property
    def noisy_nobs(self) -> Any:
        """The noisy number of records behind each value, at no additional privacy cost.

        A mean, a variance or a standard deviation whose number of records is private comes from noisy sums of
        weights, 2 for a mean and 3 for the others, which add up to 1 for each record. Their total is this
        number; the standard deviation of its noise is ``noise.std()`` times the root of 2 or 3. It need not
        be whole, and can be below 0. None for other releases.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 100, 1.0, bounds=(0, 5), neighbors="unbounded", rng=1)
        >>> abs(r.noisy_nobs - 400) < 10
        True
        """
        sizes = self._get_noisy_sizes()
        return None if sizes is None else self.labels.to_pandas(np.reshape(sizes, self.value.shape, order="F"))

    def _get_labeled_values(self) -> tuple[np.ndarray, Labels, str]:
        return self.value, self.labels, self.statistic

    def _compute_noise_sd(self) -> npt.ArrayLike:
        return self.post.compute_standard_error(self.noise, self.value)

    def accuracy(self, alpha: float = 0.05) -> float | pd.Series:
        """Return a bound on the absolute noise with probability 1 - alpha.

        It is half the width of `conf_int`, or the longer side, before the interval is clipped to the
        parameter's range: exact where the estimate is the noisy value itself, by the delta method where it is
        a function of noisy ones (correlations and quantiles have their own way).
        `pydpstat.plan` has it before a release.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the noise moves the value further; between 0 and 1.

        Returns
        -------
        float, or Series indexed as `params`

        Raises
        ------
        PydpstatError
            Where `alpha` is not between 0 and 1, or where the noise has no public distribution.

        See Also
        --------
        DPResults.conf_int : the interval.
        plan : the accuracy before a release.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=pydpstat.RRandom(123))
        >>> round(r.accuracy(0.1), 3)
        2.878
        """
        self._check_interval(alpha)
        reach = self.post.compute_half_width(self.noise, self.value, float(alpha))
        return self._make_series(reach) if self.value.ndim else float(reach)

    def _compute_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        self._check_interval(alpha)
        return self.post.compute_clipped_interval(self.noise, self.value, float(alpha))

    def conf_int(self, alpha: float = 0.05, kind: str | None = None, *, joint: bool = False) -> pd.DataFrame:
        """Return an interval for each value that misses with probability `alpha` at most.

        Parameters
        ----------
        alpha, kind
            The probability of a miss (0.05), and of what: these records ("noise", by default) or their
            "population".
        joint : bool, default False
            Whether all intervals hold simultaneously with probability ``1 - alpha``. If each value has
            its own noise, they follow from the joint distribution of the noise, else from Bonferroni's
            inequality.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`

        Raises
        ------
        PydpstatError
            Where an argument is not allowed, or what was released does not say enough.

        See Also
        --------
        DPResults.accuracy : a bound on the noise.
        DPResults.to_frame : estimates and intervals together.
        """
        alpha = self._split_alpha(alpha, kind) if checks.check_boolean(joint, "joint") else alpha
        return ReleasePage.conf_int(self, alpha, kind)

    def _split_alpha(self, alpha: float, kind: str | None) -> float:
        """Return what each interval may miss with where all of them may miss with a probability."""
        self._check_interval(alpha)
        if resolve_interval_kind(kind) == NOISE and not isinstance(self.post, (DerivedValue, ShareOfTotal)):
            return self.noise.simultaneous(float(alpha), self.value.size)
        return float(alpha) / max(self.value.size, 1)

    def _check_interval(self, alpha: float) -> None:
        checks.check_alpha(alpha)
        if self.noise is None:
            raise PydpstatError(
                f"the noise of {self.statistic} has no public distribution that does not depend on the data, "
                f"so there is no interval. {self._suggest_intervals() or 'Use the estimate alone.'}"
            )

    def _make_r_object(self) -> object:
        # only these arguments of table() let a missing value be a level
        missing = any(name in ("useNA", "exclude") for name, _ in self.record.arguments)
        return self.labels.to_r_object(self.value, missing)

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._released_pictures import make_release_picture

        return make_release_picture(self, alpha)

    def _format_value(self) -> str:
        one = self.value.ndim == 0
        shown = [format_significant(self.value.item()) if one else f"{self.value.size} values"]
        if self.post.can_be_missing and np.isnan(self.value).any():
            shown = [*shown[one:], *self.postprocessing[-1:]]
        return ", ".join(shown)

    def __repr__(self) -> str:
        return f"<DPResults {self.statistic}: {self._format_value()}, {self.mechanism}, {self._format_guarantee()}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResultsPair(StatementMixin, Mapping[str, DPResults]):
    """A mapping with the keys ``"Bounded"`` and ``"Unbounded"``.

    Both are noisy versions of the same statistic, so publishing both costs epsilon twice.

    Parameters
    ----------
    Bounded, Unbounded : DPResults
        The two releases.
    guarantee : Guarantee
        What holds for both together.

    See Also
    --------
    DPResults : each of the two.
    meanDP : one of the functions that make it.

    Examples
    --------
    >>> import pydpstat
    >>> pair = pydpstat.histogramDP([1, 2, 3], 1.0, 0, 4, breaks=[0, 2, 4],
    ...                             which_sensitivity="both", rng=pydpstat.RRandom(1))
    >>> list(pair)
    ['Bounded', 'Unbounded']
    >>> pair.guarantee.epsilon
    3.0
    """

    Bounded: DPResults
    Unbounded: DPResults
    guarantee: Guarantee

    def __getitem__(self, key: str) -> DPResults:
        if key in ("Bounded", "Unbounded"):
            return getattr(self, key)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("Bounded", "Unbounded"))

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        name = self.Bounded.statistic
        return f"<DPResultsPair {name}: {self.Bounded!r}, {self.Unbounded!r}, {self.guarantee}>"
