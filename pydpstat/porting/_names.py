"""Variables, columns, constants and functions by their names, as Python expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _matching as matching
from pydpstat.porting import _packages as packages
from pydpstat.porting import r
from pydpstat.porting._code import ATOM, LARGE, Code, Untranslated, called, is_whole, python_name
from pydpstat.porting._escapes import quoted
from pydpstat.porting._expressions import CONSTANTS
from pydpstat.porting._scope import Scope, Variable, arguments_of, function_name, nodes
from pydpstat.porting._subscripts import Subscripts
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

_OPERATORS = {
    **{"+": "np.add", "-": "np.subtract", "*": "np.multiply", "/": "np.divide", "^": "r.power"},
    **{"%%": "r.modulo", "%/%": "r.quotient", "%*%": "r.matmul", "%in%": "r.is_in"},
}
NATIVE = {"sqrt": "np.sqrt", "abs": "np.abs", "floor": "np.floor", "ceiling": "np.ceil"}
# functions whose results are as large as their arguments
_AS_LARGE = {"(", "+", "-", "*", "/", "^", "c", "rep", "seq", "ifelse", "round", "if", "{"}


# functions of this run-time help that R does not have by these names
_HELP = set(
    "cells column_or columns divide each element equal index integers known matmul modulo ordered part "
    "population filter_rows power quotient released replaced replaced_cells replaced_element rows slot "
    "unequal is_in colon access column_of printed".split()
)

# functions of dplyr that are called as any other
_OF_DPLYR = set("bind_rows intersect lag lead setdiff union".split())


def find_counterpart(package: str, name: str) -> Callable[..., object] | None:
    """Return the counterpart of a function of R's packages or of dplyr, or nothing."""
    plain = python_name(name)
    if package not in (*packages.USUAL, "dplyr") or (package, name) == ("stats", "lag"):
        return None
    if package == "dplyr" and name not in _OF_DPLYR:
        return None
    # only R's functions have recorded arguments, and one that only looks alike differs
    hidden = plain in _HELP or packages.find_package(name, (package,)) != package
    found = None if hidden else getattr(r, plain, None)
    return found if callable(found) and not isinstance(found, type) else None


class Names(Subscripts):
    """What names are in Python."""

    # functions of the script, by name, and how often a name is assigned in it
    functions: matching.Functions
    # the packages that are attached, the first on the search path first
    attached: tuple[str, ...]
    # the place in the script after which a name keeps its value
    changed_until: dict[str, float]
    # the place of a statement whose value is not used
    printing: tuple[int, int]
    # whether messages are suppressed
    quiet: bool
    # how many blocks a statement is in
    depth: int
    # how often each name is assigned in the script
    counts: Mapping[str, int]

    @contextmanager
    def quietly(self, name: str) -> Iterator[None]:
        """Translate the argument of a function that may suppress messages."""
        before, self.quiet = self.quiet, self.quiet or name == "suppressMessages"
        try:
            yield
        finally:
            self.quiet = before

    @abstractmethod
    def global_name(self, name: str) -> str:
        """Return a variable of the script in Python, wherever it is assigned."""

    def named(self, node: Name) -> Code:
        """Return a variable, a column, a constant, or a function as a value."""
        name = node.name
        variable = self._local(name)
        if variable is None and self.frames:
            text, frame, _ = self.frames[-1]
            column = (
                self.column(Code(text, "frame", missing=1), name)
                if (frame.columns is None or name in frame.columns)
                else None
            )
            variable = self.scope.find(name)
            if column and variable is not None and frame.columns is None:
                given = [text, quoted(name), variable.python]
                return Code(called("r.column_or", given), "column", frame=text, missing=2)
            if column is not None and frame.columns is None:
                home = packages.find_package(name, self.attached)
                if find_counterpart(home, name) is not None:
                    # a function by its name, as tapply takes it, unless there is such a column
                    given = [text, quoted(name), self.reference(name)]
                    return Code(called("r.column_or", given), missing=2)
            if column is not None:
                return column
        variable = variable or self.scope.find(name)
        if variable is not None:
            return Code(
                variable.python,
                variable.kind,
                plain=variable.groups,
                missing=variable.missing,
                size=variable.size,
            )
        if name in CONSTANTS:
            return CONSTANTS[name]
        return Code(self.reference(name), "function")

    def _local(self, name: str) -> Variable | None:
        """Return a variable of a function that is inside the data frame's expressions."""
        scope: Scope | None = self.scope
        outside = self.frames[-1][2] if self.frames else None
        while scope is not outside and scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def reference(self, name: str, package: str = "") -> str:
        """Return one of R's functions, or of the packages', as a value."""
        plain = python_name(name)
        # a statement of the script knows what was assigned before it
        first = self.scope.outer is None and not self.depth and not self.lenient
        if not package and name in self.counts and not first:
            return self.global_name(name)
        home = package or packages.find_package(name, self.attached)
        if home in matching.PACKAGES and matching.exports(home, name):
            text = f"{home.lower()}.{plain}"
            # what calls it does not know of the script's stream
            return called("r.with_stream", [text, "rng"]) if matching.draws_itself(home, plain) else text
        draws = home in ("base", "stats", "rmutil") and matching.stream_function(name)
        if draws and name not in matching.DERIVED:
            return f"rng.{plain}"
        if home == "base" and name in _OPERATORS:
            return _OPERATORS[name]
        if home == "base" and name in NATIVE:
            return NATIVE[name]
        if name in ("print", "invisible", "cat", "message"):
            raise Untranslated(f"{name} as a value, whose result R does not show")
        if find_counterpart(home, name):
            return f"r.{plain}"
        raise Untranslated(f"{name} is neither assigned in the script nor has a counterpart")

    def data_of(self, formula: Node | None, data: Node | None) -> str:
        """Return the data of a formula, with the variables of the script that it may mean."""
        functions = {id(each.function) for each in nodes(formula) if isinstance(each, Call)}
        used = [each.name for each in nodes(formula) if isinstance(each, Name) and id(each) not in functions]
        codes = {
            each: self.named(Name(each))
            for each in dict.fromkeys(used)
            if data is None or self.outside(each, data)
        }
        if any(each.kind in ("matrix", "predictions") for each in codes.values()):
            raise Untranslated("a matrix is a variable of a formula: write its columns, as vectors")
        columns = [f"{quoted(name)}: {each.array}" for name, each in codes.items()]
        if data is None:
            return f"pd.DataFrame({{{', '.join(columns)}}})"
        frame = self.value(data)
        return f"{{{', '.join(columns)}, **{frame.at(ATOM)}}}" if columns else frame.text

    def outside(self, name: str, data: Node) -> bool:
        """Return whether a name may be a variable of the script, and no column of a data frame."""
        frame = self._frame_of(self.value(data))
        inside = frame is not None and frame.columns is not None and name in frame.columns
        return not inside and self.scope.find(name) is not None

    def check_promises(self, given: Sequence[Argument], known: list[str], what: str, made: Function) -> None:
        """Refuse arguments whose variables change before R evaluates them."""
        later = {python_name(each) for each in matching.promised(made)}
        for name, value in arguments.matched(known, given, what):
            used = {one.name for one in nodes(value) if isinstance(one, Name)}
            changed = {one for one in used if self.changed_until.get(one, 0) > value.end}
            if name in later and changed:
                raise Untranslated(
                    f"{what} returns a function with {', '.join(sorted(changed))} of the time of its call"
                )

    def is_large(self, node: Node | None) -> bool:
        """Return whether a number may be one that R shows as 1e+05, and Python as 100000."""
        if isinstance(node, Name):
            return (found := self.scope.find(node.name)) is not None and found.large
        if isinstance(node, Call) and function_name(node) in _AS_LARGE:
            return any(map(self.is_large, arguments_of(node)))
        return isinstance(node, Constant) and isinstance(node.value, float) and abs(node.value) >= LARGE

    def shown(self, code: Code, node: Node | None, doubles: bool = False) -> Code:
        """Return a value for a function that makes a text of it: large numbers, or all, as doubles."""
        if code.kind != "number" or not (doubles or self.is_large(node)):
            return code
        text = f"{code.text}.0" if is_whole(code.text) else f"float({code.text})"
        return replace(code, text=text, plain="", level=ATOM)
