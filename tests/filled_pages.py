"""Pages of the documentation with the tables of statistics that a build puts in."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from livedocs import generated  # noqa: E402


def read_page(name: str) -> str:
    """Return the text of a page by its path below docs."""
    return generated.filled((DOCS / name).read_text(encoding="utf-8"), (), ())
