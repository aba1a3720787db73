"""What runs measured, as a file from which the pages are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from peer_table import PeerTable
from table import Row

from pydpstat import _files as files

FILE = Path(__file__).resolve().parent / "measured.json"


@dataclass(frozen=True)
class Run:
    """Rows beside R and NumPy that one run measured.

    Parameters
    ----------
    heading : str
        What was measured on what.
    rows : sequence of Row
    """

    heading: str = ""
    rows: Sequence[Row] = ()


@dataclass(frozen=True)
class Measured:
    """What was measured last.

    Parameters
    ----------
    run : Run
        The last run.
    how : sequence of str
        How it was measured, in paragraphs.
    peers : PeerTable
        Beside other packages.
    earlier : Run
        Rows of an earlier run whose other side the last one lacked, such as an R package.
    """

    run: Run = field(default_factory=Run)
    how: Sequence[str] = ()
    peers: PeerTable = field(default_factory=PeerTable)
    earlier: Run = field(default_factory=Run)


def after(found: Measured, before: Measured) -> Measured:
    """Return what was found, and what it lacks of what was measured before."""
    alone = {row.what for row in found.run.rows if row.theirs == "-"}
    for earlier in (before.run, before.earlier):
        rows = [row for row in earlier.rows if row.what in alone and row.theirs != "-"]
        if rows:
            return Measured(found.run, found.how, found.peers, Run(earlier.heading, rows))
    return found


def save(path: Path, found: Measured) -> None:
    """Write what was measured to a file, whole or not at all."""
    content = {
        "run": asdict(found.run),
        "how": list(found.how),
        "peers": found.peers.to_dict(),
        "earlier": asdict(found.earlier),
    }
    files.write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def load(path: Path = FILE) -> Measured:
    """Read what was measured."""
    content = json.loads(path.read_text(encoding="utf-8"))
    run, earlier = (
        Run(part["heading"], [Row(**row) for row in part["rows"]]) for part in (content["run"], content["earlier"])
    )
    return Measured(run, content["how"], PeerTable.from_dict(content["peers"]), earlier)
