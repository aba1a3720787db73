"""What the commands share: a line of progress, and files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files


def progress(line: str) -> None:
    """Put a line in the place of the last one."""
    print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def write(path: Path, parts: Sequence[str]) -> None:
    """Write paragraphs to a file, whole or not at all."""
    files.write_text(path, "\n\n".join(parts) + "\n")
