"""Functions that evaluate arguments among the columns of a data frame: base R's and dplyr's verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS
from pydpstat.porting._calls import Calls
from pydpstat.porting._code import ATOM, Code, TranslationError, write_call, write_keyword
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._scope import (
    Variable,
    get_arguments,
    get_function_name,
    get_word,
    iterate_nodes,
    make_call,
    make_hidden_name,
)
from pydpstat.porting._syntax import Argument, Call, Constant, Name, Node

_DPLYR_VERBS = set(
    "filter select mutate group_by ungroup summarize arrange count distinct pull rename transmute "
    "slice_head left_join inner_join n n_distinct if_else case_when as_tibble".split()
)
# dplyr accepts both spellings
_SPELLINGS = {"summarise": "summarize"}
_BASE_VERBS = {"with", "subset", "transform"}
# functions that evaluate arguments among the columns of a data frame, in all spellings
EVALUATES_COLUMNS = _BASE_VERBS | _DPLYR_VERBS | set(_SPELLINGS)


class Verbs(Calls):
    """Translation of R's and dplyr's verbs to Python."""

    def translate_verb(self, node: Call, name: str) -> Code:
        """Return a call of a pipe, or of a function whose arguments refer to columns of a data frame."""
        if name == "%>%":
            return self.translate_node(expand_pipe(node))
        if packages.is_pipe(name):
            raise TranslationError(f"the pipe {name} has no counterpart")
        return getattr(self, f"_{_SPELLINGS.get(name, name)}")(node)  # type: ignore[no-any-return]

    def is_verb(self, package: str, name: str) -> bool:
        """Return whether a function evaluates its arguments among the columns of a data frame."""
        return (package == "base" and name in _BASE_VERBS) or (
            package == "dplyr" and _SPELLINGS.get(name, name) in _DPLYR_VERBS
        )

    @contextmanager
    def _use_columns(self, text: str, frame: Code, new_columns: Sequence[str] = ()) -> Iterator[None]:
        variable = self._find_frame(frame) or Variable(text, missing=1)
        if variable.columns is not None:
            columns, complete = (*variable.columns, *new_columns), variable.complete - {*new_columns, "*"}
            variable = replace(variable, columns=columns, complete=complete)
        self.frames.append((text, replace(variable, python=text), self.scope))
        yield
        self.frames.pop()

    def _read_verb_arguments(self, node: Call, *options: str, groups: bool = False) -> tuple[Code, list[Argument]]:
        """Return a verb's data frame and its other arguments; `options` are the formal arguments allowed by name."""
        name = get_function_name(node)
        package = "base" if name in _BASE_VERBS else "dplyr"
        formals = packages.find_formals(package, name, "data.frame") or [".data", DOTS]
        # dplyr ignores empty arguments
        given = [each for each in node.arguments if each.value is not None or package == "base"]
        found = arguments.bind_arguments(formals, given, name)
        first = next((each.value for formal, each in found if formal == formals[0]), None)
        if first is None:
            raise TranslationError(f"{name} has no data frame")
        rest = []
        for formal, each in found:
            if formal not in (formals[0], DOTS, *options):
                raise TranslationError(f"the argument {formal} of {name} has no counterpart")
            if formal != formals[0]:
                rest.append(each if formal == DOTS else replace(each, name=formal))
        frame = self.translate_node(first)
        if frame.kind not in ("frame", "groups", ""):
            raise TranslationError(f"a verb of a {frame.kind}")
        if frame.kind == "groups" and not groups:
            raise TranslationError(f"{name} of groups")
        return frame, rest

    def _write_row_function(
        self, frame: Code, node: Node | None, dropped: bool = False, new_columns: Sequence[str] = ()
    ) -> str:
        """Return a lambda of the data frame, in which the `new_columns` already exist."""
        # a name that no variable of the script can have
        rows = self.scope.assign_free_name(make_hidden_name("rows"), "d")
        with self._use_columns(rows, frame, new_columns), self.set_condition_mode(dropped=dropped):
            return f"lambda {rows}: {self.translate_node(node).text}"

    def _with(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "expr")
        if not frame.text.isidentifier():
            raise TranslationError("with of a data frame without a name")
        if len(rest) != 1:
            raise TranslationError("with takes one expression")
        with self._use_columns(frame.text, frame):
            return self.translate_node(rest[0].value)

    def _note_columns(self, code: Code, frame: Code, columns: Sequence[str] | None = None) -> Code:
        """Record the columns of a verb's result: those of its data frame, or the given ones."""
        known = self._find_frame(frame)
        if columns is None and (known is None or known.columns is None):
            return code
        complete = known.complete if known and columns is None else frozenset[str]()
        kept = columns if columns is not None else known and known.columns
        self.unnamed_frames[code.text] = Variable(code.text, "frame", columns=tuple(kept or ()), complete=complete)
        return code

    def _filter(self, node: Call, conditions: list[Argument] | None = None) -> Code:
        frame, rest = self._read_verb_arguments(node, "subset", "select", groups=conditions is None)
        test = (conditions or rest)[0].value
        for each in (conditions or rest)[1:]:
            if each.name or test is None or each.value is None:
                raise TranslationError("filter with an argument by name")
            test = make_call("&", test, each.value, like=node)
        if frame.kind == "groups":
            given = [frame.text, frame.plain, self._write_row_function(frame, test, dropped=True)]
            text = write_call("r.filter_rows", given)
            return Code(text, "groups", plain=frame.plain, missing=frame.missing)
        if frame.text.isidentifier():
            with self._use_columns(frame.text, frame), self.set_condition_mode(dropped=True):
                text = f"{frame.text}[{self.translate_node(test).text}]"
        else:
            text = f"{frame.wrap_at(ATOM)}.loc[{self._write_row_function(frame, test, dropped=True)}]"
        # subset preserves the row numbers, filter does not
        text = write_call("r.renumber", [text]) if conditions is None and not self.is_lenient else text
        return Code(text, "frame", missing=frame.missing)

    def _subset(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "subset", "select")
        tests = [replace(each, name=None) for each in rest if each.name == "subset"]
        chosen = [each for each in rest if each.name == "select"]
        if len(tests) + len(chosen) != len(rest) or len(tests) > 1:
            raise TranslationError("subset takes a condition and select")
        found = self._filter(node, tests) if tests else frame
        return self._choose_columns(found, [chosen[0].value]) if chosen else found

    def _read_column_names(self, given: list[Node | None]) -> list[str]:
        found = []
        for each in given:
            if get_function_name(each) == "c":
                found += self._read_column_names(list(get_arguments(each)))  # type: ignore[arg-type]
            elif get_word(each):
                found.append(get_word(each))
            else:
                raise TranslationError("columns are chosen by something else than names")
        return found

    def _choose_columns(self, frame: Code, given: list[Node | None]) -> Code:
        minus = [get_arguments(each)[0] for each in given if get_function_name(each) == "-"]
        if minus and len(minus) == len(given):
            names = ", ".join(map(quote_text, self._read_column_names(list(minus))))
            return Code(f"{frame.wrap_at(ATOM)}.drop(columns=[{names}])", "frame", missing=frame.missing)
        kept = self._read_column_names(given)
        text = f"{frame.wrap_at(ATOM)}[[{', '.join(map(quote_text, kept))}]]"
        return self._note_columns(Code(text, "frame", missing=frame.missing), frame, kept)

    def _select(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node)
        if any(each.name for each in rest):
            raise TranslationError("select with new names")
        return self._choose_columns(frame, [each.value for each in rest])

    def _pull(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "var", groups=True)
        return Code(
            f"{frame.wrap_at(ATOM)}[{quote_text(self._read_column_names([rest[0].value])[0])}].values",
            "",
            missing=1,
        )

    def _rename(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node)
        pairs = [f"{quote_text(get_word(each.value))}: {quote_text(each.name)}" for each in rest]
        return Code(f"{frame.wrap_at(ATOM)}.rename(columns={{{', '.join(pairs)}}})", "frame", missing=frame.missing)

    def _mutate(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, groups=True)
        texts: list[str] = []
        made: list[str] = []
        for each in rest:
            if not each.name or each.name == "self":
                raise TranslationError("a column that is made has no name, or one that pandas keeps for itself")
            texts.append(write_keyword(each.name, self._write_row_function(frame, each.value, new_columns=made)))
            made.append(each.name)
        if frame.kind == "groups":
            return Code(
                write_call("r.mutate", [frame.text, frame.plain, *texts]),
                "groups",
                plain=frame.plain,
                missing=1,
            )
        code = Code(write_call(f"{frame.wrap_at(ATOM)}.assign", texts), "frame", missing=frame.missing)
        before = self._find_frame(frame)
        if before is None or before.columns is None:
            return code
        return self._note_columns(code, frame, tuple(dict.fromkeys([*before.columns, *made])))

    def _transmute(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node)
        kept = [each.name or get_word(each.value) for each in rest]
        made = tuple(each for each in rest if each.name)
        found = self._mutate(replace(node, arguments=(node.arguments[0], *made))) if made else frame
        return self._choose_columns(found, [Name(each) for each in kept])

    def _as_tibble(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node)
        if rest:
            raise TranslationError("as_tibble with further arguments")
        code = Code(write_call("r.as_tibble", [frame.text]), "frame", missing=frame.missing)
        return self._note_columns(code, frame)

    def _transform(self, node: Call) -> Code:
        # in base R, only existing columns are visible
        names = [each.name for each in node.arguments[1:]]
        used = {one.name for each in node.arguments[1:] for one in iterate_nodes(each.value) if isinstance(one, Name)}
        if used & set(names) and len(names) > 1:
            raise TranslationError("transform uses a column that it changes")
        return self._mutate(node)

    def _group_by(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, groups=True)
        if any(each.name for each in rest):
            raise TranslationError("groups of what is computed")
        names = ", ".join(quote_text(get_word(each.value)) for each in rest)
        if any(not get_word(each.value) for each in rest):
            raise TranslationError("groups of what is computed")
        return Code(frame.text, "groups", frame.level, plain=f"[{names}]", missing=frame.missing)

    def _ungroup(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, groups=True)
        if rest:
            raise TranslationError("ungroup of some columns only")
        return replace(frame, kind="frame", plain="")

    def _summarize(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, ".groups", groups=True)
        left = next((get_word(each.value) for each in rest if each.name == ".groups"), "drop_last")
        rest = [each for each in rest if each.name != ".groups"]
        texts = []
        for each in rest:
            if not each.name:
                raise TranslationError("a summary has no name")
            texts.append(write_keyword(each.name, self._write_row_function(frame, each.value)))
        by = frame.plain if frame.kind == "groups" else "[]"
        text = write_call("r.summarize", [frame.text, by, *texts])
        keys = [each for each in by.strip("[]").split(", ") if each]
        remaining = {"drop_last": keys[:-1], "keep": keys, "drop": []}.get(left)
        if remaining is None:
            raise TranslationError(f".groups of summarize is {left or 'computed'}")
        told = len(keys) > 1 and all(each.name != ".groups" for each in node.arguments)
        if told and not self.has_hidden_messages and not self.is_lenient:
            text = write_call("r.tell_groups", [text, f"[{', '.join(remaining)}]"])
        code = Code(text, "frame", missing=1)
        if remaining:
            code = replace(code, kind="groups", plain=f"[{', '.join(remaining)}]")
        names = [*(each.strip('"') for each in keys), *(str(each.name) for each in rest)]
        return self._note_columns(code, frame, list(dict.fromkeys(names)))

    def _arrange(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, groups=True)
        keys = []
        for each in rest:
            down = get_function_name(each.value) == "desc"
            inner = get_arguments(each.value)[0] if down and each.value else each.value  # type: ignore[arg-type]
            key = self._write_row_function(frame, inner)
            keys.append(f"r.desc({key})" if down else key)
        text = write_call("r.arrange", [frame.text, *keys])
        code = Code(text, frame.kind or "frame", plain=frame.plain, missing=frame.missing)
        return self._note_columns(code, frame)

    def _count(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "wt", "sort", "name")
        options = [each for each in rest if each.name in ("wt", "sort", "name")]
        rest = [each for each in rest if each not in options]
        if any(each.name for each in rest):
            raise TranslationError("count of what is computed")
        names = [quote_text(get_word(each.value)) for each in rest]
        if '""' in names:
            raise TranslationError("count of what is computed")
        more = [
            f"wt={quote_text(self._read_column_names([each.value])[0])}"
            if each.name == "wt"
            else write_keyword(each.name, self.translate_node(each.value).text)
            for each in options
        ]
        return Code(write_call("r.count", [frame.text, *names, *more]), "frame", missing=1)

    def _distinct(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, ".keep_all")
        names = [quote_text(one) for one in self._read_column_names([each.value for each in rest if not each.name])]
        kept = [f"keep_all={self.translate_node(each.value).text}" for each in rest if each.name == ".keep_all"]
        if len(names) + len(kept) < len(rest):
            raise TranslationError("distinct of what is computed")
        return Code(write_call("r.distinct", [frame.text, *names, *kept]), "frame", missing=frame.missing)

    def _slice_head(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "n")
        if [each.name for each in rest] not in ([], ["n"]):
            raise TranslationError("slice_head takes n")
        n = self.translate_node(rest[0].value).text if rest else "1"
        return Code(write_call("r.head", [frame.text, n]), "frame", missing=frame.missing)

    def _left_join(self, node: Call) -> Code:
        frame, rest = self._read_verb_arguments(node, "y", "by")
        by = [each for each in rest if each.name == "by"]
        other = [each for each in rest if each.name == "y"]
        if len(by) != 1 or len(other) != 1:
            raise TranslationError("a join without by")
        texts = [
            frame.text,
            self.translate_node(other[0].value).text,
            f"by={self.translate_node(by[0].value).sequence}",
        ]
        return Code(write_call(f"r.{get_function_name(node)}", texts), "frame", missing=1)

    _inner_join = _left_join

    def _n(self, node: Call) -> Code:
        if not self.frames:
            raise TranslationError("n() outside of a verb")
        return Code(f"len({self.frames[-1][0]})", "count")

    def _n_distinct(self, node: Call) -> Code:
        if len(node.arguments) != 1:
            raise TranslationError("n_distinct takes one vector")
        return Code(f"len(r.unique({self.translate_node(node.arguments[0].value).text}))", "count")

    def _if_else(self, node: Call) -> Code:
        found = arguments.bind_arguments(["condition", "true", "false", "missing"], node.arguments, "if_else")
        names = {"condition": "test", "true": "yes", "false": "no"}
        if not all(formal in names for formal, _ in found):
            raise TranslationError("the argument missing of if_else has no counterpart")
        given = tuple(replace(each, name=names[formal]) for formal, each in found)
        return self.special_translators["ifelse"](replace(node, arguments=given))

    def _case_when(self, node: Call) -> Code:
        last: Node = Constant(None, "logical", node.start, node.end)
        for each in reversed(node.arguments):
            if get_function_name(each.value) != "~":
                raise TranslationError("case_when without ~")
            test, value = get_arguments(each.value)  # type: ignore[arg-type]
            always = isinstance(test, Constant) and test.value is True or isinstance(test, Name) and test.name == "T"
            last = value if always else make_call("ifelse", test, value, last, like=node)
        return self.translate_node(last)


def expand_pipe(node: Call) -> Node:
    """Return the call that a magrittr pipe makes."""
    left, right = (each.value for each in node.arguments)
    if left is None or right is None:
        raise TranslationError("a pipe with an empty side")
    if isinstance(right, Name) or get_function_name(right) in ("::", ":::"):
        return Call(right, (Argument(None, left),), node.start, node.end)
    if not isinstance(right, Call) or get_function_name(right) in ("{", "("):
        raise TranslationError("a pipe into what is no call")
    places = [isinstance(each.value, Name) and each.value.name == "." for each in right.arguments]
    if any(
        isinstance(one, Name) and one.name == "."
        for k, each in enumerate(right.arguments)
        for one in iterate_nodes(each.value)
        if not places[k]
    ):
        raise TranslationError("a pipe with . inside of an argument")
    if sum(places) > 1:
        raise TranslationError("a pipe with . twice")
    given = tuple(Argument(each.name, left) if place else each for each, place in zip(right.arguments, places))
    if not any(places):
        given = (Argument(None, left), *given)
    return Call(right.function, given, node.start, node.end)
