"""Distribution tests: unseeded noise against its law, and the R original's noise against the same law.

Each sample gets a test of shape (Kolmogorov-Smirnov, or chi-square for whole numbers) and a test of
scale (mean absolute deviation). A case passes only if its samples fit and if the same tests reject
a law whose scale is 10 % larger or smaller.
"""

from __future__ import annotations

import multiprocessing
import random
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal
from unittest import mock

import numpy as np

from pydpstat.parity.reference import all_laws

if TYPE_CHECKING:
    from pydpstat.parity._live import LiveR

# probability that one test rejects a right sample; with about 70 tests in all, 7e-5 together
ALPHA = 1e-6
WRONG = 1.1
SHORT = 20_000
SEED = 20_240_229
# with more draws than the short run makes, a law gets as many as its slowest side makes in this time
SECONDS = 20.0
_SESSION: LiveR | None = None
_LAWS: tuple[Law, ...] = ()


@dataclass(frozen=True)
class Law:
    """A random function, how to draw from it on both sides, and the law of its noise.

    Parameters
    ----------
    name : str
    package : str
        R's package of the original.
    r : str
        R expression of ``n`` noise values.
    python : callable
        ``python(n, rng)`` returns n noise values.
    law : callable
        ``law(factor)`` is the law with its scale multiplied by `factor`.
    discrete : bool
        Whether the values are whole numbers.
    draws : int
        Draws of the short run; fewer than 20,000 only where that many take too long and 10 % are
        seen with fewer.
    """

    name: str
    package: str
    r: str
    python: Callable[[int, Any], np.ndarray]
    law: Callable[[float], Any]
    discrete: bool = False
    draws: int = 20_000


@dataclass(frozen=True)
class LawVerdict:
    """The result of one distribution test."""

    name: str
    status: Literal["passed", "failed"]
    samples: tuple[str, ...]
    draws: int
    smallest: float
    largest_wrong: float
    false_alarm: float
    message: str = ""

    @property
    def case(self) -> str:
        """The name, as of a comparison."""
        return self.name

    def line(self) -> str:
        """Return the result in one line."""
        return (
            f"{self.name}: {self.draws} draws from {', '.join(self.samples)}; "
            f"smallest p {self.smallest:.2g}, "
            f"scale wrong by 10 %: largest p {self.largest_wrong:.1g}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the result in plain JSON types."""
        return {**self.__dict__, "samples": list(self.samples)}


def check_law(law: Law, draws: int, session: LiveR | None) -> LawVerdict:
    """Draw from the operating system's source (seeded here), from NumPy's and, if it is there, from R.

    Parameters
    ----------
    law : Law
    draws : int
        Most draws of each sample. Up to the law's own number they are made in any case, beyond it
        as many as the slowest side makes in 20 seconds.
    session : LiveR or None
    """
    with_r = session is not None and not session.missing_package(law.package)
    draws = min(draws, law.draws) if draws <= SHORT else _affordable(law, draws, session if with_r else None)
    samples = {
        "pydpstat": _secure(law, draws),
        "pydpstat with NumPy": law.python(draws, np.random.default_rng(SEED)),
    }
    if session is not None and with_r:
        samples["R"] = session.draw(law.r, draws, SEED)
    right = [p for sample in samples.values() for p in _p_values(sample, law.law(1.0), law.discrete)]
    # a wrong scale must be seen by at least one of the two tests
    wrong = [
        min(_p_values(sample, law.law(factor), law.discrete))
        for sample in samples.values()
        for factor in (WRONG, 1.0 / WRONG)
    ]
    message = ""
    if min(right) < ALPHA:
        message = f"a sample does not fit its law: smallest p {min(right):.2g}"
    elif max(wrong) >= ALPHA:
        message = f"a scale wrong by 10 % is not seen: p {max(wrong):.2g}; use more draws"
    return LawVerdict(
        law.name,
        "failed" if message else "passed",
        tuple(samples),
        draws,
        min(right),
        max(wrong),
        ALPHA * len(right),
        message,
    )


def check_laws(draws: int, live: bool) -> list[LawVerdict]:
    """Check every law, as many at a time as there are processors, each process with its own R.

    Parameters
    ----------
    draws : int
        Most draws of each sample.
    live : bool
        Whether R draws, too.
    """
    # spawned: a forked R would share its state with this process
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=_start_process, initargs=(live,)) as pool:
        return list(pool.map(_check_one, range(len(all_laws())), repeat(draws)))


def _start_process(live: bool) -> None:
    global _SESSION, _LAWS
    from pydpstat.errors import PrivacyWarning
    from pydpstat.parity._live import LiveR

    # the mirrors' findings are no news here
    warnings.simplefilter("ignore", PrivacyWarning)
    # for the one R of a process there is no better place
    _SESSION, _LAWS = LiveR() if live else None, all_laws()


def _check_one(place: int, draws: int) -> LawVerdict:
    return check_law(_LAWS[place], draws, _SESSION)


def _affordable(law: Law, draws: int, session: LiveR | None) -> int:
    trial = max(law.draws // 20, 100)
    start = time.perf_counter()
    _secure(law, trial)
    slowest = time.perf_counter() - start
    if session is not None:
        start = time.perf_counter()
        session.draw(law.r, trial, SEED)
        slowest = max(slowest, time.perf_counter() - start)
    return max(law.draws, min(draws, int(SECONDS / slowest * trial) // 1000 * 1000))


def _secure(law: Law, draws: int) -> np.ndarray:
    """Draw with rng=None, the operating system's bits replaced by seeded ones, so that no run is unlucky."""
    with mock.patch("pydpstat.random.secure.entropy", random.Random(SEED).randbytes):
        return law.python(draws, None)


def _p_values(sample: np.ndarray, law: Any, discrete: bool) -> tuple[float, float]:
    from scipy import stats

    center = float(law.ppf(0.5))
    grid = np.abs(np.asarray(law.ppf((np.arange(200_000) + 0.5) / 200_000)) - center)
    deviation = np.abs(sample - center)
    z = (deviation.mean() - grid.mean()) / (grid.std() / np.sqrt(sample.size))
    scale = 2.0 * float(stats.norm.sf(abs(z)))
    if not discrete:
        return float(stats.kstest(sample, law.cdf).pvalue), scale
    edges = np.unique(law.ppf(np.linspace(0.001, 0.999, 60)))
    expected = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]])) * sample.size
    observed = np.bincount(np.searchsorted(edges, sample, side="left"), minlength=expected.size)
    keep = expected > 5
    observed_rest, expected_rest = observed[~keep].sum(), expected[~keep].sum()
    if expected_rest > 5:
        observed, expected = np.append(observed[keep], observed_rest), np.append(
            expected[keep], expected_rest
        )
    else:
        observed, expected = observed[keep], expected[keep]
    chi = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(chi, expected.size - 1)), scale
