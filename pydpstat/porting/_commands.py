"""R's calls that become statements in Python: stop, library, set.seed, print and others."""

from __future__ import annotations

from dataclasses import replace

from pydpstat.porting import _packages as packages
from pydpstat.porting._assignments import DISCARD_SINK, RETURN_SINK, Sink
from pydpstat.porting._code import NOT, NUMBER_KINDS, NUMERIC_VECTOR_KINDS, TranslationError, write_call
from pydpstat.porting._definitions import Definitions
from pydpstat.porting._escapes import quote_text, write_comments
from pydpstat.porting._scope import get_function_name, get_word
from pydpstat.porting._syntax import Call, Name, Node


class Commands(Definitions):
    """Translation of calls that R evaluates for their effects."""

    is_seeded = False
    # whether the script calls RNGkind
    chooses_generator: bool

    def _next_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit_line("continue")

    def _break_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit_line("break")

    def _return_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if self.scope.outer is None:
            raise TranslationError("return outside of a function")
        if given:
            self.emit_node(given[0], RETURN_SINK)
        else:
            self.emit_line("return None")

    def _stop_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit_line(f"raise ValueError({self._translate_message(node)})")

    def _warning_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit_line(f"warnings.warn({self._translate_message(node)}, stacklevel=2)")

    def _translate_message(self, node: Call) -> str:
        parts = [
            self.convert_for_display(self.translate_node(each.value), each.value)
            for each in node.arguments
            if each.name is None
        ]
        if len(parts) == 1 and parts[0].kind == "text":
            return parts[0].text
        return write_call("r.paste0", [each.sequence for each in parts])

    def _stopifnot_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            with self.set_condition_mode(tested=True):
                code = self.translate_node(each.value)
            if code.kind in {*NUMBER_KINDS, *NUMERIC_VECTOR_KINDS, "text", "texts"}:
                raise TranslationError("stopifnot of what is not TRUE or FALSE")
            text = each.name or f"{self.script.written(each.value)} is not TRUE" if each.value else ""
            test = code.wrap_at(NOT) if code.kind == "flag" else write_call("np.all", [code.text])
            self.emit_line(f"if not {test}:")
            self.depth += 1
            self.emit_line(f"raise ValueError({quote_text(text)})")
            self.depth -= 1

    def _library_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        name = get_word(given[0]) if given else ""
        if not packages.is_known_package(name):
            raise TranslationError(
                f"the package {name or 'that is computed'} has no counterpart, and may hide R's functions"
            )
        self.attached = packages.attach(self.attached, name)

    _require_statement = _library_statement

    def _suppressPackageStartupMessages_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in given:
            self.emit_node(each, DISCARD_SINK)

    def _install_packages_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.lines += write_comments(f"R only: {self.script.written(node)}", "    " * self.depth)

    def _set_seed_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if len(given) != 1 or self.chooses_generator:
            raise TranslationError("set.seed with another generator")
        seed = self.translate_node(given[0]).text
        if self.is_seeded or self.scope.outer is not None or self.depth:
            self.emit_line(f"rng.set_seed({seed})")
        else:
            self.emit_line(f"rng = RRandom({seed})")
            self.is_seeded = True

    def _rm_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            if each.name is None and isinstance(each.value, Name) and each.value.name in self.scope.names:
                self.emit_line(f"del {self.scope.names.pop(each.value.name).python}")
            elif get_function_name(each.value) != "ls":
                raise TranslationError("rm of what is computed")

    def _options_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        shown = [each for each in node.arguments if each.name in ("digits", "scipen")]
        silent = ("stringsAsFactors", "warn", "digits.secs")
        if sink.kind in ("assigned", "returned") or any(
            each not in shown and each.name not in silent for each in node.arguments
        ):
            raise TranslationError("options that change what R does")
        if shown:
            self.emit_line(self.translate_r_call(replace(node, arguments=tuple(shown)), "options").text)

    def _print_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        # its value is not used here
        self.printed_position = node.start, node.end
        self.emit_line(self.translate_r_call(node, "print").text)
        if sink.kind in ("returned", "assigned"):
            if not isinstance(given[0], Name):
                raise TranslationError("the value of print")
            self.emit_value(self.translate_node(given[0]), sink, node)
