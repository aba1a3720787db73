"""Ledger entries, which contain no data, and their conversion to a frame, CSV and JSON."""

from __future__ import annotations

import functools
import math
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from pydpstat._checks import is_number
from pydpstat._files import format_csv
from pydpstat._lazy import pd
from pydpstat.privacy import Guarantee


@dataclass(frozen=True, slots=True)
class Entry:
    """A spend.

    Parameters
    ----------
    call : str
        The call, without data.
    label : str
        Label given by the analyst; empty if none was given.
    epsilon, delta : float
        Guarantee of the release.
    neighbors : str
        Neighbors of the guarantee.
    unit : str or None
        Privacy unit; None for a single record.
    rho : float or None
        Its zero-concentrated privacy; None if there is none.
    loss : str
        Its privacy loss as a string; empty if it is not known.
    conditions : str
        Its conditions, one per line.
    time : str
        Time of the charge, in UTC: ``2026-01-31T23:59:59Z``.
    process : int
        Process id.
    host : str
        Host name of the machine.
    mechanism : str
        The mechanism, in words; empty if it is not known.

    Examples
    --------
    >>> entry = Entry.from_guarantee(Guarantee(0.5), "mean(income)", "income tables")
    >>> entry.call, entry.label, entry.epsilon
    ('mean(income)', 'income tables', 0.5)
    """

    call: str
    label: str
    epsilon: float
    delta: float
    neighbors: str
    unit: str | None
    rho: float | None
    loss: str
    conditions: str
    time: str
    process: int
    host: str
    mechanism: str = ""

    @classmethod
    def from_guarantee(cls, guarantee: Guarantee, call: str, label: str = "", mechanism: str = "") -> Entry:
        """Create the entry of a release that is made now."""
        rho = guarantee.rho
        # databases do not preserve NaN and the sign of zero
        return cls(
            _escape_text(call),
            _escape_text(label),
            guarantee.epsilon + 0.0,
            guarantee.delta + 0.0,
            guarantee.neighbors,
            guarantee.unit,
            rho + 0.0 if rho is not None and is_number(rho) and math.isfinite(rho) else None,
            "" if guarantee.loss is None else _escape_text(repr(guarantee.loss)),
            _escape_text("\n".join(guarantee.conditions)),
            *describe_writer(),
            _escape_text(mechanism),
        )


def describe_writer() -> tuple[str, int, str]:
    """Return the time in UTC, the process id and the host, as an entry has them."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.getpid(), _get_host()


ENTRY_COLUMNS = tuple(field.name for field in fields(Entry))
_DTYPES = {
    "epsilon": "float64",
    "delta": "float64",
    "rho": "float64",
    "neighbors": "category",
    "process": "int64",
    "time": "datetime64[ns, UTC]",
}


def make_entry_frame(entries: Sequence[Entry]) -> pd.DataFrame:
    """Return a frame with one row per entry; strings have pandas' string type, and missing values are NaN or NA."""
    rows = list(map(astuple, entries))
    dtypes = {name: _DTYPES.get(name, "string") for name in ENTRY_COLUMNS}
    frame = pd.DataFrame(rows, columns=list(ENTRY_COLUMNS))
    frame["time"] = pd.to_datetime(frame["time"].astype("string"), utc=True, format="%Y-%m-%dT%H:%M:%SZ")
    return frame.astype(dtypes)


def format_entries_csv(entries: Sequence[Entry]) -> str:
    """Return CSV with a header and one line per entry; numbers are formatted as by Python's repr."""
    return format_csv([ENTRY_COLUMNS, *map(astuple, entries)])


def convert_entries(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return the entries as dicts of plain types, with the names of a frame's columns."""
    return [dict(zip(ENTRY_COLUMNS, astuple(entry))) for entry in entries]


def _escape_text(text: str) -> str:
    """Escape characters that some databases cannot store: null characters and lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


@functools.lru_cache(maxsize=1)
def _get_host() -> str:
    return _escape_text(socket.gethostname())
