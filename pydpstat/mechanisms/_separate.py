"""Noise of its own for each block of a statistic's elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat.mechanisms.mechanism import Noise

if TYPE_CHECKING:
    from pydpstat.random import Source


@dataclass(frozen=True, eq=False)
class SeparateNoise(Noise):
    """Independent noises, one for each block of elements.

    Parameters
    ----------
    noises : tuple of Noise
        One for each block, in the order of the elements.
    sizes : tuple of int
        How many elements each block has.
    """

    noises: tuple[Noise, ...]
    sizes: tuple[int, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The noises' name."""
        return self.noises[0].name if self.noises else "none"

    @property
    def integer(self) -> bool:  # type: ignore[override]
        """Whether all lie on the integers."""
        return all(each.integer for each in self.noises)

    @property
    def scale(self) -> Any:  # type: ignore[override]
        """The scale of each element's noise."""
        return self._repeated([each.scale for each in self.noises])

    def std(self) -> Any:
        """Standard deviation of each element's noise."""
        return self._repeated([each.std() for each in self.noises])

    def var(self) -> Any:
        """Variance of each element's noise."""
        return self._repeated([each.var() for each in self.noises])

    def cdf(self, x: npt.ArrayLike) -> Any:
        """Probability of at most `x`, the elements in the last axis."""
        return self._each(lambda noise, values: noise.cdf(values), x)

    def ppf(self, q: npt.ArrayLike) -> Any:
        """Quantile of the probability `q`, the elements in the last axis."""
        return self._each(lambda noise, values: noise.ppf(values), q)

    def draw(self, source: Source, size: int, grid: float | None) -> Any:
        """Draw noise for all elements, one block after the other."""
        blocks = zip(self.noises, self.sizes)
        return np.concatenate([np.empty(0), *(noise.draw(source, each, grid) for noise, each in blocks)])

    def _repeated(self, values: Sequence[float]) -> npt.NDArray[np.float64]:
        return np.repeat(np.array(values, dtype=np.float64), np.array(self.sizes, dtype=np.intp))

    def _each(self, ask: Callable[[Noise, Any], Any], values: npt.ArrayLike) -> Any:
        given = np.asarray(values, dtype=np.float64)
        wide = np.broadcast_to(given, np.broadcast_shapes(given.shape, (sum(self.sizes),)))
        ends = np.cumsum(self.sizes)[:-1]
        parts = zip(self.noises, np.split(wide, ends, axis=-1))
        return np.concatenate([np.asarray(ask(noise, part)) for noise, part in parts], axis=-1)
