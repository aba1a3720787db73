"""Calls that are separate statements in Python: stop, library, set.seed, print and others."""

from __future__ import annotations

from dataclasses import replace

from pydpstat.porting import _packages as packages
from pydpstat.porting._assignments import LEFT, RETURNED, Sink
from pydpstat.porting._code import NOT, Untranslated, called
from pydpstat.porting._definitions import Definitions
from pydpstat.porting._escapes import comments, quoted
from pydpstat.porting._scope import function_name, word
from pydpstat.porting._syntax import Call, Name, Node


class Commands(Definitions):
    """What calls for their effect are in Python."""

    seeded = False

    def _next_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit("continue")

    def _break_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit("break")

    def _return_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if self.scope.outer is None:
            raise Untranslated("return outside of a function")
        if given:
            self.into(given[0], RETURNED)
        else:
            self.emit("return None")

    def _stop_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(f"raise ValueError({self._message(node)})")

    def _warning_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(f"warnings.warn({self._message(node)}, stacklevel=2)")

    def _message(self, node: Call) -> str:
        parts = [
            self.shown(self.value(each.value), each.value) for each in node.arguments if each.name is None
        ]
        if len(parts) == 1 and parts[0].kind == "text":
            return parts[0].text
        return called("r.paste0", [each.sequence for each in parts])

    def _stopifnot_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            with self.condition(tested=True):
                code = self.value(each.value)
            text = each.name or f"{self.script.written(each.value)} is not TRUE" if each.value else ""
            test = code.at(NOT) if code.kind == "flag" else called("np.all", [code.text])
            self.emit(f"if not {test}:")
            self.depth += 1
            self.emit(f"raise ValueError({quoted(text)})")
            self.depth -= 1

    def _library_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        name = word(given[0]) if given else ""
        if not packages.is_known(name):
            raise Untranslated(
                f"the package {name or 'that is computed'} has no counterpart, and may hide R's functions"
            )
        self.attached = packages.attach(self.attached, name)

    _require_statement = _library_statement

    def _suppressPackageStartupMessages_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in given:
            self.into(each, LEFT)

    def _install_packages_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.lines += comments(f"R only: {self.script.written(node)}", "    " * self.depth)

    def _set_seed_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if len(given) != 1:
            raise Untranslated("set.seed with another generator")
        seed = self.value(given[0]).text
        if self.seeded or self.scope.outer is not None or self.depth:
            self.emit(f"rng.set_seed({seed})")
        else:
            self.emit(f"rng = RRandom({seed})")
            self.seeded = True

    def _rm_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            if each.name is None and isinstance(each.value, Name) and each.value.name in self.scope.names:
                self.emit(f"del {self.scope.names.pop(each.value.name).python}")
            elif function_name(each.value) != "ls":
                raise Untranslated("rm of what is computed")

    def _options_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        shown = [each for each in node.arguments if each.name in ("digits", "scipen")]
        silent = ("stringsAsFactors", "warn", "digits.secs")
        if sink.kind in ("assigned", "returned") or any(
            each not in shown and each.name not in silent for each in node.arguments
        ):
            raise Untranslated("options that change what R does")
        if shown:
            self.emit(self.of_r(replace(node, arguments=tuple(shown)), "options").text)

    def _print_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(self.of_r(node, "print").text)
        if sink.kind in ("returned", "assigned"):
            if not isinstance(given[0], Name):
                raise Untranslated("the value of print")
            self.give(self.value(given[0]), sink, node)
