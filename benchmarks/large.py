"""Measure large data and many groups: ``python benchmarks/large.py`` in an environment with every engine."""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import files
import large_beside
import large_files
import large_groups
import large_page
import peer_environments
from large_tables import Table, heading

from pydpstat import PrivacyWarning

SIZE, WHOLE_SIZE = 800_000, 100_000_000
IN_MEMORY, WHOLE_IN_MEMORY = 200_000, 10_000_000
MANY, WHOLE_MANY = 10_000, 100_000
PEERS, WHOLE_PEERS = 10_000, 1_000_000
REPEATS, WHOLE_REPEATS = 1, 3
SIMULATED, WHOLE_SIMULATED = 100, 2000


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables and, after a whole run, write what was measured; return 0."""
    options = _parser().parse_args(argv)
    if options.page:
        large_page.write(large_page.load())
        return 0
    warnings.simplefilter("ignore", PrivacyWarning)
    show = files.progress if sys.stderr.isatty() else lambda line: print(line, file=sys.stderr, flush=True)
    whole = options.whole
    size = options.size or (WHOLE_SIZE if whole else SIZE)
    repeats = options.repeats or (WHOLE_REPEATS if whole else REPEATS)
    begun = heading()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(options.folder or made)
        folder.mkdir(parents=True, exist_ok=True)
        steps = {
            "files": lambda: large_files.tables(folder, size, options.statistics, repeats, show),
            "memory": lambda: large_groups.in_memory(
                WHOLE_IN_MEMORY if whole else IN_MEMORY, WHOLE_MANY if whole else MANY, repeats, show
            ),
            "errors": lambda: large_groups.errors(WHOLE_SIMULATED if whole else SIMULATED, show),
            "peers": lambda: large_beside.tables(
                folder, WHOLE_PEERS if whole else PEERS, repeats, Path(options.peers), show
            ),
        }
        found: list[Table] = []
        for name, step in steps.items():
            if options.only in ("", name):
                found += step()
                if whole:
                    # a long run that is broken off leaves what it has
                    large_page.save(large_page.after(begun, found, options.only))
    print("\n\n".join([begun, *(table.text() for table in found)]))
    if whole:
        print(f"\nWritten: {large_page.FILE}. docs/large_data.md is written from it with --page.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure large data and many groups.")
    parser.add_argument("--whole", action="store_true", help=f"{WHOLE_SIZE:,} records; written to a file")
    parser.add_argument("--size", metavar="N", type=lambda text: int(float(text)), help="records of the files")
    parser.add_argument("--repeats", metavar="N", type=int, help="times that each call is measured")
    parser.add_argument("--only", choices=("files", "memory", "errors", "peers"), default="", help="one part of it")
    parser.add_argument(
        "--statistics",
        nargs="+",
        choices=large_files.STATISTICS,
        default=large_files.STATISTICS,
        help="of the files (default: all)",
    )
    parser.add_argument("--folder", metavar="DIR", help="keep the files there (default: a temporary folder)")
    parser.add_argument(
        "--peers",
        metavar="DIR",
        default=peer_environments.PLACE,
        help="where the other packages' environments are, or are made (default: %(default)s)",
    )
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page")
    return parser


if __name__ == "__main__":
    sys.exit(main())
