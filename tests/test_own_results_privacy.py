"""Nothing private can be reached from what the own functions return, nor is it left behind in the package."""

import gc
import json
import pickle
import pickletools
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import Budget, Guarantee, RRandom, audit, compose, plan
from pydpstat.inference.means.moments import MomentsResults
from tests.own_releases import BOUNDS, OWN, N, X, Y
from tests.privacy_search import FORBIDDEN, clear_caches, findings, found_in, package_state, reachable

SEED = 987_654_321
SOURCES = {
    "operating system": lambda: None,
    "int": lambda: SEED,
    "Generator": lambda: np.random.default_rng(SEED),
    "R": lambda: RRandom(SEED),
}
# what tells n where it is private
SIZES = [N, N - 1.0, N + 1.0, 1.0 / N, 1.0 / (N - 1.0)]


@pytest.fixture
def seen(monkeypatch):
    """What the pipeline handles: the true values and the noise."""
    import pydpstat._release.pipeline as pipeline

    numbers: list[Any] = []
    drawn: list[Any] = []
    noisy = pipeline._add_noise

    class Overheard:
        def __init__(self, noise: Any) -> None:
            self.noise = noise

        def draw(self, *arguments: Any) -> Any:
            drawn.append(self.noise.draw(*arguments))
            return drawn[-1]

    def spy(query: Any, prepared: Any, source: Any) -> Any:
        out = noisy(query, prepared._replace(noise=Overheard(prepared.noise)), source)
        truth = np.ravel(query.value, order="F")
        moved = np.ravel(out, order="F") != truth
        # where the noise is 0 the true value is published, and where that is 0 the noise
        numbers.append(truth[moved])
        numbers.extend(np.ravel(each).astype(np.float64)[truth != 0] for each in drawn)
        drawn.clear()
        return out

    monkeypatch.setattr(pipeline, "_add_noise", spy)
    return numbers


def secrets(own: Any, seen: list[Any]) -> np.ndarray:
    """The records, true values, noise, and the number of records where it is private."""
    telling = np.concatenate([*seen, X[:40], Y[:40], [SEED]])
    # small whole numbers occur by chance
    telling = telling[(np.abs(telling) > 1000) | (telling != np.rint(telling))]
    return telling if own.bounded else np.append(telling, SIZES)


def views(result: Any) -> list[Any]:
    """Everything that a result gives out."""
    given = [result.params, result.to_dict(), result.call]
    for name in ("estimate", "released", "bse", "tvalues", "pvalues", "validity"):
        given.append(getattr(result, name, None))
    if hasattr(result, "to_frame"):
        given.append(result.to_frame())
    if isinstance(result, MomentsResults):
        given += [result.conf_int(column=name) for name in result.names or [None]]
    elif getattr(result, "interval", True) is not None and getattr(result, "noise", True) is not None:
        given.append(result.conf_int())
    page = result.summary()
    given += [page.as_text(), page.as_html(), page.as_latex(), page.as_csv(), repr(result), str(result)]
    given += [result._repr_html_(), json.dumps(result.to_dict())]
    if isinstance(result, pydpstat.DPResults) and result.noise is not None:
        given += [result.conf_int(), result.accuracy()]
    return given


def pickled(result: Any) -> list[Any]:
    """What a pickle holds, number by number."""
    return [argument for _, argument, _ in pickletools.genops(pickle.dumps(result)) if argument is not None]


# each release from the operating system, and from one of the other sources in turn
TURNS = [
    (own, source)
    for place, own in enumerate(OWN)
    for source in ("operating system", ("int", "Generator", "R")[place % 3])
]


@pytest.mark.slow
@pytest.mark.parametrize("own, source", TURNS, ids=[f"{own.name}, {source}" for own, source in TURNS])
def test_nothing_private_can_be_reached(own, source, seen):
    data, rng = own.data(), SOURCES[source]()
    result = own(data, rng)
    private = (*data, rng) if rng is not None and rng is not SEED else data
    numbers = secrets(own, seen)
    assert seen or getattr(result, "noise", seen) is None
    assert findings(result, numbers, private) == []
    # what is given out does not depend on the source
    for view in views(result) if source == "operating system" else ():
        assert found_in(reachable(view), numbers, private) == []
    assert found_in(pickled(result), numbers) == []


@pytest.mark.slow
@pytest.mark.parametrize("own", OWN, ids=[each.name for each in OWN])
def test_nothing_stays_behind(own, seen):
    # under bounded neighbors n is public, and may be in a cache
    clear_caches()
    data = own.data()
    gone = [weakref.ref(each) for each in data]
    result = own(data)
    # the search's own list holds true values and noise
    numbers, private = secrets(own, seen), data
    seen.clear()
    assert found_in(package_state(), numbers, private, forbidden=FORBIDDEN[1:]) == []
    del data, private
    if any(each() is not None for each in gone):
        gc.collect()
    assert [each() for each in gone] == [None] * len(gone) and result is not None


@pytest.mark.slow
def test_the_search_of_the_package_finds_what_is_left_behind(monkeypatch):
    from pydpstat._records.record_grid import compute_width

    clear_caches()
    compute_width((4.2424242e7, 5e7))
    assert found_in(package_state(), [4.2424242e7])
    compute_width.cache_clear()
    assert not found_in(package_state(), [4.2424242e7])
    monkeypatch.setattr(pydpstat.results.DPResults, "last", [4.2424242e7], raising=False)
    assert found_in(package_state(), [4.2424242e7])


def test_levels_below_the_threshold_leave_no_trace():
    # other tests have public names like it
    clear_caches()
    records = pd.Series(["often"] * 5000 + ["Zyzzyva Quark"])
    result = pydpstat.crosstab(records, 1.0, levels="discover", delta=1e-9)
    assert list(result.estimate.index) == ["often"]
    traces = [*reachable(result), *package_state(), *map(str, views(result)), *map(str, pickled(result))]
    assert not [each for each in traces if isinstance(each, str) and "Zyzzyva" in each]


@pytest.mark.parametrize("rng", [None, SEED, "stream"])
def test_a_plan_keeps_no_stream(rng):
    rng = RRandom(SEED) if rng == "stream" else rng
    for planned in (
        plan("mean", 1.0, bounds=BOUNDS, n=N, rng=rng),
        plan("histogram", 1.0, edges=[0, 1, 2], neighbors="unbounded", n=N, rng=rng),
    ):
        assert findings(planned, [SEED], () if rng is None else (rng,)) == []
    # n is not used there, and so it is not kept
    assert findings(planned, SIZES) == []


@pytest.mark.slow
def test_a_budget_keeps_no_release(tmp_path, seen):
    for own in OWN[::3]:
        asked = own(own.data())
        whose = {"neighbors": asked.neighbors, "unit": asked.unit}
        path = tmp_path / f"{own.name}.ledger"
        for budget in (Budget(10.0, 1e-3, **whose), Budget(10.0, 1e-3, path=path, **whose)):
            seen.clear()
            data = own.data()
            result = own(data, None, budget)
            numbers = np.concatenate([secrets(own, seen), published(result)])
            kept = [budget.entries, budget.spent, budget.remaining, repr(budget), budget.summary().as_text()]
            assert findings(budget, numbers, (*data, result, getattr(result, "value", result))) == []
            assert findings(kept, numbers, (*data, result, getattr(result, "value", result))) == []
            assert len(budget.entries) == 1
        assert found_in(_eights(tmp_path), numbers) == [] and b"4.2424" not in _bytes(tmp_path)
        del budget
        for file in tmp_path.iterdir():
            file.unlink()


def published(result: Any) -> list[float]:
    """The large numbers of a result."""
    if isinstance(result, pydpstat.InferenceResults):
        values = np.array([value for _, value in result.released])
    else:
        result = getattr(result, "release", result)
        values = np.asarray(result.value if hasattr(result, "value") else result.params)
        values = np.ravel(values) if values.dtype.kind == "f" else np.empty(0)
    # an estimate may be one of the bounds, which are public and in the call
    return [each for each in values.tolist() if abs(each) > 1000 and each not in BOUNDS]


def _bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def _eights(folder: Path) -> list[np.ndarray]:
    """The ledger's bytes as floats in both orders, at every offset."""
    content = _bytes(folder)
    return [
        np.nan_to_num(np.frombuffer(content[start : start + (len(content) - start) // 8 * 8], kind), posinf=0.0)
        for start in range(8)
        for kind in ("<f8", ">f8")
    ]


def test_a_guarantee_and_a_composition_keep_numbers_of_the_claim_only():
    data = X.copy()
    noises = {"mechanism": "laplace"}, {"mechanism": "gaussian", "delta": 1e-6}
    results = [pydpstat.mean(data, 0.1, bounds=BOUNDS, **noise) for noise in noises]
    together = compose([each.guarantee for each in results])
    for kept in (*(each.guarantee for each in results), together, together.group(2)):
        assert findings(kept, [*X[:40], *(float(each) for each in results)], (data, *results)) == []


@pytest.mark.slow
def test_an_audit_keeps_counts_and_no_data(seen):
    data, neighbor = X[:50].copy(), X[:50].copy()
    neighbor[0] = BOUNDS[0]

    class Release:
        """A callable that knows a secret, and can be watched."""

        secret = 1.2345678e9

        def __call__(self, x: np.ndarray) -> Any:
            return pydpstat.mean(x, 1.0, bounds=BOUNDS)

    release, generator = Release(), np.random.default_rng(SEED)
    found = audit(release, data, neighbor, samples=600, rng=generator)
    drawn = np.concatenate([each for each in seen if each.size])
    kept = list(reachable(found))
    private = (data, neighbor, release, generator)
    numbers = [*X[:50], *drawn[np.abs(drawn) > 1000], SEED, Release.secret]
    assert found_in(kept, numbers, private) == []
    assert found_in(pickled(found), numbers) == []
    assert found_in([repr(found), json.dumps(found.to_dict())], numbers) == []
    # shares of bins, no samples
    assert max(each.size for each in kept if isinstance(each, np.ndarray)) <= 1002
    gone = [weakref.ref(each) for each in (data, neighbor, release)]
    seen.clear()
    del data, neighbor, release, private, kept
    gc.collect()
    assert [each() for each in gone] == [None] * 3
    assert found.claim == Guarantee(1.0)
