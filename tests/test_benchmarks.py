"""The benchmarks' own code: pages show what was measured, a peer that fails is named. Nothing is timed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
MODULES = [path.stem for path in BENCHMARKS.glob("*.py")]

A_PEER = """
import os

VERSION = "1.2"
LACKS = {"median": "it has none"}
NOISES = {"Laplace noise": lambda size: lambda: [0.0] * size}


def records(path, size):
    return [0.0] * size


def mean(x):
    print("what packages print is no answer")
    return lambda: sum(x) / len(x)


def broken(x):
    raise ValueError("two\\nlines")


STATISTICS = {"mean": mean, "sum": broken, "crash": lambda x: lambda: os._exit(3)}
"""


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


def test_the_page_on_levels_shows_what_was_measured():
    import inference_levels as levels
    import pages

    text = levels.PAGE.read_text(encoding="utf-8")
    as_measured = pages.rewritten(text, levels.tables(levels.load()))
    assert text == as_measured, "nox -s levels -- --page writes the tables"


def test_the_page_on_large_data_shows_what_was_measured():
    import large_page
    import pages

    text = large_page.PAGE.read_text(encoding="utf-8")
    as_measured = pages.rewritten(text, large_page.tables(large_page.load()))
    assert text == as_measured, "python benchmarks/large.py --page writes the tables"


def test_a_part_that_is_measured_again_takes_the_place_of_the_one_before(tmp_path):
    import large_page
    from large_tables import Table

    path = tmp_path / "large.json"
    first = [Table(part, part, [["a"], ["1"]], []) for part in ("files", "errors")]
    large_page.save(large_page.Measured("then", first), path)
    again = Table("files", "again", [["a"], ["2"]], [])
    merged = large_page.after("now", [again], "files", path)
    assert merged.heading == "then" and list(merged.tables) == [again, first[1]]
    assert large_page.after("now", [again], "", path) == large_page.Measured("now", [again])


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
        counts = large_engines.aggregated(
            engine, "crosstab", large_engines.opened(engine, paths, large_data.KEYS)
        )
        if engine != "duckdb":
            frame = counts.to_arrow() if engine == "polars" else counts
            counts = list(zip(*frame.to_pydict().values()))
        released = large_child.released("crosstab", large_engines.opened(engine, paths, large_data.KEYS))
        truth = {row[:2]: row[2] for row in counts}
        assert len(truth) == 40 and sum(truth.values()) == 8000
        found = released.estimate.stack()
        # noise of scale 1: one of 40 beyond 30 has a chance of 1e-11
        assert all(abs(found[key] - count) < 30 for key, count in truth.items())


def test_a_page_without_marks_is_refused():
    import pages

    with pytest.raises(ValueError, match="lacks"):
        pages.rewritten("no marks", "tables")


def test_what_was_measured_comes_back_from_its_file(tmp_path):
    import measured

    found = measured.load()
    measured.save(tmp_path / "copy.json", found)
    assert measured.load(tmp_path / "copy.json") == found


def test_a_row_without_its_other_side_keeps_an_earlier_one():
    import measured
    from table import Row

    with_r, without = Row("meanDP", "9", "1 ms", "2 ms", 0.5), Row("meanDP", "9", "3 ms")
    alone, other = Row("import", "-", "1 ms"), Row("runif", "9", "1 ms", "4 ms", 0.25)
    before = measured.Measured(measured.Run("R 4", [with_r, alone, other]))
    now = measured.Measured(measured.Run("no R", [without, alone, other]))
    kept = measured.after(now, before)
    assert kept.run == now.run
    assert kept.earlier == measured.Run("R 4", [with_r])
    # a second run without R keeps it as well, and one with R replaces it
    assert measured.after(now, kept).earlier == kept.earlier
    assert measured.after(before, kept).earlier == measured.Run()


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


@pytest.fixture
def a_peer(monkeypatch, tmp_path):
    """A package's process, with calls written here."""
    import peer_environments
    import peer_process

    (tmp_path / "stub_calls.py").write_text(A_PEER)
    environment = peer_environments.clean() | {"PYTHONPATH": str(tmp_path)}
    process = peer_process.PeerProcess(Path(sys.executable), "stub_calls", environment)
    yield process
    process.close()


def test_a_peer_answers_or_says_why_not(a_peer, tmp_path):
    from peer_process import Unavailable

    assert a_peer.version == "1.2"
    a_peer.prepare("mean", tmp_path, 10)
    assert a_peer.run(3) > 0.0
    a_peer.prepare("Laplace noise", tmp_path, 10)
    for case, reason in {"median": "it has none", "sum": "ValueError: two", "var": "KeyError: 'var'"}.items():
        with pytest.raises(Unavailable) as found:
            a_peer.prepare(case, tmp_path, 10)
        assert str(found.value) == reason
    # it goes on after an error
    a_peer.prepare("mean", tmp_path, 20)
    assert a_peer.run(1) > 0.0


def test_a_process_that_ends_is_named(a_peer, tmp_path):
    from peer_process import Unavailable

    a_peer.prepare("crash", tmp_path, 10)
    with pytest.raises(Unavailable, match=r"^its process ended \(3\)$"):
        a_peer.run(1)
    with pytest.raises(Unavailable, match="^its process has ended$"):
        a_peer.run(1)


def test_a_package_that_cannot_be_imported_is_named():
    import peer_environments
    from peer_process import PeerProcess, Unavailable, cold

    for start in (
        lambda: PeerProcess(Path(sys.executable), "absent_calls", peer_environments.clean()),
        lambda: cold(Path(sys.executable), "absent_calls", Path("x"), peer_environments.clean()),
    ):
        with pytest.raises(Unavailable, match="No module named 'absent_calls'"):
            start()


def test_a_package_that_cannot_be_installed_is_named():
    import peer_environments

    with pytest.raises(peer_environments.NotInstalled, match="^ERROR: not there$"):
        peer_environments._run([sys.executable, "-c", "raise SystemExit('noise\\nERROR: not there\\nmore')"])


def test_an_environment_is_made_once_for_its_requirements(monkeypatch, tmp_path):
    import peer_environments

    commands = []

    def make(command):
        commands.append(command)
        (tmp_path / "peer" / "bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / "peer" / "bin" / "python").touch()

    monkeypatch.setattr(peer_environments, "_run", make)
    for requirements, made in ((["a"], 2), (["a"], 2), (["a", "b<2"], 4)):
        found = peer_environments.environment("peer", requirements, tmp_path)
        assert found == tmp_path / "peer" / "bin" / "python"
        assert len(commands) == made
    assert commands[-1][-2:] == ["a", "b<2"]


class Clock:
    """A side whose calls take as long as told."""

    def __init__(self, fixed, each):
        self.fixed, self.each, self.size, self.asked = fixed, each, 0, []

    def prepare(self, case, path, size):
        self.size = size

    def run(self, times):
        self.asked.append(self.size)
        return self.fixed + self.each * self.size


@pytest.mark.parametrize(
    ("fixed", "each", "part"),
    # a call on all numbers may take 2 s; what a call costs on none does not count ten times
    [(0.0, 1e-9, 1), (0.5, 1e-7, 1), (0.0, 1e-6, 10), (0.0, 1e-4, 1000)],
)
def test_slow_sides_are_timed_on_a_part(fixed, each, part):
    from peer_turns import Side, Turns

    clock = Clock(fixed, each)
    side = Side("a", Path(), "", {}, clock)
    taken, reasons = Turns([side], Path(), 5).warm("mean", 10_000_000)
    assert reasons == {}
    assert taken["a"].part == part
    assert taken["a"].seconds == pytest.approx(part * fixed + each * 10_000_000)
    assert max(clock.asked) == 10_000_000 // part


def test_the_peers_table_as_texts():
    from peer_table import Compared, PeerTable, Taken

    line = Compared("mean", "10", {"ours": Taken(0.002), "A": Taken(0.004), "B": Taken(2.0, 10)})
    found = PeerTable({"ours": "1", "A": "2", "B": "3", "C": "4"}, [line], ["C, mean: none"], {"A": "exact"})
    assert found.cells() == [
        ["What", "Size", "ours", "A", "B", "C"],
        ["mean", "10", "2.00 ms", "4.00 ms (0.5)", "~2.00 s (0.001)", "-"],
    ]
    assert found.caption() == "ours 1, A 2, B 3, C 4"
    assert [note[:5] for note in found.notes()] == ["~: ti", "A: ex", "Missi"]
    assert PeerTable.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize("likely", [0.0, 0.3, 1.0])
def test_intervals_that_are_not_computed_are_counted_by_others(likely):
    from levels.thinned import missed

    rng, runs, share = np.random.default_rng(1), 40_000, 0.1
    counted = sum(
        missed(rng.random() < likely, lambda: (0.0, 1.0 - (rng.random() < share)), 0.5, rng)
        for _ in range(runs)
    )
    # five standard errors: a false alarm in a million
    assert abs(counted / runs - share) < 5.0 * (share * 50.0 / runs) ** 0.5
