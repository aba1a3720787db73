"""Ledgers whose writers are killed at random moments, and ledgers across a fork."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pydpstat import Budget

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
KILLS, KILLS_PER_LEDGER, SPENDS = 200, 10, 20


def run(tmp_path, *command):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_killed_writers_lose_no_spend_and_never_exceed_the_limit(tmp_path):
    writers = Path(__file__).with_name("writers.py")
    ledgers = json.loads(run(tmp_path, writers, tmp_path, 20_240_501, KILLS, KILLS_PER_LEDGER))
    assert sum(each["killed"] for each in ledgers) == KILLS
    unused = 0
    for each in ledgers:
        assert each["codes"] == [0, 0, 0] and each["before"] <= SPENDS
        budget = Budget.open(each["ledger"])
        spends = Counter(entry.process for entry in budget.entries)
        releases = Counter(map(int, Path(each["log"]).read_text().split()))
        # every release was spent before, by the same process
        assert all(spends[process] >= count for process, count in releases.items())
        # and the three last writers used up the rest, to the last spend
        assert sum(spends.values()) == SPENDS
        assert budget.spent.epsilon == 1.0 and budget.remaining.epsilon == 0.0
        connection = sqlite3.connect(each["ledger"])
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
        unused += SPENDS - sum(releases.values())
    # the kills did fall between spend and release, or the test would show nothing
    assert unused > 0
