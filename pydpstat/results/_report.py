"""One base for everything that is shown: results state facts, rows and notes, and this renders them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.privacy import Guarantee
from pydpstat.results._drawn import Drawn

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary

    from pydpstat.results._call import Call, ModelCall
    from pydpstat.results._labels import Labels

Floats = npt.NDArray[np.float64]
Facts = list[tuple[str, str]]
MOST_ROWS = 60
_WIDTH = 78


class Rows(NamedTuple):
    """The table below the facts: its columns' heads, and a name and cells for each row."""

    headers: tuple[str, ...]
    names: list[str]
    cells: list[list[str]]


class Report:
    """A result that states facts, rows and notes, and is shown as a page of these."""

    # without it every result would have a dictionary
    __slots__ = ()

    _title = "Differentially Private Release"

    def _facts(self) -> Facts:
        """State the names and values of the page's head."""
        raise NotImplementedError

    def _beside(self) -> Facts:
        """State those of the head's right column; without them the facts are cut into two."""
        return []

    def _rows(self) -> Rows:
        """State the table."""
        raise NotImplementedError

    def _notes(self) -> list[str]:
        """State the lines below the table."""
        raise NotImplementedError

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> from pydpstat.consistency import ipf
        >>> fitted = ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]})
        >>> "Converged:" in fitted.summary().as_text()
        True
        """
        return self._page(self._rows())

    def _page(self, rows: Rows) -> Summary:
        from pydpstat.results._summary_page import SummaryPage

        return SummaryPage(self._facts(), *rows, self._lines(), self._title, self._beside())

    def _lines(self) -> list[str]:
        return wrapped(self._notes())

    def _repr_html_(self) -> str:
        return self.summary().as_html()


class Stated(Report):
    """A result with a guarantee, a claim and a record of its call: first what holds, then the claim."""

    __slots__ = ()

    claim: Guarantee
    guarantee: Guarantee
    record: Call | ModelCall

    @property
    def epsilon(self) -> float:
        """The epsilon that holds, infinite where nothing does; `claim` has the one that was asked for."""
        return math.inf if _is_void(self.guarantee) else self.guarantee.epsilon

    @property
    def delta(self) -> float:
        """The delta that holds, 1 where nothing does; `claim` has the one that was asked for."""
        return 1.0 if _is_void(self.guarantee) else self.guarantee.delta

    @property
    def neighbors(self) -> str:
        """The neighboring data sets of what holds, "bounded" or "unbounded"; `claim` has its own."""
        return self.guarantee.neighbors

    @property
    def unit(self) -> str | None:
        """The unit of what holds, by its column's name; None for a single record."""
        return self.guarantee.unit

    @property
    def call(self) -> str:
        """The call in Python, with the data arguments' names in place of data."""
        return self.record.python()

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        An infinite epsilon is the text "infinite"; NaN and other infinities, which JSON has not, are None.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_dict()["epsilon"]
        1.0
        """
        return {name: plain(value) for name, value in self._content().items()}

    def _content(self) -> Mapping[str, object]:
        """State what `to_dict` has, by name and in order."""
        raise NotImplementedError

    def _privacy(self) -> dict[str, object]:
        """Return the part of the content that says what holds and what was claimed."""
        held = plain_guarantee(replace(self.guarantee, epsilon=self.epsilon, delta=self.delta))
        pair = {name: each for name, each in held.items() if name != "conditions"}
        return {**pair, "guarantee": held, "claim": plain_guarantee(self.claim)}

    def _stated(self) -> str:
        """Return what holds in one line, and the claim where it says something else."""
        held, claimed = str(self.guarantee), str(self.claim)
        shown = "nothing holds" if _is_void(self.guarantee) else held
        return shown if held == claimed else f"{shown}, claimed {claimed}"

    def _beside(self) -> Facts:
        nothing, claim = _is_void(self.guarantee), self.claim
        return [
            ("Epsilon that holds:", "none" if nothing else number(self.epsilon)),
            ("Delta that holds:", "none" if nothing else number(self.delta)),
            ("Neighbors:", "-" if nothing else self.neighbors),
            *unit_fact(self.unit),
            ("Claimed epsilon:", number(claim.epsilon)),
            ("Claimed delta:", number(claim.delta)),
            ("Claimed neighbors:", claim.neighbors),
        ]

    def _held(self, function: str) -> list[str]:
        """Return the notes on what holds and on what it rests."""
        held, conditions = f"Holds: {self.guarantee}.", self.guarantee.conditions
        if _is_void(self.guarantee):
            held = f"Nothing is guaranteed: see the PrivacyWarning of {function}."
        return [held, f"Conditions: {'; '.join(conditions)}."] if conditions else [held]


class Estimates(Drawn, Stated):
    """Released numbers with names, and a noise whose distribution may be public."""

    __slots__ = ()

    noise: Any

    _column = "estimate"

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
        """Standard deviation of the privacy noise, before any cutting or rounding.

        NaN where the noise has no public distribution.
        """
        value = self._named()[0]
        return self._series(np.full(value.shape, math.nan) if self.noise is None else self._noise_sd())

    def _series(self, value: npt.ArrayLike) -> pd.Series:
        import pandas as pd

        released, labels, name = self._named()
        flat = np.ravel(value, order="F")
        # adding 0 turns a zero with a minus sign into a plain one
        shown = flat + 0.0 if flat.dtype.kind == "f" else flat.copy()
        return pd.Series(shown, index=labels.index(released), name=name)

    @property
    def r_call(self) -> str | None:
        """The same release as an R expression; None where R has no such function or class."""
        return self.record.r()

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return an interval for each value that covers the privacy noise with probability 1 - alpha.

        It says how far the noise may have moved the released value from the statistic of the data, or a
        coefficient from the fitted one. It stays within the range that the parameter has, says nothing of
        sampling, and rounding is not in it. Each interval stands alone.

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
            Where `alpha` is not above 0 and at most 0.5, or where the noise has no public distribution:
            objective perturbation puts it into the objective, and what it does to a coefficient
            depends on the data.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.conf_int(0.1).round(3)
                0      1
        mean  0.0  4.687
        """
        return self._indexed(self._interval(alpha))

    def _indexed(self, ends: tuple[Floats, Floats]) -> pd.DataFrame:
        import pandas as pd

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

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> "Laplace" in r.summary().as_text()
        True
        """
        return self._page(self._rows(alpha))

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return value, noise standard deviation and interval as a frame, a row an element.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> list(r.to_frame().columns)
        ['estimate', 'noise sd', 'lower', 'upper']
        """
        import pandas as pd

        frame = pd.DataFrame({self._column: self.params, "noise sd": self.bse})
        if self.noise is None:
            return frame.assign(lower=math.nan, upper=math.nan)
        low, high = (np.ravel(end, order="F") for end in self._interval(alpha))
        return frame.assign(lower=low, upper=high)

    def to_r(self) -> Any:
        """Return the estimate as the R object that the R original returns; needs rpy2.

        Of a model it is the numeric vector that the R object has as ``coeff``.

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

    def _rows(self, alpha: float = 0.05) -> Rows:
        value, labels, _ = self._named()
        rows = self.to_frame(alpha).to_numpy(dtype=object)[:MOST_ROWS].tolist()
        headers = (self._column, "noise sd", f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
        names = [one_line(name) for name in labels.elements(value)[:MOST_ROWS]]
        return Rows(headers, names, [list(map(cell, row)) for row in rows])


def number(value: object) -> str:
    """Return a number with six significant digits, without a sign at zero; anything else as text."""
    return f"{float(value) + 0.0:.6g}" if isinstance(value, Real) else one_line(str(value))


def cell(value: object) -> str:
    """Return a number as a table shows it: a dash where it is missing."""
    return "-" if isinstance(value, float) and math.isnan(value) else number(value)


def wrapped(notes: list[str]) -> list[str]:
    """Return notes with lines as wide as the page."""
    return ["\n".join(textwrap.wrap(note, _WIDTH)) for note in notes]


def one_line(name: str, most: int = 32) -> str:
    """Return a name as a row shows it: in one line, and not too long."""
    name = " ".join(name.split())
    return name if len(name) <= most else name[: most - 3] + "..."


def left_out(count: int, what: str = "rows", where: str = "to_frame()") -> list[str]:
    """Return the note on the rows that a page has no place for, if there are any."""
    return [f"{count - MOST_ROWS} more {what}: {where} has them all."] if count > MOST_ROWS else []


def plain(value: object) -> object:
    """Return a value in plain JSON types; NaN and infinities, which JSON has not, are None."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (type(None), bool, int, float, str)) else str(value)


def plain_guarantee(guarantee: Guarantee) -> dict[str, object]:
    """Return a guarantee in plain JSON types; an infinite epsilon is the text "infinite"."""
    epsilon = "infinite" if math.isinf(guarantee.epsilon) else guarantee.epsilon
    pair = {"epsilon": epsilon, "delta": guarantee.delta}
    whose = {"neighbors": guarantee.neighbors, "unit": guarantee.unit}
    return {**pair, **whose, "conditions": list(guarantee.conditions)}


def unit_fact(unit: str | None) -> Facts:
    """Return the fact that names a privacy unit; a single record needs none."""
    return [] if unit is None else [("Unit:", one_line(unit))]


def _is_void(guarantee: Guarantee) -> bool:
    """Return whether a guarantee says nothing: its epsilon is infinite or its delta 1."""
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0
