"""Functions with ``...``: for each way in which a script calls one, a function that names their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting._argument_matching import DOTS, match_arguments
from pydpstat.porting._assignments import IMPLICIT_FUNCTIONS
from pydpstat.porting._code import TranslationError
from pydpstat.porting._labels import DATA_NAME_PARAMETERS
from pydpstat.porting._matching import has_dots
from pydpstat.porting._packages import find_formals
from pydpstat.porting._scope import ARROWS, compute_depth, get_function_name, iterate_nodes, make_hidden_name
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node
from pydpstat.porting._verbs import EVALUATES_COLUMNS

# a function has at most so many expansions, and they are made of trees of at most this depth
_MAX_EXPANSIONS, _MAX_DEPTH = 6, 60
# functions that call another one, with the arguments in their own dots
_PASS_ON = {"sapply", "lapply", "vapply"}
# functions that name columns, dimensions or errors after the texts of unnamed arguments
_LABELLED_BY_TEXT = {"table", "tableDP", "data.frame", "cbind", "rbind", "stopifnot"}
# functions that evaluate arguments among columns, and models, which show the texts of arguments
_READ_BY_TEXT = EVALUATES_COLUMNS | {"lm", "glm"}
# functions of R's syntax to which R passes no dots
_WITHOUT_DOTS = IMPLICIT_FUNCTIONS - {"[", "[["} | ARROWS | {"~"}


class Expansion(NamedTuple):
    """A function of a script with the arguments in its dots as parameters.

    `names` are the names of these arguments, None where they have none, and `parameters` those of the
    parameters. `name` is the name of the expanded function.
    """

    name: str
    names: tuple[str | None, ...]
    parameters: tuple[str, ...]
    function: Function


class DotsFunctions:
    """The functions of a script that have dots, with an expansion for each way in which the script calls them.

    Parameters
    ----------
    expressions
        The syntax trees of the script.
    functions
        The functions of the script by name.
    counts
        The number of assignments of each name in the script.
    """

    def __init__(
        self, expressions: Sequence[Node], functions: Mapping[str, Function], counts: Mapping[str, int]
    ) -> None:
        self._functions = {name: each for name, each in functions.items() if has_dots(each)}
        self._expansions: dict[str, list[Expansion]] = {name: [] for name in self._functions}
        self._reasons: dict[str, str] = {}
        self._used: set[str] = set()
        if not self._functions:
            return
        every = [one for top in expressions for one in iterate_nodes(top)]
        self._used = {name for one in every for name in _iterate_names(one)}
        formals = {str(each.name) for one in every if isinstance(one, Function) for each in one.formals}
        for name, each in self._functions.items():
            if counts.get(name) != 1 or name in formals:
                self._reasons[name] = f"{name} has ..., and the script has another variable of this name"
            elif compute_depth(each) > _MAX_DEPTH:
                self._reasons[name] = f"{name} has ... and more than {_MAX_DEPTH} expressions inside one another"
        bodies = {id(each) for each in self._functions.values()}
        left = [one for top in expressions for one in iterate_nodes(top, lambda node: id(node) not in bodies)]
        while left:
            left += self._add_expansion(left.pop(0))

    @property
    def nodes(self) -> list[Node]:
        """The expanded functions and their names."""
        every = [each for found in self._expansions.values() for each in found]
        return [node for each in every for node in (Name(each.name), each.function)]

    def get_expansions(self, name: str) -> list[Expansion]:
        """Return the expansions of a function, in the order of the calls."""
        if name in self._reasons:
            raise TranslationError(self._reasons[name])
        if not self._expansions.get(name):
            raise TranslationError("a function with ...")
        return self._expansions[name]

    def expand_call(self, name: str, given: Sequence[Argument]) -> tuple[Expansion, tuple[Argument, ...]]:
        """Return the expansion that a call needs, and the arguments of the call of that function."""
        formals = [str(each.name) for each in self._functions[name].formals]
        pairs = arguments.bind_arguments(formals, given, name)
        found = self.find_expansion(name, [each.name for formal, each in pairs if formal == DOTS])
        parameters = iter(found.parameters)
        full = [(next(parameters) if formal == DOTS else formal, each) for formal, each in pairs]
        known = [str(each.name) for each in found.function.formals]
        if match_arguments(known, [each.name and formal for formal, each in full]) == [formal for formal, _ in full]:
            return found, tuple(replace(each, name=each.name and formal) for formal, each in full)
        return found, tuple(replace(each, name=formal) for formal, each in full)

    def find_expansion(self, name: str, names: Sequence[str | None]) -> Expansion:
        """Return the expansion for arguments in the dots with these names."""
        found = next((each for each in self.get_expansions(name) if each.names == tuple(names)), None)
        if found is None:
            raise TranslationError(f"{name} has ..., and this call of it is not known before it runs")
        return found

    def expand_passing(self, node: Call) -> Call:
        """Return a call such as ``sapply(x, f, ...)`` with the expansion in the place of the function."""
        name, called = self._find_dots_call(node)
        if get_function_name(node) not in _PASS_ON or not name:
            return node
        found, given = self.expand_call(name, called)
        known = [str(each.name) for each in found.function.formals]
        names = [each.name for each in given]
        places = [formal for formal, own in zip(match_arguments(known, names), names) if not own]
        # Python's counterpart of the apply function passes arguments without a name first
        if names != [each.name for each in called] or places != known[: len(places)]:
            raise TranslationError(f"{name} has ..., and Python matches what is passed on to it otherwise")
        reference = Name(make_hidden_name(found.name))
        passed = (replace(each, value=reference) if each.value == Name(name) else each for each in node.arguments)
        return replace(node, arguments=tuple(passed))

    def _add_expansion(self, node: Node) -> list[Node]:
        """Add the expansion that a call needs, and return the nodes in it."""
        try:
            name, names = self._find_dots_names(node)
        except TranslationError:
            # the call is refused when it is translated
            return []
        if name in self._reasons or name not in self._functions:
            return []
        known = self._expansions[name]
        if any(each.names == names for each in known):
            return []
        if len(known) == _MAX_EXPANSIONS:
            self._reasons[name] = f"{name} has ..., and is called in more than {_MAX_EXPANSIONS} ways"
            return []
        try:
            known.append(self._expand(name, names))
        except TranslationError as error:
            self._reasons[name] = str(error)
            return []
        return list(iterate_nodes(known[-1].function))

    def _find_dots_names(self, node: Node) -> tuple[str, tuple[str | None, ...]]:
        """Return the function with dots that a node calls, and the names of the arguments in the dots."""
        name, given = self._find_dots_call(node)
        if not name:
            return "", ()
        formals = [str(each.name) for each in self._functions[name].formals]
        pairs = arguments.bind_arguments(formals, given, name)
        return name, tuple(each.name for formal, each in pairs if formal == DOTS)

    def _find_dots_call(self, node: Node) -> tuple[str, list[Argument]]:
        """Return the function with dots that a node calls, and the arguments of its call."""
        name = get_function_name(node)
        if not isinstance(node, Call) or any(each.value == Name(DOTS) for each in node.arguments):
            return "", []
        if name in _PASS_ON:
            formals = find_formals("base", name) or []
            pairs = arguments.bind_arguments(formals, node.arguments, name)
            called = dict(pairs).get("FUN")
            if called is None or not isinstance(called.value, Name) or called.value.name not in self._functions:
                return "", []
            return called.value.name, [Argument(None, node), *(each for formal, each in pairs if formal == DOTS)]
        return (name, list(node.arguments)) if name in self._functions else ("", [])

    def _expand(self, name: str, names: tuple[str | None, ...]) -> Expansion:
        """Return a function with parameters in the place of its dots."""
        function = self._functions[name]
        taken = {one for each in iterate_nodes(function) for one in _iterate_names(each)}
        parameters: list[str] = []
        for number, each in enumerate(names, 1):
            wanted = each if each and each not in taken else _find_free_name(f"dots{number}", taken)
            parameters.append(wanted)
            taken.add(wanted)
        parts = [(each, Name(one)) for each, one in zip(names, parameters)]
        formals: list[Argument] = []
        for formal in function.formals:
            if formal.name == DOTS:
                formals += [Argument(one, None) for one in parameters]
            else:
                value = None if formal.value is None else _replace_dots(formal.value, parts)
                formals.append(replace(formal, value=value))
        made = replace(function, formals=tuple(formals), body=_replace_dots(function.body, parts))
        if not self._expansions[name]:
            return Expansion(name, names, tuple(parameters), made)
        words = [each for each in names if each] + [str(names.count(None))] * (None in names)
        own = _find_free_name(".".join([name, *(words or ["plain"])]), self._used)
        self._used.add(own)
        return Expansion(own, names, tuple(parameters), made)


def _iterate_names(node: Node) -> Iterator[str]:
    """Yield the names in a node itself: of a variable, of a function's parameters, or of a string."""
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Function):
        yield from (str(each.name) for each in node.formals)
    elif isinstance(node, Constant) and isinstance(node.value, str):
        yield node.value


def _find_free_name(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "."
    return wanted


def _replace_dots(node: Node, parts: Sequence[tuple[str | None, Name]]) -> Node:
    """Return a node with the arguments of a call in the place of the dots.

    Raises
    ------
    TranslationError
        If R takes more from the dots than the values and names of the arguments.
    """
    if isinstance(node, Name):
        return _get_part(node, parts)
    if isinstance(node, Function):
        if has_dots(node):
            return node
        formals = (
            each if each.value is None else replace(each, value=_replace_dots(each.value, parts))
            for each in node.formals
        )
        return replace(node, formals=tuple(formals), body=_replace_dots(node.body, parts))
    if not isinstance(node, Call):
        return node
    name = get_function_name(node)
    if name == "...length" and not node.arguments:
        return Constant(len(parts), "integer", node.start, node.end)
    if name in ("...elt", "...names", "nargs", "missing"):
        raise TranslationError(f"{name} asks how the function was called")
    given: list[Argument] = []
    for each in node.arguments:
        if each.value != Name(DOTS):
            given.append(each if each.value is None else replace(each, value=_replace_dots(each.value, parts)))
            continue
        _check_passing(name, parts)
        if each.name:
            raise TranslationError(f"... has the name {each.name}")
        given += [Argument(own, replace(value, start=each.value.start, end=each.value.end)) for own, value in parts]
    return replace(node, function=_replace_dots(node.function, parts), arguments=tuple(given))


def _get_part(node: Name, parts: Sequence[tuple[str | None, Name]]) -> Node:
    """Return the name itself, or the argument in the dots to which ``..1`` refers."""
    place = node.name.removeprefix("..")
    if node.name == DOTS:
        raise TranslationError("... is no argument of a call")
    if node.name == place or not place.isdecimal():
        return node
    if not 0 < int(place) <= len(parts):
        raise TranslationError(f"{node.name} is used, and ... has {len(parts)} arguments")
    return replace(parts[int(place) - 1][1], start=node.start, end=node.end)


def _check_passing(name: str, parts: Sequence[tuple[str | None, Name]]) -> None:
    """Refuse dots that are passed to a function that reads more than the values of its arguments."""
    if name in _WITHOUT_DOTS:
        raise TranslationError("... is no argument of a call")
    if name in _READ_BY_TEXT:
        raise TranslationError(f"{name} reads the text of what ... passes on")
    names = {each for each, _ in parts}
    if name in _LABELLED_BY_TEXT | set(DATA_NAME_PARAMETERS) and None in names:
        raise TranslationError(f"{name} names its result by the text of what ... passes on")
    if names & {"p", *DATA_NAME_PARAMETERS.get(name, ())} and name in DATA_NAME_PARAMETERS:
        raise TranslationError(f"{name} names its result by the text of what ... passes on")
