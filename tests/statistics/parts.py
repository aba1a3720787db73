"""Data that are read in parts: a table in memory, which falls into chunks as a file would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pydpstat._data.table import Chunk
from pydpstat.statistics._kernels import records


class Parted:
    """A frame in parts that end at `ends`; with a unit the parts' records are dealt out by their units."""

    def __init__(self, frame: pd.DataFrame, ends: Sequence[int], names: Sequence[str] | None = None):
        self.frame, self.ends = frame, list(ends)
        self.names = tuple(map(str, frame.columns)) if names is None else tuple(names)

    def select(self, names: Sequence[str]) -> Parted:
        return Parted(self.frame, self.ends, names)

    def sample(self) -> Chunk:
        return self._chunk(slice(0, 0))

    def ask(self, question: object) -> None:
        """Say that the records have to be read."""

    def count(self) -> int | None:
        return len(self.frame)

    def fold(
        self,
        partial: Callable[[Chunk], Any],
        merge: Callable[[Any, Any], Any],
        unit: str | None = None,
    ) -> Any:
        if unit is None:
            places: list[Any] = [slice(a, b) for a, b in zip([0, *self.ends], [*self.ends, len(self.frame)])]
        else:
            codes = pd.factorize(self.frame[unit])[0] % (len(self.ends) + 1)
            places = [np.flatnonzero(codes == code) for code in range(len(self.ends) + 1)]
        return reduce(merge, [partial(self._chunk(each)) for each in places])

    def _chunk(self, places: Any) -> Chunk:
        rows = self.frame.iloc[places]
        return Chunk({name: rows[name] for name in self.names}, len(rows))


def read_in_parts(patch: pytest.MonkeyPatch) -> None:
    """Let the statistics read `Parted` frames."""
    patch.setattr(records, "table_of", lambda data: data if isinstance(data, Parted) else None)
