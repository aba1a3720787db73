"""Functions whose arguments are about the columns of a data frame: base R's and dplyr's verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pydpstat.porting._calls import Calls
from pydpstat.porting._code import ATOM, Code, Untranslated, called, keyword
from pydpstat.porting._escapes import quoted
from pydpstat.porting._scope import Variable, arguments_of, call, function_name, hidden, nodes, word
from pydpstat.porting._syntax import Argument, Call, Constant, Name, Node

_DPLYR = set(
    "filter select mutate group_by ungroup summarize arrange count distinct pull rename transmute "
    "slice_head left_join inner_join n n_distinct if_else case_when as_tibble".split()
)
# dplyr takes either
_SPELLED = {"summarise": "summarize"}
_BASE = {"with", "subset", "transform", "within"}
_PIPES = {"%>%", "%<>%", "%T>%", "%$%"}


class Verbs(Calls):
    """What verbs are in Python."""

    def verb(self, node: Call, name: str) -> Code | None:
        """Return a verb's call, or nothing if it is none."""
        if name == "%>%":
            return self.value(piped(node))
        if name in _PIPES:
            raise Untranslated(f"the pipe {name} has no counterpart")
        if self.is_verb(name):
            made = getattr(self, f"_{_SPELLED.get(name, name)}", None)
            if made is None:
                raise Untranslated(f"{name} has no counterpart")
            return made(node)  # type: ignore[no-any-return]
        return None

    def is_verb(self, name: str) -> bool:
        """Return whether a function's arguments are about the columns of a data frame."""
        return name in _BASE or (
            _SPELLED.get(name, name) in _DPLYR and bool({"dplyr", "tidyverse"} & self.attached)
        )

    @contextmanager
    def _columns_of(self, text: str, frame: Code, made: Sequence[str] = ()) -> Iterator[None]:
        variable = self._frame_of(frame) or Variable(text, missing=1)
        if variable.columns is not None:
            columns, complete = (*variable.columns, *made), variable.complete - {*made, "*"}
            variable = replace(variable, columns=columns, complete=complete)
        self.frames.append((text, replace(variable, python=text), self.scope))
        yield
        self.frames.pop()

    def _data(self, node: Call) -> tuple[Code, list[Argument]]:
        """Return a verb's data frame and its other arguments."""
        if (
            not node.arguments
            or node.arguments[0].value is None
            or node.arguments[0].name not in (None, ".data", "data", "x")
        ):
            raise Untranslated("the data frame of a verb is not its first argument")
        frame = self.value(node.arguments[0].value)
        if frame.kind not in ("frame", "groups", ""):
            raise Untranslated(f"a verb of a {frame.kind}")
        return frame, [each for each in node.arguments[1:] if each.value is not None]

    def _function_of(
        self, frame: Code, node: Node | None, dropped: bool = False, made: Sequence[str] = ()
    ) -> str:
        """Return a function of the data frame, which has columns that were `made` before."""
        # a name that no variable of the script has
        rows = self.scope.free_name(hidden("rows"), "d")
        with self._columns_of(rows, frame, made), self.condition(dropped=dropped):
            return f"lambda {rows}: {self.value(node).text}"

    def _with(self, node: Call) -> Code:
        frame, rest = self._data(node)
        if not frame.text.isidentifier():
            raise Untranslated("with of a data frame without a name")
        with self._columns_of(frame.text, frame):
            return self.value(rest[0].value)

    def _note(self, code: Code, frame: Code, columns: Sequence[str] | None = None) -> Code:
        """Note the columns of what a verb makes of a data frame: those that it had, or others."""
        known = self._frame_of(frame)
        if columns is None and (known is None or known.columns is None):
            return code
        complete = known.complete if known and columns is None else frozenset[str]()
        kept = columns if columns is not None else known and known.columns
        self.made[code.text] = Variable(code.text, "frame", columns=tuple(kept or ()), complete=complete)
        return code

    def _filter(self, node: Call, conditions: list[Argument] | None = None) -> Code:
        frame, rest = self._data(node)
        if frame.kind == "groups":
            raise Untranslated("filter of groups")
        test = (conditions or rest)[0].value
        for each in (conditions or rest)[1:]:
            if each.name or test is None or each.value is None:
                raise Untranslated("filter with an argument by name")
            test = call("&", test, each.value, like=node)
        if frame.text.isidentifier():
            with self._columns_of(frame.text, frame), self.condition(dropped=True):
                text = f"{frame.text}[{self.value(test).text}]"
        else:
            text = f"{frame.at(ATOM)}.loc[{self._function_of(frame, test, dropped=True)}]"
        return Code(text, "frame", missing=frame.missing)

    def _subset(self, node: Call) -> Code:
        frame, rest = self._data(node)
        tests = [each for each in rest if each.name in (None, "subset")]
        chosen = [each for each in rest if each.name == "select"]
        if len(tests) + len(chosen) != len(rest) or len(tests) > 1:
            raise Untranslated("subset takes a condition and select")
        found = self._filter(node, tests) if tests else frame
        return self._chosen(found, [chosen[0].value]) if chosen else found

    def _names(self, given: list[Node | None]) -> list[str]:
        found = []
        for each in given:
            if function_name(each) == "c":
                found += self._names(list(arguments_of(each)))  # type: ignore[arg-type]
            elif word(each):
                found.append(word(each))
            else:
                raise Untranslated("columns are chosen by something else than names")
        return found

    def _chosen(self, frame: Code, given: list[Node | None]) -> Code:
        minus = [arguments_of(each)[0] for each in given if function_name(each) == "-"]
        if minus and len(minus) == len(given):
            names = ", ".join(map(quoted, self._names(list(minus))))
            return Code(f"{frame.at(ATOM)}.drop(columns=[{names}])", "frame", missing=frame.missing)
        kept = self._names(given)
        text = f"{frame.at(ATOM)}[[{', '.join(map(quoted, kept))}]]"
        return self._note(Code(text, "frame", missing=frame.missing), frame, kept)

    def _select(self, node: Call) -> Code:
        frame, rest = self._data(node)
        if frame.kind == "groups" or any(each.name for each in rest):
            raise Untranslated("select of groups, or with new names")
        return self._chosen(frame, [each.value for each in rest])

    def _pull(self, node: Call) -> Code:
        frame, rest = self._data(node)
        return Code(f"{frame.at(ATOM)}[{quoted(self._names([rest[0].value])[0])}].values", "", missing=1)

    def _rename(self, node: Call) -> Code:
        frame, rest = self._data(node)
        pairs = [f"{quoted(word(each.value))}: {quoted(each.name)}" for each in rest]
        return Code(
            f"{frame.at(ATOM)}.rename(columns={{{', '.join(pairs)}}})", "frame", missing=frame.missing
        )

    def _mutate(self, node: Call) -> Code:
        frame, rest = self._data(node)
        texts: list[str] = []
        made: list[str] = []
        for each in rest:
            if not each.name or each.name == "self":
                raise Untranslated("a column that is made has no name, or one that pandas keeps for itself")
            texts.append(keyword(each.name, self._function_of(frame, each.value, made=made)))
            made.append(each.name)
        if frame.kind == "groups":
            return Code(
                called("r.mutate", [frame.text, frame.plain, *texts]), "groups", plain=frame.plain, missing=1
            )
        code = Code(called(f"{frame.at(ATOM)}.assign", texts), "frame", missing=frame.missing)
        before = self._frame_of(frame)
        if before is None or before.columns is None:
            return code
        return self._note(code, frame, tuple(dict.fromkeys([*before.columns, *made])))

    def _transmute(self, node: Call) -> Code:
        frame, rest = self._data(node)
        if frame.kind == "groups":
            raise Untranslated("transmute of groups")
        kept = [each.name or word(each.value) for each in rest]
        made = tuple(each for each in rest if each.name)
        found = self._mutate(replace(node, arguments=(node.arguments[0], *made))) if made else frame
        return self._chosen(found, [Name(each) for each in kept])

    def _as_tibble(self, node: Call) -> Code:
        return self._data(node)[0]

    def _transform(self, node: Call) -> Code:
        # base R sees only the columns that were there before
        names = [each.name for each in node.arguments[1:]]
        used = {one.name for each in node.arguments[1:] for one in nodes(each.value) if isinstance(one, Name)}
        if used & set(names) and len(names) > 1:
            raise Untranslated("transform uses a column that it changes")
        return self._mutate(node)

    def _group_by(self, node: Call) -> Code:
        frame, rest = self._data(node)
        if frame.kind == "groups" or any(each.name for each in rest):
            raise Untranslated("groups of groups, or of what is computed")
        names = ", ".join(quoted(word(each.value)) for each in rest)
        if any(not word(each.value) for each in rest):
            raise Untranslated("groups of what is computed")
        return Code(frame.text, "groups", frame.level, plain=f"[{names}]", missing=frame.missing)

    def _ungroup(self, node: Call) -> Code:
        frame, _ = self._data(node)
        return replace(frame, kind="frame", plain="")

    def _summarize(self, node: Call) -> Code:
        frame, rest = self._data(node)
        texts = []
        for each in rest:
            if each.name == ".groups":
                continue
            if not each.name:
                raise Untranslated("a summary has no name")
            texts.append(keyword(each.name, self._function_of(frame, each.value)))
        by = frame.plain if frame.kind == "groups" else "[]"
        text = called("r.summarize", [frame.text, by, *texts])
        names = [*by.strip("[]").replace('"', "").split(", "), *(str(each.name) for each in rest)]
        return self._note(
            Code(text, "frame", missing=1), frame, [name for name in names if name not in ("", ".groups")]
        )

    def _arrange(self, node: Call) -> Code:
        frame, rest = self._data(node)
        keys = []
        for each in rest:
            down = function_name(each.value) == "desc"
            inner = arguments_of(each.value)[0] if down and each.value else each.value  # type: ignore[arg-type]
            key = self._function_of(frame, inner)
            keys.append(f"r.desc({key})" if down else key)
        code = Code(called("r.arrange", [frame.text, *keys]), "frame", missing=frame.missing)
        return self._note(code, frame)

    def _count(self, node: Call) -> Code:
        frame, rest = self._data(node)
        names = [quoted(word(each.value)) for each in rest if not each.name]
        if '""' in names:
            raise Untranslated("count of what is computed")
        more = [keyword(each.name, self.value(each.value).text) for each in rest if each.name]
        return Code(called("r.count", [frame.text, *names, *more]), "frame", missing=1)

    def _distinct(self, node: Call) -> Code:
        frame, rest = self._data(node)
        return Code(
            called("r.distinct", [frame.text, *map(quoted, self._names([e.value for e in rest]))]),
            "frame",
            missing=frame.missing,
        )

    def _slice_head(self, node: Call) -> Code:
        frame, rest = self._data(node)
        return Code(
            called("r.head", [frame.text, self.value(rest[0].value).text]), "frame", missing=frame.missing
        )

    def _left_join(self, node: Call) -> Code:
        frame, rest = self._data(node)
        by = [each for each in rest if each.name == "by"]
        other = [each for each in rest if each.name in (None, "y")]
        if len(by) != 1 or len(other) != 1:
            raise Untranslated("a join without by")
        texts = [frame.text, self.value(other[0].value).text, f"by={self.value(by[0].value).sequence}"]
        return Code(called(f"r.{function_name(node)}", texts), "frame", missing=1)

    _inner_join = _left_join

    def _n(self, node: Call) -> Code:
        if not self.frames:
            raise Untranslated("n() outside of a verb")
        return Code(f"len({self.frames[-1][0]})", "count")

    def _n_distinct(self, node: Call) -> Code:
        return Code(f"len(r.unique({self.value(node.arguments[0].value).text}))", "count")

    def _if_else(self, node: Call) -> Code:
        return self.special["ifelse"](node)

    def _case_when(self, node: Call) -> Code:
        last: Node = Constant(None, "logical", node.start, node.end)
        for each in reversed(node.arguments):
            if function_name(each.value) != "~":
                raise Untranslated("case_when without ~")
            test, value = arguments_of(each.value)  # type: ignore[arg-type]
            always = (
                isinstance(test, Constant)
                and test.value is True
                or isinstance(test, Name)
                and test.name == "T"
            )
            last = value if always else call("ifelse", test, value, last, like=node)
        return self.value(last)


def piped(node: Call) -> Node:
    """Return the call that a pipe of magrittr makes."""
    left, right = (each.value for each in node.arguments)
    if left is None or right is None:
        raise Untranslated("a pipe with an empty side")
    if isinstance(right, Name) or function_name(right) in ("::", ":::"):
        return Call(right, (Argument(None, left),), node.start, node.end)
    if not isinstance(right, Call) or function_name(right) in ("{", "("):
        raise Untranslated("a pipe into what is no call")
    places = [isinstance(each.value, Name) and each.value.name == "." for each in right.arguments]
    if any(
        isinstance(one, Name) and one.name == "."
        for k, each in enumerate(right.arguments)
        for one in nodes(each.value)
        if not places[k]
    ):
        raise Untranslated("a pipe with . inside of an argument")
    if sum(places) > 1:
        raise Untranslated("a pipe with . twice")
    given = tuple(
        Argument(each.name, left) if place else each for each, place in zip(right.arguments, places)
    )
    if not any(places):
        given = (Argument(None, left), *given)
    return Call(right.function, given, node.start, node.end)
