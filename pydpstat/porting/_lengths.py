"""Lengths of a script's vectors, as far as its text tells them: which operands may differ in length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._assigned_values import ELEMENT, AssignedValue, AssignedValues
from pydpstat.porting._length_texts import (
    COUNTED,
    ELEMENTWISE,
    EMPTY,
    FRAMES,
    KEEPS_ROWS,
    LISTS,
    LOGIC,
    ONE,
    ONE_VALUE,
    OWN,
    SAME_LENGTH,
    UNKNOWN,
    Length,
    can_differ,
    combine_lengths,
    join_lengths,
    shorten_length,
)
from pydpstat.porting._matching import is_stream_function
from pydpstat.porting._scope import get_arguments, get_function_name, get_word
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node

# limits on the number of calls of one function, and on the steps and the depth of one search
_MAX_CALLS, _MAX_STEPS, _MAX_DEPTH = 16, 3000, 60


class Lengths:
    """The lengths of the values in a script.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> script = parse("x <- c(1, 2); y <- rnorm(n); z <- exp(y); x * y; y * z; y * 2")
    >>> lengths = Lengths(script.expressions)
    >>> [lengths.may_differ(*get_arguments(each)) for each in script.expressions[3:]]
    [True, False, False]
    """

    def __init__(self, expressions: Sequence[Node]) -> None:
        self._expressions = expressions
        self._active: set[object] = set()
        # lengths that were found of assigned values, and how often a value was found inside its own definition
        self._found: dict[int, Length] = {}
        self._found_returned: dict[int, Length] = {}
        self._n_own = 0
        self._steps = self._depth = 0

    def may_differ(self, left: Node | None, right: Node | None) -> bool:
        """Return whether two operands are vectors whose lengths are known to be unequal, or not shown to be equal.

        Values of which nothing is known count as numbers.
        """
        self._steps = _MAX_STEPS
        return can_differ(self._find_length(left), self._find_length(right))

    def has_position(self, owner: Name, index: Node | None) -> bool:
        """Return whether an index is the variable of a loop over positions that a vector is sure to have.

        Examples
        --------
        >>> from pydpstat.porting import parse
        >>> script = parse("x <- numeric(n); for (i in 2:n) x[i] <- 1; for (i in 2:m) x[i] <- 1")
        >>> lengths = Lengths(script.expressions)
        >>> targets = [get_arguments(get_arguments(each)[2])[0] for each in script.expressions[1:]]
        >>> [lengths.has_position(*get_arguments(each)) for each in targets]
        [True, False]
        """
        self._steps = _MAX_STEPS
        over: Node | None = index
        for _ in range(3):
            found = self._find_assigned(over)[1] if isinstance(over, Name) else []
            if len(found) != 1:
                break
            over = found[0].value
            over = get_arguments(over)[0] if get_function_name(over) == ELEMENT and get_arguments(over) else over
        inner = get_arguments(over)
        last = UNKNOWN
        if get_function_name(over) in (":", "seq_len") and inner:
            last = self._count(inner[-1])
        elif get_function_name(over) == "seq_along" and inner:
            last = self._find_length(inner[0])
        own = self._find_length(owner)
        if len(own) == len(last) == 1 and own[0].isdigit() and last[0].isdigit():
            return int(last[0]) <= int(own[0])
        return own == last and "" not in own

    def is_made_of_na(self, owner: Node | None) -> bool:
        """Return whether a variable, or a column of a data frame, begins as NA without a type."""
        return self._script.is_made_of_na(owner)

    @cached_property
    def _script(self) -> AssignedValues:
        return AssignedValues(self._expressions)

    @cached_property
    def _called_functions(self) -> dict[int, int]:
        """Numbers of the script's functions by the identities of their calls."""
        return {id(call): number for number, calls in self._script.calls.items() for call, _ in calls}

    def _find_assigned(self, node: Name) -> tuple[int, list[AssignedValue]]:
        return self._script.find_assigned(node)

    def _find_length(self, node: Node | None) -> Length:
        self._steps -= 1
        if self._steps < 0 or self._depth == _MAX_DEPTH or node is None or isinstance(node, Function):
            return UNKNOWN
        self._depth += 1
        try:
            return self._find_length_of_node(node)
        finally:
            self._depth -= 1

    def _find_length_of_node(self, node: Constant | Name | Call) -> Length:
        if isinstance(node, Constant):
            return EMPTY if node.kind == "NULL" else ONE
        if isinstance(node, Name):
            return self._find_length_of_name(node)
        name, given = get_function_name(node), get_arguments(node)
        if name in ("(", "{", "return", "suppressMessages") and given:
            return self._find_length(given[-1])
        if name in ELEMENTWISE:
            return combine_lengths([self._find_length(each) for each in given])
        if name in SAME_LENGTH and given:
            return combine_lengths([self._find_length(each) for each in given[: 2 if name in ("pmin", "pmax") else 1]])
        if name == ELEMENT:
            return UNKNOWN if not given or self._has_parts(given[0]) else ONE
        if name in ONE_VALUE:
            return ONE
        if name == "if" and len(given) == 3:
            return join_lengths([self._find_length(each) for each in given[1:]])
        if name == ":" and len(given) == 2:
            low, high = map(_get_number, given)
            if low is not None and high is not None:
                return (str(int(abs(high - low)) + 1),)
            return self._count(given[1]) if low == 1 else (self._write(node),)
        if name in ("sample", "sample.int"):
            size = next((each.value for each in node.arguments if each.name == "size"), [*given, None][1])
            length = self._find_length(given[0]) if size is None and given else ONE
            return length if {*length} != {"1"} else self._count(given[0] if size is None else size)
        if name in COUNTED or is_stream_function(name):
            named = (each.value for each in node.arguments if each.name in ("n", "length"))
            n = next(named, given[0] if given else None)
            length = self._find_length(n)
            return self._count(n) if {*length} <= {"1", ""} else length
        return self._find_length_of_call(node, name, given)

    def _find_length_of_call(self, node: Call, name: str, given: list[Node]) -> Length:
        if name in ("[", "[[") and len(node.arguments) == 2 and given[1:]:
            return self._find_selected_length(given[0], given[1], name)
        if name == "$" or (name in ("[", "[[") and len(node.arguments) > 2):
            return self._find_length_of_part(node, name)
        if name == "c":
            return self._add_lengths([self._find_length(each) for each in given], node)
        if name in ("rep", "rep_len", "seq", "seq.int", "rep.int"):
            return self._find_repeated_length(node, name, given)
        if name in ("seq_along", "sort") and given:
            return self._find_length(given[0])
        if name == "diff" and len(given) == 1:
            return shorten_length(self._find_length(given[0]), ONE)
        if name in ("table", "tapply") and given:
            return (f"groups {self._write(given[-1 if name == 'table' else min(1, len(given) - 1)])}",)
        if name == "quantile" and given:
            probs = next((each.value for each in node.arguments if each.name == "probs"), [*given, None][1])
            return ("5",) if probs is None else self._find_length(probs)
        if name in ("which", "unique", "diff", "head", "tail"):
            return (self._write(node),)
        if name == "range":
            return ("2",)
        number = self._called_functions.get(id(node))
        return UNKNOWN if number is None else self._find_returned_length(number)

    def _find_repeated_length(self, node: Call, name: str, given: list[Node]) -> Length:
        out = next((each.value for each in node.arguments if each.name and each.name.startswith("len")), None)
        if out is not None:
            return self._count(out)
        if name in ("rep", "rep.int") and len(given) == 2:
            base, times = self._find_length(given[0]), self._count(given[1])
            if {*base} == {"1"}:
                return times
            if all(len(each) == 1 and each[0].isdigit() for each in (base, times)):
                return (str(int(base[0]) * int(times[0])),)
        return (self._write(node),)

    def _find_returned_length(self, number: int) -> Length:
        """Return 1 for a function that returns a number whatever its arguments are."""
        if number in self._found_returned:
            return self._found_returned[number]
        body = self._script.functions[number].body
        last = get_arguments(body)[-1] if get_function_name(body) == "{" and get_arguments(body) else body
        before = self._n_own
        found = self._guard(("returned", number), lambda: self._find_length(last))
        length = ONE if set(found) == {"1"} else UNKNOWN
        if self._n_own == before:
            self._found_returned[number] = length
        return length

    def _find_length_of_name(self, node: Name) -> Length:
        if node.name in ("T", "F", "pi"):
            return ONE
        number, found = self._find_assigned(node)
        if number >= 0:
            return self._guard((number, node.name), lambda: self._find_parameter_length(number, node.name))
        length = join_lengths([self._find_assigned_length(each) for each in found]) if found else UNKNOWN
        # parts may be assigned to what is empty
        return UNKNOWN if "0" in length else length

    def _find_assigned_length(self, assigned: AssignedValue) -> Length:
        if assigned.start in self._found:
            return self._found[assigned.start]
        before = self._n_own
        found = self._guard(assigned.start, lambda: self._find_length(assigned.value))
        if self._n_own == before and "" not in found:
            self._found[assigned.start] = found
        return found

    def _find_parameter_length(self, number: int, name: str) -> Length:
        function, calls = self._script.functions[number], self._script.calls.get(number, [])
        formals = [str(each.name) for each in function.formals]
        default = next(each.value for each in function.formals if each.name == name)
        if number in self._script.escaped or not 0 < len(calls) <= _MAX_CALLS:
            return UNKNOWN
        found: list[str] = []
        elements = list(self._script.elements.get(number, []))
        for _, given in calls:
            try:
                matched = match_arguments(formals, [each.name for each in given])
            except AmbiguousArguments:
                return UNKNOWN
            values = {formal: each for formal, each in zip(matched, given) if formal != DOTS}
            if name not in values:
                found += self._find_length(default) if default is not None else UNKNOWN
            elif (value := values[name].value) is not None:
                found += self._find_length(value)
            else:
                over = elements.pop(0) if elements else None
                found += UNKNOWN if over is None or self._has_parts(over) else ONE
        return tuple(found) if len(found) <= _MAX_CALLS else UNKNOWN

    def _guard(self, key: object, find: Callable[[], Length]) -> Length:
        if key in self._active:
            self._n_own += 1
            return OWN
        self._active.add(key)
        try:
            return find()
        finally:
            self._active.discard(key)

    def _find_selected_length(self, owner: Node, index: Node, name: str) -> Length:
        if name == "[[":
            return UNKNOWN if self._has_parts(owner) or isinstance(index, Constant) else ONE
        if self._is_logical(index):
            return (f"where {self._write(index)}",)
        if get_function_name(index) == "-" and len(get_arguments(index)) == 1:
            return shorten_length(self._find_length(owner), self._find_length(index))
        return self._find_length(index)

    def _is_logical(self, node: Node | None) -> bool:
        """Return whether a value is certain to be a logical vector."""
        if isinstance(node, Name):
            _, found = self._find_assigned(node)
            return len(found) == 1 and not isinstance(found[0].value, Name) and self._is_logical(found[0].value)
        inner = get_arguments(node)
        name = get_function_name(node)
        if name == "(":
            return self._is_logical(inner[-1])
        return name in LOGIC or name.startswith("is.") or name in ("%in%", "duplicated", "grepl", "complete.cases")

    def _find_length_of_part(self, node: Call, name: str) -> Length:
        """Return the length of a column: the number of rows of its data frame."""
        owner = node.arguments[0].value
        if name != "$" and node.arguments[1].value is not None:
            rows = node.arguments[1].value
            return (f"where {self._write(rows)}",) if self._is_logical(rows) else self._find_length(rows)
        if not isinstance(owner, Name):
            return UNKNOWN
        number, found = self._find_assigned(owner)
        value = found[0].value if len(found) == 1 else None
        made = get_function_name(value)
        if made in ("list", "data.frame") and isinstance(value, Call) and name == "$":
            part = get_word(node.arguments[1].value)
            one = next((each.value for each in value.arguments if each.name == part), None)
            length = UNKNOWN if one is None else self._find_length(one)
            if made == "list" or length not in (ONE, UNKNOWN):
                return length
        # a name that the script does not assign is one of R's data sets
        if made not in FRAMES and (found or number >= 0):
            return UNKNOWN
        return (f"rows {self._write_frame(owner)}",)

    def _write_frame(self, node: Node | None) -> str:
        """Return a text for a data frame's rows, the same for frames made of one another row by row."""
        for _ in range(20):
            found = self._find_assigned(node)[1] if isinstance(node, Name) else []
            value = found[0].value if len(found) == 1 else None
            inner = get_arguments(value)
            if get_function_name(value) not in KEEPS_ROWS or not inner or not isinstance(inner[0], Name):
                break
            node = inner[0]
        return self._write(node)

    def _has_parts(self, node: Node | None) -> bool:
        """Return whether a value may be a list or a data frame, whose elements are no numbers."""
        if isinstance(node, Name):
            found = self._find_assigned(node)[1]
            return not found or any(
                not isinstance(each.value, Name) and self._has_parts(each.value) for each in found if each.value
            )
        name = get_function_name(node)
        return name in LISTS or name in KEEPS_ROWS or name in ("$", "[[") or self._find_length(node) == UNKNOWN

    def _add_lengths(self, parts: list[Length], node: Call) -> Length:
        """Return the length of a concatenation; vectors that grow alike in one loop are equally long."""
        if not parts:
            return EMPTY
        if any("" in each for each in parts):
            return UNKNOWN
        if any("*" in each for each in parts):
            return self._find_grown_length(parts, node)
        if len(parts) == 1:
            return parts[0]
        if all(len(each) == 1 and each[0].isdigit() for each in parts):
            return (str(sum(int(each[0]) for each in parts)),)
        return ("+".join(sorted(",".join(each) for each in parts)),)

    def _find_grown_length(self, parts: list[Length], node: Call) -> Length:
        assigned = self._script.find_assignment(node)
        around = assigned.around if assigned else None
        if get_function_name(around) == "for" and sorted(parts) == [OWN, ONE] and assigned.value == node:  # type: ignore
            return self._find_length(get_arguments(around)[1])
        more = "+".join(sorted(",".join(each) for each in parts))
        return (f"grown by {more} at {assigned.block if assigned else node.start}",)

    def _count(self, node: Node | None) -> Length:
        """Return the length that a number states."""
        value: Node | None = node
        for _ in range(20):
            if (number := _get_number(value)) is not None:
                return (str(int(number)),)
            if get_function_name(value) in ("length", "NROW") and get_arguments(value):
                return self._find_length(get_arguments(value)[0])
            if get_function_name(value) == "nrow" and get_arguments(value):
                return (f"rows {self._write_frame(get_arguments(value)[0])}",)
            found = self._find_assigned(value)[1] if isinstance(value, Name) else []
            if len(found) != 1 or found[0].value is None:
                break
            value = found[0].value
        return (f"number {self._write(value)}",)

    # texts of values

    def _write(self, node: Node | None) -> str:
        """Return a text that is the same for equal values: names have the place of their assignments."""
        return " ".join(self._iterate_words(node, 0))

    def _iterate_words(self, node: Node | None, depth: int) -> Iterator[str]:
        self._steps -= 1
        if node is None or self._steps < 0:
            yield "_"
        elif depth == _MAX_DEPTH:
            yield f"@{node.start}"
        elif isinstance(node, Constant):
            yield repr(node.value)
        elif isinstance(node, Name):
            number, found = self._find_assigned(node)
            if len(found) == 1 and isinstance(found[0].value, (Name, Constant)) and found[0].value != node:
                yield from self._iterate_words(found[0].value, depth + 1)
            else:
                yield f"{node.name}@{number}:{','.join(str(each.start) for each in found)}"
        elif isinstance(node, Function) or is_stream_function(get_function_name(node)):
            yield f"@{node.start}"
        else:
            yield f"{get_function_name(node)}("
            for each in node.arguments:
                yield from self._iterate_words(each.value, depth + 1)
            yield ")"


def _get_number(node: Node | None) -> float | None:
    known = isinstance(node, Constant) and isinstance(node.value, (int, float)) and abs(node.value) < 1e9
    return float(node.value) if known else None  # type: ignore[arg-type, union-attr]
