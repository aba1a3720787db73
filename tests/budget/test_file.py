"""Ledgers in files: their limits, what else may lie there, and what they hold."""

import copy
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import pydpstat
from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat.budget import _file as file
from tests.budget.processes import environment


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ledger"


def test_pickles_open_the_same_ledger(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    budget = Budget(1.0, 1e-6, "a.ledger", "zcdp", "unbounded")
    stored = pickle.dumps(budget)
    monkeypatch.chdir("/")
    again = pickle.loads(stored)
    again.spend(Guarantee(0.1, neighbors="unbounded"), "count(x)")
    assert again.path == budget.path == str(path) and budget.spent == again.spent
    assert (again.epsilon, again.delta, again.accountant, again.neighbors) == (1.0, 1e-6, "zcdp", "unbounded")


def test_a_ledger_that_was_cut_off_is_no_new_one(path):
    budget = Budget(1.0, path=path)
    budget.spend(Guarantee(1.0), "mean(x)")
    whole = path.read_bytes()
    for size in (0, 1, 15, 16, 50, 99, 100, 511, 4095, 4096, 8192, 8193):
        path.write_bytes(whole[:size])
        for use in (lambda: Budget(1.0, path=path), lambda: Budget.open(path), lambda: budget.spent):
            with pytest.raises(PydpstatError, match="path must be a ledger"):
                use()
        assert path.read_bytes() == whole[:size]
    path.write_bytes(b"")
    with pytest.raises(PydpstatError, match="is an empty file, perhaps truncated. Restore it"):
        Budget(1.0, path=path)
    path.write_bytes(whole)
    assert Budget(1.0, path=path).spent.epsilon == 1.0


def test_a_pickle_makes_no_new_ledger(path):
    budget = Budget(1.0, path=path)
    budget.spend(Guarantee(1.0), "mean(x)")
    stored = pickle.dumps(budget)
    path.unlink()
    for use in (lambda: pickle.loads(stored), lambda: copy.copy(budget)):
        with pytest.raises(PydpstatError, match="there is no file .* Put it back"):
            use()
    assert not path.exists()
    # another ledger in its place has other limits
    Budget(2.0, path=path)
    with pytest.raises(PydpstatError, match="was created with epsilon 2.0"):
        pickle.loads(stored)


SPENDER = """
import sys
from pydpstat import Budget, Guarantee, PydpstatError

try:
    budget = Budget(1.0, path=sys.argv[1])
    print("open", flush=True)
    for line in sys.stdin:
        budget.spend(Guarantee(0.6), sys.argv[1])
        print("spent", flush=True)
except PydpstatError as error:
    print(type(error).__name__, error, flush=True)
"""


@contextmanager
def spender(path):
    """Another process that opens a ledger, and spends 0.6 whenever it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", SPENDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )

    def spend():
        process.stdin.write("\n")
        process.stdin.flush()
        return process.stdout.readline()

    try:
        yield process.stdout.readline(), spend
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


@pytest.mark.slow
def test_two_processes_do_not_spend_twice_by_two_names(path, tmp_path):
    Budget(1.0, path=path)
    link = tmp_path / "link.ledger"
    link.symlink_to(path)
    with spender(path) as (_, first), spender(link) as (_, second):
        assert first() == "spent\n" and "BudgetExceeded" in second()
    assert [entry.call for entry in Budget.open(link).entries] == [str(path)]


@pytest.mark.slow
def test_two_processes_do_not_spend_twice_by_a_hard_link(path, tmp_path):
    Budget(1.0, path=path)
    twin = tmp_path / "twin.ledger"
    with spender(path) as (_, first):
        assert first() == "spent\n"
        os.link(path, twin)
        with spender(twin) as (opened, _):
            assert "has 2 (hard links). Remove the others" in opened
        assert "has 2 (hard links)" in first()
        # under the other name alone it holds what was spent, while the first process still has it open
        path.unlink()
        with spender(twin) as (opened, second):
            assert opened == "open\n" and "BudgetExceeded" in second()
    assert [entry.call for entry in Budget.open(twin).entries] == [str(path)]


def test_a_ledger_that_is_moved_takes_its_spends_along(path, tmp_path):
    budget = Budget(1.0, path=path)
    budget.spend(Guarantee(0.9), "mean(x)")
    os.rename(path, tmp_path / "b.ledger")
    assert Budget.open(tmp_path / "b.ledger").spent.epsilon == 0.9


def test_opening_a_ledger_gives_up_no_lock(path):
    budget = Budget(1.0, path=path)
    with spender(path) as (_, spend):
        with budget._ledger._open_transaction():
            # a second budget of this process, as one of another thread
            Budget.open(path).path
            assert not may_write(path)
        assert may_write(path)
        assert spend() == "spent\n"


def may_write(path):
    """Tell whether another process can begin to write."""
    code = (
        "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1], timeout=0.1); "
        "connection.isolation_level = None; connection.execute('BEGIN IMMEDIATE')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert not done.returncode or "database is locked" in done.stderr
    return not done.returncode


def test_programs_know_a_ledger_by_its_header(path):
    Budget(0.3, 1e-6, path)
    # SQLite's application id, by which versions to come find it, too
    assert path.read_bytes()[68:72] == b"dpst"


def test_another_format_is_refused(path):
    Budget(1.0, path=path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(PydpstatError, match="has format 99"):
        Budget.open(path)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
def test_an_unwritable_file_is_an_error(path, tmp_path):
    Budget(1.0, path=path)
    path.chmod(0o400)
    with pytest.raises(PydpstatError, match="path must be writable"):
        Budget(1.0, path=path)
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PydpstatError, match="path must be writable, and its folder too"):
            Budget(1.0, path=path)
    finally:
        tmp_path.chmod(0o700)


def test_a_removed_or_replaced_file_is_noticed(path, tmp_path):
    budget = Budget(1.0, path=path)
    budget.spend(Guarantee(0.9), "mean(x)")
    shutil.move(path, tmp_path / "b.ledger")
    for _ in range(2):
        with pytest.raises(PydpstatError, match="was moved, removed or replaced"):
            budget.spend(Guarantee(0.05), "mean(x)")
        # an empty ledger in its place
        Budget(1.0, path=path)


def test_a_locked_file_is_an_error_in_the_end(path, monkeypatch):
    monkeypatch.setattr(file, "MAX_WAIT", 0.05)
    budget = Budget(1.0, path=path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(PydpstatError, match="database is locked. Nothing is released"):
        budget.spend(Guarantee(0.1), "mean(x)")
    other.execute("ROLLBACK")
    other.close()
    budget.spend(Guarantee(0.1), "mean(x)")
    assert budget.spent.epsilon == 0.1


def test_writes_wait_for_the_disk(path):
    budget = Budget(1.0, path=path)
    connection = budget._ledger._get_connection()
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    # 3 is EXTRA: every commit is synchronized, and that its journal is gone too
    assert connection.execute("PRAGMA synchronous").fetchone() == (3,)


def test_the_ledger_holds_no_data_and_no_estimates(path):
    data = [4.2424242e7, 4.1234567e7, 4.7654321e7]
    result = pydpstat.meanDP(data, 1.0, 4e7, 5e7, rng=1)
    budget = Budget(2.0, path=path)
    budget.charge(result)
    budget._ledger.close_connection()
    content = b"".join(each.read_bytes() for each in Path(path).parent.iterdir())
    assert result.call.encode() in content
    for secret in (*data, float(result), sum(data) / 3):
        assert repr(secret)[:9].encode() not in content
        # as SQLite stores numbers
        import struct

        assert struct.pack(">d", secret) not in content
