"""The R session of the benchmarks, inside this process (rpy2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter

import numpy as np

from pydpstat.parity._r_side import LiveRSession, RUnavailableError


class RSide:
    """R as the other side of a timing.

    Raises
    ------
    NoR
        Where rpy2 or R cannot be used; the text says why.
    """

    def __init__(self) -> None:
        session = LiveRSession()
        from rpy2 import rinterface

        self._r = rinterface
        self._missing = session.find_missing
        self.versions = session.versions
        self.collect = self.function("gc(FALSE)")

    def has(self, package: str) -> bool:
        """Tell whether an R package is installed."""
        return not self._missing(package)

    def give(self, data: Mapping[str, np.ndarray]) -> None:
        """Copy vectors or matrices of float64 or int32 into R's variables of the same names."""
        for name, values in data.items():
            vector = self._r.FloatSexpVector if values.dtype == np.float64 else self._r.IntSexpVector
            # R's order of a matrix is NumPy's Fortran order
            self._r.globalenv[name] = vector.from_memoryview(values.ravel(order="F").data)
            if values.ndim > 1:
                self.run(f"dim({name}) <- c({', '.join(f'{length}L' for length in values.shape)})")

    def run(self, code: str) -> None:
        """Run R code."""
        self._r.evalr(code)

    def function(self, code: str) -> Callable[[], object]:
        """Compile R code into a function that returns NULL, so that nothing is converted."""
        compiled: Callable[[], object] = self._r.evalr(f"compiler::cmpfun(function() {{ {code}; NULL }})")
        return compiled

    def overhead(self) -> float:
        """Return the seconds that calling an empty R function takes."""
        empty, times = self.function("NULL"), []
        for _ in range(1000):
            start = perf_counter()
            empty()
            times.append(perf_counter() - start)
        return median(times)


def start() -> tuple[RSide | None, str]:
    """Start R, or return None and why it cannot be used."""
    try:
        return RSide(), ""
    except RUnavailableError as reason:
        return None, str(reason)
