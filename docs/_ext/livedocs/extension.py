"""The Sphinx extension: directives whose code runs, and text that is made from data."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from livedocs import directives, generated, items
from pydpstat.parity.case import Case

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and the text that is made from data."""
    app.add_directive("parity", directives.Parity)
    app.add_directive("run", directives.Run)
    app.add_directive("ported", directives.Ported)
    app.add_directive("items", items.ItemsTable)
    app.add_role("item", items.ItemRole())
    app.add_node(items.items_table)
    app.connect("env-before-read-docs", report_gaps)
    app.connect("source-read", fill)
    app.connect("env-purge-doc", directives.forget_page)
    app.connect("env-purge-doc", items.forget_items)
    app.connect("env-updated", directives.stop_on_failures)
    app.connect("doctree-resolved", items.fill_items)
    # R lives in this process, and a page's code shares its variables
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def report_gaps(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Warn about functions that the guide cannot show."""
    for gap in generated.gaps(_guide(app), _cases()):
        logger.warning("porting.toml: %s", gap)


def _guide(app: Sphinx) -> tuple[generated.Entry, ...]:
    return generated.entries(Path(app.srcdir) / "porting.toml")


def _cases() -> tuple[Case, ...]:
    return tuple(directives.build.cases.values())


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the generated text in the place of a page's marks."""
    if "<!-- " in source[0]:
        source[0] = generated.filled(source[0], _guide(app), _cases())
