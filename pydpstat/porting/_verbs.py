"""Functions whose arguments are about the columns of a data frame: base R's and dplyr's verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS
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
_BASE = {"with", "subset", "transform"}


class Verbs(Calls):
    """What verbs are in Python."""

    def verb(self, node: Call, name: str) -> Code:
        """Return a call whose arguments are about the columns of a data frame, or of a pipe."""
        if name == "%>%":
            return self.value(piped(node))
        if packages.is_pipe(name):
            raise Untranslated(f"the pipe {name} has no counterpart")
        return getattr(self, f"_{_SPELLED.get(name, name)}")(node)  # type: ignore[no-any-return]

    def is_verb(self, package: str, name: str) -> bool:
        """Return whether a function's arguments are about the columns of a data frame."""
        return (package == "base" and name in _BASE) or (
            package == "dplyr" and _SPELLED.get(name, name) in _DPLYR
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

    def _data(self, node: Call, *options: str, groups: bool = False) -> tuple[Code, list[Argument]]:
        """Return a verb's data frame and its other arguments, of the formal ones those that are `options`."""
        name = function_name(node)
        package = "base" if name in _BASE else "dplyr"
        formals = packages.formals_of(package, name, "data.frame") or [".data", DOTS]
        # dplyr leaves out empty arguments
        given = [each for each in node.arguments if each.value is not None or package == "base"]
        found = arguments.bind_arguments(formals, given, name)
        first = next((each.value for formal, each in found if formal == formals[0]), None)
        if first is None:
            raise Untranslated(f"{name} has no data frame")
        rest = []
        for formal, each in found:
            if formal not in (formals[0], DOTS, *options):
                raise Untranslated(f"the argument {formal} of {name} has no counterpart")
            if formal != formals[0]:
                rest.append(each if formal == DOTS else replace(each, name=formal))
        frame = self.value(first)
        if frame.kind not in ("frame", "groups", ""):
            raise Untranslated(f"a verb of a {frame.kind}")
        if frame.kind == "groups" and not groups:
            raise Untranslated(f"{name} of groups")
        return frame, rest

    def _function_of(
        self, frame: Code, node: Node | None, dropped: bool = False, made: Sequence[str] = ()
    ) -> str:
        """Return a function of the data frame, which has columns that were `made` before."""
        # a name that no variable of the script has
        rows = self.scope.free_name(hidden("rows"), "d")
        with self._columns_of(rows, frame, made), self.condition(dropped=dropped):
            return f"lambda {rows}: {self.value(node).text}"

    def _with(self, node: Call) -> Code:
        frame, rest = self._data(node, "expr")
        if not frame.text.isidentifier():
            raise Untranslated("with of a data frame without a name")
        if len(rest) != 1:
            raise Untranslated("with takes one expression")
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
        frame, rest = self._data(node, "subset", "select", groups=conditions is None)
        test = (conditions or rest)[0].value
        for each in (conditions or rest)[1:]:
            if each.name or test is None or each.value is None:
                raise Untranslated("filter with an argument by name")
            test = call("&", test, each.value, like=node)
        if frame.kind == "groups":
            given = [frame.text, frame.plain, self._function_of(frame, test, dropped=True)]
            text = called("r.filter_rows", given)
            return Code(text, "groups", plain=frame.plain, missing=frame.missing)
        if frame.text.isidentifier():
            with self._columns_of(frame.text, frame), self.condition(dropped=True):
                text = f"{frame.text}[{self.value(test).text}]"
        else:
            text = f"{frame.at(ATOM)}.loc[{self._function_of(frame, test, dropped=True)}]"
        # subset keeps the numbers of rows, filter does not
        text = called("r.renumber", [text]) if conditions is None and not self.lenient else text
        return Code(text, "frame", missing=frame.missing)

    def _subset(self, node: Call) -> Code:
        frame, rest = self._data(node, "subset", "select")
        tests = [replace(each, name=None) for each in rest if each.name == "subset"]
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
        if any(each.name for each in rest):
            raise Untranslated("select with new names")
        return self._chosen(frame, [each.value for each in rest])

    def _pull(self, node: Call) -> Code:
        frame, rest = self._data(node, "var", groups=True)
        return Code(f"{frame.at(ATOM)}[{quoted(self._names([rest[0].value])[0])}].values", "", missing=1)

    def _rename(self, node: Call) -> Code:
        frame, rest = self._data(node)
        pairs = [f"{quoted(word(each.value))}: {quoted(each.name)}" for each in rest]
        return Code(
            f"{frame.at(ATOM)}.rename(columns={{{', '.join(pairs)}}})", "frame", missing=frame.missing
        )

    def _mutate(self, node: Call) -> Code:
        frame, rest = self._data(node, groups=True)
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
        kept = [each.name or word(each.value) for each in rest]
        made = tuple(each for each in rest if each.name)
        found = self._mutate(replace(node, arguments=(node.arguments[0], *made))) if made else frame
        return self._chosen(found, [Name(each) for each in kept])

    def _as_tibble(self, node: Call) -> Code:
        frame, rest = self._data(node)
        if rest:
            raise Untranslated("as_tibble with further arguments")
        code = Code(called("r.as_tibble", [frame.text]), "frame", missing=frame.missing)
        return self._note(code, frame)

    def _transform(self, node: Call) -> Code:
        # base R sees only the columns that were there before
        names = [each.name for each in node.arguments[1:]]
        used = {one.name for each in node.arguments[1:] for one in nodes(each.value) if isinstance(one, Name)}
        if used & set(names) and len(names) > 1:
            raise Untranslated("transform uses a column that it changes")
        return self._mutate(node)

    def _group_by(self, node: Call) -> Code:
        frame, rest = self._data(node, groups=True)
        if any(each.name for each in rest):
            raise Untranslated("groups of what is computed")
        names = ", ".join(quoted(word(each.value)) for each in rest)
        if any(not word(each.value) for each in rest):
            raise Untranslated("groups of what is computed")
        return Code(frame.text, "groups", frame.level, plain=f"[{names}]", missing=frame.missing)

    def _ungroup(self, node: Call) -> Code:
        frame, rest = self._data(node, groups=True)
        if rest:
            raise Untranslated("ungroup of some columns only")
        return replace(frame, kind="frame", plain="")

    def _summarize(self, node: Call) -> Code:
        frame, rest = self._data(node, ".groups", groups=True)
        left = next((word(each.value) for each in rest if each.name == ".groups"), "drop_last")
        rest = [each for each in rest if each.name != ".groups"]
        texts = []
        for each in rest:
            if not each.name:
                raise Untranslated("a summary has no name")
            texts.append(keyword(each.name, self._function_of(frame, each.value)))
        by = frame.plain if frame.kind == "groups" else "[]"
        text = called("r.summarize", [frame.text, by, *texts])
        keys = [each for each in by.strip("[]").split(", ") if each]
        remaining = {"drop_last": keys[:-1], "keep": keys, "drop": []}.get(left)
        if remaining is None:
            raise Untranslated(f".groups of summarize is {left or 'computed'}")
        code = Code(text, "frame", missing=1)
        if remaining:
            code = replace(code, kind="groups", plain=f"[{', '.join(remaining)}]")
        names = [*(each.strip('"') for each in keys), *(str(each.name) for each in rest)]
        return self._note(code, frame, list(dict.fromkeys(names)))

    def _arrange(self, node: Call) -> Code:
        frame, rest = self._data(node, groups=True)
        keys = []
        for each in rest:
            down = function_name(each.value) == "desc"
            inner = arguments_of(each.value)[0] if down and each.value else each.value  # type: ignore[arg-type]
            key = self._function_of(frame, inner)
            keys.append(f"r.desc({key})" if down else key)
        text = called("r.arrange", [frame.text, *keys])
        code = Code(text, frame.kind or "frame", plain=frame.plain, missing=frame.missing)
        return self._note(code, frame)

    def _count(self, node: Call) -> Code:
        frame, rest = self._data(node, "wt", "sort", "name")
        options = [each for each in rest if each.name in ("wt", "sort", "name")]
        rest = [each for each in rest if each not in options]
        if any(each.name for each in rest):
            raise Untranslated("count of what is computed")
        names = [quoted(word(each.value)) for each in rest]
        if '""' in names:
            raise Untranslated("count of what is computed")
        more = [
            f"wt={quoted(self._names([each.value])[0])}"
            if each.name == "wt"
            else keyword(each.name, self.value(each.value).text)
            for each in options
        ]
        return Code(called("r.count", [frame.text, *names, *more]), "frame", missing=1)

    def _distinct(self, node: Call) -> Code:
        frame, rest = self._data(node, ".keep_all")
        names = [quoted(one) for one in self._names([each.value for each in rest if not each.name])]
        kept = [f"keep_all={self.value(each.value).text}" for each in rest if each.name == ".keep_all"]
        if len(names) + len(kept) < len(rest):
            raise Untranslated("distinct of what is computed")
        return Code(called("r.distinct", [frame.text, *names, *kept]), "frame", missing=frame.missing)

    def _slice_head(self, node: Call) -> Code:
        frame, rest = self._data(node, "n")
        if [each.name for each in rest] not in ([], ["n"]):
            raise Untranslated("slice_head takes n")
        n = self.value(rest[0].value).text if rest else "1"
        return Code(called("r.head", [frame.text, n]), "frame", missing=frame.missing)

    def _left_join(self, node: Call) -> Code:
        frame, rest = self._data(node, "y", "by")
        by = [each for each in rest if each.name == "by"]
        other = [each for each in rest if each.name == "y"]
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
        if len(node.arguments) != 1:
            raise Untranslated("n_distinct takes one vector")
        return Code(f"len(r.unique({self.value(node.arguments[0].value).text}))", "count")

    def _if_else(self, node: Call) -> Code:
        found = arguments.bind_arguments(["condition", "true", "false", "missing"], node.arguments, "if_else")
        names = {"condition": "test", "true": "yes", "false": "no"}
        if not all(formal in names for formal, _ in found):
            raise Untranslated("the argument missing of if_else has no counterpart")
        given = tuple(replace(each, name=names[formal]) for formal, each in found)
        return self.special["ifelse"](replace(node, arguments=given))

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
