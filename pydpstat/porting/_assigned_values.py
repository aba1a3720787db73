"""Values that a script assigns to each name, and the calls of its functions, by their places in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pydpstat.porting._scope import ARROWS, get_arguments, get_function_name, get_word, make_call
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

# a function's name that no R script can have: the variable of a loop is an element of the call's argument
ELEMENT = "\0element"
# arguments that an apply function keeps
_OWN_ARGUMENTS = {"FUN.VALUE", "simplify", "USE.NAMES"}
_CONTROLS = {"if", "for", "while", "repeat", "switch"}


class AssignedValue(NamedTuple):
    """An assigned value, its span, and the branch or loop around it with its span."""

    start: int
    end: int
    value: Node | None
    block: tuple[int, int]
    in_loop: bool
    around: Call | None = None


class _Place(NamedTuple):
    """Where a node is: the function's number, and the innermost branch or loop with whether one is a loop."""

    function: int
    block: tuple[int, int]
    in_loop: bool
    around: Call | None = None


class AssignedValues:
    """The values assigned in a script, its functions and their calls.

    `functions` are all functions in the order of the text; `calls` are their calls by number, each with its
    arguments. `elements` are the values whose elements an apply function passes to a function, one for each
    argument without a value in its calls. `escaped` are the numbers of functions with other, unknown calls.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> script = parse("x <- 1; x <- 2; x")
    >>> AssignedValues(script.expressions).find_assigned(script.expressions[2])[1][0].value.value
    2.0
    """

    def __init__(self, expressions: Sequence[Node]) -> None:
        self.functions: list[Function] = []
        self.calls: dict[int, list[tuple[Call, tuple[Argument, ...]]]] = {}
        self.elements: dict[int, list[Node | None]] = {}
        self.escaped: set[int] = set()
        self._assigned: dict[tuple[int, str], list[AssignedValue]] = {}
        self._parents: list[int] = []
        self._scan_script(expressions)
        self._starts = [each.start for each in self.functions]

    def is_made_of_na(self, owner: Node | None) -> bool:
        """Return whether a variable, or a column of a data frame, begins as NA without a type.

        Examples
        --------
        >>> from pydpstat.porting import parse
        >>> script = parse("x <- rep(NA, 3); d <- data.frame(n = NA, v = 1); x; d$n; d$v")
        >>> assigned = AssignedValues(script.expressions)
        >>> [assigned.is_made_of_na(each) for each in script.expressions[2:]]
        [True, True, False]
        """
        part = ""
        if get_function_name(owner) in ("$", "[[") and isinstance(owner, Call) and len(owner.arguments) == 2:
            part, owner = get_word(owner.arguments[1].value), owner.arguments[0].value
        if not isinstance(owner, Name):
            return False
        for each in self.find_assigned(owner)[1]:
            value = each.value
            if part and isinstance(value, Call):
                value = next((one.value for one in value.arguments if one.name == part), None)
            if get_function_name(value) in ("rep", "c") and (inner := get_arguments(value)):
                value = inner[0]
            if isinstance(value, Constant) and value.kind == "logical" and value.value is None:
                return True
        return False

    def find_assignment(self, node: Node) -> AssignedValue | None:
        """Return the assignment that a node is in, or None."""
        every = (each for found in self._assigned.values() for each in found)
        return next((each for each in every if each.start <= node.start < each.end), None)

    def _scan_script(self, expressions: Sequence[Node]) -> None:
        calls: list[Call] = []
        whole = _Place(-1, (-1, 1 << 60), False)
        left: list[tuple[Node | None, _Place]] = [(each, whole) for each in reversed(expressions)]
        while left:
            node, place = left.pop()
            if isinstance(node, Function):
                self.functions.append(node)
                self._parents.append(place.function)
                inner = _Place(len(self.functions) - 1, (node.start, node.end), False)
                left += [(node.body, inner), *((each.value, inner) for each in node.formals)]
            elif isinstance(node, Call):
                calls.append(node)
                name = get_function_name(node)
                self._note_assigned(node, name, place)
                if name in _CONTROLS:
                    loops = place.in_loop or name not in ("if", "switch")
                    place = _Place(place.function, (node.start, node.end), loops, node)
                left += [(each.value, place) for each in reversed(node.arguments)]
                left += [(node.function, place)] * (not isinstance(node.function, Name))
        numbers = {id(each): k for k, each in enumerate(self.functions)}
        named: dict[str, int] = {}
        for (_, name), found in self._assigned.items():
            single = len(found) == 1 and name not in named
            named[name] = numbers.get(id(found[0].value), -1) if single else -1
        for each in calls:
            self._note_call(each, named, numbers)

    def _note_assigned(self, node: Call, name: str, place: _Place) -> None:
        given = get_arguments(node)
        if name == "for" and given:
            element = make_call(ELEMENT, *given[1:2], like=node)
            found = AssignedValue(node.start, node.start, element, (node.start, node.end), True)
            self._assigned.setdefault((place.function, get_word(given[0])), []).append(found)
        elif name in ARROWS and len(given) == 2 and (variable := get_word(given[0])):
            found = AssignedValue(node.start, node.end, given[1], *place[1:])
            self._assigned.setdefault((place.function if name != "<<-" else -1, variable), []).append(found)

    def _note_call(self, node: Call, named: dict[str, int], numbers: dict[int, int]) -> None:
        """Record how a call calls the script's functions, itself or through an apply function."""
        called = named.get(get_function_name(node), -1)
        if called >= 0:
            self.calls.setdefault(called, []).append((node, node.arguments))
        applies = get_function_name(node) in ("sapply", "lapply", "vapply")
        for k, each in enumerate(node.arguments):
            word = each.value.name if isinstance(each.value, Name) else ""
            number = numbers.get(id(each.value), named.get(word, -1))
            if number < 0 or get_function_name(node) in ARROWS:
                continue
            if applies and k == 1 and not node.arguments[0].name:
                self.elements.setdefault(number, []).append(node.arguments[0].value)
                more = tuple(one for one in node.arguments[2:] if one.name not in _OWN_ARGUMENTS)
                self.calls.setdefault(number, []).append((node, (Argument(None, None), *more)))
            else:
                self.escaped.add(number)

    def _find_function(self, position: int) -> int:
        """Return the number of the innermost function at a position, -1 outside of functions."""
        number = bisect_right(self._starts, position) - 1
        while number >= 0 and self.functions[number].end <= position:
            number = self._parents[number]
        return number

    def find_assigned(self, node: Name) -> tuple[int, list[AssignedValue]]:
        """Return the number of the function whose variable a name is, and the values that it may have."""
        number = self._find_function(node.start)
        own = number
        while True:
            found = self._assigned.get((number, node.name), [])
            if found or number < 0:
                break
            if any(each.name == node.name for each in self.functions[number].formals):
                return number, []
            number = self._parents[number]
        if number != own:
            return (-1 if found else -2), found
        reached: list[AssignedValue] = []
        for each in reversed(found):
            again = each.in_loop and each.block[0] <= node.start < each.block[1]
            if each.start < node.start and not each.start <= node.start < each.end:
                reached.append(each)
                if each.block[0] <= node.start < each.block[1]:
                    break
            elif again:
                reached.append(each)
        if number >= 0 and not reached and any(each.name == node.name for each in self.functions[number].formals):
            return number, []
        return (-1 if reached else -2), reached[::-1]
