"""Known defects of the originals' statistics, mechanisms and models, and of uniform noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pydpstat import diffpriv, dppack
from pydpstat.auditing._cases.case import Case, Release
from pydpstat.mechanisms.laplace import truncated_positive_epsilon
from pydpstat.privacy import Guarantee
from pydpstat.random.r_stream import RRandom
from pydpstat.statistics.integer_noise import symmetric_geometric_noise

ONE = Guarantee(1.0)
# draws for a defect that shows in every draw, in the last bits, and rarely
CERTAIN, LAST_BITS, MAX_DRAWS = 20_000, 100_000, 1_000_000
# draws for fits, which take milliseconds
FITS = 1_000
_STREAM = RRandom(20_240_229)
_GENERATOR = np.random.default_rng(20_240_229)
_SPREAD = np.random.default_rng(7).uniform(size=100)
_MOVED = np.append(_SPREAD[:-1], 1.0)
_PROPORTIONAL_MECHANISM = diffpriv.DPMechExponential(
    sensitivity=1.0,
    target=lambda x: lambda level: float(np.sum(np.asarray(x) == level)),
    responseSet=[1, 2, 3],
)


def _draw_uniform(count: int, size: int) -> npt.NDArray[np.int64]:
    return count - 2 + np.floor(5 * _GENERATOR.random(size)).astype(np.int64)


def _draw_sign_geometric(count: int, size: int) -> npt.NDArray[np.int64]:
    return count + symmetric_geometric_noise(size, 1.0, method="sign")


def _release_proportional(x: Sequence[int]) -> object:
    return diffpriv.releaseResponse(_PROPORTIONAL_MECHANISM, diffpriv.DPParamsEps(epsilon=1.0), x).response


def _fit_other_gamma(y: Sequence[float]) -> object:
    return dppack.LogisticRegressionDP("l2", 1.0, 100.0, "output").fit([[1.0]], y, [1], [0])


def _fit_tuned_model(y: Sequence[float]) -> object:
    models = [dppack.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 1_000.0)]
    return dppack.tune_linear_regression_model(models, np.ones((9, 1)), y, [1, 1], [-1, -1]).results


def _make_release(function: Release, *arguments: object, **options: object) -> Release:
    return lambda x: function(x, *arguments, **options)


def _make_defect_case(
    row: str,
    name: str,
    release: Release,
    data: object,
    neighbor: object,
    max_draws: int = CERTAIN,
    claim: Guarantee | None = None,
    true: float = math.inf,
    at_least: float = 0.0,
) -> Case:
    return Case("defect", name, release, data, neighbor, claim, row, true, at_least, max_draws)


_MEAN = _make_release(dppack.meanDP, 1.0, 0, 1)
_UNBOUNDED = _make_release(dppack.meanDP, 1.0, 0, 1, which_sensitivity="unbounded")
_STREAMED = _make_release(dppack.meanDP, 1.0, 0, 1, rng=_STREAM)
_NO_NOISE = _make_release(lambda x: float(dppack.meanDP(x, 0.9, 0, 1, mechanism="Gaussian", delta=1.25, type_DP="aDP")))
_VARIANCE, _TABLE = _make_release(dppack.varDP, 1.0, 0, 1), _make_release(dppack.tableDP, eps=1.0)
_HISTOGRAM = _make_release(dppack.histogramDP, 1.0, 0, 10)
_SIGN, _REDRAWN = 1.0 + math.log(2.0), truncated_positive_epsilon(1.0)
_EQUAL, _APART = [0.0, 0.0], [0.0, 1.0]
_OUTSIDE, _OPPOSITE = [1.0] * 8 + [1e6], [1.0] * 8 + [-1e6]
# a lower bound of the true epsilon, which is at most 100
_GAMMA = 40.1

CASES = (
    _make_defect_case("", "uniform noise on -2..2", _draw_uniform, 5, 6, MAX_DRAWS, ONE),
    _make_defect_case(
        "1",
        "symmetric_geometric_noise(method='sign')",
        _draw_sign_geometric,
        5,
        6,
        MAX_DRAWS,
        ONE,
        _SIGN,
        1.6,
    ),
    _make_defect_case(
        "2",
        "varDP, Laplace, redrawn until positive",
        _VARIANCE,
        _EQUAL,
        _APART,
        MAX_DRAWS,
        None,
        _REDRAWN,
        1.35,
    ),
    _make_defect_case("3", "DPMechExponential, a quality of 0", _release_proportional, [1, 2], [1, 3], claim=ONE),
    _make_defect_case("4", "histogramDP, default breaks", _HISTOGRAM, [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 10.0]),
    _make_defect_case("5", "meanDP, 'unbounded': the scale tells n", _UNBOUNDED, [0.5] * 5, [0.5] * 4),
    _make_defect_case("8", "tableDP, levels from the data", _TABLE, ["a", "b", "b"], ["a", "b", "c"]),
    _make_defect_case("12", "meanDP, RRandom: last bits", _STREAMED, [0.0], [1.0], LAST_BITS),
    _make_defect_case("12", "meanDP, RRandom: support", _STREAMED, _SPREAD, _MOVED, LAST_BITS),
    _make_defect_case("15", "meanDP, a missing value", _MEAN, [0.5, math.nan], [0.5, 0.5]),
    _make_defect_case("delta", "meanDP, delta 1.25: no noise", _NO_NOISE, [0.0, 0.5], [1.0, 0.5], claim=Guarantee(0.9)),
    _make_defect_case("C1", "LogisticRegressionDP, gamma 100", _fit_other_gamma, [0.0], [1.0], FITS, ONE, _GAMMA),
    _make_defect_case(
        "C2",
        "tune_linear_regression_model, a record outside",
        _fit_tuned_model,
        _OUTSIDE,
        _OPPOSITE,
        4 * FITS,
        ONE,
    ),
)
