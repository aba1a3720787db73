"""What the tests share: reproducible runs, a still global random state, example releases, live R."""

import math
import os
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

import pydpstat
from pydpstat._data import streams as once
from pydpstat.random.secure import _bits

settings.register_profile("pydpstat", deadline=None, derandomize=True)
settings.load_profile("pydpstat")

_LIBRARIES = os.environ.get("LD_LIBRARY_PATH")
# values, counts and a seed that occur nowhere else, so that a search for them means something
SEED = 987_654_321
# of the bits that stand for the operating system's
BITS = 20_240_229
X = 4.242424242e7 + 10_007.31 * np.sin(np.arange(40.0) * 1.7) * np.arange(1.0, 41.0)
Y = 7.070707e-3 + 1.3e-4 * np.cos(np.arange(40.0) * 2.3) * np.arange(1.0, 41.0)
BOUNDS = (4.0e7, 4.5e7)
COUNTS = (1237, 811, 402)
CODES = np.random.default_rng(7).permutation(np.repeat(np.arange(3), COUNTS))
LEVELS = ["low", "mid", "high"]
SIDE = np.arange(CODES.size) % 7 < 3
ODD = np.arange(CODES.size) % 5 < 2
BINNED = CODES * 10.0 + 3.7


def levels() -> pd.Categorical:
    return pd.Categorical.from_codes(CODES, LEVELS)


def sides() -> pd.Categorical:
    return pd.Categorical(np.where(SIDE, "left", "right"), categories=["left", "right"])


def _crossed(*columns: np.ndarray) -> np.ndarray:
    """Count combinations of codes, in R's order."""
    shape = [int(column.max()) + 1 for column in columns]
    counts = np.zeros(shape)
    np.add.at(counts, tuple(columns), 1)
    return counts.ravel(order="F")


def _pooled(x1: np.ndarray, x2: np.ndarray, y1: Any = None, y2: Any = None) -> float:
    """The mean of two groups' covariances by degrees of freedom; without y of their variances."""
    first, second = np.cov(x1, x1 if y1 is None else y1), np.cov(x2, x2 if y2 is None else y2)
    return float(((x1.size - 1) * first[0, 1] + (x2.size - 1) * second[0, 1]) / (x1.size + x2.size - 2))


@dataclass(frozen=True)
class Release:
    """A call that releases something, and what it must keep to itself."""

    name: str
    call: Callable[[Any], Any]
    truth: np.ndarray
    private: tuple[Any, ...]

    def __call__(self, rng: Any = SEED) -> Any:
        """Release without warnings: those have tests of their own."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.call(rng)


def _call(function: str, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    return lambda rng: getattr(pydpstat, function)(*arguments, **options, rng=rng)


def _release(name: str, call: Callable[[Any], Any], truth: Any, *private: Any) -> Release:
    return Release(name, call, np.ravel(np.asarray(truth, dtype=float)), private)


def _releases() -> list[Release]:
    gauss, both = {"mechanism": "analytic", "delta": 1e-5}, {"which_sensitivity": "both"}
    vector = np.array([1.3571113e6, 2.4681012e6, 3.1415926e6])
    series = pd.Series(vector, index=["a", "b", "c"])
    matrix = np.append(vector, [5.1234567e6, 6.7654321e6, 8.9898989e6]).reshape(2, 3)
    counts = np.array(COUNTS)
    xs, ys = np.clip(X, *BOUNDS), np.clip(Y, 0, 0.01)
    var, cov = np.var(xs, ddof=1), np.cov(xs, ys)[0, 1]
    three, two, third = levels(), sides(), pd.Categorical(ODD, categories=[False, True])
    halves = X[:25], X[25:]
    pairs = tuple(np.column_stack([X[at], Y[at]]) for at in (np.s_[:25], np.s_[25:]))
    bounds = dict(zip(("lower_bound", "upper_bound"), BOUNDS))
    pair_bounds = dict(zip(("lower_bound1", "upper_bound1", "lower_bound2", "upper_bound2"), (*BOUNDS, 0, 0.01)))
    codes = CODES, 1 - SIDE.astype(int), ODD.astype(int)
    # the noise of counts must be large, or it would be a small whole number like any other
    small = {"eps": 1e-4, "allow_negative": True}
    bins = {"lower_bound": 0, "upper_bound": 30}
    edged = {**bins, "breaks": [0.0, 10.0, 20.0, 30.0]}
    make = _release
    return [
        make("mean", _call("meanDP", X, 1.0, *BOUNDS), xs.mean(), X),
        make("mean, Gaussian", _call("meanDP", X, 0.9, *BOUNDS, mechanism="Gaussian", delta=0.01), xs.mean(), X),
        make("mean, both", _call("meanDP", X, 1.0, *BOUNDS, "both"), xs.mean(), X),
        make("variance", _call("varDP", X, 1.0, *BOUNDS), var, X),
        make("standard deviation", _call("sdDP", X, 1.0, *BOUNDS, **gauss), math.sqrt(var), X),
        make("covariance", _call("covDP", X, Y, 1.0, *BOUNDS, 0, 0.01), cov, X, Y),
        make("histogram", _call("histogramDP", BINNED, **edged, **small), counts, BINNED),
        make("histogram, breaks of the data", _call("histogramDP", BINNED, **bins, **small), counts, BINNED),
        make(
            "histogram, shares",
            _call("histogramDP", BINNED, 0.02, **edged, normalize=True, **gauss),
            counts / counts.sum(),
            BINNED,
        ),
        make("histogram, both", _call("histogramDP", BINNED, **edged, **both, **small), counts, BINNED),
        make("table", _call("tableDP", three, **small), counts, three),
        make("table of texts", _call("tableDP", np.array(LEVELS)[CODES], **small), counts[[2, 0, 1]]),
        make(
            "table, two ways",
            _call("tableDP", size=three, side=two, **small),
            _crossed(*codes[:2]),
            three,
            two,
        ),
        make(
            "table, three ways",
            _call("tableDP", size=three, side=two, odd=third, **small),
            _crossed(*codes),
            *(three, two, third),
        ),
        make("table, both", _call("tableDP", three, **both, **small), counts, three),
        make(
            "pooled variance",
            _call("pooledVarDP", *halves, **bounds, **gauss),
            _pooled(xs[:25], xs[25:]),
            *halves,
        ),
        make(
            "pooled covariance, both",
            _call("pooledCovDP", *pairs, **pair_bounds, **both, eps=1.0),
            _pooled(xs[:25], xs[25:], ys[:25], ys[25:]),
            *pairs,
        ),
        make("Laplace, number", _call("LaplaceMechanism", vector[0], 1.0, 2.0), vector[0]),
        make("Laplace, vector", _call("LaplaceMechanism", vector, 1.0, [1, 2, 3], [1, 1, 2]), vector, vector),
        make("Laplace, Series", _call("LaplaceMechanism", series, 1.0, 2.0), vector, series),
        make(
            "Gaussian, matrix",
            _call("GaussianMechanism", matrix, 1.0, 1e-5, 2.0, analytic=True),
            matrix.ravel(order="F"),
            matrix,
        ),
        make("geometric, number", _call("symmetric_geometric", 1237, 1e-4), 1237),
        make("geometric, Series", _call("symmetric_geometric", pd.Series(counts, LEVELS), 1e-4), counts, counts),
    ]


def _choices() -> list[Release]:
    """Releases without noise."""
    xs = np.sort(np.clip(X, *BOUNDS))
    vector = np.array([1.3571113e6, 2.4681012e6, 3.1415926e6])
    named = _call("ExponentialMechanism", vector, 1e-9, 1.0, vector, ["a", "b", "c"])
    return [
        _release("quantile", _call("quantileDP", X, 0.25, 1.0, *BOUNDS), xs[9:11], X, xs),
        _release("median", _call("medianDP", X, 1.0, *BOUNDS, "unbounded"), xs[19:21], X),
        _release("choice", _call("ExponentialMechanism", vector, 1e-9, 1.0), vector, vector),
        _release("choice of a text", named, vector, vector),
    ]


RELEASES = _releases()
CHOICES = _choices()


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--quick", action="store_true", help="one case of each test, and none that is slow")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """With --quick leave out what is marked as slow."""
    if config.getoption("--quick"):
        slow = {item for item in items if item.get_closest_marker("slow") is not None}
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]


def _first_case(parametrize: Callable[..., None]) -> Callable[..., None]:
    """Parametrize with the first values that are not marked as slow, if there are some."""

    def parametrized(names: Any, values: Any, *arguments: Any, ids: Any = None, **options: Any) -> None:
        values = list(values)
        slow = [any(mark.name == "slow" for mark in getattr(value, "marks", ())) for value in values]
        place = slow.index(False) if False in slow else 0
        if ids is not None and not callable(ids):
            ids = list(ids)[place : place + 1]
        parametrize(names, values[place : place + 1], *arguments, ids=ids, **options)

    return parametrized


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: Any) -> None:
    """Run a test that asks for `release` on every release with noise, for `any_release` on all.

    With --quick every test has its first case only.
    """
    if metafunc.config.getoption("--quick"):
        metafunc.parametrize = _first_case(metafunc.parametrize)
    if "release" in metafunc.fixturenames:
        metafunc.parametrize("release", RELEASES, ids=[each.name for each in RELEASES])
    if "any_release" in metafunc.fixturenames:
        every = RELEASES + CHOICES
        metafunc.parametrize("any_release", every, ids=[each.name for each in every])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed the bits anew for each test, before its fixtures: what it draws is always the same."""
    real = item.get_closest_marker("system_bits") is not None
    _bits.entropy = os.urandom if real else random.Random(BITS).randbytes


@pytest.fixture(autouse=True)
def forgotten_iterators():
    """Forget the iterators of calls that ended early: they would wait for the next one."""
    yield
    once._kept_passes.clear()
    once._passes.clear()


@pytest.fixture
def releases() -> dict[str, Release]:
    """The example releases by name."""
    return {each.name: each for each in RELEASES}


@pytest.fixture(autouse=True)
def own_libraries() -> Any:
    """Take back where R, once it runs here, makes processes look for libraries, Python's among them."""
    yield
    if _LIBRARIES is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = _LIBRARIES


@pytest.fixture(autouse=True)
def still_global_state() -> Any:
    """Fail a test that moves Python's or NumPy's global random state."""
    python, numpy = random.getstate(), np.random.get_state()
    yield
    assert random.getstate() == python, "Python's global random state has moved"
    after = np.random.get_state()
    assert np.array_equal(numpy[1], after[1]) and numpy[2:] == after[2:], "NumPy's global random state has moved"


@pytest.fixture
def axes() -> Any:
    """Axes of a figure that no window shows, or a skip without matplotlib."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    return figure.add_subplot()


@pytest.fixture(scope="session")
def live_r() -> Any:
    """R with DPpack inside this process (rpy2), or a skip; with PYDPSTAT_REQUIRE_R a failure."""
    from pydpstat.parity._r_side import LiveRSession, RUnavailableError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session = LiveRSession()
        missing = session.find_missing("DPpack")
    except RUnavailableError as reason:
        missing = str(reason)
    if missing:
        if os.environ.get("PYDPSTAT_REQUIRE_R"):
            pytest.fail(f"R is required here, but cannot be used: {missing}")
        pytest.skip(f"no live R with DPpack: {missing}")
    from rpy2 import robjects

    return robjects
