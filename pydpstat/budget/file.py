"""A ledger in an SQLite file, which several processes share.

Every spend is one transaction, on disk before it returns: it takes the write lock, reads the total,
compares, adds and commits, so that writers wait for each other and cannot exceed the limit together.
A process that is killed leaves either the whole spend or nothing of it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydpstat.budget.accountants import NOTHING, Cost, added, exceeds, missing
from pydpstat.budget.entry import Entry
from pydpstat.checks import shown_option
from pydpstat.errors import PydpstatError

# marks the file as a ledger ("dpst"), and its format
APPLICATION, FORMAT = 0x64707374, 1
# how long a writer waits for others, in seconds
PATIENCE = 60.0
SETTINGS = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
_TABLES = (
    "CREATE TABLE budget (id INTEGER PRIMARY KEY CHECK (id = 1), epsilon TEXT NOT NULL, delta TEXT NOT NULL, "
    "accountant TEXT NOT NULL, neighbors TEXT NOT NULL, spent TEXT NOT NULL, spent_delta TEXT NOT NULL)",
    "CREATE TABLE spends (id INTEGER PRIMARY KEY, call TEXT NOT NULL, epsilon REAL NOT NULL, "
    "delta REAL NOT NULL, rho REAL, loss TEXT NOT NULL, conditions TEXT NOT NULL, time TEXT NOT NULL, "
    "process INTEGER NOT NULL)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
_COLUMNS = ", ".join(field.name for field in fields(Entry))
_ADD = f"INSERT INTO spends ({_COLUMNS}) VALUES ({', '.join('?' * len(fields(Entry)))})"

# the limits as texts, in which floats compare exactly: epsilon, delta, accountant, neighbors
Limits = tuple[str, str, str, str]


class FileLedger:
    """Keeps the spends in a file.

    Parameters
    ----------
    path : str
        The file; it is made where there is none and `limits` are given.
    limits : tuple of str, optional
        Epsilon, delta, accountant and neighbors as texts; those of the file by default.

    Raises
    ------
    PydpstatError
        Where the path cannot be a ledger, or the file's limits are others.
    """

    def __init__(self, path: str, limits: Limits | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        _check_place(path, new=limits is not None)
        with self._lock, self._errors():
            self.limits = self._prepare(self._open(), limits)
            self._file = _identity(path)
        _LEDGERS.add(self)

    def spend(self, limit: Cost, cost: Cost, entry: Entry) -> Cost | None:
        """Add a spend; where it is too much, leave everything as it is and return what remains."""
        with self._transaction() as connection:
            before = _total(connection)
            total = added(before, cost)
            if exceeds(total, limit):
                return missing(limit, before)
            connection.execute(_ADD, entry.row())
            connection.execute("UPDATE budget SET spent = ?, spent_delta = ?", _texts(total))
        return None

    def total(self) -> Cost:
        """Sum of all spends."""
        with self._lock, self._errors():
            return _total(self._current())

    def entries(self) -> tuple[Entry, ...]:
        """Every spend, the oldest first."""
        with self._lock, self._errors():
            rows = self._current().execute(f"SELECT {_COLUMNS} FROM spends ORDER BY id").fetchall()
        return tuple(Entry(*row) for row in rows)

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors():
            connection = self._current()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # a commit that failed may have ended the transaction
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            # what SQLite says names the file's state, never a call
            raise PydpstatError(
                f"path must be a ledger that can be read and written; {self.path!r}: {error}. Nothing is "
                "released. Check the file, its folder's permissions, and the disk's space."
            ) from None

    def _current(self) -> sqlite3.Connection:
        if self._file != _identity(self.path):
            raise PydpstatError(
                f"path must stay the same file while the budget is used; {self.path!r} was moved, removed "
                "or replaced. Put it back, or open the budget anew."
            )
        return self._connection or self._open()

    def _open(self) -> sqlite3.Connection:
        # without isolation level Python opens no transactions of its own; the lock guards the threads
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        for setting in SETTINGS:
            connection.execute(setting)
        self._connection = connection
        return connection

    def _prepare(self, connection: sqlite3.Connection, limits: Limits | None) -> Limits:
        if not _is_ledger(connection, self.path):
            if limits is None:
                raise _no_ledger(self.path)
            _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
            connection.execute("BEGIN IMMEDIATE")
            try:
                # another process may have made it meanwhile
                if not _is_ledger(connection, self.path):
                    for statement in _TABLES:
                        connection.execute(statement)
                    row = (*limits, *_texts(NOTHING))
                    connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, ?, ?, ?)", row)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            _sync_folder(self.path)
        found: Limits = connection.execute(
            "SELECT epsilon, delta, accountant, neighbors FROM budget"
        ).fetchone()
        if limits is not None and found != limits:
            raise PydpstatError(
                f"the ledger {self.path!r} was made with {_described(found)}; got {_described(limits)}. "
                "Open it with its own limits, or Budget.open(path), or give a new path."
            )
        return found


def _is_ledger(connection: sqlite3.Connection, path: str) -> bool:
    """Tell a ledger from a new file; raise an error at anything else."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == APPLICATION:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            raise PydpstatError(
                f"path must be a ledger of format {FORMAT}; {path!r} has format {version}. "
                "Use the version of pydpstat that wrote it."
            )
        return True
    if application or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise _no_ledger(path)
    return False


def _no_ledger(path: str) -> PydpstatError:
    return PydpstatError(f"path must be a ledger; {path!r} is another file. Give a path where none is yet.")


def _check_place(path: str, new: bool) -> None:
    """Check a path before SQLite sees it: its messages would not name the cause."""
    place = Path(path)
    try:
        place.exists()
    except OSError as error:
        raise PydpstatError(
            f"path must be a file's name; {shown_option(path)} is none: {error.strerror}. Give another."
        ) from None
    if place.is_dir():
        raise PydpstatError(f"path must be a file; {path!r} is a folder. Add a file's name to it.")
    if not place.parent.is_dir():
        raise PydpstatError(f"path must be in a folder that exists; got {path!r}. Make the folder first.")
    if not new and not place.exists():
        raise PydpstatError(f"path must be a ledger; there is no file {path!r}. Make it with Budget(...).")
    if place.exists():
        with suppress(OSError):
            with open(place, "rb") as file:
                start = file.read(16)
            if start and start != b"SQLite format 3\0":
                raise _no_ledger(path)
    for each in (place, place.parent):
        if each.exists() and not os.access(each, os.W_OK):
            raise PydpstatError(f"path must be writable, and its folder too; {str(each)!r} is not.")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _patiently(step: Callable[[], Any]) -> None:
    """Repeat what SQLite refuses at once while another process is busy."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            step()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _sync_folder(path: str) -> None:
    """Write the new file's name to disk, where the system can."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _total(connection: sqlite3.Connection) -> Cost:
    first, second = connection.execute("SELECT spent, spent_delta FROM budget").fetchone()
    return _fraction(first), _fraction(second)


def _fraction(text: str) -> Fraction:
    # one of "0" and "1/2"; twice as fast as the constructor's own reading
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator or 1))


def _texts(cost: Cost) -> tuple[str, str]:
    return str(cost[0]), str(cost[1])


def _described(limits: Limits) -> str:
    epsilon, delta, accountant, neighbors = limits
    return f"epsilon {epsilon}, delta {delta}, accountant {accountant!r}, neighbors {neighbors!r}"


# no SQLite connection may cross a fork: each is closed before, and both sides open their own
_LEDGERS: weakref.WeakSet[FileLedger] = weakref.WeakSet()
# by thread: two threads may fork at once
_held = threading.local()


def _before_fork() -> None:
    _held.ledgers = list(_LEDGERS)
    for ledger in _held.ledgers:
        ledger._lock.acquire()
        ledger._drop()


def _after_fork() -> None:
    for ledger in _held.__dict__.pop("ledgers", []):
        ledger._lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
