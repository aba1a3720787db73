"""Distribution tests: unseeded noise against its law, and the R original's noise against the same law.

Each sample gets a test of shape (Kolmogorov-Smirnov, or chi-square for whole numbers) and a test of
scale (mean absolute deviation). A case passes only if its samples fit and if the same tests reject
a law whose scale is 10 % larger or smaller.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from unittest import mock

import numpy as np

from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.parity.laws import Positive, Rounded

if TYPE_CHECKING:
    from pydpstat.parity.live import LiveR

# probability that one test rejects a right sample; with about 70 tests in all, 7e-5 together
ALPHA = 1e-6
WRONG = 1.1
SEED = 20_240_229
_X = "c(1, 2, 3, 4, 5, 6, 7, 8)"
_CELLS = "rep(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 50) - 0.5"
_FACTOR = "factor(rep(letters[1:10], 50))"


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
    """

    name: str
    package: str
    r: str
    python: Callable[[int, Any], np.ndarray]
    law: Callable[[float], Any]
    discrete: bool = False


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
    """Draw from the operating system's source (seeded here), from NumPy's and, if it is there, from R."""
    samples = {
        "pydpstat": _secure(law, draws),
        "pydpstat with NumPy": law.python(draws, np.random.default_rng(SEED)),
    }
    if session is not None and not session.missing_package(law.package):
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


def _repeat(release: Callable[[Any], Any], n: int, rng: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([float(release(rng)) for _ in range(n)])


def _cells(release: Callable[[Any], Any], n: int, rng: Any) -> np.ndarray:
    """Collect the noise of ten cells of 50 records at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.concatenate([np.asarray(release(rng)) - 50.0 for _ in range(n // 10)])


def _number(
    name: str, call: Callable[[Any], Any], law: Callable[[float], Any], r: str, at: float = 0.0
) -> Law:
    """Return the law of a single number, of which n releases are drawn."""
    expression = f"replicate(n, DPpack::{r}) - {at}"
    return Law(name, "DPpack", expression, lambda n, rng: _repeat(call, n, rng) - at, law)


def _counts(name: str, call: Callable[[Any], Any], law: Callable[[float], Any], r: str) -> Law:
    """Return the law of ten cells, of which n / 10 releases are drawn."""
    expression = f"replicate(n / 10, {r}) - 50"
    return Law(name, "DPpack", expression, lambda n, rng: _cells(call, n, rng), law, discrete=True)


def _laws() -> tuple[Law, ...]:
    from pydpstat import calibrate_gaussian, dppack, symmetric_geometric, symmetric_geometric_noise

    zeros = np.zeros
    x, cells, letters = np.arange(1.0, 9.0), np.tile(np.arange(1.0, 11.0), 50) - 0.5, list("abcdefghij") * 50
    half = calibrate_gaussian(0.9, 0.01, 0.5, method="classical")
    private = calibrate_gaussian(2.0, 1e-5, 0.5, method="probabilistic")
    analytic = calibrate_gaussian(1.0, 1e-3, 1.0)
    edges = np.arange(0.0, 11.0)
    return (
        Law(
            "LaplaceMechanism",
            "DPpack",
            "DPpack::LaplaceMechanism(rep(0, n), 1, 2)",
            lambda n, rng: np.asarray(dppack.LaplaceMechanism(zeros(n), 1, 2, rng=rng)),
            lambda f: LaplaceNoise(2.0 * f),
        ),
        Law(
            "GaussianMechanism, aDP",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 0.9, 0.01, 0.5)",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 0.9, 0.01, 0.5, rng=rng)),
            lambda f: GaussianNoise(half * f),
        ),
        Law(
            "GaussianMechanism, pDP",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 2, 1e-5, 0.5, 'pDP')",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 2, 1e-5, 0.5, "pDP", rng=rng)),
            lambda f: GaussianNoise(private * f),
        ),
        Law(
            "GaussianMechanism, analytic",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 1, 1e-3, 1, analytic = TRUE)",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 1, 1e-3, 1, analytic=True, rng=rng)),
            lambda f: GaussianNoise(analytic * f),
        ),
        _number(
            "meanDP",
            lambda rng: dppack.meanDP(x, 1, 0, 8, rng=rng),
            lambda f: LaplaceNoise(1.0 * f),
            f"meanDP({_X}, 1, 0, 8)",
            4.5,
        ),
        _number(
            "varDP",
            lambda rng: dppack.varDP(x, 1, 0, 8, rng=rng),
            lambda f: Positive(LaplaceNoise(8.0 * f), 6.0),
            f"varDP({_X}, 1, 0, 8)",
        ),
        _number(
            "sdDP, squared",
            lambda rng: float(
                dppack.sdDP(x, 2, 0, 2, mechanism="Gaussian", delta=1e-5, type_DP="pDP", rng=rng)
            )
            ** 2,
            lambda f: Positive(GaussianNoise(private * f), float(np.var(np.minimum(x, 2), ddof=1))),
            f"sdDP({_X}, 2, 0, 2, mechanism = 'Gaussian', delta = 1e-5, type.DP = 'pDP')^2",
        ),
        _number(
            "covDP",
            lambda rng: dppack.covDP(x, x, 0.9, 0, 4, 1, 2, mechanism="Gaussian", delta=0.01, rng=rng),
            lambda f: GaussianNoise(half * f),
            f"covDP({_X}, {_X}, 0.9, 0, 4, 1, 2, mechanism = 'Gaussian', delta = 0.01)",
            float(np.cov(np.minimum(x, 4), np.minimum(x, 2))[0, 1]),
        ),
        _counts(
            "histogramDP",
            lambda rng: dppack.histogramDP(cells, 1, 0, 10, breaks=edges, allow_negative=True, rng=rng),
            lambda f: Rounded(LaplaceNoise(2.0 * f)),
            f"DPpack::histogramDP({_CELLS}, 1, 0, 10, breaks = 0:10, allow.negative = TRUE)$counts",
        ),
        _counts(
            "tableDP",
            lambda rng: dppack.tableDP(
                letters,
                which_sensitivity="unbounded",
                mechanism="analytic",
                delta=1e-3,
                allow_negative=True,
                rng=rng,
            ),
            lambda f: Rounded(GaussianNoise(analytic * f)),
            f"DPpack::tableDP({_FACTOR}, which.sensitivity = 'unbounded', mechanism = 'analytic', "
            "delta = 1e-3, allow.negative = TRUE)",
        ),
        Law(
            "symmetric_geometric",
            "base",
            "rgeom(n, 1 - exp(-0.25)) - rgeom(n, 1 - exp(-0.25))",
            lambda n, rng: np.asarray(symmetric_geometric(zeros(n), 0.5, sensitivity=2, rng=rng)),
            lambda f: SymmetricGeometricNoise(0.25 / f),
            discrete=True,
        ),
        Law(
            "symmetric_geometric_noise, sign",
            "base",
            "sample(c(-1, 1), n, TRUE) * rgeom(n, 1 - exp(-0.25))",
            lambda n, rng: _quiet_signs(symmetric_geometric_noise, n, rng),
            lambda f: SignGeometricNoise(0.25 / f),
            discrete=True,
        ),
    )


def _quiet_signs(noise: Callable[..., np.ndarray], n: int, rng: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return noise(n, 0.25, method="sign", rng=rng)


LAWS = _laws()
