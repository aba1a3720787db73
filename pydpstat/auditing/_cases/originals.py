"""The known defects of the originals' statistics, mechanisms and models, and of uniform noise."""

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
# draws for a defect that shows in every one, in its last bits, and for what is seldom enough
CERTAIN, LAST_BITS, MOST = 20_000, 100_000, 1_000_000
# a fit takes milliseconds
FITS = 1_000
_STREAM = RRandom(20_240_229)
_GENERATOR = np.random.default_rng(20_240_229)
_SPREAD = np.random.default_rng(7).uniform(size=100)
_MOVED = np.append(_SPREAD[:-1], 1.0)
_SHARE = diffpriv.DPMechExponential(
    sensitivity=1.0,
    target=lambda x: lambda level: float(np.sum(np.asarray(x) == level)),
    responseSet=[1, 2, 3],
)


def _uniform(count: int, size: int) -> npt.NDArray[np.int64]:
    return count - 2 + np.floor(5 * _GENERATOR.random(size)).astype(np.int64)


def _sign_geometric(count: int, size: int) -> npt.NDArray[np.int64]:
    return count + symmetric_geometric_noise(size, 1.0, method="sign")


def _proportional(x: Sequence[int]) -> object:
    return diffpriv.releaseResponse(_SHARE, diffpriv.DPParamsEps(epsilon=1.0), x).response


def _other_gamma(y: Sequence[float]) -> object:
    return dppack.LogisticRegressionDP("l2", 1.0, 100.0, "output").fit([[1.0]], y, [1], [0])


def _tuned(y: Sequence[float]) -> object:
    models = [dppack.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 1_000.0)]
    return dppack.tune_linear_regression_model(models, np.ones((9, 1)), y, [1, 1], [-1, -1]).results


def _call(function: Release, *arguments: object, **options: object) -> Release:
    return lambda x: function(x, *arguments, **options)


def _defect(
    row: str,
    name: str,
    release: Release,
    data: object,
    neighbor: object,
    most: int = CERTAIN,
    claim: Guarantee | None = None,
    true: float = math.inf,
    at_least: float = 0.0,
) -> Case:
    return Case("defect", name, release, data, neighbor, claim, row, true, at_least, most)


_MEAN = _call(dppack.meanDP, 1.0, 0, 1)
_UNBOUNDED = _call(dppack.meanDP, 1.0, 0, 1, which_sensitivity="unbounded")
_STREAMED = _call(dppack.meanDP, 1.0, 0, 1, rng=_STREAM)
_NO_NOISE = _call(
    lambda x: float(dppack.meanDP(x, 0.9, 0, 1, mechanism="Gaussian", delta=1.25, type_DP="aDP"))
)
_VARIANCE, _TABLE = _call(dppack.varDP, 1.0, 0, 1), _call(dppack.tableDP, eps=1.0)
_HISTOGRAM = _call(dppack.histogramDP, 1.0, 0, 10)
_SIGN, _REDRAWN = 1.0 + math.log(2.0), truncated_positive_epsilon(1.0)
_EQUAL, _APART = [0.0, 0.0], [0.0, 1.0]
_OUTSIDE, _OPPOSITE = [1.0] * 8 + [1e6], [1.0] * 8 + [-1e6]
# a lower bound; at most 100
_GAMMA = 40.1

CASES = (
    _defect("", "uniform noise on -2..2", _uniform, 5, 6, MOST, ONE),
    _defect("1", "symmetric_geometric_noise(method='sign')", _sign_geometric, 5, 6, MOST, ONE, _SIGN, 1.6),
    _defect(
        "2", "varDP, Laplace, redrawn until positive", _VARIANCE, _EQUAL, _APART, MOST, None, _REDRAWN, 1.35
    ),
    _defect("3", "DPMechExponential, a quality of 0", _proportional, [1, 2], [1, 3], claim=ONE),
    _defect("4", "histogramDP, default breaks", _HISTOGRAM, [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 10.0]),
    _defect("5", "meanDP, 'unbounded': the scale tells n", _UNBOUNDED, [0.5] * 5, [0.5] * 4),
    _defect("8", "tableDP, levels from the data", _TABLE, ["a", "b", "b"], ["a", "b", "c"]),
    _defect("12", "meanDP, RRandom: last bits", _STREAMED, [0.0], [1.0], LAST_BITS),
    _defect("12", "meanDP, RRandom: support", _STREAMED, _SPREAD, _MOVED, LAST_BITS),
    _defect("15", "meanDP, a missing value", _MEAN, [0.5, math.nan], [0.5, 0.5]),
    _defect("delta", "meanDP, delta 1.25: no noise", _NO_NOISE, [0.0, 0.5], [1.0, 0.5], claim=Guarantee(0.9)),
    _defect("C1", "LogisticRegressionDP, gamma 100", _other_gamma, [0.0], [1.0], FITS, ONE, _GAMMA),
    _defect(
        "C2", "tune_linear_regression_model, a record outside", _tuned, _OUTSIDE, _OPPOSITE, 4 * FITS, ONE
    ),
)
