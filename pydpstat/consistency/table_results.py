"""What becomes of a table whose margins are made to agree: the estimate, and how well it agrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.consistency._tables import Form
from pydpstat.results._report import Facts, Report, Rows, number

if TYPE_CHECKING:
    import pandas as pd

COST = "post-processing of what was given: it costs no privacy budget"


class ConvergenceWarning(UserWarning):
    """A fit ended before its margins were met; its text says how far it is and why."""


@dataclass(frozen=True, eq=False, repr=False)
class TableFit(Report, Frozen):
    """A table that was fitted to margins.

    It holds the fitted table only, not the one that was given.

    Parameters
    ----------
    method : str
        ``"iterative proportional fitting"``, ``"least squares"`` or ``"controlled rounding"``.
    values : ndarray of float64 or int64
        The fitted table.
    form : Form
        What the table was given as.
    margins : tuple of str
        The margins' names.
    gaps : tuple of float
        For each margin the largest difference between the table's sums and the margin as given, which
        for a noisy one is not to be 0.
    iterations : int
        How often all margins were gone through; 0 where the solution has a formula.
    converged : bool
        Whether the exact margins are met, to the tolerance.
    status : str
        How the fit ended, in words.
    steps : tuple of str
        What was done, in order.
    spread : ndarray or float
        Standard deviation of each cell's remaining noise; NaN where it is not known.

    Examples
    --------
    >>> from pydpstat.consistency import ipf
    >>> fitted = ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]})
    >>> fitted.converged, fitted.estimate.sum(axis=0).round(9)
    (True, array([4., 6.]))
    """

    method: str
    values: np.ndarray
    form: Form
    margins: tuple[str, ...]
    gaps: tuple[float, ...]
    iterations: int
    converged: bool
    status: str
    steps: tuple[str, ...]
    spread: npt.ArrayLike = np.nan

    _title = "Consistent Table"

    @property
    def estimate(self) -> Any:
        """The fitted table, in the form of the one that was given."""
        return self.form.wrap(self.values)

    @property
    def bse(self) -> Any:
        """Standard deviation of each cell's remaining noise, in the table's form; NaN where not known."""
        return self.form.wrap(np.broadcast_to(np.asarray(self.spread, dtype=np.float64), self.values.shape))

    @property
    def largest_gap(self) -> float:
        """The largest of `gaps`."""
        return max(self.gaps, default=0.0)

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done, and that it costs nothing."""
        return (*self.steps, COST)

    def to_frame(self) -> pd.DataFrame:
        """Return the convergence report as a frame, a row a margin."""
        import pandas as pd

        return pd.DataFrame({"largest gap": list(self.gaps)}, index=pd.Index(self.margins, name="margin"))

    def _facts(self) -> Facts:
        return [
            ("Method:", self.method),
            ("Table:", self._size),
            ("Total:", number(self.values.sum())),
            ("Converged:", "yes" if self.converged else "NO"),
            ("Iterations:", str(self.iterations)),
            ("Largest gap:", number(self.largest_gap)),
        ]

    @property
    def _size(self) -> str:
        return " x ".join(map(str, self.values.shape))

    def _rows(self) -> Rows:
        return Rows(("largest gap",), list(self.margins), [[number(gap)] for gap in self.gaps])

    def _notes(self) -> list[str]:
        return [f"How it ended: {self.status}.", f"Post-processing: {', '.join(self.postprocessing)}."]

    def __repr__(self) -> str:
        return f"<TableFit {self.method}: {self._size}, {self.status}>"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)
