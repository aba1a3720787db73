"""Other packages of differential privacy beside pydpstat: which, and on what."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import peer_environments
from data import numbers
from peer_process import PeerProcess, Unavailable
from peer_table import Compared, PeerTable, Taken
from peer_turns import Side, Turns

OURS = "pydpstat"
CASES = ("mean", "sum", "variance", "histogram", "median", "Laplace noise", "Gaussian noise")
RELEASE = "mean, a small release"
COLD = {"import, cold": "import", "import and first mean, cold": "release"}
FEW = 100
STARTS = 5


class Peer(NamedTuple):
    """A package beside which pydpstat is timed.

    Parameters
    ----------
    name : str
        Its name in the table.
    calls : str
        The module of its calls, in `peer_side`.
    requirements : tuple of str
        What its environment is made of.
    privacy : str
        What its releases keep, where that differs from ours.
    """

    name: str
    calls: str
    requirements: tuple[str, ...]
    privacy: str


PEERS = (
    Peer(
        "diffprivlib",
        "diffprivlib_calls",
        # it imports names that later versions do not have
        ("diffprivlib", "scikit-learn<1.7"),
        "floating-point sums and noise: its sampler blurs the last bits, but neither is exact",
    ),
    Peer(
        "OpenDP",
        "opendp_calls",
        # with numpy it takes arrays, much faster than lists
        ("opendp", "numpy"),
        "exact noise, and the rounding of sums in the sensitivity; a median out of 101 candidates",
    ),
    Peer(
        "PyDP",
        "pydp_calls",
        ("python-dp",),
        "noise on a grid of powers of two, floating-point sums; the number of records private, so that a "
        "mean has two noises",
    ),
    Peer(
        "SmartNoise",
        "smartnoise_calls",
        ("smartnoise-sql",),
        "OpenDP's noise on SQLite's floating-point sums; the number of records private; by its own account a "
        "mean at epsilon 1 keeps 3, a sum 2, a variance 4",
    ),
)


def rows() -> list[str]:
    """Return the names of the rows, by which they are chosen."""
    return [*CASES, RELEASE, *COLD]


def measure(chosen: Sequence[str], size: int, repeats: int, show: Callable[[str], None]) -> PeerTable:
    """Time the chosen rows.

    Parameters
    ----------
    chosen : sequence of str
        Some of `rows()`.
    size : int
        Length of the long data; a tenth of it is timed, too.
    repeats : int
        Turns of each side.
    show : callable
        Is told how far the measurement is.
    """
    with TemporaryDirectory() as folder, _sides(show) as (sides, reasons):
        path = Path(folder, "numbers")
        numbers(max(size, FEW))["x"].tofile(path)
        turns = Turns(sides, path, repeats)
        lines: list[Compared] = []
        lacking: dict[tuple[str, str], list[str]] = {}
        for what, case, length in _warm(chosen, size):
            show(f"{what}, {length:,}, beside {len(sides) - 1} packages")
            taken, missing = turns.warm(case, length)
            lines.append(Compared(what, f"{length:,}", taken))
            for lack in missing.items():
                lacking.setdefault(lack, []).append(what)
        wanted = [what for what in COLD if what in chosen]
        if wanted:
            show(f"imports, beside {len(sides) - 1} packages")
            starts, missing = turns.cold(max(repeats, STARTS))
            for what in wanted:
                taken = {name: Taken(found[COLD[what]]) for name, found in starts.items()}
                lines.append(Compared(what, "-", taken))
            for lack in missing.items():
                lacking.setdefault(lack, []).append("a fresh process")
        show("")
        for (name, reason), lacks in lacking.items():
            reasons.append(f"{name}, {' and '.join(dict.fromkeys(lacks))}: {reason}")
        versions = {side.name: side.process.version for side in sides}
    privacy = {peer.name: peer.privacy for peer in PEERS if peer.name in versions}
    return PeerTable(versions, lines, reasons, privacy)


def _warm(chosen: Sequence[str], size: int) -> list[tuple[str, str, int]]:
    """Return the rows of processes that have run before: name, case and number of records."""
    sizes = sorted({max(1, size // 10), size})
    long = [(case, case, length) for case in CASES for length in sizes]
    return [row for row in (*long, (RELEASE, "mean", FEW)) if row[0] in chosen]


@contextmanager
def _sides(show: Callable[[str], None]) -> Iterator[tuple[list[Side], list[str]]]:
    """Start ours and each peer that can be had; the others are named with the reason."""
    sides, reasons = [], []
    try:
        environment = peer_environments.STARTED
        python = Path(sys.executable)
        ours = PeerProcess(python, "pydpstat_calls", environment)
        sides.append(Side(OURS, python, "pydpstat_calls", environment, ours))
        for peer in PEERS:
            show(f"the environment of {peer.name}")
            environment = peer_environments.clean()
            try:
                python = peer_environments.environment(peer.name.lower(), peer.requirements)
                process = PeerProcess(python, peer.calls, environment)
            except (peer_environments.NotInstalled, Unavailable) as reason:
                reasons.append(f"{peer.name}: {reason}")
                continue
            sides.append(Side(peer.name, python, peer.calls, environment, process))
        yield sides, reasons
    finally:
        for side in sides:
            side.process.close()
