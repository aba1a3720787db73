"""A ledger in an SQLite file, which several processes share.

Every charge is one transaction, on disk before it returns: it takes the write lock, reads the total, compares, adds and
commits, so that writers wait for each other and cannot exceed the limit together. A process that is killed leaves
either the whole entry or nothing of it.

The entries are in the file itself, not in a separate log whose name is derived from the file's: a file that was moved
or has another name too contains every entry, and locks belong to the file and not to its name. A new ledger is written
under a temporary name and then moved, so that no ledger is ever empty. A file that is damaged, or has other tables,
raises an error.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

from pydpstat._checks import describe_option
from pydpstat.budget._entry import ENTRY_COLUMNS, Entry
from pydpstat.budget._ledger import (
    INITIAL_CHAIN,
    MAX_WAIT,
    Change,
    Limits,
    SharedLedger,
    close_at_forks,
    compute_checksum,
)
from pydpstat.budget._state import LedgerState, format_state
from pydpstat.errors import PydpstatError

# application id ("dpst") and format version of the file
APPLICATION_ID, FORMAT = 0x64707374, 7
# EXTRA: the removal of the journal is also on disk before a commit returns
CONNECTION_SETTINGS = ("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON")
_TABLES = {
    "budget": "CREATE TABLE budget (id INTEGER PRIMARY KEY CHECK (id = 1), epsilon TEXT NOT NULL, "
    "delta TEXT NOT NULL, accountant TEXT NOT NULL, neighbors TEXT NOT NULL, unit TEXT, "
    "spent TEXT NOT NULL, spent_delta TEXT NOT NULL, reservations TEXT NOT NULL, "
    "chain TEXT NOT NULL, seal TEXT NOT NULL)",
    "spends": "CREATE TABLE spends (id INTEGER PRIMARY KEY, call TEXT NOT NULL, label TEXT NOT NULL, "
    "epsilon REAL NOT NULL, delta REAL NOT NULL, neighbors TEXT NOT NULL, unit TEXT, rho REAL, "
    "loss TEXT NOT NULL, conditions TEXT NOT NULL, time TEXT NOT NULL, process INTEGER NOT NULL, "
    "host TEXT NOT NULL, mechanism TEXT NOT NULL)",
}
_SCHEMA_QUERY = "SELECT name, sql FROM sqlite_master ORDER BY name"
_STATE_QUERY = (
    "SELECT epsilon, delta, accountant, neighbors, unit, spent, spent_delta, reservations, chain, seal FROM budget"
)
_ENTRIES_QUERY = f"SELECT {', '.join(ENTRY_COLUMNS)} FROM spends ORDER BY id"
_INSERT_ENTRY = f"INSERT INTO spends ({', '.join(ENTRY_COLUMNS)}) VALUES ({', '.join('?' * len(ENTRY_COLUMNS))})"
_UPDATE_STATE = "UPDATE budget SET spent = ?, spent_delta = ?, reservations = ?, chain = ?, seal = ?"
# errors of the disk, the permissions or another process, not of the file's contents
_EXTERNAL_ERRORS = frozenset(
    (
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_AUTH,
    )
)


class FileLedger(SharedLedger):
    """A ledger in a file; an error is raised if the file is not a ledger or has other limits.

    Without `limits`, those of the file are used. With `new` and limits, a missing file is created.
    """

    def __init__(self, path: str, limits: Limits | None, new: bool = False) -> None:
        super().__init__(path)
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        _check_place(path, new)
        with self._lock, self._translate_errors():
            if new and limits is not None:
                _make_ledger_file(path, limits)
            self._file = _get_file_id(path)
            try:
                self.limits = self._check_file(self._get_connection(), limits)
            except BaseException:
                self.close_connection()
                raise
        close_at_forks(self)

    def read_state(self) -> LedgerState:
        """Return the total of all entries, and the open reservations."""
        with self._lock, self._translate_errors():
            return self._check_state(self._read_state_row(self._get_connection())[5:8])

    def read_entries(self) -> tuple[Entry, ...]:
        """Return all entries in the order of charging."""
        with self._lock, self._translate_errors():
            return self._read_ledger(self._get_connection())[1]

    def close_connection(self) -> None:
        """Close the connection, which must not be in use; the next use opens a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _open_transaction(self) -> Iterator[Change]:
        with self._lock, self._translate_errors():
            connection = self._get_connection()
            connection.execute("BEGIN IMMEDIATE")

            def write(state: LedgerState, entry: Entry | None) -> None:
                chain = str(row[8])
                if entry is not None:
                    values = astuple(entry)
                    connection.execute(_INSERT_ENTRY, values)
                    chain = compute_checksum(chain, values)
                new = (*format_state(state), chain)
                if connection.execute(_UPDATE_STATE, (*new, compute_checksum("", (*row[:5], *new)))).rowcount != 1:
                    raise self._make_damage_error("its total cannot be written")

            try:
                row = self._read_state_row(connection)
                yield self._check_state(row[5:8]), write
                connection.execute("COMMIT")
            except BaseException:
                # a failed commit may have ended the transaction
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError) as error:
            # the primary code is the last byte of an extended one; Python's own errors have no code
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            if code == sqlite3.SQLITE_NOTADB:
                raise _make_format_error(self.path) from None
            if not isinstance(error, OSError) and code not in _EXTERNAL_ERRORS:
                raise self._make_damage_error(str(error)[:200]) from None
            # SQLite's message describes the file's state and contains no call
            raise PydpstatError(
                f"path must be a ledger that can be read and written; {self.path!r}: {error}. Nothing "
                "is released. Check the file, the permissions of its folder, and the free disk space."
            ) from None

    def _get_connection(self) -> sqlite3.Connection:
        if self._file != _get_file_id(self.path):
            raise PydpstatError(
                f"path must stay the same file while the budget is used; {self.path!r} was moved, removed "
                "or replaced. Put it back, or open the budget again."
            )
        # a killed writer leaves a journal named after only one of several hard links
        names = os.stat(self.path).st_nlink
        if names > 1:
            raise PydpstatError(
                f"path must be the ledger's only name; {self.path!r} has {names} (hard links). Remove "
                "the others. For a backup, make a copy."
            )
        if self._connection is None:
            self._connection = _open_connection(self.path, "rw")
        return self._connection

    def _check_file(self, connection: sqlite3.Connection, limits: Limits | None) -> Limits:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != APPLICATION_ID:
            raise _make_format_error(self.path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            raise PydpstatError(
                f"path must be a ledger of format {FORMAT}; {self.path!r} has format {version}. "
                "Use the version of pydpstat that wrote it."
            )
        # other modes have a log in a separate file, which is left behind when the ledger is moved
        for question, answer in (("PRAGMA journal_mode", "delete"), ("PRAGMA quick_check(1)", "ok")):
            state = connection.execute(question).fetchone()[0]
            if state != answer:
                raise self._make_damage_error(f"{question.removeprefix('PRAGMA ')} is {state!r}, and not {answer!r}")
        if connection.execute(_SCHEMA_QUERY).fetchall() != list(_TABLES.items()):
            raise self._make_damage_error("its tables are not those that were created")
        return self._check_limits(self._read_ledger(connection)[0], limits, "path")

    def _read_state_row(self, connection: sqlite3.Connection) -> Sequence[object]:
        return self._verify_seal(connection.execute(_STATE_QUERY).fetchall())

    def _read_ledger(self, connection: sqlite3.Connection) -> tuple[Limits, tuple[Entry, ...]]:
        """Read the limits and the entries in one transaction."""
        connection.execute("BEGIN")
        try:
            row = self._read_state_row(connection)
            self._check_state(row[5:8])
            return tuple(row[:5]), self._verify_chain(connection.execute(_ENTRIES_QUERY), row[8])  # type: ignore[return-value]
        finally:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")

    def _make_damage_error(self, what: str) -> PydpstatError:
        return PydpstatError(
            f"path must be a ledger that can be read and written; {self.path!r} is damaged: {what}. "
            "Nothing is released. Restore it from a copy or, if nothing was spent yet, remove it and "
            "create it with Budget(...)."
        )


def _open_connection(path: str, mode: str) -> sqlite3.Connection:
    # with isolation level None Python opens no transactions; the ledger's lock serializes threads
    connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode={mode}",
        timeout=MAX_WAIT,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    for setting in CONNECTION_SETTINGS:
        connection.execute(setting)
    return connection


def _make_ledger_file(path: str, limits: Limits) -> None:
    """Create a ledger if the file is missing, complete before it gets its name."""
    folder, name = os.path.split(path)
    with _use_folder_lock(folder):
        if os.path.lexists(path):
            return
        temporary = os.path.join(folder, f".{name}.{os.getpid()}")
        # left by a killed process with the same process id
        _remove_files(temporary)
        try:
            with closing(_open_connection(temporary, "rwc")) as connection:
                marks = f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {FORMAT}"
                for statement in ("BEGIN", *_TABLES.values(), *marks):
                    connection.execute(statement)
                row = (*limits, *format_state(LedgerState()), INITIAL_CHAIN)
                values = ", ".join("?" * (len(row) + 1))
                connection.execute(f"INSERT INTO budget VALUES (1, {values})", (*row, compute_checksum("", row)))
                connection.execute("COMMIT")
            # on systems without folder locks, such as Windows, this replaces no file
            with suppress(FileExistsError):
                os.rename(temporary, path)
        finally:
            _remove_files(temporary)
    _write_folder_entry(path)


def _remove_files(part: str) -> None:
    for name in (part, f"{part}-journal"):
        with suppress(FileNotFoundError):
            os.remove(name)


@contextmanager
def _use_folder_lock(folder: str) -> Iterator[None]:
    """Prevent other processes and threads from creating a ledger in this folder within the block."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        _retry_while_busy(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
        try:
            yield
        finally:
            # a child forked in the meantime may hold the file open
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _make_format_error(path: str) -> PydpstatError:
    return PydpstatError(f"path must be a ledger; {path!r} is not one. Give a path that does not exist yet.")


def _check_place(path: str, new: bool) -> None:
    """Check a path before SQLite opens it, because SQLite's messages do not name the cause."""
    file = Path(path)
    try:
        file.exists()
    except OSError as error:
        raise PydpstatError(
            f"path must be a file name; got {describe_option(path)} ({error.strerror}). Give another."
        ) from None
    if file.is_dir():
        raise PydpstatError(f"path must be a file; {path!r} is a folder. Add a file name.")
    if not file.parent.is_dir():
        raise PydpstatError(f"path must be in an existing folder; got {path!r}. Create the folder first.")
    if not new and not file.exists():
        raise PydpstatError(
            f"path must be a ledger; there is no file {path!r}. Put it back or, if nothing was spent "
            "yet, create it with Budget(...)."
        )
    # the file is not read here: closing it would release SQLite's locks on it in this process
    if file.exists() and not file.stat().st_size:
        raise PydpstatError(
            f"path must be a ledger; {path!r} is an empty file, perhaps truncated. Restore it from a "
            "copy or, if nothing was spent yet, remove it."
        )
    for location in (file, file.parent):
        if location.exists() and not os.access(location, os.W_OK):
            raise PydpstatError(f"path must be writable, and its folder too; {str(location)!r} is not.")


def _get_file_id(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _retry_while_busy(step: Callable[[], object]) -> None:
    """Repeat a step while another process holds the lock."""
    end = time.monotonic() + MAX_WAIT
    while True:
        try:
            step()
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise
        time.sleep(0.01)


def _write_folder_entry(path: str) -> None:
    """Write the new file's directory entry to disk, if the system supports it."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
