"""Intervals of a release: for the noise, and for the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._estimates import make_interval_frame
from pydpstat.results._intervals import NOISE, get_cached_limits, resolve_interval_kind
from pydpstat.results._postprocessing import DerivedValue, ShareOfTotal
from pydpstat.results._released import ReleasedValue

if TYPE_CHECKING:
    import pandas as pd

# intervals of more values are not cached, to save memory
_MAX_CACHED_VALUES = 1000
# hints on how to obtain population intervals, by function
_INTERVAL_HINTS = {
    **dict.fromkeys(
        ("mean", "var", "std", "quantile", "quantiles", "median"),
        "Release it with population=True, or use pydpstat.moments.",
    ),
    **dict.fromkeys(
        ("proportion", "histogram", "crosstab"),
        "Release it with geometric noise, and with at most one record of each unit (max_records=1).",
    ),
    "count": "Release a crosstab of the groups, whose shares have them.",
}
_DEFAULT_HINT = "pydpstat.moments and the tests have intervals of many kinds."
# statistics that have intervals only if they are computed from counts in cells
_CELL_STATISTICS = ("quantile", "quantiles", "median")


@dataclass(frozen=True, slots=True)
class ReleaseIntervals:
    """Noise and population intervals of a release."""

    result: ReleasedValue

    def check_alpha(self, alpha: float) -> None:
        """Check alpha, and that the noise has a public distribution."""
        checks.check_alpha(alpha)
        if self.result.noise is None:
            statistic = self.result.statistic
            raise PydpstatError(
                f"the noise of {statistic} has no public distribution that does not depend on the data, "
                f"so there is no interval. {suggest_intervals(statistic) or 'Use the estimate alone.'}"
            )

    def make_frame(self, alpha: float, kind: str | None, joint: bool) -> pd.DataFrame:
        """Return the individual or joint intervals of a kind as a frame."""
        result = self.result
        level = self._split_alpha(alpha, kind) if checks.check_boolean(joint, "joint") else alpha
        is_noise = resolve_interval_kind(kind) == NOISE
        limits = result._compute_interval(level) if is_noise else result._compute_population_interval(level)
        return make_interval_frame(limits, result.params.index)

    def _split_alpha(self, alpha: float, kind: str | None) -> float:
        """Return the alpha of each interval for a joint miss probability of `alpha`."""
        self.check_alpha(alpha)
        result = self.result
        if resolve_interval_kind(kind) == NOISE and not isinstance(result.post, (DerivedValue, ShareOfTotal)):
            return float(result.noise.simultaneous(float(alpha), result.value.size))
        return float(alpha) / max(result.value.size, 1)

    def compute_population_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the population intervals, or raise an error if there are none."""
        result, level = self.result, checks.check_alpha(alpha)
        if result.post.population is None:
            hint = _INTERVAL_HINTS.get(result.record.function, _DEFAULT_HINT)
            raise PydpstatError(
                f"this release of {result.statistic} has no confidence interval for the population "
                f"(kind='population'). {hint}"
            )
        is_cached = result.value.size <= _MAX_CACHED_VALUES
        return get_cached_limits(result, level) if is_cached else result._compute_all_limits(level)


def suggest_intervals(statistic: str) -> str:
    """Return a hint on how to obtain intervals of a statistic, or an empty string."""
    if statistic not in _CELL_STATISTICS:
        return ""
    return f"pydpstat.{statistic} has intervals with population=True, which counts in public cells (not with sample=)."
