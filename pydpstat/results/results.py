"""What may be published of a release: the estimate, its noise and its guarantee; nothing private."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._frozen import Frozen, frozen
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._operators import NumberOperators
from pydpstat.results._postprocessing import PostProcessing
from pydpstat.results._stated import Stated

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResults(Stated, NumberOperators, Frozen):
    """A released statistic with its noise and its guarantee.

    It is made by the functions that release. It holds what may be published and nothing else:
    no data, no true value, no noise, no seed.

    Parameters
    ----------
    statistic : str
        What was released (``"mean"``).
    value : ndarray of float64
        The released value, in R's dimensions. A choice has a place (int64) or a candidate (object).
    labels : Labels
        Names of its elements.
    noise : distribution or None
        The law of the noise, with ``cdf``, ``ppf`` and ``std``; None where no public law exists.
    noise_scale : float or ndarray
        The law's scale: Laplace's scale, the Gaussian's standard deviation, in the statistic's unit.
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
    noise_scale: Any
    mechanism: str
    sensitivity: Any
    claim: Guarantee
    guarantee: Guarantee
    bounds: Any
    nobs: int | None
    post: PostProcessing
    reproducible: bool
    grid: float | None
    record: Call

    def __post_init__(self) -> None:
        # by name: to look through all fields takes longer than a small release may
        object.__setattr__(self, "value", frozen(self.value))
        if isinstance(self.noise_scale, np.ndarray):
            object.__setattr__(self, "noise_scale", frozen(self.noise_scale))

    @property
    def estimate(self) -> Any:
        """The released value in its natural shape: float, array, Series, DataFrame or Histogram."""
        return self.labels.natural(self.value)

    @property
    def params(self) -> pd.Series:
        """The released values as a Series, in R's order."""
        return self._series(self.value)

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise, before any cutting or rounding."""
        if self.noise is None:
            return self._series(np.full(self.value.shape, math.nan))
        return self._series(self.post.standard_error(self.noise, self.value))

    def _series(self, value: np.ndarray) -> pd.Series:
        import pandas as pd

        flat = np.ravel(value, order="F")
        # adding 0 turns a zero with a minus sign into a plain one
        shown = flat + 0.0 if flat.dtype.kind == "f" else flat.copy()
        return pd.Series(shown, index=self.labels.index(self.value), name=self.statistic)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return an interval that covers the privacy noise with probability 1 - alpha.

        It says how far the noise may have moved the released value from the statistic of the
        data. It says nothing of sampling, and cutting or rounding are not in it.

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
            Where `alpha` is not between 0 and 1, or where the noise has no public law.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.conf_int(0.1).round(3)
                 0      1
        mean -1.07  4.687
        """
        import pandas as pd

        low, high = self._interval(alpha)
        index = self.labels.index(self.value)
        columns = {0: np.ravel(low, order="F"), 1: np.ravel(high, order="F")}
        return pd.DataFrame(columns, index=index)

    def accuracy(self, alpha: float = 0.05) -> Any:
        """Return how far the noise moves the released value, but for a probability of alpha.

        It is half the width of `conf_int`, or the longer side: exact where the estimate is the noisy value
        itself, by the delta method where it is a function of noisy ones (a correlation has its own way).
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
            Where `alpha` is not between 0 and 1, or where the noise has no public law.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=pydpstat.RRandom(123))
        >>> round(r.accuracy(0.1), 3)
        2.878
        """
        self._check_interval(alpha)
        reach = self.post.reach(self.noise, self.value, float(alpha))
        return self._series(reach) if self.value.ndim else float(reach)

    def _interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        self._check_interval(alpha)
        return self.post.interval(self.noise, self.value, float(alpha))

    def _check_interval(self, alpha: float) -> None:
        from pydpstat._checks import probability
        from pydpstat.errors import PydpstatError

        probability(alpha, "alpha")
        if self.noise is None:
            raise PydpstatError(
                f"the noise of {self.statistic} has no public law that does not depend on the data, "
                "so there is no interval. Use the estimate alone."
            )

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done to the noisy value, in order."""
        return self.post.steps

    @property
    def r_call(self) -> str | None:
        """The same release as an R expression; None where R has no such function."""
        return self.record.r()

    def summary(self, alpha: float = 0.05) -> Summary:
        """Return the release as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval in the table misses the value without noise.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> "Laplace" in r.summary().as_text()
        True
        """
        from pydpstat.results._summary import summary

        return summary(self, alpha)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimate, noise standard deviation and interval as a frame, a row an element.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> list(r.to_frame().columns)
        ['estimate', 'noise sd', 'lower', 'upper']
        """
        import pandas as pd

        frame = pd.DataFrame({"estimate": self.params, "noise sd": self.bse})
        if self.noise is None:
            return frame.assign(lower=math.nan, upper=math.nan)
        interval = self.conf_int(alpha)
        return frame.assign(lower=interval[0], upper=interval[1])

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_dict()["epsilon"]
        1.0
        """
        from pydpstat.results._export import to_dict

        return to_dict(self)

    def to_r(self) -> Any:
        """Return the estimate as the R object that the R original returns; needs rpy2.

        Raises
        ------
        MissingExtraError
            Where rpy2 is not installed; the message has the command.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_r()[0] == float(r)  # doctest: +SKIP
        True
        """
        from pydpstat.results._export import to_r

        return to_r(self)

    def plot(self, ax: Axes | None = None, alpha: float = 0.05) -> Axes:
        """Draw the released values with the interval of their noise; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure's by default.
        alpha : float, default 0.05
            Probability that an interval misses the value without noise.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        MissingExtraError
            Where matplotlib is not installed; the message has the command.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.tableDP(["a", "b", "a"], rng=pydpstat.RRandom(123))  # doctest: +SKIP
        >>> ax = r.plot()  # doctest: +SKIP
        """
        from pydpstat.results._plot import plot

        return plot(self, ax, alpha)

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def _shown(self) -> str:
        from pydpstat.results._summary import number

        return number(self.value.item()) if self.value.ndim == 0 else f"{self.value.size} values"

    def __repr__(self) -> str:
        return f"<DPResults {self.statistic}: {self._shown()}, {self.mechanism}, {self._stated()}>"
