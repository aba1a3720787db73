"""The directives ``parity``, ``run`` and ``ported``: code that runs when the pages are built, and its output."""

from __future__ import annotations

import contextlib
import io
from functools import cached_property
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from livedocs.comparing import Comparer, ComparisonFailed, Shown
from livedocs.items import ItemFailed, missing_items, register
from livedocs.running import PageFailed, readable, run
from pydpstat.__main__ import main as command_line
from pydpstat.parity._compare import Variables
from pydpstat.parity.case import Case, all_cases
from pydpstat.porting._translation import translate_script

logger = logging.getLogger(__name__)


class Build:
    """What the directives share in one build: R's side, each page's variables, and what failed."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.names: dict[str, Variables] = {}

    @cached_property
    def cases(self) -> dict[str, Case]:
        """Every parity case by its id."""
        return {case.id: case for case in all_cases()}

    @cached_property
    def comparer(self) -> Comparer:
        """R's side; R starts when the first page needs it."""
        return Comparer.here()


build = Build()


class _Executed(SphinxDirective):
    def _failed(self, message: str) -> list[nodes.Node]:
        # every failure is shown; the build ends after the last page
        build.failures.append(message)
        logger.error(message, location=self.get_location())
        return []


class Parity(_Executed):
    """``{parity} CASE``: a comparison's R code and Python code, run, with what both print."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the two halves and the sentence on how they agree."""
        name = self.arguments[0]
        if name not in build.cases:
            return self._failed(f"no parity case has the id {name!r}")
        try:
            return [comparison(build.comparer.show(build.cases[name]))]
        except ComparisonFailed as error:
            return self._failed(str(error))


class Run(_Executed):
    """``{run}``: Python code of the page; it runs, and its output and figures follow."""

    has_content = True
    option_spec = {
        "raises": directives.unchanged_required,
        "alt": directives.unchanged_required,
        "items": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the code, the output and the figures."""
        source = "\n".join(self.content)
        names = build.names.setdefault(self.env.docname, {"__name__": "__main__"})
        try:
            output = run(source, names, self.options.get("raises", ""))
            anchors = [register(self.env, key, output.figures) for key in self.options.get("items", "").split()]
        except (PageFailed, ItemFailed) as error:
            return self._failed(f"{error}, in\n{source}")
        box = nodes.container(classes=["run"])
        box += anchors
        box += code(source, "python")
        if output.text:
            box += code(output.text, "text", "output")
        if output.table:
            framed = nodes.container(classes=["table-wrapper"])
            framed += nodes.raw("", output.table, format="html")
            box += framed
        for picture in output.pictures:
            alt = self.options.get("alt", "the figure that the code above draws")
            box += nodes.image(uri=f"data:image/png;base64,{picture}", alt=alt)
        return [box]


class Ported(_Executed):
    """``{ported} FILE``: a script of R beside its translation, and what ``check`` and ``port --verify`` say.

    The record of what R computes is next to the script, so that the page is the same without R.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the two halves, and the commands with their outputs."""
        script = Path(self.env.relfn2path(self.arguments[0])[1])
        for each in (script, script.with_suffix(".json")):
            self.env.note_dependency(str(each))
        text = script.read_text(encoding="utf-8")
        box = nodes.container(classes=["parity"])
        for label, side, lines, language in (
            (script.name, "r-side", text, "r"),
            (script.with_suffix(".py").name, "python-side", translate_script(text, script.name).text, "python"),
        ):
            half = nodes.container(classes=["half", side])
            half += nodes.paragraph("", label, classes=["language"])
            half += code(lines.rstrip(), language)
            box += half
        shown: list[nodes.Node] = [box]
        for command, more in (("check", ()), ("port", ("--verify", "--recorded", f"{script.stem}.json"))):
            said = io.StringIO()
            with contextlib.chdir(script.parent), contextlib.redirect_stdout(said):
                command_line([command, script.name, *more])
            lines = "\n".join(map(readable, said.getvalue().rstrip().splitlines()))
            words = " ".join(["python -m pydpstat", command, script.name, *more[:1]])
            run = nodes.container(classes=["run"])
            run += code(words, "text")
            run += code(lines, "text", "output")
            shown.append(run)
        return shown


def code(text: str, language: str, *classes: str) -> nodes.literal_block:
    """Return a block of code or output."""
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def comparison(shown: Shown) -> nodes.container:
    """Return a comparison as a page shows it."""
    box = nodes.container(classes=["parity"])
    for label, side, lines, output, language in (
        (shown.source, "r-side", shown.r, shown.r_output, "r"),
        ("Python", "python-side", shown.python, shown.python_output, "python"),
    ):
        half = nodes.container(classes=["half", side])
        half += nodes.paragraph("", label, classes=["language"])
        half += code(lines, language)
        half += code(output, "text", "output")
        box += half
    same = shown.case.level in ("exact", "ulp", "rtol")
    box += nodes.paragraph("", shown.agreement, classes=["agreement", "same" if same else "different"])
    for row, text in shown.warnings:
        line = nodes.paragraph(classes=["privacy-warning"])
        line += nodes.strong("", "PrivacyWarning")
        line += nodes.Text(f": {text} ")
        line += reference(f"row-{row}", f"Finding {row}")
        box += line
    return box


def reference(target: str, text: str) -> addnodes.pending_xref:
    """Return a link to a labeled place of these pages."""
    label = target.lower()
    link = addnodes.pending_xref("", refdomain="std", reftype="ref", reftarget=label, refexplicit=True, refwarn=True)
    link += nodes.inline("", text)
    return link


def forget_page(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Let a page that is read again begin with no variables."""
    build.names.pop(docname, None)


def stop_on_failures(app: Sphinx, env: BuildEnvironment) -> None:
    """End the build where a comparison or a page's code failed, or an item is shown nowhere."""
    build.failures += missing_items(env)
    if build.failures:
        raise ExtensionError(f"{len(build.failures)} failed: " + " | ".join(build.failures))
