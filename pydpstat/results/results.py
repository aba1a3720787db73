"""Results of a release: estimate, noise and guarantee, without private data."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import BUILDER_NAMES, freeze_array, list_offered_names, rebuild_by_constructor
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _release_exports, _shared_methods
from pydpstat.results._call import Call
from pydpstat.results._estimates import make_named_series
from pydpstat.results._intervals import NOISE, resolve_interval_kind
from pydpstat.results._labels import Estimate, Labels
from pydpstat.results._operators import (
    count_elements,
    format_elements,
    get_element,
    get_single_value,
    iterate_elements,
    make_operator,
    make_reflected_operator,
    make_unary_operator,
    round_elements,
)
from pydpstat.results._postprocessing import PostProcessing
from pydpstat.results._release_intervals import ReleaseIntervals
from pydpstat.results._release_page import ReleasePage, get_noisy_sizes
from pydpstat.results._report import MAX_PAGE_ROWS, Facts, GuaranteedReport, Rows, add_table, format_significant
from pydpstat.results._shapes import VALUES, represents


@represents(VALUES)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResults(GuaranteedReport):
    """A released statistic with its noise and its guarantee.

    The statistics return it, or a subclass by its shape: `TableResults`,
    `HistogramResults`, `GroupedResults`. It contains only what may be published: no data, true value, noise
    or seed. A single number calculates and compares as the number that it is.

    Parameters
    ----------
    statistic : str
        Name of the statistic (``"mean"``).
    value : ndarray of float64
        The released value, in R's dimensions. A choice is an index (int64) or a candidate (object).
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
        Requested guarantee.
    guarantee : Guarantee
        Guarantee that holds.
    bounds : tuple or None
        Public bounds of the data.
    nobs : int or None
        Number of records, where it is public.
    post : PostProcessing
        Post-processing of the noisy value.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    grid : float or None
        Unit of the public grid that the value lies on; None for a value from a seeded stream.
    record : Call
        The call, without data.

    See Also
    --------
    TableResults, HistogramResults, GroupedResults : releases by their shape.
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

    statistic: str
    value: np.ndarray
    labels: Labels
    noise: Any
    noise_scale: float | npt.NDArray[np.float64]
    mechanism: str
    sensitivity: float | tuple[float, ...]
    claim: Guarantee
    guarantee: Guarantee
    bounds: tuple[object, ...] | None
    nobs: int | None
    post: PostProcessing
    reproducible: bool
    grid: float | None
    record: Call

    # names for internal use, left out of dir
    _inner = (*BUILDER_NAMES, "post")

    def __post_init__(self) -> None:
        # by name, since a loop over all fields is slow for a small release
        object.__setattr__(self, "value", freeze_array(self.value))
        if isinstance(self.noise_scale, np.ndarray):
            object.__setattr__(self, "noise_scale", freeze_array(self.noise_scale))

    @property
    def estimate(self) -> Estimate:
        """The released value as float, array, Series, DataFrame or Histogram."""
        return self.labels.to_pandas(self.value)

    @property
    def params(self) -> pd.Series:
        """The released values as a Series with their names, in R's order."""
        return self._make_series(self.value)

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise, before any clipping or rounding.

        NaN where the noise has no public distribution.
        """
        if self.noise is None:
            return self._make_series(np.full(self.value.shape, math.nan))
        return self._make_series(self.post.compute_standard_error(self.noise, self.value))

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """The post-processing steps of the noisy value, in order."""
        return self.post.steps

    @property
    def r_call(self) -> str | None:
        """The same release as an R expression; None where R has no counterpart."""
        return self.record.format_r()

    @property
    def noisy_nobs(self) -> Any:
        """The noisy number of records behind each value, at no additional cost.

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

    def _get_noisy_sizes(self) -> tuple[float, ...] | None:
        return get_noisy_sizes(self)

    def _make_series(self, values: npt.ArrayLike) -> pd.Series:
        return make_named_series(values, self.value, self.labels, self.statistic)

    def accuracy(self, alpha: float = 0.05) -> float | pd.Series:
        """Return a bound on the absolute noise with probability 1 - alpha.

        It is half the width of `conf_int`, or the longer side, before the interval is clipped to the
        parameter's range: exact where the estimate is the noisy value itself, by the delta method where it is
        a function of noisy ones (correlations and quantiles have their own method).
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
            If `alpha` is not between 0 and 1, or if the noise has no public distribution.

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
        ReleaseIntervals(self).check_alpha(alpha)
        half_width = self.post.compute_half_width(self.noise, self.value, float(alpha))
        return self._make_series(half_width) if self.value.ndim else float(half_width)

    def _compute_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        ReleaseIntervals(self).check_alpha(alpha)
        return self.post.compute_clipped_interval(self.noise, self.value, float(alpha))

    def conf_int(self, alpha: float = 0.05, kind: str | None = None, *, joint: bool = False) -> pd.DataFrame:
        """Return an interval for each value, with miss probability at most `alpha`.

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
            If an argument is invalid, or the release has no interval of this kind.

        See Also
        --------
        DPResults.accuracy : a bound on the noise.
        DPResults.to_frame : estimates and intervals together.
        """
        return ReleaseIntervals(self).make_frame(alpha, kind, joint)

    def _compute_population_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        return ReleaseIntervals(self).compute_population_interval(alpha)

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        assert self.post.population is not None
        return self.post.population.compute_interval(alpha)

    def to_frame(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return value, noise standard deviation and intervals of each element.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that each individual interval misses.
        kind : {"noise", "population"}, optional
            Which intervals; by default all that there are. Those for the population take some time where
            there are many values: "noise" leaves them out.

        Returns
        -------
        DataFrame
            Columns ``estimate``, ``noise sd``, ``noise lower`` and ``noise upper``; values alone where the
            noise has no public distribution. Confidence intervals for the population are ``lower`` and
            ``upper``, of counts those of their ``share``: ``share lower`` and ``share upper``. Counts with
            noise on the integers are integers.

        Raises
        ------
        PydpstatError
            As `conf_int` does.

        See Also
        --------
        DPResults.conf_int : the intervals alone.
        DPResults.to_csv : the frame as CSV.

        Examples
        --------
        >>> import numpy as np, pydpstat as dp
        >>> r = dp.mean(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), population=True, rng=1)
        >>> r.to_frame().columns.tolist()
        ['estimate', 'noise sd', 'noise lower', 'noise upper', 'lower', 'upper']
        """
        page = ReleasePage(self)
        frame = page.make_noise_frame(alpha)
        if self.post.population is None if kind is None else resolve_interval_kind(kind) == NOISE:
            return frame
        return page.add_population_intervals(frame, alpha)

    to_csv, to_r = _release_exports.to_csv, _release_exports.to_r
    summary, plot = _shared_methods.summary, _shared_methods.plot

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._released_pictures import make_release_picture

        return make_release_picture(self, alpha)

    def _format_heading(self) -> str:
        return ReleasePage(self).format_heading()

    def _collect_facts(self) -> Facts:
        return ReleasePage(self).collect_facts()

    def _collect_notes(self) -> list[str]:
        return ReleasePage(self).collect_notes()

    def _collect_omissions(self) -> list[str]:
        return ReleasePage(self).collect_omissions()

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        return ReleasePage(self).make_rows(alpha, max_rows)

    def _make_all_rows(self) -> Rows:
        return self._make_rows(max_rows=None)

    def _collect_content(self) -> Mapping[str, object]:
        return ReleasePage(self).collect_content()

    def _suggest_attribute(self, name: str) -> str:
        try:
            get_element(self, name)
        except PydpstatError:
            return GuaranteedReport._suggest_attribute(self, name)
        return f"write result[{name!r}]"

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        """Public names that do not apply to this release and are left out of `dir`."""
        conditions = {
            "accuracy conf_int": self.noise is None,
            "noisy_nobs": self._get_noisy_sizes() is None,
            "plot": self.value.dtype.kind != "f",
        }
        return tuple(name for names, is_unavailable in conditions.items() if is_unavailable for name in names.split())

    def __dir__(self) -> list[str]:
        return list_offered_names(self, (*self._inner, *self._unavailable_names))

    __reduce__ = rebuild_by_constructor

    def __str__(self) -> str:
        return GuaranteedReport.__str__(self) if self.value.ndim else ReleasePage(self).format_line()

    def _format_value(self) -> str:
        is_scalar = self.value.ndim == 0
        texts = [format_significant(self.value.item()) if is_scalar else f"{self.value.size} values"]
        if self.post.can_be_missing and np.isnan(self.value).any():
            texts = [*texts[is_scalar:], *self.postprocessing[-1:]]
        return ", ".join(texts)

    def __repr__(self) -> str:
        text = f"{self._format_value()}, {self.mechanism}, {self._format_guarantee()}"
        return add_table(f"<{type(self).__name__} {self.statistic}: {text}>", self)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    @property
    def __array_priority__(self) -> float:
        # NumPy defers operators between an array and a result to the result
        return 1000.0

    def __float__(self) -> float:
        return float(get_single_value(self, "a single number"))

    def __int__(self) -> int:
        return int(get_single_value(self, "a single number"))

    def __bool__(self) -> bool:
        return bool(get_single_value(self, "true or false"))

    __len__, __iter__, __getitem__ = count_elements, iterate_elements, get_element
    __format__, __round__ = format_elements, round_elements
    __add__, __radd__ = make_operator(operator.add), make_reflected_operator(operator.add)
    __sub__, __rsub__ = make_operator(operator.sub), make_reflected_operator(operator.sub)
    __mul__, __rmul__ = make_operator(operator.mul), make_reflected_operator(operator.mul)
    __truediv__, __rtruediv__ = make_operator(operator.truediv), make_reflected_operator(operator.truediv)
    __floordiv__, __rfloordiv__ = make_operator(operator.floordiv), make_reflected_operator(operator.floordiv)
    __mod__, __rmod__ = make_operator(operator.mod), make_reflected_operator(operator.mod)
    __pow__, __rpow__ = make_operator(operator.pow), make_reflected_operator(operator.pow)
    __lt__, __le__ = make_operator(operator.lt), make_operator(operator.le)
    __gt__, __ge__ = make_operator(operator.gt), make_operator(operator.ge)
    __eq__, __ne__ = make_operator(operator.eq), make_operator(operator.ne)
    __neg__, __pos__ = make_unary_operator(operator.neg), make_unary_operator(operator.pos)
    __abs__ = make_unary_operator(operator.abs)
    # a class that defines __eq__ loses its hash: restore the identity hash
    __hash__ = object.__hash__
