"""The benchmarks' own code: pages show what was measured, a peer that fails is named. Nothing is timed."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
MODULES = [path.stem for path in BENCHMARKS.glob("*.py")]


@pytest.fixture(autouse=True)
def path_of_benchmarks(monkeypatch):
    """The benchmarks' modules are found by their own names, as in their command, and leave with the test."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("page", ["README.md", "docs/speed.md"])
def test_pages_show_what_was_measured(page):
    import measured
    import pages

    text = (ROOT / page).read_text(encoding="utf-8")
    as_measured = pages.rewritten(text, pages.PAGES[ROOT / page](measured.load()))
    assert text == as_measured, "python benchmarks/run.py --readme writes the tables"


@pytest.mark.parametrize(
    "name, how",
    [("inference_levels", "nox -s levels -- --page"), ("large_page", "python benchmarks/large.py --page")],
)
def test_a_page_of_its_own_shows_what_was_measured(name, how):
    import pages

    page = importlib.import_module(name)
    text = page.PAGE.read_text(encoding="utf-8")
    assert text == pages.rewritten(text, page.tables(page.load())), f"{how} writes the tables"


def test_the_groups_of_every_package_are_those_of_the_files(monkeypatch):
    import large_data

    monkeypatch.syspath_prepend(str(BENCHMARKS / "large_peers"))
    import serve

    assert (serve.KEYS, serve.LEVELS, serve.BOUNDS) == (large_data.KEYS, large_data.LEVELS, large_data.BOUNDS)
    sys.modules.pop("serve")


def test_engines_give_the_same_counts_as_releases_do(tmp_path):
    pytest.importorskip("pyarrow.acero")
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    import large_child
    import large_data
    import large_engines
    import large_files

    paths = [str(path) for path in large_data.parts(tmp_path, 8000)]
    for engine in large_files.STREAMED:
        counts = large_engines.aggregated(engine, "crosstab", large_engines.opened(engine, paths, large_data.KEYS))
        if engine != "duckdb":
            frame = counts.to_arrow() if engine == "polars" else counts
            counts = list(zip(*frame.to_pydict().values()))
        released = large_child.released("crosstab", large_engines.opened(engine, paths, large_data.KEYS))
        truth = {row[:2]: row[2] for row in counts}
        assert len(truth) == 40 and sum(truth.values()) == 8000
        found = released.estimate.stack()
        # noise of scale 1: one of 40 beyond 30 has a chance of 1e-11
        assert all(abs(found[key] - count) < 30 for key, count in truth.items())


def test_every_row_of_the_readme_is_a_benchmark():
    import pages
    import run

    names = {benchmark.what for benchmark in run._benchmarks()}
    assert set(pages.SHOWN) <= names


def test_every_package_has_each_case_or_a_reason():
    import peers

    for calls in ("pydpstat_calls", *(peer.calls for peer in peers.PEERS)):
        text = (BENCHMARKS / "peer_side" / f"{calls}.py").read_text(encoding="utf-8")
        assert all(f'"{case}"' in text for case in peers.CASES), calls


def test_our_calls_release(monkeypatch, tmp_path):
    import numpy as np

    monkeypatch.syspath_prepend(str(BENCHMARKS / "peer_side"))
    import pydpstat_calls as calls

    path = tmp_path / "numbers"
    np.linspace(-1.0, 101.0, 60).tofile(path)
    x = calls.records(str(path), 50)
    assert x.size == 50
    found = {name: case(x)() for name, case in calls.STATISTICS.items()}
    assert found.pop("histogram").estimate.counts.size == 20
    assert all(np.isfinite(float(release)) for release in found.values())
    assert {draw(7)().size for draw in calls.NOISES.values()} == {7}
    sys.modules.pop("pydpstat_calls")


@pytest.mark.parametrize("likely", [0.0, 0.3, 1.0])
def test_intervals_that_are_not_computed_are_counted_by_others(likely):
    from levels.thinned import missed

    rng, runs, share = np.random.default_rng(1), 40_000, 0.1
    counted = sum(
        missed(rng.random() < likely, lambda: (0.0, 1.0 - (rng.random() < share)), 0.5, rng) for _ in range(runs)
    )
    # five standard errors: a false alarm in a million
    assert abs(counted / runs - share) < 5.0 * (share * 50.0 / runs) ** 0.5


TOPICS = sorted(path.stem for path in (BENCHMARKS / "levels").glob("[a-z]*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_of_levels_can_be_simulated(topic):
    import inference_levels

    if topic not in inference_levels.topics():
        pytest.skip("what several topics share")
    module = importlib.import_module(f"levels.{topic}")
    for kind, listed in {**inference_levels.KINDS, inference_levels.BOTH: "SETTINGS"}.items():
        simulate = getattr(module, kind, None)
        for setting in (
            getattr(module, listed, ())[:: max(1, len(getattr(module, listed, ())) // 3)] if simulate else ()
        ):
            counts = np.atleast_1d(simulate(setting, 1, 1))
            assert ((counts == 0) | (counts == 1)).all(), setting
