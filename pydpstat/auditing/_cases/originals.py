"""The known defects of the originals' statistics, mechanisms and models, and of uniform noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pydpstat import diffpriv, dppack
from pydpstat.auditing._cases.case import Case
from pydpstat.mechanisms.laplace import truncated_positive_epsilon
from pydpstat.privacy import Guarantee
from pydpstat.random.r_stream import RRandom
from pydpstat.statistics.integer_noise import symmetric_geometric_noise

ONE = Guarantee(1.0)
# a defect that shows in every draw
CERTAIN = 20_000
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


CASES = (
    Case(
        name="uniform noise on -2..2",
        kind="defect",
        release=_uniform,
        data=5,
        neighbour=6,
        claim=ONE,
        true=math.inf,
    ),
    Case(
        name="symmetric_geometric_noise(method='sign')",
        kind="defect",
        row="1",
        release=_sign_geometric,
        data=5,
        neighbour=6,
        claim=ONE,
        true=1.0 + math.log(2.0),
        at_least=1.6,
    ),
    Case(
        name="varDP, Laplace, redrawn until positive",
        kind="defect",
        row="2",
        release=lambda x: dppack.varDP(x, 1.0, 0, 1),
        data=[0.0, 0.0],
        neighbour=[0.0, 1.0],
        true=truncated_positive_epsilon(1.0),
        at_least=1.35,
    ),
    Case(
        name="DPMechExponential, a quality of 0",
        kind="defect",
        row="3",
        release=_proportional,
        data=[1, 2],
        neighbour=[1, 3],
        claim=ONE,
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="histogramDP, default breaks",
        kind="defect",
        row="4",
        release=lambda x: dppack.histogramDP(x, 1.0, 0, 10),
        data=[1.0, 2.0, 3.0, 4.0],
        neighbour=[1.0, 2.0, 3.0, 10.0],
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="meanDP, 'unbounded': the scale tells n",
        kind="defect",
        row="5",
        release=lambda x: dppack.meanDP(x, 1.0, 0, 1, which_sensitivity="unbounded"),
        data=[0.5] * 5,
        neighbour=[0.5] * 4,
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="tableDP, levels from the data",
        kind="defect",
        row="8",
        release=lambda x: dppack.tableDP(x, eps=1.0),
        data=["a", "b", "b"],
        neighbour=["a", "b", "c"],
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="meanDP, RRandom: last bits",
        kind="defect",
        row="12",
        release=lambda x: dppack.meanDP(x, 1.0, 0, 1, rng=_STREAM),
        data=[0.0],
        neighbour=[1.0],
        true=math.inf,
        most=100_000,
    ),
    Case(
        name="meanDP, RRandom: support",
        kind="defect",
        row="12",
        release=lambda x: dppack.meanDP(x, 1.0, 0, 1, rng=_STREAM),
        data=_SPREAD,
        neighbour=_MOVED,
        true=math.inf,
        most=100_000,
    ),
    Case(
        name="meanDP, a missing value",
        kind="defect",
        row="15",
        release=lambda x: dppack.meanDP(x, 1.0, 0, 1),
        data=[0.5, math.nan],
        neighbour=[0.5, 0.5],
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="meanDP, delta 1.25: no noise",
        kind="defect",
        row="delta",
        release=lambda x: float(dppack.meanDP(x, 0.9, 0, 1, mechanism="Gaussian", delta=1.25, type_DP="aDP")),
        data=[0.0, 0.5],
        neighbour=[1.0, 0.5],
        claim=Guarantee(0.9),
        true=math.inf,
        most=CERTAIN,
    ),
    Case(
        name="LogisticRegressionDP, gamma 100",
        kind="defect",
        row="C1",
        release=_other_gamma,
        data=[0.0],
        neighbour=[1.0],
        claim=ONE,
        # a lower bound; at most 100
        true=40.1,
        most=FITS,
    ),
    Case(
        name="tune_linear_regression_model, a record outside",
        kind="defect",
        row="C2",
        release=_tuned,
        data=[1.0] * 8 + [1e6],
        neighbour=[1.0] * 8 + [-1e6],
        claim=ONE,
        true=math.inf,
        most=4 * FITS,
    ),
)
