"""What pages, intervals and pictures of a release read of it."""

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
    """A release, which `pydpstat.results.DPResults` is."""

    @property
    def statistic(self) -> str:
        """What was released."""

    @property
    def value(self) -> np.ndarray:
        """The released value, in R's dimensions."""

    @property
    def labels(self) -> Labels:
        """Names of its elements."""

    @property
    def noise(self) -> Any:
        """The distribution of the noise; None where no public one exists."""

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """The distribution's scale."""

    @property
    def mechanism(self) -> str:
        """The mechanism's name."""

    @property
    def sensitivity(self) -> float | tuple[float, ...]:
        """The global sensitivity that the noise covers."""

    @property
    def bounds(self) -> tuple[object, ...] | None:
        """Public bounds of the data."""

    @property
    def nobs(self) -> int | None:
        """Number of records, where it is public."""

    @property
    def post(self) -> PostProcessing:
        """What was done to the noisy value."""

    @property
    def record(self) -> Call:
        """The call, without data."""

    @property
    def params(self) -> pd.Series:
        """The released values with their names."""

    @property
    def bse(self) -> pd.Series:
        """Standard deviations of the noise."""

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done to the noisy value, in order."""

    @property
    def call(self) -> str:
        """The call as it was typed."""

    @property
    def epsilon(self) -> float:
        """The guaranteed epsilon."""

    @property
    def delta(self) -> float:
        """The guaranteed delta."""

    def _compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise intervals' ends in the values' shape, or raise where there are none."""

    def _compute_population_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals for the population, or raise where there are none."""

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        """Find the ends of intervals for the population."""

    def _format_heading(self) -> str:
        """Return what was released, in words."""

    def _format_guarantee(self) -> str:
        """Return what holds in one line."""

    def _make_guarantee_notes(self, function: str) -> list[str]:
        """Return the notes on what the guarantee rests."""

    def _make_contribution_notes(self, brief: bool = False) -> list[str]:
        """Return the note on how many records of each unit count."""

    def _collect_attributes(self, *names: str) -> dict[str, object]:
        """Return attributes by their names."""

    def _collect_privacy(self) -> dict[str, object]:
        """Return what holds and what was claimed."""

    def __hash__(self) -> int:
        """Return the hash of the object."""
