"""Distribution tests: unseeded noise, and that of the R original, against their specified distributions.

Each sample gets a test of shape (Kolmogorov-Smirnov, or chi-square for integers) and a test of scale (mean absolute
deviation). A case passes only if its samples fit and the same tests reject a distribution whose scale is 10 % larger or
smaller.
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

# level of one test; about 70 tests have a probability of 7e-5 of any false rejection
ALPHA = 1e-6
WRONG_SCALE_FACTOR = 1.1
SHORT_RUN_DRAWS = 20_000
SEED = 20_240_229
# above the short run's draws, the number is limited by what the slowest side draws in this time
MAX_SECONDS = 20.0
Draws = npt.NDArray[np.float64]
# None for the operating system's source, or a NumPy generator
Stream = np.random.Generator | None
_SESSION: LiveRSession | None = None
_DISTRIBUTIONS: dict[str, Distribution] = {}


class Noise(Protocol):
    """A distribution with SciPy's interface: the distribution function and the quantiles."""

    def cdf(self, x: npt.ArrayLike) -> Draws: ...

    def ppf(self, q: npt.ArrayLike) -> Draws: ...


NoiseFactory = Callable[[float], Noise]


@dataclass(frozen=True)
class Distribution:
    """A random function, its draws on both sides, and the distribution of its noise."""

    name: str
    # R's package of the original, and the expression that draws n noise values
    package: str
    r: str
    # function of n and rng that returns n noise values
    python: Callable[[int, Stream], Draws]
    # function of a factor that returns the noise distribution with its scale multiplied by the factor
    noise: NoiseFactory
    # whether the values are integers
    discrete: bool = False
    # draws in the short run; fewer only if drawing is slow and 10 % are detected with fewer
    draws: int = SHORT_RUN_DRAWS


def load_distributions() -> tuple[Distribution, ...]:
    """Return the distributions of all random functions, from the modules in ``r_reference/distributions``."""
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
    """Test draws from the operating system's source (seeded here), from NumPy's and, if available, from R."""
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
    p_values = [
        p
        for sample in samples.values()
        for p in _compute_p_values(sample, distribution.noise(1.0), distribution.discrete)
    ]
    # a wrong scale must be detected by at least one of the two tests
    wrong = [
        min(_compute_p_values(sample, distribution.noise(factor), distribution.discrete))
        for sample in samples.values()
        for factor in (WRONG_SCALE_FACTOR, 1.0 / WRONG_SCALE_FACTOR)
    ]
    message = ""
    if min(p_values) < ALPHA:
        message = f"a sample does not fit its distribution: smallest p {min(p_values):.2g}"
    elif max(wrong) >= ALPHA:
        message = f"a scale wrong by 10 % is not seen: p {max(wrong):.2g}; use more draws"
    return DistributionVerdict(
        distribution.name,
        "failed" if message else "passed",
        tuple(samples),
        draws,
        min(p_values),
        max(wrong),
        ALPHA * len(p_values),
        message,
    )


@contextmanager
def run_distribution_checks(names: Sequence[str], draws: int, live: bool) -> Iterator[Iterable[DistributionVerdict]]:
    """Check the named distributions in parallel with the block, each process with its own R."""
    # spawned because a forked R would share its state with this process
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=_set_up_process, initargs=(live,)) as pool:
        try:
            yield pool.map(_check_by_name, names, repeat(draws))
        finally:
            # if the comparison is stopped, it does not wait for checks that have not begun
            pool.shutdown(wait=False, cancel_futures=True)


def _set_up_process(live: bool) -> None:
    global _SESSION, _DISTRIBUTIONS
    from pydpstat.errors import PrivacyWarning
    from pydpstat.parity._r_side import LiveRSession

    # the warnings of mirrors are expected here
    warnings.simplefilter("ignore", PrivacyWarning)
    # global because each process has exactly one R
    _SESSION = LiveRSession() if live else None
    _DISTRIBUTIONS = {distribution.name: distribution for distribution in load_distributions()}


def _check_by_name(name: str, draws: int) -> DistributionVerdict:
    return check_distribution(_DISTRIBUTIONS[name], draws, _SESSION)


def _compute_affordable_draws(distribution: Distribution, draws: int, session: LiveRSession | None) -> int:
    trial = max(distribution.draws // 20, 100)
    slowest = timeit(lambda: _draw_secure_sample(distribution, trial), number=1)
    if session is not None:
        slowest = max(slowest, timeit(partial(session.draw_sample, distribution.r, trial, SEED), number=1))
    return max(distribution.draws, min(draws, int(MAX_SECONDS / slowest * trial) // 1000 * 1000))


def _draw_secure_sample(distribution: Distribution, draws: int) -> Draws:
    """Draw with rng=None, with seeded bits in place of the operating system's, so that results are reproducible."""
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
    pooled = observed[~keep].sum(), expected[~keep].sum()
    observed, expected = observed[keep], expected[keep]
    if pooled[1] > 5:
        observed, expected = np.append(observed, pooled[0]), np.append(expected, pooled[1])
    chi = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(chi, expected.size - 1)), scale
