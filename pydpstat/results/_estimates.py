"""Released numbers with names: their frame, their intervals, and their table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._lazy import pd
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._intervals import NOISE, check_interval_kind
from pydpstat.results._numbers import format_column, format_rows
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    GuaranteedReport,
    Plottable,
    Rows,
    format_cell_value,
    make_omission_note,
)

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.results._labels import Labels

# what the ends of a noise interval are called in a frame
NOISE_LIMIT_COLUMNS = ("noise lower", "noise upper")
# noise so many times that of another value is of another unit
_UNLIKE_SCALE_RATIO = 1000.0


class Estimates(Plottable, GuaranteedReport):
    """Released numbers with names, and a noise whose distribution may be public."""

    __slots__ = ()

    noise: object

    _column = "estimate"

    def __str__(self) -> str:
        value, _, _ = self._get_labeled_values()
        if value.ndim:
            return GuaranteedReport.__str__(self)
        sd = "" if self.noise is None else f", noise sd {format_cell_value(float(self.bse.iloc[0]))}"
        line = f"{self._format_heading()}: {format_column([value.item()])[0]}{sd}, {self._format_guarantee()}"
        return "\n".join([line, *self._make_contribution_notes(brief=True)])

    def _get_labeled_values(self) -> tuple[np.ndarray, Labels, str]:
        """State the released values, their labels, and the name of all of them."""
        raise NotImplementedError

    def _compute_noise_sd(self) -> npt.ArrayLike:
        """Return the standard deviation of the noise in each value, which has a public distribution."""
        raise NotImplementedError

    def _compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the intervals' ends in the values' shape, or raise where there are none."""
        raise NotImplementedError

    def _make_r_object(self) -> object:
        """Return what `to_r` does."""
        raise NotImplementedError

    @property
    def params(self) -> pd.Series:
        """The released values as a Series with their names, in R's order."""
        return self._make_series(self._get_labeled_values()[0])

    @property
    def bse(self) -> pd.Series:
        """Standard deviation of the privacy noise, before any clipping or rounding.

        NaN where the noise has no public distribution.
        """
        value = self._get_labeled_values()[0]
        return self._make_series(np.full(value.shape, math.nan) if self.noise is None else self._compute_noise_sd())

    def _get_value_heading(self) -> str:
        """Return what the values' column is called on a page."""
        return self._column

    def _make_series(self, value: npt.ArrayLike) -> pd.Series:
        released, labels, name = self._get_labeled_values()
        flat = np.ravel(value, order="F")
        # adding 0 turns a zero with a minus sign into a plain one
        shown = flat + 0.0 if flat.dtype.kind == "f" else flat.copy()
        return pd.Series(shown, index=labels.make_element_index(released), name=name)

    @property
    def r_call(self) -> str | None:
        """The same release as an R expression; None where R has no such function or class."""
        return self.record.format_r()

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
        >>> format_r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> format_r.conf_int(0.1).round(3)
                0      1
        mean  0.0  4.687
        """
        check_interval_kind(kind, NOISE, self._get_labeled_values()[2])
        return self._make_interval_frame(self._compute_interval(alpha))

    def _make_interval_frame(self, limits: tuple[Floats, Floats]) -> pd.DataFrame:
        columns = {place: np.ravel(end, order="F") for place, end in enumerate(limits)}
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
        >>> format_r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> "Laplace" in format_r.summary().as_text()
        True
        """
        return self._make_page(self._make_rows(alpha))

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
        >>> format_r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> list(format_r.to_frame().columns)
        ['estimate', 'noise sd', 'noise lower', 'noise upper']
        """
        frame = pd.DataFrame({self._column: self.params})
        if self.noise is None:
            return frame
        low, high = (np.ravel(end, order="F") for end in self._compute_interval(alpha))
        frame = frame.assign(**{"noise sd": self.bse, **dict(zip(NOISE_LIMIT_COLUMNS, (low, high)))})
        whole = (self._column, *NOISE_LIMIT_COLUMNS) if self._has_integer_counts() else ()
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
        >>> format_r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> format_r.to_r()[0] == float(format_r)  # doctest: +SKIP
        True
        """
        return self._make_r_object()

    def _collect_omissions(self) -> list[str]:
        return self._make_omission_notes()

    def _make_omission_notes(self) -> list[str]:
        return make_omission_note(len(self._get_row_positions()))

    def _get_row_positions(self) -> list[int]:
        """Return the places of the values that a page has rows for."""
        return list(range(self._get_labeled_values()[0].size))

    def _has_integer_counts(self) -> bool:
        """Tell whether the values are counts that noise leaves whole."""
        return False

    def _make_all_rows(self) -> Rows:
        return self._make_rows(max_rows=None)

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        value, labels, _ = self._get_labeled_values()
        places = self._get_row_positions()[:max_rows]
        frame = Estimates.to_frame(self, alpha).iloc[places]
        headers: tuple[str, ...] = (self._get_value_heading(),)
        if self.noise is not None:
            headers = (*headers, "noise sd", f"noise [{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
        every = labels.name_elements(value)
        return Rows(
            headers,
            [every[place] for place in places],
            format_rows([frame[name].tolist() for name in frame], self._has_unlike_scales()),
        )

    def _has_unlike_scales(self) -> bool:
        """Tell whether the values are of variables in units so unlike that no decimals serve all."""
        noise = np.ravel(self.bse.to_numpy())
        noise = noise[np.isfinite(noise) & (noise > 0.0)]
        return bool(noise.size) and noise.max() > _UNLIKE_SCALE_RATIO * noise.min()
