"""What the commands share: a line of progress, and files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path


def progress(line: str) -> None:
    """Put a line in the place of the last one."""
    print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def write(path: Path, parts: Sequence[str]) -> None:
    """Write paragraphs to a file under another name, then move it into place."""
    part = path.with_name(path.name + ".part")
    part.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    os.replace(part, path)
