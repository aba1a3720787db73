"""Ledgers whose writers, and whose connections, are killed at random moments."""

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from pydpstat import Budget
from tests.budget.processes import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
SPENDS = {"path": 20, "url": 200}


@pytest.mark.parametrize(
    "where, kills, each",
    [
        pytest.param("file", 200, 10, marks=pytest.mark.slow),
        ("PostgreSQL", 16, 8),
        pytest.param("PostgreSQL", 100, 10, marks=pytest.mark.slow),
    ],
)
def test_killed_writers_and_connections_lose_no_spend(request, tmp_path, where, kills, each):
    place = where if where == "file" else request.getfixturevalue("url")
    script = Path(__file__).with_name("writers.py")
    ledgers = json.loads(run(script, place, tmp_path, 20_240_501, kills, each))
    killed, ended = (sum(ledger[name] for ledger in ledgers) for name in ("killed", "ended"))
    assert killed + ended == kills and killed and bool(ended) == (where == "PostgreSQL")
    unused = 0
    for ledger in ledgers:
        ((kind, at),) = ledger["place"].items()
        assert ledger["codes"] == [0, 0, 0] and ledger["before"] <= SPENDS[kind]
        budget = Budget.open(**ledger["place"])
        spends = Counter(entry.process for entry in budget.entries)
        releases = Counter(map(int, Path(ledger["log"]).read_text().split()))
        # every release was spent before, by the same process
        assert all(spends[process] >= count for process, count in releases.items())
        # and the three last writers used up the rest, to the last spend
        assert sum(spends.values()) == SPENDS[kind]
        assert budget.spent.epsilon == 1.0 and budget.remaining.epsilon == 0.0
        unused += SPENDS[kind] - sum(releases.values())
        if kind == "path":
            with closing(sqlite3.connect(at)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    # the kills did fall between spend and release, or the test would show nothing
    assert unused > 0 or kills < 100
