"""A page as a notebook: the same text, the same code, and what the code gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_DIRECTIVE = re.compile(r"^```\{(\w+)\}[^\n]*\n(.*?)^```$\n?", flags=re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^:(\w+): (.*)\n", flags=re.MULTILINE)
# what only the built pages have
_LEFT_OUT = ("items", "toctree")
_ROLES = (
    (re.compile(r"\s*\{item\}`[^`]*`"), ""),
    (re.compile(r"\{(?:ref|py:\w+)\}`([^<`]*?)\s*<[^>`]*>`"), r"\1"),
    (re.compile(r"\{py:\w+\}`~?(?:[\w.]*\.)?(\w+)`"), r"`\1`"),
)
_ROLE = re.compile(r"\{[\w:]+\}`")
# the code's place has a number of its own in each run
_PLACE = re.compile(r"\S*ipykernel_\d+/\d+\.py:(\d+)")
_DRAWING = re.compile(r"\W*<(Axes|Figure|matplotlib)")
_SECONDS = 600


class NotebookFailed(Exception):
    """A page has what a notebook cannot show, or a notebook is not that of its page; the text says which."""


def cells(page: Path) -> list[Any]:
    """Return a page's text and code as cells, not run.

    Raises
    ------
    NotebookFailed
        Where the page has a directive or a role that a notebook does not know.
    """
    made = [_cell(kind, source, options) for kind, source, options in _parts(page)]
    for number, cell in enumerate(made):
        cell["id"] = f"{page.stem}-{number}"
    return made


def _parts(page: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    text, end = page.read_text(encoding="utf-8"), 0
    yield "text", f"*Made from `{page.name}` by `python docs/notebooks.py`.*", {}
    for found in _DIRECTIVE.finditer(text):
        yield "text", text[end : found.start()], {}
        end = found.end()
        name, content = found.groups()
        if name == "run":
            yield "code", _OPTION.sub("", content), dict(_OPTION.findall(content))
        elif name not in _LEFT_OUT:
            raise NotebookFailed(f"{page.name}: notebooks do not know the directive {{{name}}}")
    yield "text", text[end:], {}


def _cell(kind: str, source: str, options: dict[str, str]) -> Any:
    if kind == "code":
        tags = ["raises-exception"] if "raises" in options else []
        return nbformat.v4.new_code_cell(source.strip(), metadata={"tags": tags} if tags else {})
    for role, text in _ROLES:
        source = role.sub(text, source)
    if _ROLE.search(source):
        raise NotebookFailed(f"notebooks do not know a role of {source!r}")
    # the other pages beside it are notebooks, too
    return nbformat.v4.new_markdown_cell(re.sub(r"\]\(([a-e]-[\w-]+)\.md\)", r"](\1.ipynb)", source).strip())


def executed(page: Path, environment: dict[str, str]) -> Any:
    """Return a page as a notebook with what its code gives.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        Where code raises what it should not.
    NotebookFailed
        Where it does not raise what it should.
    """
    made = nbformat.v4.new_notebook(cells=[cell for cell in cells(page) if cell["source"]])
    where = {"metadata": {"path": str(page.parent)}}
    # a kernel says at each start that others on this machine could listen in
    quiet = ["--IPKernelApp.log_level=40"]
    client = NotebookClient(made, timeout=_SECONDS, record_timing=False, resources=where, extra_arguments=quiet)
    client.execute(env=environment)
    for cell in made.cells:
        if cell.cell_type == "code":
            _check(page, cell)
            cell.outputs = [each for each in map(_lasting, cell.outputs) if each is not None]
    # the rest of what a kernel says of itself is this machine's
    made.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return made


def _check(page: Path, cell: Any) -> None:
    raises = "raises-exception" in cell.metadata.get("tags", [])
    if raises and not any(each.output_type == "error" for each in cell.outputs):
        raise NotebookFailed(f"{page.name}: nothing was raised in\n{cell.source}")


def _lasting(output: Any) -> Any:
    """Return an output without what is another in each run or on each machine; None for a drawing's name."""
    if output.output_type == "stream":
        output.text = _PLACE.sub(r"line \1", output.text)
    elif output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    elif _DRAWING.match(output.data.get("text/plain", "")):
        if set(output.data) == {"text/plain"}:
            return None
        del output.data["text/plain"]
    return output


def differing(page: Path, notebook: Path) -> str:
    """Return what makes a stored notebook another than its page's, or nothing."""
    if not notebook.exists():
        return f"{notebook.name} is missing"
    stored = [(cell.cell_type, cell.source) for cell in nbformat.read(notebook, 4).cells]
    made = [(cell.cell_type, cell.source) for cell in cells(page) if cell["source"]]
    return "" if stored == made else f"{notebook.name} has another text or code than {page.name}"
