"""A ledger in an SQLite file, which several processes share.

Every spend is one transaction, on disk before it returns: it takes the write lock, reads the total,
compares, adds and commits, so that writers wait for each other and cannot exceed the limit together.
A process that is killed leaves either the whole spend or nothing of it.

What was spent is in the file itself, not in a log beside it whose name follows the file's: a file that
was moved or has another name too holds every spend, and locks belong to the file and not to its name.
A new ledger is written under another name and then moved, so that no ledger is ever empty.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

from pydpstat._checks import shown_option
from pydpstat.budget._accountants import NOTHING, Cost
from pydpstat.budget._entry import COLUMNS, Entry
from pydpstat.budget._ledger import PATIENCE, Change, Limits, SharedLedger, closed_at_forks, cost_of, texts_of
from pydpstat.errors import PydpstatError

# marks the file as a ledger ("dpst"), and its format
APPLICATION, FORMAT = 0x64707374, 4
# EXTRA: that the journal is gone is on disk too before a commit returns
SETTINGS = ("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON")
_TABLES = (
    "BEGIN",
    "CREATE TABLE budget (id INTEGER PRIMARY KEY CHECK (id = 1), epsilon TEXT NOT NULL, delta TEXT NOT NULL, "
    "accountant TEXT NOT NULL, neighbors TEXT NOT NULL, unit TEXT, spent TEXT NOT NULL, "
    "spent_delta TEXT NOT NULL)",
    "CREATE TABLE spends (id INTEGER PRIMARY KEY, call TEXT NOT NULL, label TEXT NOT NULL, "
    "epsilon REAL NOT NULL, delta REAL NOT NULL, neighbors TEXT NOT NULL, unit TEXT, rho REAL, "
    "loss TEXT NOT NULL, conditions TEXT NOT NULL, time TEXT NOT NULL, process INTEGER NOT NULL, "
    "host TEXT NOT NULL)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
_COLUMNS = ", ".join(COLUMNS)
_ADD = f"INSERT INTO spends ({_COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS))})"


class FileLedger(SharedLedger):
    """Keeps the spends in a file; an error where it cannot be a ledger, or is one with other limits.

    Without `limits` it has those of the file. A `new` one is made where there is no file, with limits.
    """

    def __init__(self, path: str, limits: Limits | None, new: bool = False) -> None:
        super().__init__(path)
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        _check_place(path, new)
        with self._lock, self._errors():
            if new and limits is not None:
                _make(path, limits)
            self._file = _identity(path)
            self.limits = self._checked(self._current(), limits)
        closed_at_forks(self)

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
        """Close the connection, which nobody may be using; the next use opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Change]:
        with self._lock, self._errors():
            connection = self._current()
            connection.execute("BEGIN IMMEDIATE")

            def add(entry: Entry, total: Cost) -> None:
                connection.execute(_ADD, astuple(entry))
                connection.execute("UPDATE budget SET spent = ?, spent_delta = ?", texts_of(total))

            try:
                yield _total(connection), add
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
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                raise _no_ledger(self.path) from None
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
        # a writer that is killed leaves a journal by one of several names only
        names = os.stat(self.path).st_nlink
        if names > 1:
            raise PydpstatError(
                f"path must be the ledger's only name; {self.path!r} has {names} (hard links). Remove the "
                "others. For a backup make a copy."
            )
        if self._connection is None:
            self._connection = _connected(self.path, "rw")
        return self._connection

    def _checked(self, connection: sqlite3.Connection, limits: Limits | None) -> Limits:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != APPLICATION:
            raise _no_ledger(self.path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            raise PydpstatError(
                f"path must be a ledger of format {FORMAT}; {self.path!r} has format {version}. "
                "Use the version of pydpstat that wrote it."
            )
        state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        found: Limits = connection.execute(
            "SELECT epsilon, delta, accountant, neighbors, unit FROM budget"
        ).fetchone()
        return self._same_limits(found, limits, "path")


def _connected(path: str, mode: str) -> sqlite3.Connection:
    # without isolation level Python opens no transactions of its own; the ledger's lock guards the threads
    connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode={mode}",
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    for setting in SETTINGS:
        connection.execute(setting)
    return connection


def _make(path: str, limits: Limits) -> None:
    """Make a ledger where none is, whole before it has its name."""
    folder, name = os.path.split(path)
    with _locked(folder):
        if os.path.lexists(path):
            return
        part = os.path.join(folder, f".{name}.{os.getpid()}")
        # one of a process that was killed, whose number came again
        _remove(part)
        try:
            with closing(_connected(part, "rwc")) as connection:
                for statement in _TABLES:
                    connection.execute(statement)
                row = (*limits, *texts_of(NOTHING))
                connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, ?, ?, ?, ?)", row)
                connection.execute("COMMIT")
            # where no folder can be locked, as on Windows, this replaces no file
            with suppress(FileExistsError):
                os.rename(part, path)
        finally:
            _remove(part)
    _sync_folder(path)


def _remove(part: str) -> None:
    for name in (part, f"{part}-journal"):
        with suppress(FileNotFoundError):
            os.remove(name)


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Keep other processes and threads from making a ledger in this folder."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        _patiently(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
        try:
            yield
        finally:
            # a child that was forked meanwhile may hold the file open
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _no_ledger(path: str) -> PydpstatError:
    return PydpstatError(f"path must be a ledger; {path!r} is another file. Give a path where none is yet.")


def _check_place(path: str, new: bool) -> None:
    """Check a path before SQLite sees it: its messages would not name the cause."""
    place = Path(path)
    try:
        place.exists()
    except OSError as error:
        raise PydpstatError(
            f"path must be a file's name; got {shown_option(path)} ({error.strerror}). Give another."
        ) from None
    if place.is_dir():
        raise PydpstatError(f"path must be a file; {path!r} is a folder. Add a file's name to it.")
    if not place.parent.is_dir():
        raise PydpstatError(f"path must be in a folder that exists; got {path!r}. Make the folder first.")
    if not new and not place.exists():
        raise PydpstatError(
            f"path must be a ledger; there is no file {path!r}. Put it back; or, where nothing was spent "
            "yet, make it with Budget(...)."
        )
    # nothing is read here: closing a file gives up the locks that SQLite has on it in this process
    if place.exists() and not place.stat().st_size:
        raise PydpstatError(
            f"path must be a ledger; {path!r} is an empty file, as one that was cut off. Restore it from a "
            "copy; or, where nothing was spent yet, remove it."
        )
    for each in (place, place.parent):
        if each.exists() and not os.access(each, os.W_OK):
            raise PydpstatError(f"path must be writable, and its folder too; {str(each)!r} is not.")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _patiently(step: Callable[[], object]) -> None:
    """Repeat what is refused while another process is busy."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            step()
            return
        except BlockingIOError:
            if time.monotonic() > end:
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
    return cost_of(connection.execute("SELECT spent, spent_delta FROM budget").fetchone())
