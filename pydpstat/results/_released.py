"""Protocol of a release, as its page, intervals and pictures read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import PostProcessing

if TYPE_CHECKING:
    import pandas as pd


class ReleasedValue(Protocol):
    """Interface of `pydpstat.results.DPResults`."""

    @property
    def statistic(self) -> str:
        """Name of the statistic."""

    @property
    def value(self) -> np.ndarray:
        """Released value, in R's dimensions."""

    @property
    def labels(self) -> Labels:
        """Names of the value's elements."""

    @property
    def noise(self) -> Any:
        """Distribution of the noise; None if there is no public one."""

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """Scale of the noise distribution."""

    @property
    def mechanism(self) -> str:
        """Name of the mechanism."""

    @property
    def sensitivity(self) -> float | tuple[float, ...]:
        """Global sensitivity that the noise covers."""

    @property
    def bounds(self) -> tuple[object, ...] | None:
        """Public bounds of the data."""

    @property
    def nobs(self) -> int | None:
        """Number of records, if it is public."""

    @property
    def post(self) -> PostProcessing:
        """Post-processing of the noisy value."""

    @property
    def record(self) -> Call:
        """Call without data."""

    @property
    def params(self) -> pd.Series:
        """Released values with their names."""

    @property
    def bse(self) -> pd.Series:
        """Standard deviations of the noise."""

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """Post-processing steps in words, in order."""

    @property
    def call(self) -> str:
        """Call as the user typed it."""

    @property
    def epsilon(self) -> float:
        """Guaranteed epsilon."""

    @property
    def delta(self) -> float:
        """Guaranteed delta."""

    def _compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the noise intervals, in the value's shape; raise if there are none."""

    def _compute_population_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the population intervals, or raise an error if there are none."""

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        """Compute the limits of the population intervals."""

    def _format_heading(self) -> str:
        """Return the name of the statistic with its variables."""

    def _format_guarantee(self) -> str:
        """Return the guarantee in one line."""

    def _make_guarantee_notes(self, function: str) -> list[str]:
        """Return the notes on the conditions of the guarantee."""

    def _make_contribution_notes(self, brief: bool = False) -> list[str]:
        """Return the note on the contribution bound."""

    def _collect_attributes(self, *names: str) -> dict[str, object]:
        """Return attributes by their names."""

    def _collect_privacy(self) -> dict[str, object]:
        """Return the guarantee and the claim."""

    def __hash__(self) -> int:
        """Return the identity hash."""
