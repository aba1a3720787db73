"""The worked examples as notebooks with their outputs, beside the pages: ``python docs/notebooks.py``.

With ``--check`` nothing is written: each notebook has to have its page's text and code, and the code is run.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

import nbformat  # noqa: E402

from livedocs.notebooks import differing, executed  # noqa: E402
from pydpstat._files import write_text  # noqa: E402

PAGES = sorted(page for page in (HERE / "worked").glob("*.md") if page.stem != "index")


def main() -> None:
    """Make the notebooks of the pages, or check them."""
    parser = argparse.ArgumentParser(description="Make the notebooks of the worked examples.")
    parser.add_argument("--check", action="store_true", help="write nothing; stop where one is outdated")
    parser.add_argument("pages", nargs="*", help="names of pages, such as b-coins; all by default")
    arguments = parser.parse_args()
    paths = [str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    # with another backend the kernel's outputs would have no pictures
    environment.pop("MPLBACKEND", None)
    for page in PAGES:
        if arguments.pages and page.stem not in arguments.pages:
            continue
        start, notebook = perf_counter(), page.with_suffix(".ipynb")
        wrong = differing(page, notebook) if arguments.check else ""
        if wrong:
            raise SystemExit(f"{wrong}; run: python docs/notebooks.py {page.stem}")
        made = executed(page, environment)
        if not arguments.check:
            write_text(notebook, nbformat.writes(made, 4) + "\n")
        print(f"{page.stem}: {len(made.cells)} cells, {perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
