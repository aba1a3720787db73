"""What may be published of a fitted model: its coefficients, their noise and the guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pydpstat._frozen import Frozen, frozen
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call, ModelCall
from pydpstat.results._stated import Stated

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary


class CoefficientNoise(Protocol):
    """What the results need of the distribution of the coefficients' noise."""

    def std(self) -> Any:
        """Return the standard deviation of each coefficient's noise."""

    def ppf(self, q: Any) -> Any:
        """Return quantiles of each coefficient's noise."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ModelResults(Stated, Frozen):
    """A fitted model that was released with differential privacy.

    It is what `fit` of a model returns. It holds what may be published and nothing else: no
    record, no label, no weight, no noise, no seed.

    Parameters
    ----------
    model : str
        The model's name (``"LogisticRegressionDP"``).
    coeff : ndarray of float64, shape (d,)
        The released coefficients, in the unit of the data as given.
    names : tuple of str
        The coefficients' names, "bias" first where a bias column was added.
    prediction : callable or None
        How coefficients become predictions; None where only the model object knows (an own `mapXy`).
    perturbation : {"objective", "output"}
        Where the noise was put.
    noise : CoefficientNoise or None
        The law of the coefficients' noise, which is public for output perturbation; None otherwise.
    claim : Guarantee
        What was asked for.
    guarantee : Guarantee
        What holds.
    gamma : float
        The regularization constant that was asked for.
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
    noise: CoefficientNoise | None
    claim: Guarantee
    guarantee: Guarantee
    gamma: float
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    nobs: int | None
    reproducible: bool
    record: ModelCall | Call
    facts: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        # a copy of its own, so that no later change reaches it
        object.__setattr__(self, "coeff", frozen(self.coeff, np.float64))

    @property
    def params(self) -> pd.Series:
        """The released coefficients as a Series with their names."""
        return self._series(self.coeff)

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise in each coefficient; NaN where it has no public law."""
        return self._series(np.full(self.coeff.shape, math.nan) if self.noise is None else self.noise.std())

    def _series(self, values: np.ndarray) -> pd.Series:
        import pandas as pd

        return pd.Series(values, index=pd.Index(self.names, dtype=object), name=self.model)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return an interval for each coefficient that covers the privacy noise with probability 1 - alpha.

        It says how far the noise may have moved the coefficient from the fitted one. It says
        nothing of sampling. Each interval stands alone.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses; between 0 and 1.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`

        Raises
        ------
        PydpstatError
            Where `alpha` is not between 0 and 1, or where the noise has no public law: objective
            perturbation puts it into the objective, and what it does to a coefficient depends on
            the data.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> bool((r.conf_int()[1] - r.conf_int()[0]).iloc[0] > 2 * r.bse.iloc[0])
        True
        """
        import pandas as pd

        low, high = self._interval(alpha)
        return pd.DataFrame({0: low, 1: high}, index=pd.Index(self.names, dtype=object))

    def _interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        from pydpstat._checks import probability
        from pydpstat.errors import PydpstatError

        level = probability(alpha, "alpha")
        if self.noise is None:
            raise PydpstatError(
                f"{self.model} with {self.perturbation} perturbation has no interval: the noise enters the "
                "objective, and how far it moves a coefficient depends on the data. "
                "Use the coefficients alone, or output perturbation where the model has it."
            )
        half = -self.noise.ppf(level / 2.0)
        return self.coeff - half, self.coeff + half

    def predict(self, X: Any, add_bias: bool = False, raw_value: bool = False) -> np.ndarray:
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
            Where the columns do not match the coefficients, or the model has a `mapXy` of its own,
            which a result does not keep.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.predict([[0.0]], raw_value=True)
        array([0.5])
        """
        from pydpstat.errors import PydpstatError

        if self.prediction is None:
            raise PydpstatError(
                f"these results of {self.model} do not keep your own mapXy, which might refer to data. "
                "Call predict of the model object."
            )
        return self.prediction(X, self.coeff, add_bias=add_bias, raw_value=raw_value)

    @property
    def r_call(self) -> str | None:
        """The same model as an R expression; None where R has no such class."""
        return self.record.r()

    def summary(self, alpha: float = 0.05) -> Summary:
        """Return the model as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval in the table misses the coefficient without noise.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> "objective" in r.summary().as_text()
        True
        """
        from pydpstat.results._model_summary import summary

        return summary(self, alpha)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return coefficient, noise standard deviation and interval as a frame, a row a coefficient.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> list(r.to_frame().columns)
        ['coef', 'noise sd', 'lower', 'upper']
        """
        import pandas as pd

        frame = pd.DataFrame({"coef": self.params, "noise sd": self.bse})
        if self.noise is None:
            return frame.assign(lower=math.nan, upper=math.nan)
        low, high = self._interval(alpha)
        return frame.assign(lower=low, upper=high)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.to_dict()["perturbation"]
        'objective'
        """
        from pydpstat.results._model_export import to_dict

        return to_dict(self)

    def to_r(self) -> Any:
        """Return the coefficients as R's numeric vector, as the R object's ``coeff``; needs rpy2.

        Raises
        ------
        MissingExtraError
            Where rpy2 is not installed; the message has the command.

        Examples
        --------
        >>> import pydpstat
        >>> model = pydpstat.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=pydpstat.RRandom(123))
        >>> r.to_r()[0] == r.coeff[0]  # doctest: +SKIP
        True
        """
        from pydpstat.results._model_export import to_r

        return to_r(self)

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def __repr__(self) -> str:
        count = f"{self.coeff.size} coefficient{'s' if self.coeff.size != 1 else ''}"
        return f"<ModelResults {self.model}: {count}, {self.perturbation} perturbation, {self._stated()}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.coeff, dtype=dtype)

    def __len__(self) -> int:
        return int(self.coeff.size)

    def __iter__(self) -> Iterator[float]:
        return iter(self.coeff.tolist())
