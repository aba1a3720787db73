"""The line that tells how far a long reading is: where it is written, and that it goes."""

import io
import operator
import time

import numpy as np
import pytest

import pydpstat as dp
from pydpstat._data import progress
from pydpstat._data.table import as_table
from pydpstat.results._intervals import get_cached_limits


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    """Have the line at once, and nothing in the environment."""
    monkeypatch.setattr(progress, "_INITIAL_DELAY", 0.01)
    monkeypatch.setattr(progress, "_UPDATE_INTERVAL", 0.01)
    monkeypatch.delenv("PYDPSTAT_PROGRESS", raising=False)


def slow(stream, monkeypatch):
    """Read slowly, and return what was written."""
    monkeypatch.setattr("sys.stderr", stream)

    def partial(chunk):
        time.sleep(0.1)
        return chunk.size

    as_table(np.arange(5) for _ in range(3)).fold(partial, operator.add)
    return stream.getvalue()


def test_a_terminal_has_one_line_which_goes(impatient, monkeypatch):
    written = slow(Terminal(), monkeypatch)
    assert "\rpydpstat: 5 records" in written and "\rpydpstat: 10 records" in written
    assert "\n" not in written
    # the last thing is blanks over the line, and back
    last = written.rsplit("\r", 2)
    assert last[-1] == "" and last[-2].strip() == "" and len(last[-2]) > 20


@pytest.mark.parametrize(
    "forced, stream, is_written",
    [("", io.StringIO, False), ("0", Terminal, False), ("1", io.StringIO, True)],
)
def test_it_is_silent_elsewhere_and_can_be_forced(impatient, monkeypatch, forced, stream, is_written):
    monkeypatch.setenv("PYDPSTAT_PROGRESS", forced)
    assert bool(slow(stream(), monkeypatch)) == is_written


def test_what_is_quick_has_no_line(monkeypatch):
    monkeypatch.setenv("PYDPSTAT_PROGRESS", "1")
    assert slow(Terminal(), monkeypatch) == ""


def test_a_closed_stream_is_no_error(impatient, monkeypatch):
    class Closed(Terminal):
        def write(self, text):
            raise ValueError("closed")

    assert slow(Closed(), monkeypatch) == ""


def test_the_line_has_the_share_where_the_number_is_known():
    with progress.Progress(lambda: 8) as made:
        made.add_done(2)
        assert made.describe_state() == "2 records"
        made._total = 8
        assert made.describe_state() == "2 of 8 records (25 %)"


GROUPS = {"by": np.tile([0, 1, 2], 40), "levels": [0, 1, 2], "other": None, "rng": 1}
SHARES = dp.proportion(np.arange(120) > 30, 1.0, **GROUPS)
SPREADS = dp.std(np.arange(120), 1.0, bounds=(0, 120), population=True, **GROUPS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "work, unit",
    [
        (SHARES.pairs, "pairs"),
        (lambda: SPREADS.conf_int(kind="population"), "intervals"),
        (SHARES.pairs().conf_int, "intervals"),
        (lambda: dp.plan("kendalltau", 1.0, effect=0.4, power=0.8), "powers"),
        (lambda: dp.audit(lambda data: time.sleep(1e-4) or data, 0.0, 0.0, samples=600), "draws"),
        (lambda: dp.any_test(list(range(40)), waited, 1.0, blocks=20, rng=1), "blocks"),
        (lambda: dp.any_interval(list(range(40)), waited, 1.0, range=(0, 1), blocks=20, rng=1), "blocks"),
    ],
    ids=["pairs", "population", "intervals of pairs", "plan", "audit", "any_test", "any_interval"],
)
@pytest.mark.parametrize("forced", ["0", "1"])
def test_long_work_of_every_kind_has_the_line(impatient, monkeypatch, work, unit, forced):
    counted = progress.Progress.count_one
    monkeypatch.setenv("PYDPSTAT_PROGRESS", forced)
    # what is quick here is not for more groups
    monkeypatch.setattr(progress.Progress, "count_one", lambda *made: (counted(*made), time.sleep(0.03))[0])
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    get_cached_limits.cache_clear()
    work()
    # of a search nobody knows how long it will be
    end = "," if unit == "powers" else " ("
    assert (f" {unit}{end}" in stream.getvalue()) == (forced == "1")


def test_what_has_not_counted_anything_yet_is_at_work(impatient, monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress.Progress(lambda: 5, "pairs") as made:
        time.sleep(0.1)
        assert made.count_one("made") == "made" and made.done == 1
    assert "pydpstat: at work, 0 s" in progress.sys.stderr.getvalue()


def waited(block):
    time.sleep(0.005)
    return 0.5
