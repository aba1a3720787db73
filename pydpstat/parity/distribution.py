"""Distribution tests: unseeded noise, and that of the R original, against how it has to be distributed.

Each sample gets a test of shape (Kolmogorov-Smirnov, or chi-square for integers) and a test of
scale (mean absolute deviation). A case passes only if its samples fit and if the same tests reject
a distribution whose scale is 10 % larger or smaller.
"""

from __future__ import annotations

import multiprocessing
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from timeit import timeit
from typing import TYPE_CHECKING, Literal, Protocol
from unittest import mock

import numpy as np
import numpy.typing as npt

from pydpstat.parity.case import iterate_reference_items

if TYPE_CHECKING:
    from pydpstat.parity._r_side import LiveRSession

# probability that one test rejects a right sample; with about 70 tests in all, 7e-5 together
ALPHA = 1e-6
WRONG_SCALE_FACTOR = 1.1
SHORT_RUN_DRAWS = 20_000
SEED = 20_240_229
# with more draws than the short run makes, a distribution gets as many as its slowest side makes in this time
MAX_SECONDS = 20.0
Draws = npt.NDArray[np.float64]
# the operating system's source, or NumPy's
Stream = np.random.Generator | None
_SESSION: LiveRSession | None = None
_DISTRIBUTIONS: dict[str, Distribution] = {}


class Noise(Protocol):
    """A distribution as SciPy's are: the probabilities of at most x, and the quantiles."""

    def cdf(self, x: npt.ArrayLike) -> Draws: ...

    def ppf(self, q: npt.ArrayLike) -> Draws: ...


NoiseFactory = Callable[[float], Noise]


@dataclass(frozen=True)
class Distribution:
    """A random function, how to draw from it on both sides, and how its noise is distributed."""

    name: str
    # R's package of the original, and the expression of n noise values
    package: str
    r: str
    # of n and rng: n noise values
    python: Callable[[int, Stream], Draws]
    # of a factor: the distribution of the noise with its scale multiplied by it
    noise: NoiseFactory
    # whether the values are integers
    discrete: bool = False
    # of the short run; fewer only where that many take too long and 10 % are seen with fewer
    draws: int = SHORT_RUN_DRAWS


def load_distributions() -> tuple[Distribution, ...]:
    """Return the distribution of every random function, from the modules in ``r_reference/distributions``."""
    return tuple(iterate_reference_items("distributions", "DISTRIBUTIONS"))


@dataclass(frozen=True)
class DistributionVerdict:
    """The result of one distribution test."""

    name: str
    status: Literal["passed", "failed"]
    samples: tuple[str, ...]
    draws: int
    smallest: float
    largest_wrong: float
    false_alarm: float
    message: str = ""

    def format_line(self) -> str:
        """Return the result in one line."""
        return (
            f"{self.name}: {self.draws} draws from {', '.join(self.samples)}; "
            f"smallest p {self.smallest:.2g}, scale wrong by 10 %: largest p {self.largest_wrong:.1g}"
        )


def check_distribution(distribution: Distribution, draws: int, session: LiveRSession | None) -> DistributionVerdict:
    """Draw from the operating system's source (seeded here), from NumPy's and, if it is there, from R."""
    if session is not None and session.find_missing(distribution.package):
        session = None
    draws = (
        min(draws, distribution.draws)
        if draws <= SHORT_RUN_DRAWS
        else _compute_affordable_draws(distribution, draws, session)
    )
    samples = {
        "pydpstat": _draw_secure_sample(distribution, draws),
        "pydpstat with NumPy": distribution.python(draws, np.random.default_rng(SEED)),
    }
    if session is not None:
        samples["R"] = session.draw_sample(distribution.r, draws, SEED)
    right = [
        p
        for sample in samples.values()
        for p in _compute_p_values(sample, distribution.noise(1.0), distribution.discrete)
    ]
    # a wrong scale must be seen by at least one of the two tests
    wrong = [
        min(_compute_p_values(sample, distribution.noise(factor), distribution.discrete))
        for sample in samples.values()
        for factor in (WRONG_SCALE_FACTOR, 1.0 / WRONG_SCALE_FACTOR)
    ]
    message = ""
    if min(right) < ALPHA:
        message = f"a sample does not fit its distribution: smallest p {min(right):.2g}"
    elif max(wrong) >= ALPHA:
        message = f"a scale wrong by 10 % is not seen: p {max(wrong):.2g}; use more draws"
    return DistributionVerdict(
        distribution.name,
        "failed" if message else "passed",
        tuple(samples),
        draws,
        min(right),
        max(wrong),
        ALPHA * len(right),
        message,
    )


@contextmanager
def run_distribution_checks(names: Sequence[str], draws: int, live: bool) -> Iterator[Iterable[DistributionVerdict]]:
    """Check the distributions named beside what is done meanwhile, each process with its own R."""
    # spawned: a forked R would share its state with this process
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=_set_up_process, initargs=(live,)) as pool:
        try:
            yield pool.map(_check_by_name, names, repeat(draws))
        finally:
            # who stops the comparison does not wait for what has not begun
            pool.shutdown(wait=False, cancel_futures=True)


def _set_up_process(live: bool) -> None:
    global _SESSION, _DISTRIBUTIONS
    from pydpstat.errors import PrivacyWarning
    from pydpstat.parity._r_side import LiveRSession

    # the mirrors' findings are no news here
    warnings.simplefilter("ignore", PrivacyWarning)
    # for the one R of a process there is no better place
    _SESSION = LiveRSession() if live else None
    _DISTRIBUTIONS = {each.name: each for each in load_distributions()}


def _check_by_name(name: str, draws: int) -> DistributionVerdict:
    return check_distribution(_DISTRIBUTIONS[name], draws, _SESSION)


def _compute_affordable_draws(distribution: Distribution, draws: int, session: LiveRSession | None) -> int:
    trial = max(distribution.draws // 20, 100)
    slowest = timeit(lambda: _draw_secure_sample(distribution, trial), number=1)
    if session is not None:
        slowest = max(slowest, timeit(partial(session.draw_sample, distribution.r, trial, SEED), number=1))
    return max(distribution.draws, min(draws, int(MAX_SECONDS / slowest * trial) // 1000 * 1000))


def _draw_secure_sample(distribution: Distribution, draws: int) -> Draws:
    """Draw with rng=None, the operating system's bits replaced by seeded ones, so that no run is unlucky."""
    with mock.patch("pydpstat.random.secure._bits.entropy", random.Random(SEED).randbytes):
        return distribution.python(draws, None)


def _compute_p_values(sample: Draws, noise: Noise, discrete: bool) -> tuple[float, float]:
    from scipy import stats

    center = float(noise.ppf(0.5))
    grid = np.abs(np.asarray(noise.ppf((np.arange(200_000) + 0.5) / 200_000)) - center)
    deviation = np.abs(sample - center)
    z = (deviation.mean() - grid.mean()) / (grid.std() / np.sqrt(sample.size))
    scale = 2.0 * float(stats.norm.sf(abs(z)))
    if not discrete:
        return float(stats.kstest(sample, noise.cdf).pvalue), scale
    edges = np.unique(noise.ppf(np.linspace(0.001, 0.999, 60)))
    expected = np.diff(np.concatenate([[0.0], noise.cdf(edges), [1.0]])) * sample.size
    observed = np.bincount(np.searchsorted(edges, sample, side="left"), minlength=expected.size)
    keep = expected > 5
    rest = observed[~keep].sum(), expected[~keep].sum()
    observed, expected = observed[keep], expected[keep]
    if rest[1] > 5:
        observed, expected = np.append(observed, rest[0]), np.append(expected, rest[1])
    chi = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(chi, expected.size - 1)), scale
