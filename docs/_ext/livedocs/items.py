"""The items of the teaching texts: which page shows each, and whether its figures are the same.

What they are stands in `items.toml`. A block of code names its items in the option ``items``, prose names one
in the role ``item``. The directive ``items`` puts the table of all of them where it stands.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole


class ItemFailed(Exception):
    """A page names an item that does not exist, or shows one that differs without saying why."""


@dataclass(frozen=True)
class Item:
    """One item of a text.

    Parameters
    ----------
    key : str
        The text's letter, a hyphen, and the item's name.
    what : str
        What the text has.
    why : str
        Why it is another here; empty where it is not, or where the run says why.
    """

    key: str
    what: str
    why: str = ""


@dataclass(frozen=True)
class Shown:
    """A place that shows an item.

    Parameters
    ----------
    docname, anchor : str
        The page and the place on it.
    sources : tuple of str
        What the place's figures are compared with: "text", "R", "by hand".
    same : int
        How many figures are the same.
    remarks : tuple of str
        Why the others differ, one for each.
    """

    docname: str
    anchor: str
    sources: tuple[str, ...] = ()
    same: int = 0
    remarks: tuple[str, ...] = ()


@cache
def read_items(path: Path) -> dict[str, Item]:
    """Return the items by their keys, in the texts' order; none where there is no such file."""
    texts = {} if not path.exists() else tomllib.loads(path.read_text(encoding="utf-8"))
    found = {}
    for letter, items in texts.items():
        for name, value in items.items():
            given = {"what": value} if isinstance(value, str) else value
            found[f"{letter}-{name}"] = Item(f"{letter}-{name}", **given)
    return found


def shown(docname: str, anchor: str, tables: Iterable[pd.DataFrame]) -> Shown:
    """Return a place with the outcome of its tables of figures.

    Raises
    ------
    ItemFailed
        Where a figure differs and no remark says why.
    """
    sources, same, remarks = {}, 0, []
    for table in tables:
        sources[str(table.columns[0])] = None
        same += int(table["same"].sum())
        others = table[~table["same"]]
        reasons = others["remark"] if "remark" in others else pd.Series("", others.index)
        for name, reason in reasons.items():
            if not reason:
                raise ItemFailed(f"the figure {name!r} differs, and no remark says why")
            remarks.append(reason)
    return Shown(docname, anchor, tuple(sources), same, tuple(remarks))


def outcome(item: Item, places: Sequence[Shown]) -> str:
    """Return in words whether an item is the same here.

    Examples
    --------
    >>> outcome(Item("A-mean", "a mean"), [Shown("a", "a-mean", ("R",), 2)])
    'same: 2 figures of R'
    """
    sources = [_SOURCES.get(name, name) for name in dict.fromkeys(s for each in places for s in each.sources)]
    remarks = dict.fromkeys(remark for each in places for remark in each.remarks)
    same = sum(each.same for each in places)
    figures = f"{same} figure{'s' * (same != 1)} {' and '.join(sources)}"
    reasons = [*remarks, *([item.why] if item.why else [])]
    if reasons:
        return f"differs: {'; '.join(reasons)}" + (f" (the same: {figures})" if same else "")
    return f"same: {figures}" if same else "shown"


_SOURCES = {"text": "of the text", "R": "of R", "by hand": "computed by hand"}


# the Sphinx side


def _path(env: BuildEnvironment) -> Path:
    return Path(str(env.srcdir)) / "worked" / "items.toml"


def places(env: BuildEnvironment) -> dict[str, list[Shown]]:
    """Return where each item is shown; kept with the pages, so that a later build has it, too."""
    if not hasattr(env, "livedocs_items"):
        env.livedocs_items = {}
    return env.livedocs_items


def register(env: BuildEnvironment, key: str, tables: Iterable[pd.DataFrame] = ()) -> nodes.target:
    """Note that the present page shows an item, and return the anchor of the place.

    Raises
    ------
    ItemFailed
        Where there is no such item, or a figure differs and no remark says why.
    """
    if key not in read_items(_path(env)):
        raise ItemFailed(f"items.toml has no item {key!r}")
    found = places(env).setdefault(key, [])
    anchor = f"item-{key.lower()}" + (f"-{len(found) + 1}" if found else "")
    found.append(shown(env.docname, anchor, tables))
    return nodes.target("", "", ids=[anchor])


class ItemRole(SphinxRole):
    """``{item}`KEY```: the paragraph deals with an item."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the anchor."""
        try:
            return [register(self.env, self.text.strip())], []
        except ItemFailed as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]


class items_table(nodes.General, nodes.Element):
    """Stands for the table until all pages have been read."""


class ItemsTable(SphinxDirective):
    """``{items}``: all items, where each is shown, and whether it is the same."""

    def run(self) -> list[nodes.Node]:
        """Return what stands for the table."""
        return [items_table()]


def forget_items(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Let a page that is read again begin with no items."""
    found = places(env)
    for key in list(found):
        found[key] = [each for each in found[key] if each.docname != docname]
        if not found[key]:
            del found[key]


def missing_items(env: BuildEnvironment) -> list[str]:
    """Return a sentence for each item that no page shows."""
    unshown = [key for key in read_items(_path(env)) if key not in places(env)]
    return [f"no page shows the item {key!r} of items.toml" for key in unshown]


def fill_items(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the table in its place."""
    for mark in list(doctree.findall(items_table)):
        items, found = read_items(_path(app.env)), places(app.env)
        mark.replace_self(list(_tables(app, docname, items, found)))


def _tables(app: Sphinx, docname: str, items: dict[str, Item], found: dict[str, list[Shown]]) -> Iterator[nodes.Node]:
    told = {key: outcome(item, found.get(key, [])) for key, item in items.items()}
    totals = Counter(text.partition(":")[0] for text in told.values())
    yield nodes.paragraph(
        "",
        f"Items: {len(items)}. Of these {totals['same']} have figures that are the same, {totals['shown']} "
        f"have none and are shown or told, and {totals['differs']} differ, for the reason given.",
    )
    for letter in dict.fromkeys(key[0] for key in items):
        rows = [_row("Item of the text", "Where", "Same or not")]
        for key, item in items.items():
            if key[0] == letter:
                links = nodes.paragraph()
                for number, place in enumerate(found.get(key, ())):
                    links += nodes.Text(", " if number else "")
                    links += _link(app, docname, place)
                rows.append(_row(item.what, links, told[key]))
        table = nodes.table(classes=["items"])
        group = nodes.tgroup(cols=3)
        group += [nodes.colspec(colwidth=width) for width in (40, 18, 42)]
        group += nodes.thead("", rows[0])
        group += nodes.tbody("", *rows[1:])
        table += group
        yield nodes.rubric("", f"Text {letter}")
        yield table


def _row(*cells: str | nodes.Node) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        row += nodes.entry("", nodes.paragraph("", cell) if isinstance(cell, str) else cell)
    return row


def _link(app: Sphinx, docname: str, place: Shown) -> nodes.reference:
    uri = f"{app.builder.get_relative_uri(docname, place.docname)}#{place.anchor}"
    title = app.env.titles[place.docname].astext()
    return nodes.reference("", title, refuri=uri, internal=True)
