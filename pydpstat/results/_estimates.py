"""Released numbers with names: their frame, their intervals, and their table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._lazy import pd
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._intervals import NOISE, check_only
from pydpstat.results._numbers import column, table
from pydpstat.results._report import MOST_ROWS, Drawn, Rows, Stated, cell, left_out

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.results._labels import Labels

# what the ends of a noise interval are called in a frame
ENDS = ("noise lower", "noise upper")
# noise so many times that of another value is of another unit
_UNLIKE = 1000.0


class Estimates(Drawn, Stated):
    """Released numbers with names, and a noise whose distribution may be public."""

    __slots__ = ()

    noise: object

    _column = "estimate"

    def __str__(self) -> str:
        value, _, _ = self._named()
        if value.ndim:
            return Stated.__str__(self)
        sd = "" if self.noise is None else f", noise sd {cell(float(self.bse.iloc[0]))}"
        line = f"{self._heading()}: {column([value.item()])[0]}{sd}, {self._stated()}"
        return "\n".join([line, *self._counted(brief=True)])

    def _named(self) -> tuple[np.ndarray, Labels, str]:
        """State the released values, their labels, and the name of all of them."""
        raise NotImplementedError

    def _noise_sd(self) -> npt.ArrayLike:
        """Return the standard deviation of the noise in each value, which has a public distribution."""
        raise NotImplementedError

    def _interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the intervals' ends in the values' shape, or raise where there are none."""
        raise NotImplementedError

    def _r_object(self) -> object:
        """Return what `to_r` does."""
        raise NotImplementedError

    @property
    def params(self) -> pd.Series:
        """The released values as a Series with their names, in R's order."""
        return self._series(self._named()[0])

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise, before any clipping or rounding.

        NaN where the noise has no public distribution.
        """
        value = self._named()[0]
        return self._series(np.full(value.shape, math.nan) if self.noise is None else self._noise_sd())

    def _head(self) -> str:
        """Return what the values' column is called on a page."""
        return self._column

    def _series(self, value: npt.ArrayLike) -> pd.Series:
        released, labels, name = self._named()
        flat = np.ravel(value, order="F")
        # adding 0 turns a zero with a minus sign into a plain one
        shown = flat + 0.0 if flat.dtype.kind == "f" else flat.copy()
        return pd.Series(shown, index=labels.index(released), name=name)

    @property
    def r_call(self) -> str | None:
        """The same release as an R expression; None where R has no such function or class."""
        return self.record.r()

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return an interval for each value that covers the privacy noise with probability 1 - alpha.

        It shows how far the released value may be from the statistic of the data, or a
        coefficient from the fitted one. It stays within the parameter's range, and includes neither
        sampling error nor rounding. Each interval holds individually.

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
            Where `alpha` is not above 0 and at most 0.5, `kind` is not available, or where the noise has no
            public distribution: objective perturbation puts it into the objective, and what it does to a
            coefficient depends on the data.

        See Also
        --------
        ModelResults.to_frame : estimates and intervals together.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.conf_int(0.1).round(3)
                0      1
        mean  0.0  4.687
        """
        check_only(kind, NOISE, self._named()[2])
        return self._indexed(self._interval(alpha))

    def _indexed(self, ends: tuple[Floats, Floats]) -> pd.DataFrame:
        columns = {place: np.ravel(end, order="F") for place, end in enumerate(ends)}
        return pd.DataFrame(columns, index=self.params.index)

    def summary(self, alpha: float = 0.05) -> Summary:
        """Return the release as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval in the table misses the value without noise.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        See Also
        --------
        DPResults.to_frame : the numbers as a frame.
        DPResults.statement : a paragraph for a paper.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> "Laplace" in r.summary().as_text()
        True
        """
        return self._page(self._rows(alpha))

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return value, noise standard deviation and noise interval as a frame.

        If the noise has no public distribution, there are only values. Counts with noise on the integers
        are integers.

        See Also
        --------
        ModelResults.conf_int : the intervals alone.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> list(r.to_frame().columns)
        ['estimate', 'noise sd', 'noise lower', 'noise upper']
        """
        frame = pd.DataFrame({self._column: self.params})
        if self.noise is None:
            return frame
        low, high = (np.ravel(end, order="F") for end in self._interval(alpha))
        frame = frame.assign(**{"noise sd": self.bse, **dict(zip(ENDS, (low, high)))})
        whole = (self._column, *ENDS) if self._counts_units() else ()
        return frame.astype(dict.fromkeys(whole, np.int64))

    def to_r(self) -> Any:
        """Return the estimate as the R object that the R original returns; needs rpy2.

        For a model it is the numeric vector ``coeff`` of the R object.

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
        return self._r_object()

    def _omitted(self) -> list[str]:
        return self._left_out()

    def _left_out(self) -> list[str]:
        return left_out(len(self._places()))

    def _places(self) -> list[int]:
        """Return the places of the values that a page has rows for."""
        return list(range(self._named()[0].size))

    def _counts_units(self) -> bool:
        """Tell whether the values are counts that noise leaves whole."""
        return False

    def _every_row(self) -> Rows:
        return self._rows(most=None)

    def _rows(self, alpha: float = 0.05, most: int | None = MOST_ROWS) -> Rows:
        value, labels, _ = self._named()
        places = self._places()[:most]
        frame = Estimates.to_frame(self, alpha).iloc[places]
        headers: tuple[str, ...] = (self._head(),)
        if self.noise is not None:
            headers = (*headers, "noise sd", f"noise [{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
        every = labels.elements(value)
        return Rows(
            headers,
            [every[place] for place in places],
            table([frame[name].tolist() for name in frame], self._by_row()),
        )

    def _by_row(self) -> bool:
        """Tell whether the values are of variables in units so unlike that no decimals serve all."""
        noise = np.ravel(self.bse.to_numpy())
        noise = noise[np.isfinite(noise) & (noise > 0.0)]
        return bool(noise.size) and noise.max() > _UNLIKE * noise.min()
