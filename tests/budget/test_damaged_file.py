"""Files that are no ledger, or no longer: each is an error, or tells what it told before it was damaged."""

import os
import random
import shutil
import sqlite3
import tempfile
import types
from contextlib import closing
from pathlib import Path

import pytest

import pydpstat as dp
from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat.__main__ import main
from pydpstat.budget import _file as file
from tests.budget.damage import DAMAGES, JUNK, TOO_MUCH, check, filled, told
from tests.budget.processes import run


@pytest.fixture(scope="module", params=["basic", "zcdp"])
def ledger(request, tmp_path_factory):
    """The bytes of a ledger, and what it tells."""
    path = tmp_path_factory.mktemp("whole") / "a.ledger"
    if request.param == "basic":
        filled(Budget(1.0, 1e-6, path))
    else:
        budget = Budget(1.0, 1e-6, path, "zcdp", "unbounded", unit="person")
        for _ in range(3):
            budget.spend(Guarantee(0.12, neighbors="unbounded", unit="person"), "mean(x)")
    return path.read_bytes(), told(lambda: Budget.open(path))


@pytest.fixture(autouse=True)
def no_disk_and_no_patience(monkeypatch):
    """A damage that locks a ledger, or waits, would show; and what is written here need not last."""
    monkeypatch.setattr(file, "MAX_WAIT", 0.05)
    monkeypatch.setattr(file, "CONNECTION_SETTINGS", ("PRAGMA synchronous = OFF",))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ledger"


def flipped(content, rng):
    """A bit, a byte or a run of bytes, where the file is not empty."""
    place = rng.choice([place for place, byte in enumerate(content) if byte])
    match rng.randrange(4):
        case 0:
            content[place] ^= 1 << rng.randrange(8)
        case 1:
            content[place] = rng.randrange(256)
        case 2:
            run = rng.randrange(1, 600)
            content[place : place + run] = bytes([rng.choice((0, 255))] * len(content[place : place + run]))
        case 3:
            content[place : place + 16] = rng.randbytes(len(content[place : place + 16]))


def flipped_where_texts_are(content, rng):
    """Digits and letters become others: the numbers of limits, totals and entries."""
    places = [place for place, byte in enumerate(content) if 46 <= byte < 58]
    content[rng.choice(places)] = rng.choice(b"0123456789./e-")


def cut(content, rng):
    """Cut off, or longer."""
    size = rng.randrange(len(content) + 1)
    if rng.random() < 0.8:
        del content[size:]
    else:
        content.extend(rng.randbytes(rng.randrange(1, 5000)))


def swapped(content, rng):
    """Pages in another order, or the same twice."""
    pages = len(content) // 4096
    first, second = (4096 * rng.randrange(pages) for _ in range(2))
    content[first : first + 4096], content[second : second + 4096] = (
        content[second : second + 4096],
        content[first if rng.random() < 0.5 else second :][:4096],
    )


@pytest.mark.slow
@pytest.mark.parametrize("damage", [flipped, flipped_where_texts_are, cut, swapped])
def test_bytes_that_are_others(ledger, path, damage):
    whole, before = ledger
    rng, errors = random.Random(f"{damage.__name__} {before['accountant']}"), 0
    for _ in range(DAMAGES):
        path.write_bytes(whole)
        budget = Budget.open(path)
        content = bytearray(whole)
        damage(content, rng)
        # in place: it is the same file for who has it open
        path.write_bytes(content)
        errors += check(lambda: Budget.open(path), before, str(path), budget)
        budget._ledger.close_connection()
        for beside in path.parent.glob("a.ledger-*"):
            beside.unlink()
    assert errors > DAMAGES / 10


def columns(connection, table):
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def changed_value(connection, rng):
    table = rng.choice(["budget", "spends"])
    column = rng.choice(columns(connection, table))
    value = rng.choice([*JUNK, rng.random(), str(rng.random())])
    connection.execute("PRAGMA ignore_check_constraints = ON")
    row = connection.execute(f"SELECT id FROM {table} ORDER BY random() LIMIT 1").fetchone()
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (value, row[0]))


def removed_rows(connection, rng):
    table = rng.choice(["budget", "spends", "spends"])
    connection.execute(f"DELETE FROM {table}" + rng.choice(["", " WHERE id = 1", " WHERE id > 2"]))


def added_rows(connection, rng):
    table = rng.choice(["budget", "spends"])
    names = columns(connection, table)[1:]
    connection.execute("PRAGMA ignore_check_constraints = ON")
    place = rng.choice([2, 7, -1, 0])
    connection.execute(f"INSERT OR REPLACE INTO {table} SELECT {place}, {', '.join(names)} FROM {table} WHERE id = 1")


def changed_tables(connection, rng):
    table = rng.choice(["budget", "spends"])
    column = rng.choice(columns(connection, table)[1:])
    connection.execute(
        rng.choice(
            [
                f"ALTER TABLE {table} DROP COLUMN {column}",
                f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
                f"ALTER TABLE {table} ADD COLUMN more TEXT",
                f"ALTER TABLE {table} RENAME TO other",
                f"DROP TABLE {table}",
                f"CREATE TABLE other AS SELECT * FROM {table}",
                "CREATE TRIGGER kept BEFORE INSERT ON spends BEGIN SELECT RAISE(IGNORE); END",
                "CREATE TRIGGER kept AFTER UPDATE ON budget BEGIN UPDATE budget SET spent = '0'; END",
                f"CREATE INDEX kept ON {table} ({column})",
                f"CREATE VIEW kept AS SELECT * FROM {table}",
            ]
        )
    )


def other_types(connection, rng):
    """A table with the same columns that takes and has other types, even none."""
    table, kind = rng.choice(["budget", "spends"]), rng.choice(["TEXT", "REAL", "BLOB", ""])
    names = columns(connection, table)
    connection.execute(f"ALTER TABLE {table} RENAME TO other")
    connection.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name in names)})")
    connection.execute(f"INSERT INTO {table} SELECT * FROM other")
    connection.execute("DROP TABLE other")


def other_header(connection, rng):
    connection.execute(
        rng.choice(
            [
                "PRAGMA user_version = 0",
                "PRAGMA user_version = 3",
                "PRAGMA user_version = 99",
                "PRAGMA user_version = -1",
                "PRAGMA application_id = 0",
                "PRAGMA journal_mode = WAL",
            ]
        )
    )


ALTERATIONS = [changed_value, removed_rows, added_rows, changed_tables, other_types, other_header]


def altered(path, alteration, rng):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    try:
        alteration(connection, rng)
    except sqlite3.Error:
        # what SQLite refuses is no damage
        return False
    finally:
        connection.close()
    return True


@pytest.mark.slow
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_tables_that_are_others(ledger, path, alteration):
    whole, before = ledger
    rng, errors, count = random.Random(f"{alteration.__name__} {before['accountant']}"), 0, 0
    for _ in range(DAMAGES):
        path.write_bytes(whole)
        budget = Budget.open(path)
        budget._ledger.close_connection()
        if altered(path, alteration, rng):
            count += 1
            errors += check(lambda: Budget.open(path), before, str(path), budget)
        budget._ledger.close_connection()
        for beside in path.parent.glob("a.ledger-*"):
            beside.unlink()
    assert errors > count * 0.8 and count > DAMAGES / 3


def database():
    """The bytes of a database with other tables."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE notes (text)")
    return connection.serialize()


OTHER_FILES = {
    "text": b"income,age\n1,2\n",
    "another database": database(),
    "zeros": bytes(8192),
    "random": random.Random(1).randbytes(8192),
    "a header alone": b"SQLite format 3\0",
    "a header and nonsense": b"SQLite format 3\0" + random.Random(2).randbytes(8176),
    "gzip": b"\x1f\x8b\x08\0" + bytes(100),
    "one byte": b"\0",
}


@pytest.mark.parametrize("content", OTHER_FILES.values(), ids=OTHER_FILES)
def test_files_that_never_were_ledgers(path, content):
    path.write_bytes(content)
    for use in (lambda: Budget(1.0, path=path), lambda: Budget.open(path)):
        with pytest.raises(PydpstatError, match="path must be a ledger; .* is not one"):
            use()
    assert path.read_bytes() == content and os.listdir(path.parent) == [path.name]


def test_an_empty_table_is_named(path):
    """The state in which a file was once found: it has its tables, and no limits."""
    budget = filled(Budget(1.0, 1e-6, path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM budget")
    for use in (
        lambda: Budget.open(path),
        lambda: Budget(1.0, 1e-6, path),
        lambda: budget.spent,
        lambda: budget.entries,
        lambda: budget.spend(Guarantee(0.1), "mean(x)"),
        budget.summary,
    ):
        with pytest.raises(PydpstatError, match="is damaged: it has 0 rows .* is released. Restore it"):
            use()
    with pytest.raises(PydpstatError, match="is damaged"), budget:
        dp.count([True], 0.1, rng=1)


def test_the_command_says_what_is_wrong(path, capsys):
    filled(Budget(1.0, 1e-6, path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE budget SET epsilon = '9.0'")
    assert main(["budget", str(path)]) == 1
    error = capsys.readouterr().err
    assert str(path) in error and "its limits or its total were altered" in error


def test_an_older_copy_is_noticed_while_it_is_used(path):
    """Later nobody can tell: it is what the ledger was."""
    budget = Budget(1.0, path=path)
    budget.spend(Guarantee(0.25), "mean(x)")
    older = path.read_bytes()
    budget.spend(Guarantee(0.5), "mean(y)")
    budget._ledger.close_connection()
    path.write_bytes(older)
    for use in (lambda: budget.spent, lambda: budget.entries, lambda: budget.spend(TOO_MUCH, "mean(z)")):
        with pytest.raises(PydpstatError, match="less is spent than before, as in an older copy"):
            use()
    assert Budget.open(path).spent.epsilon == 0.25


@pytest.mark.parametrize(
    "place, said",
    [
        (".", "path must be a file; .* is a folder"),
        ("loop", "path must be"),
        ("none/a.ledger", "path must be in an existing folder"),
        ("a" * 300, "path must be a file name"),
        ("/dev/null", "is an empty file"),
        pytest.param("pipe", "path must be", marks=pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="-")),
    ],
)
def test_odd_places(tmp_path, place, said):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    if place == "pipe":
        os.mkfifo(tmp_path / "pipe")
    for use in (lambda: Budget.open(tmp_path / place), lambda: Budget(1.0, path=tmp_path / place)):
        with pytest.raises(PydpstatError, match=said):
            use()


READER = """
import os, sys
from pydpstat import Budget, PydpstatError
from pydpstat.budget import _file

os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    Budget.open(sys.argv[1])
except PydpstatError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_user_without_permission(mode):
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        path = folder / "a.ledger"
        Budget(1.0, path=path)
        path.chmod(mode)
        told = run("-B", "-c", READER, path)
        assert str(folder) in told and "must be writable" in told
    finally:
        shutil.rmtree(folder)


def test_errors_of_the_database_and_of_the_system_are_told_apart():
    ledger = types.SimpleNamespace(path="b.sqlite", _make_damage_error=lambda text: PydpstatError(f"damaged: {text}"))
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    outside = "^path must be a ledger that can be read and written; "
    for error, said in (
        (sqlite3.DatabaseError("malformed"), "^damaged: malformed$"),
        (full, outside),
        (OSError("gone"), outside),
    ):
        with pytest.raises(PydpstatError, match=said), file.FileLedger._translate_errors(ledger):
            raise error
