"""A ledger in PostgreSQL, which several machines share.

Every charge is one transaction: it locks the ledger's row, reads the total, compares, adds and commits, and waits until
the server has the commit on disk. A connection lost before the commit leaves nothing. One lost during the commit may
leave the entry; nothing is released then, and there is no retry, which might charge twice. Tables and rows that were
altered raise an error.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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
from pydpstat.budget._postgres_url import ServerLocation, import_psycopg
from pydpstat.budget._state import LedgerState, format_state
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

Found = TypeVar("Found")
# these settings detect a lost server after a minute
_CONNECTION_DEFAULTS = {
    "application_name": "pydpstat",
    "client_encoding": "utf8",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "tcp_user_timeout": "60000",
}
FORMAT = 5
# key of the advisory lock while a ledger is created: "dpst"
_CREATION_LOCK = 0x64707374
_COLUMN_TYPES = {"epsilon": "double precision", "delta": "double precision", "rho": "double precision"}
_COLUMN_TYPES |= {"process": "bigint"}
_LEDGER_COLUMNS = {
    "ledger": "bigint",
    "name": "text",
    "identity": "text",
    "format": "integer",
    **dict.fromkeys(
        ("epsilon", "delta", "accountant", "neighbors", "unit", "spent", "spent_delta", "reservations"), "text"
    ),
    "spends": "bigint",
    **dict.fromkeys(("chain", "seal"), "text"),
}
_SPEND_COLUMNS = {
    "ledger": "bigint",
    "number": "bigint",
    **{name: _COLUMN_TYPES.get(name, "text") for name in ENTRY_COLUMNS},
}
_TABLES = {"pydpstat_ledgers": _LEDGER_COLUMNS, "pydpstat_spends": _SPEND_COLUMNS}
_TABLE_CONSTRAINTS = {
    "pydpstat_ledgers": "PRIMARY KEY (ledger), UNIQUE (name)",
    "pydpstat_spends": "PRIMARY KEY (ledger, number), FOREIGN KEY (ledger) REFERENCES pydpstat_ledgers",
}
_SCHEMA_QUERY = (
    "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_class "
    "ON pg_class.oid = attrelid WHERE attrelid = to_regclass(%s) AND relkind = 'r' AND attnum > 0 "
    "AND NOT attisdropped ORDER BY attnum"
)
# the columns that the seal covers
_STATE_COLUMNS = ", ".join(name for name in _LEDGER_COLUMNS if name not in ("ledger", "seal"))
_INSERT_LEDGER = (
    f"INSERT INTO pydpstat_ledgers SELECT coalesce(max(ledger), 0) + 1, {', '.join(['%s'] * 14)} FROM pydpstat_ledgers"
)
# one statement reads one state of both tables
_OPEN_QUERY = (
    "SELECT ledger, (SELECT count(*) FROM pydpstat_spends "
    f"WHERE pydpstat_spends.ledger = pydpstat_ledgers.ledger), {_STATE_COLUMNS}, seal "
    "FROM pydpstat_ledgers WHERE name = %s"
)
_STATE_QUERY = f"SELECT {_STATE_COLUMNS}, seal FROM pydpstat_ledgers WHERE ledger = {{:d}}"
# the total changes only if the entry was inserted
_INSERT_ENTRY = (
    "WITH added AS (INSERT INTO pydpstat_spends "
    f"({', '.join(_SPEND_COLUMNS)}) VALUES ({', '.join(['%s'] * len(_SPEND_COLUMNS))}) RETURNING 1) "
    "UPDATE pydpstat_ledgers SET spent = %s, spent_delta = %s, reservations = %s, spends = %s, chain = %s, seal = %s "
    "WHERE ledger = %s AND (SELECT count(*) FROM added) = 1"
)
_UPDATE_STATE = (
    "UPDATE pydpstat_ledgers SET spent = %s, spent_delta = %s, reservations = %s, spends = %s, chain = %s, seal = %s "
    "WHERE ledger = %s"
)
# entries of later charges are excluded
_ENTRIES_QUERY = (
    f"SELECT {', '.join(ENTRY_COLUMNS)} FROM pydpstat_spends WHERE ledger = {{:d}} AND number <= {{:d}} ORDER BY number"
)


class _LedgerRow(NamedTuple):
    """A ledger's row: its limits, its total, and the count and checksum of its entries."""

    name: str
    identity: str
    format: int
    epsilon: str
    delta: str
    accountant: str
    neighbors: str
    unit: str | None
    spent: str
    spent_delta: str
    reservations: str
    spends: int
    chain: str


class ServerLedger(SharedLedger):
    """A ledger in PostgreSQL; an error is raised if the tables or the limits differ.

    Without `limits`, those of the ledger are used. With `new` and limits, a missing ledger is created.
    """

    def __init__(self, place: ServerLocation, limits: Limits | None, new: bool = False) -> None:
        super().__init__(place.url)
        self.location = place
        self._connection: Connection | None = None
        self._process = os.getpid()
        with self._lock, self._translate_errors():
            if new and limits is not None:
                self._make_ledger(limits)
            self.limits = self._open_ledger(limits)
        close_at_forks(self)

    def read_state(self) -> LedgerState:
        """Return the total of all entries, and the open reservations."""
        with self._lock, self._translate_errors():
            return self._check_state(
                self._retry_once(lambda each: self._read_row(each.execute(self._state_query)))[8:11]
            )

    def read_entries(self) -> tuple[Entry, ...]:
        """Return all entries in the order of charging."""
        with self._lock, self._translate_errors():
            return self._retry_once(
                lambda each: self._verify_entries(each, self._read_row(each.execute(self._state_query)))
            )

    def close_connection(self) -> None:
        """Close the connection, which must not be in use; the next use opens a new one."""
        connection, self._connection = self._connection, None
        # a connection of the parent process must not be closed here
        if connection is not None and self._process == os.getpid():
            connection.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close_connection()

    @contextmanager
    def _open_transaction(self) -> Iterator[Change]:
        with self._lock, self._translate_errors():
            try:
                # a retry is safe because nothing was charged yet
                connection, row = self._retry_once(lambda each: (each, self._read_locked_row(each)))

                def write(state: LedgerState, entry: Entry | None) -> None:
                    values, count = () if entry is None else astuple(entry), row.spends + (entry is not None)
                    chain = compute_checksum(row.chain, values) if values else row.chain
                    new = (*format_state(state), count, chain)
                    row_values = (*new, compute_checksum("", (*row[:8], *new)), self._number)
                    query, more = (_INSERT_ENTRY, (self._number, count, *values)) if values else (_UPDATE_STATE, ())
                    if connection.execute(query, (*more, *row_values)).rowcount != 1:
                        raise self._make_damage_error("an entry was not kept")

                yield self._check_state(row[8:11]), write
                self._run_commit(connection)
            except BaseException:
                # closing the connection rolls back the transaction
                self.close_connection()
                raise

    def _read_locked_row(self, connection: Connection) -> _LedgerRow:
        """Begin a transaction and lock the ledger's row, in one message to the server."""
        patience = int(1000 * MAX_WAIT)
        cursor = connection.execute(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit TO on; "
            f"SET LOCAL lock_timeout TO {patience}; "
            f"SET LOCAL idle_in_transaction_session_timeout TO {patience}; {self._state_query} FOR UPDATE"
        )
        while cursor.nextset():
            pass
        return self._read_row(cursor)

    def _run_commit(self, connection: Connection) -> None:
        try:
            done = connection.execute("COMMIT").statusmessage
        except import_psycopg().Error as error:
            raise PydpstatError(
                f"the connection to {self.place!r} was lost while a spend was confirmed "
                f"({self._get_error_message(error)}). The spend may be in the ledger; nothing is released, and "
                "there is no retry. Check `entries` before you release again, which spends again."
            ) from None
        if done != "COMMIT":
            raise self._make_damage_error("a spend was taken back")

    @property
    def _state_query(self) -> str:
        return _STATE_QUERY.format(self._number)

    def _read_row(self, cursor: Cursor) -> _LedgerRow:
        """Read the row of the opened ledger and check its identity."""
        row = _LedgerRow(*self._verify_seal(cursor.fetchall()))  # type: ignore[arg-type]
        if row.identity != self._identity:
            raise self._make_damage_error("another ledger is in its place")
        return row

    def _verify_entries(self, connection: Connection, row: _LedgerRow) -> tuple[Entry, ...]:
        # binary because a role may be configured to print fewer digits of floats
        rows = connection.execute(_ENTRIES_QUERY.format(self._number, row.spends), binary=True)
        return self._verify_chain(rows, row.chain)

    def _retry_once(self, step: Callable[[Connection], Found]) -> Found:
        """Run a read-only step; repeat it once if the connection was lost since its last use."""
        used, connection = self._connection is not None, self._get_connection()
        try:
            return step(connection)
        except import_psycopg().OperationalError:
            if not (used and connection.closed):
                raise
        self.close_connection()
        return step(self._get_connection())

    def _get_connection(self) -> Connection:
        if self._process != os.getpid():
            # a fork without hooks: the parent continues to use its connection
            self._connection, self._process = None, os.getpid()
        if self._connection is None:
            # no prepared statements because connection poolers lose them
            self._connection = import_psycopg().connect(
                **{**_CONNECTION_DEFAULTS, **self.location.options, **self.location.secrets},
                autocommit=True,
                prepare_threshold=None,
            )
        return self._connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (import_psycopg().Error, UnicodeError) as error:
            self.close_connection()
            # undefined table, undefined column
            if getattr(error, "sqlstate", None) in ("42P01", "42703"):
                raise self._make_damage_error(self._get_error_message(error)) from None
            # the server's message describes its state and does not contain the call
            raise PydpstatError(
                f"url must be a ledger that can be read and written; {self.place!r}: "
                f"{self._get_error_message(error)}. Nothing is released. Check the server, the database, and "
                "the permissions of the user."
            ) from None

    def _get_error_message(self, error: Exception) -> str:
        primary = getattr(getattr(error, "diag", None), "message_primary", None)
        lines = str(primary or error).strip().splitlines() or [type(error).__name__]
        return self.location.replace_secrets(lines[0].rstrip("."))

    def _make_damage_error(self, what: str) -> PydpstatError:
        return PydpstatError(
            f"url must stay the same ledger; {self.place!r} is missing or was altered: {what}. "
            "Nothing is released. Restore it from a backup or, if nothing was spent yet, drop both "
            "tables and create it with Budget(...)."
        )

    def _make_ledger(self, limits: Limits) -> None:
        """Create the tables and the ledger if they are missing; raise an error if only one table exists."""
        connection = self._get_connection()
        with connection.transaction():
            # each statement sees what was committed while this transaction waited
            connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
            connection.execute("SET LOCAL synchronous_commit TO on")
            connection.execute(f"SET LOCAL lock_timeout TO {int(1000 * MAX_WAIT)}")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION_LOCK,))
            is_present = [self._has_table(connection, table) for table in _TABLES]
            if not any(is_present):
                for table, columns in _TABLES.items():
                    lines = [
                        f"{name} {kind}{'' if name in ('unit', 'rho') else ' NOT NULL'}"
                        for name, kind in columns.items()
                    ]
                    connection.execute(f"CREATE TABLE {table} ({', '.join([*lines, _TABLE_CONSTRAINTS[table]])})")
            self._check_tables(connection)
            if connection.execute(_OPEN_QUERY, (self.location.name,)).fetchone() is None:
                header = self.location.name, secrets.token_hex(16), FORMAT
                row = (*header, *limits, *format_state(LedgerState()), 0, INITIAL_CHAIN)
                connection.execute(_INSERT_LEDGER, (*row, compute_checksum("", row)))

    def _open_ledger(self, limits: Limits | None) -> Limits:
        connection = self._get_connection()
        if not any(self._has_table(connection, table) for table in _TABLES):
            raise self._make_missing_error()
        self._check_tables(connection)
        rows = connection.execute(_OPEN_QUERY, (self.location.name,)).fetchall()
        if not rows:
            raise self._make_missing_error()
        self._check_format(rows[0][4])
        row = _LedgerRow(*self._verify_seal([row[2:] for row in rows]))  # type: ignore[arg-type]
        self._number, count = rows[0][:2]
        if row.spends != count:
            raise self._make_damage_error(f"it has {count} entries instead of {row.spends}")
        self._identity = row.identity
        self._check_state(row[8:11])
        self._verify_entries(connection, row)
        return self._check_limits(row[3:8], limits, "url")

    def _check_format(self, found: object) -> None:
        if found != FORMAT:
            raise PydpstatError(
                f"url must be a ledger of format {FORMAT}; {self.place!r} has format {found}. "
                "Use the version of pydpstat that wrote it."
            )

    def _make_missing_error(self) -> PydpstatError:
        return PydpstatError(
            f"url must be a ledger; there is none at {self.place!r}. Restore it or, if nothing was "
            "spent yet, create it with Budget(...)."
        )

    def _has_table(self, connection: Connection, table: str) -> bool:
        row = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (table,)).fetchone()
        return row is not None and bool(row[0])

    def _check_tables(self, connection: Connection) -> None:
        for table, columns in _TABLES.items():
            schema = connection.execute(_SCHEMA_QUERY, (table,)).fetchall()
            if schema == list(columns.items()):
                continue
            if table == "pydpstat_ledgers" and ("format", "integer") in schema:
                row = connection.execute("SELECT max(format) FROM pydpstat_ledgers").fetchone()
                if row is not None and row[0] is not None:
                    self._check_format(row[0])
            raise self._make_damage_error(f"{table} does not have the columns that were created")
