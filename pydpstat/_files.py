"""Files that are whole or not there: written under another name, then moved into place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Give a name beside a file; what was written there becomes the file, or is removed after an error.

    The file's folder is made where it is missing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write(target: Path, content: str) -> None:
    """Write a text as a whole file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder) / "new" / "page.md", "# A page")
    ...     (Path(folder) / "new" / "page.md").read_text(encoding="utf-8")
    '# A page'
    """
    with unfinished(target) as part:
        part.write_text(content, encoding="utf-8")
