"""Results of a fitted model: coefficients, their noise and the guarantee."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import check_alpha
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results import _shared_methods
from pydpstat.results._call import Call, ModelCall
from pydpstat.results._estimates import (
    has_unlike_scales,
    make_interval_frame,
    make_named_series,
    make_noise_frame,
    make_noise_rows,
)
from pydpstat.results._intervals import NOISE, check_interval_kind
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoiseQuantiles
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    GuaranteedReport,
    Plottable,
    Rows,
    format_significant,
    make_omission_note,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ModelResults(Plottable, GuaranteedReport, ReadOnlyArrays):
    """A fitted model that was released with differential privacy.

    `fit` of a model returns it. It contains only what may be published: no record, label, weight, noise or
    seed.

    Parameters
    ----------
    model : str
        The model's name (``"LogisticRegressionDP"``).
    coeff : ndarray of float64, shape (d,)
        The released coefficients, in the unit of the data as given.
    names : tuple of str
        The coefficients' names, "bias" first where a bias column was added.
    prediction : callable or None
        Function that maps coefficients to predictions; None for a user-defined `mapXy`.
    perturbation : {"objective", "output"}
        What the noise was added to.
    noise : Noise or None
        The distribution of the coefficients' noise, which is public for output perturbation; None otherwise.
    claim : Guarantee
        Requested guarantee.
    guarantee : Guarantee
        Guarantee that holds.
    gamma : float
        The requested regularization constant.
    bounds : tuple of (tuple of float, tuple of float)
        Upper bounds and lower bounds of the columns as given.
    nobs : int or None
        Number of records, where it is public.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : ModelCall or Call
        The calls of the constructor and of `fit`, or of the tuning, without data.
    facts : tuple of (str, str), default ()
        Further public settings, for the summary: name and value.

    See Also
    --------
    EmpiricalRiskMinimizationDP_CMS, EmpiricalRiskMinimizationDP_KST : the models whose release it is.
    RegressionResults : what `ols` and `logit` return.

    Examples
    --------
    >>> import pydpstat
    >>> X, y = [[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1]
    >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
    >>> r = model.fit(X, y, [1], [0], rng=pydpstat.RRandom(123))
    >>> r.nobs, r.perturbation, len(r.params)
    (4, 'output', 1)
    """

    model: str
    coeff: np.ndarray
    names: tuple[str, ...]
    prediction: Callable[..., np.ndarray] | None
    perturbation: str
    noise: NoiseQuantiles | None
    claim: Guarantee
    guarantee: Guarantee
    gamma: float
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    nobs: int | None
    reproducible: bool
    record: ModelCall | Call
    facts: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        # a read-only copy that later changes cannot affect
        object.__setattr__(self, "coeff", freeze_array(self.coeff, np.float64))

    @property
    def estimate(self) -> pd.Series:
        """The released coefficients as a Series with their names: `params`."""
        return self.params

    @property
    def params(self) -> pd.Series:
        """The released coefficients as a Series with their names."""
        return self._make_series(self.coeff)

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise; NaN without a public distribution."""
        return self._make_series(np.full(self.coeff.shape, np.nan if self.noise is None else self.noise.std()))

    @property
    def r_call(self) -> str | None:
        """The same fit as an R expression; None where R has no such class."""
        return self.record.format_r()

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        names = () if self.noise is not None else ("conf_int",)
        return names if self.prediction is not None else (*names, "predict")

    def _make_series(self, values: npt.ArrayLike) -> pd.Series:
        return make_named_series(values, self.coeff, Labels(self.model, self.names), self.model)

    def _compute_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:

        level = check_alpha(alpha)
        if self.noise is None:
            raise PydpstatError(
                f"{self.model} with {self.perturbation} perturbation has no interval: the noise is in "
                "the objective, and its effect on a coefficient depends on the data. Use only the "
                "coefficients, or output perturbation if the model has it."
            )
        half_width = -np.asarray(self.noise.ppf(level / 2.0))
        return self.coeff - half_width, self.coeff + half_width

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return an interval for each coefficient that covers the privacy noise.

        With probability 1 - alpha it contains the fitted coefficient. It includes neither sampling
        error nor rounding. Each interval holds individually.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses; between 0 and 1.
        kind : {"noise"}, optional
            The one that there is.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`

        Raises
        ------
        PydpstatError
            If `alpha` is not above 0 and at most 0.5, `kind` is not available, or where the noise has no
            public distribution: objective perturbation adds it to the objective, and its effect on a
            coefficient depends on the data.

        See Also
        --------
        ModelResults.to_frame : estimates and intervals together.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.conf_int(0.1).shape
        (1, 2)
        """
        check_interval_kind(kind, NOISE, self.model)
        return make_interval_frame(self._compute_interval(alpha), self.params.index)

    summary = _shared_methods.summary

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return coefficient, noise standard deviation and noise interval as a frame.

        If the noise has no public distribution, there are only coefficients.

        See Also
        --------
        ModelResults.conf_int : the intervals alone.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> list(r.to_frame().columns)
        ['coef', 'noise sd', 'noise lower', 'noise upper']
        """
        limits = None if self.noise is None else self._compute_interval(alpha)
        return make_noise_frame("coef", self.params, self.bse, limits)

    def to_r(self) -> Any:
        """Return the coefficients as R's numeric vector ``coeff``; needs rpy2.

        Raises
        ------
        MissingExtraError
            If rpy2 is not installed; the message has the command.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.to_r()[0] == r.coeff[0]  # doctest: +SKIP
        True
        """
        # R's coefficients have no names
        return Labels(self.model).to_r_object(self.coeff)

    def predict(self, X: npt.ArrayLike, add_bias: bool = False, raw_value: bool = False) -> np.ndarray:
        """Predict from the released coefficients, as the model's `predict` does.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, columns)
            New records.
        add_bias : bool, default False
            Whether to put a column of ones in front; True where the model was fitted so.
        raw_value : bool, default False
            Whether a classifier returns its probabilities or scores instead of labels 0 and 1.

        Returns
        -------
        ndarray of float64, shape (m,)

        Raises
        ------
        PydpstatError
            If the columns do not match the coefficients, or the model has its own `mapXy`, which a result does not
            keep.

        See Also
        --------
        ModelResults.conf_int : intervals for the coefficients.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.predict([[0.0]], raw_value=True)
        array([0.5])
        """

        if self.prediction is None:
            raise PydpstatError(
                f"these results of {self.model} do not store your mapXy, which might refer to data. "
                "Call predict of the model object."
            )
        return self.prediction(X, self.coeff, add_bias=add_bias, raw_value=raw_value)

    def _format_heading(self) -> str:
        return self.model

    def _collect_facts(self) -> Facts:
        return [
            ("Perturbation:", self.perturbation),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
            ("Gamma:", format_significant(self.gamma)),
            *self.facts,
        ]

    def _collect_notes(self) -> list[str]:
        coverage = "The noise is in the objective: its effect on a coefficient has no public distribution."
        if self.noise is not None:
            coverage = "Each interval covers the privacy noise only, not sampling error."
        return [
            *self._make_guarantee_notes(self.model),
            coverage,
            *self._collect_omissions(),
            f"Call: {self.call}",
        ]

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_coefficients_picture

        limits = None if self.noise is None else self._compute_interval(alpha)
        return make_coefficients_picture(f"{self.model} coefficients", self, limits, "noise", alpha, "coefficient")

    def _make_all_rows(self) -> Rows:
        return self._make_rows(max_rows=None)

    def _collect_omissions(self) -> list[str]:
        return make_omission_note(self.coeff.size)

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        # shorten long names between words
        names = [textwrap.shorten(name, 32) for name in self.names[:max_rows]]
        return make_noise_rows(self.to_frame(alpha)[:max_rows], "coef", names, alpha, has_unlike_scales(self.bse))

    def _collect_content(self) -> dict[str, object]:
        upper, lower = self.bounds
        return {
            **self._collect_attributes("model", "coeff", "names"),
            "noise_sd": None if self.noise is None else self.noise.std(),
            "perturbation": self.perturbation,
            **self._collect_privacy(),
            "gamma": self.gamma,
            "upper_bounds": upper,
            "lower_bounds": lower,
            "nobs": self.nobs,
            "reproducible": self.reproducible,
            "settings": {name.rstrip(":"): value for name, value in self.facts},
            "call": self.call,
            "r_call": self.r_call,
        }

    def __repr__(self) -> str:
        count = f"{self.coeff.size} coefficient{'s' if self.coeff.size != 1 else ''}"
        return f"<ModelResults {self.model}: {count}, {self.perturbation} perturbation, {self._format_guarantee()}>"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.coeff, dtype=dtype)

    def __len__(self) -> int:
        return int(self.coeff.size)

    def __iter__(self) -> Iterator[float]:
        return iter(self.coeff.tolist())
