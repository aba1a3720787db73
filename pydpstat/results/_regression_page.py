"""How a regression is shown: its page of facts, rows and notes, and what `to_dict` has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat.results._pvalues import floor_note, shown_pvalue
from pydpstat.results._report import MOST_ROWS, Facts, Rows, Stated, left_out, number, one_line

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
_TITLES = {"rsquared": "R-squared", "scale": "Scale"}


class RegressionPage(Stated):
    """The part of `pydpstat.results.RegressionResults` that shows it."""

    __slots__ = ()

    _title = "Differentially Private Regression"

    model: str
    method: str
    response: str
    names: tuple[str, ...]
    coef: Floats | None
    errors: Floats
    null: float
    tested: tuple[str, ...]
    statistics: Floats
    pvalue_floor: float
    labels: tuple[str, ...]
    fit: tuple[tuple[str, float], ...]
    assumptions: tuple[str, ...]
    remarks: tuple[str, ...]
    released: tuple[tuple[str, float], ...]
    mechanism: str
    noise_scale: float | npt.NDArray[np.float64]
    bounds: tuple[object, ...] | None
    nobs: int | None
    reproducible: bool

    def _chances(self) -> Floats:
        """Return the p-values."""
        raise NotImplementedError

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the intervals."""
        raise NotImplementedError

    def _facts(self) -> Facts:
        scales = np.atleast_1d(self.noise_scale)
        low, high = number(scales.min()), number(scales.max())
        return [
            ("Dep. Variable:", one_line(self.response)),
            ("Model:", self.model),
            ("Method:", self.method),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
            *((f"{_TITLES.get(n, n)}:", number(v)) for n, v in self.fit),
            ("Mechanism:", self.mechanism),
            ("Noise scale:", low if low == high else f"{low} to {high}"),
        ]

    def _rows(self, alpha: float = 0.05) -> Rows:
        chances = [shown_pvalue(each, self.pvalue_floor) for each in self._chances().tolist()]
        found = dict(zip(self.tested, zip(map(number, self.statistics.tolist()), chances)))
        heads: tuple[str, ...] = ("statistic", "P>|stat|")
        names = list(self.names if self.coef is not None else self.tested)[:MOST_ROWS]
        cells = [list(found.get(name, ("-", "-"))) for name in names]
        if self.coef is not None:
            heads = ("coef", "std err", *heads, f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
            ends = self.conf_int(alpha).to_numpy().tolist()
            cells = [
                [number(coef), number(error), *cell, *map(number, end)]
                for coef, error, cell, end in zip(self.coef.tolist(), self.errors.tolist(), cells, ends)
            ]
        return Rows(heads, [one_line(name) for name in names], cells)

    def _notes(self) -> list[str]:
        kinds = sorted(set(self.labels))
        lines = [*self._held(self.record.function), f"Validity: {', '.join(kinds)}; see the documentation."]
        if self.assumptions:
            lines.append(f"Assumptions: {'; '.join(self.assumptions)}.")
        lines += floor_note(self._chances().tolist(), self.pvalue_floor)
        return [*lines, *self.remarks, *left_out(len(self.names), where="params"), f"Call: {self.call}"]

    def _content(self) -> dict[str, object]:
        tested = zip(self.tested, self.statistics.tolist(), self._chances().tolist())
        return {
            "model": self.model,
            "method": self.method,
            "response": self.response,
            "params": None if self.coef is None else dict(zip(self.names, self.coef.tolist())),
            "bse": dict(zip(self.names, self.errors.tolist())),
            "null": self.null,
            "pvalue_floor": self.pvalue_floor,
            "tests": {name: {"statistic": s, "pvalue": p} for name, s, p in tested},
            "validity": dict(zip(self.names, self.labels)),
            **dict(self.fit),
            "assumptions": self.assumptions,
            "remarks": self.remarks,
            "released": dict(self.released),
            "mechanism": self.mechanism,
            "noise_scale": self.noise_scale,
            **self._privacy(),
            "bounds": self.bounds,
            "nobs": self.nobs,
            "reproducible": self.reproducible,
            "call": self.call,
        }
