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
from pydpstat.porting._code import (
    ATOM,
    LARGE_NUMBER,
    Code,
    TranslationError,
    is_whole_number,
    make_python_name,
    write_call,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._expressions import CONSTANTS
from pydpstat.porting._scope import Scope, Variable, get_arguments, get_function_name, iterate_nodes
from pydpstat.porting._subscripts import Subscripts
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

_OPERATOR_FUNCTIONS = {
    **{"+": "np.add", "-": "np.subtract", "*": "np.multiply", "/": "np.divide", "^": "r.power"},
    **{"%%": "r.modulo", "%/%": "r.quotient", "%*%": "r.matmul", "%in%": "r.is_in"},
}
NUMPY_FUNCTIONS = {"sqrt": "np.sqrt", "abs": "np.abs", "floor": "np.floor", "ceiling": "np.ceil"}
# functions whose results are about as large as their arguments
_KEEPS_MAGNITUDE = {"(", "+", "-", "*", "/", "^", "c", "rep", "seq", "ifelse", "round", "if", "{"}


# run-time functions whose names do not exist in R
_RUNTIME_HELPERS = set(
    "cells column_or columns divide each element equal index integers known matmul modulo ordered part "
    "population filter_rows power quotient recycled released replaced replaced_cells replaced_element rows slot "
    "unequal is_in colon access column_of printed bind tell_groups single_text".split()
)

# functions of dplyr that are called like any other function
_DPLYR_FUNCTIONS = set("bind_rows intersect lag lead setdiff union".split())


def find_counterpart(package: str, name: str) -> Callable[..., object] | None:
    """Return the counterpart of a function of R's packages or of dplyr, or None."""
    plain = make_python_name(name)
    if package not in (*packages.BASE_PACKAGES, "dplyr") or (package, name) == ("stats", "lag"):
        return None
    if package == "dplyr" and name not in _DPLYR_FUNCTIONS:
        return None
    # only R's functions have recorded arguments; another function with the same name differs
    hidden = plain in _RUNTIME_HELPERS or packages.find_package(name, (package,)) != package
    found = None if hidden else getattr(r, plain, None)
    return found if callable(found) and not isinstance(found, type) else None


class Names(Subscripts):
    """Translation of R's names to Python."""

    # functions of the script by name, with the number of assignments of each name
    functions: matching.ScriptFunctions
    # attached packages, in the order of the search path
    attached: tuple[str, ...]
    # position in the script after which a name is not assigned again
    changed_until: dict[str, float]
    # position of a statement whose value is not used
    printed_position: tuple[int, int]
    # whether messages are suppressed
    has_hidden_messages: bool
    # number of blocks around a statement
    depth: int
    # names that the script binds to a function
    bound_names: set[str]
    # number of assignments of each name in the script
    assignment_counts: Mapping[str, int]

    @contextmanager
    def set_hidden_messages(self, name: str) -> Iterator[None]:
        """Mark the body of the context as the argument of a function that may suppress messages."""
        before, self.has_hidden_messages = (
            self.has_hidden_messages,
            self.has_hidden_messages or name == "suppressMessages",
        )
        try:
            yield
        finally:
            self.has_hidden_messages = before

    @abstractmethod
    def get_global_name(self, name: str) -> str:
        """Return the Python name of a script's variable, in any scope that assigns it."""

    def translate_name(self, node: Name) -> Code:
        """Translate a variable, a column, a constant, or a function used as a value."""
        name = node.name
        if name in self.bound_names:
            raise TranslationError(f"{name} is bound to a function")
        variable = self._find_local_variable(name)
        if variable is None and self.frames:
            text, frame, _ = self.frames[-1]
            column = (
                self.translate_column(Code(text, "frame", missing=1), name)
                if (frame.columns is None or name in frame.columns)
                else None
            )
            variable = self.scope.find_variable(name)
            if column and variable is not None and frame.columns is None:
                given = [text, quote_text(name), variable.python]
                return Code(write_call("r.column_or", given), "column", frame=text, missing=2)
            if column is not None and frame.columns is None:
                home = packages.find_package(name, self.attached)
                if find_counterpart(home, name) is not None:
                    # a function by its name, as for tapply, unless there is such a column
                    given = [text, quote_text(name), self.translate_reference(name)]
                    return Code(write_call("r.column_or", given), missing=2)
            if column is not None:
                return column
        variable = variable or self.scope.find_variable(name)
        if variable is not None:
            self._check_dots_value(name, variable.made)
            return Code(
                variable.python,
                variable.kind,
                plain=variable.groups,
                missing=variable.missing,
                size=variable.size,
                double=variable.double,
            )
        if name in CONSTANTS:
            return CONSTANTS[name]
        return Code(self.translate_reference(name), "function")

    def _check_dots_value(self, name: str, made: Function | None) -> None:
        if made is not None and matching.has_dots(made):
            raise TranslationError(f"{name} has ... and is used as a value, whose calls are not known here")

    def _find_local_variable(self, name: str) -> Variable | None:
        """Return a variable of a function inside the data frame's expressions, or None."""
        scope: Scope | None = self.scope
        outside = self.frames[-1][2] if self.frames else None
        while scope is not outside and scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def translate_reference(self, name: str, package: str = "") -> str:
        """Translate a function of R or of a package that is used as a value."""
        plain = make_python_name(name)
        # a statement at top level has the facts known of earlier assignments
        first = self.scope.outer is None and not self.depth and not self.is_lenient
        if not package and name in self.assignment_counts and not first:
            self._check_dots_value(name, self.functions.get(name))
            return self.get_global_name(name)
        home = package or packages.find_package(name, self.attached)
        if home in matching.PACKAGES and matching.has_export(home, name):
            text = f"{home.lower()}.{plain}"
            # the caller has no access to the script's stream
            return write_call("r.with_stream", [text, "rng"]) if matching.has_stream_parameter(home, plain) else text
        draws = home in ("base", "stats", "rmutil") and matching.is_stream_function(name)
        if draws and name not in matching.DERIVED_GENERATORS:
            return f"rng.{plain}"
        if home == "base" and name in _OPERATOR_FUNCTIONS:
            return _OPERATOR_FUNCTIONS[name]
        if home == "base" and name in NUMPY_FUNCTIONS:
            return NUMPY_FUNCTIONS[name]
        if name in ("print", "invisible", "cat", "message"):
            raise TranslationError(f"{name} as a value, whose result R does not show")
        if find_counterpart(home, name):
            return f"r.{plain}"
        raise TranslationError(f"{name} is neither assigned in the script nor has a counterpart")

    def translate_formula_data(self, formula: Node | None, data: Node | None) -> str:
        """Return the data of a formula, with the variables of the script that it may refer to."""
        functions = {id(each.function) for each in iterate_nodes(formula) if isinstance(each, Call)}
        used = [each.name for each in iterate_nodes(formula) if isinstance(each, Name) and id(each) not in functions]
        codes = {
            each: self.translate_name(Name(each))
            for each in dict.fromkeys(used)
            if data is None or self.is_outside_frame(each, data)
        }
        if any(each.kind in ("matrix", "predictions") for each in codes.values()):
            raise TranslationError("a matrix is a variable of a formula: write its columns, as vectors")
        columns = [f"{quote_text(name)}: {each.array}" for name, each in codes.items()]
        if data is None:
            return f"pd.DataFrame({{{', '.join(columns)}}})"
        frame = self.translate_node(data)
        return f"{{{', '.join(columns)}, **{frame.wrap_at(ATOM)}}}" if columns else frame.text

    def is_outside_frame(self, name: str, data: Node) -> bool:
        """Return whether a name may be a variable of the script rather than a column of a data frame."""
        frame = self._find_frame(self.translate_node(data))
        inside = frame is not None and frame.columns is not None and name in frame.columns
        return not inside and self.scope.find_variable(name) is not None

    def check_lazy_arguments(self, given: Sequence[Argument], known: list[str], what: str, function: Function) -> None:
        """Refuse arguments whose variables change before R evaluates them."""
        later = {make_python_name(each) for each in matching.find_lazy_parameters(function)}
        for name, value in arguments.match_parameters(known, given, what):
            used = {one.name for one in iterate_nodes(value) if isinstance(one, Name)}
            changed = {one for one in used if self.changed_until.get(one, 0) > value.end}
            if name in later and changed:
                raise TranslationError(
                    f"{what} returns a function with {', '.join(sorted(changed))} of the time of its call"
                )

    def is_large(self, node: Node | None) -> bool:
        """Return whether a number may be one that R displays as 1e+05 and Python as 100000."""
        if isinstance(node, Name):
            return (found := self.scope.find_variable(node.name)) is not None and found.large
        if isinstance(node, Call) and get_function_name(node) in _KEEPS_MAGNITUDE:
            return any(map(self.is_large, get_arguments(node)))
        return isinstance(node, Constant) and isinstance(node.value, float) and abs(node.value) >= LARGE_NUMBER

    def convert_for_display(self, code: Code, node: Node | None, doubles: bool = False) -> Code:
        """Return a value for a function that converts it to text: large numbers, or all, as doubles."""
        if code.kind != "number" or not (doubles or self.is_large(node)):
            return code
        text = f"{code.text}.0" if is_whole_number(code.text) else f"float({code.text})"
        return replace(code, text=text, plain="", level=ATOM)
