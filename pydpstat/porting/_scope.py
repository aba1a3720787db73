"""Variables of a translated script, with the facts known of them at each position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pydpstat.porting._code import make_variable_name, merge_kinds
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

ARROWS = {"<-", "<<-", "=", "->"}


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its name in Python, and the facts known of its value.

    `made` is the function that it refers to. `fresh` is whether no other variable can share its array.
    `columns` are the names of a data frame's columns if known, `complete` those without missing values.
    """

    python: str
    kind: str = ""
    made: Function | None = None
    fresh: bool = False
    missing: int = 1
    columns: tuple[str, ...] | None = None
    complete: frozenset[str] = frozenset()
    package: str = ""
    # whether it is a number that R displays as 1e+05
    large: bool = False
    # the grouping columns of a data frame, as the text of a Python list
    groups: str = ""
    # length of a vector, 0 if unknown, and whether it is a nonzero number
    size: int = 0
    nonzero: bool = False
    # whether a Python integer is a double in R
    double: bool = False

    def merge_with(self, other: Variable) -> Variable:
        """Return the facts that hold for both of two variables, one of which is the actual one."""
        grouped = "groups" in (self.kind, other.kind)
        same = (self.kind, self.groups) == (other.kind, other.groups)
        return replace(
            self,
            kind="frame that may be grouped" if grouped and not same else merge_kinds(self.kind, other.kind),
            made=self.made if self.made is other.made else None,
            fresh=self.fresh and other.fresh,
            missing=max(self.missing, other.missing),
            columns=self.columns if self.columns == other.columns else None,
            complete=self.complete & other.complete,
            package=self.package if self.package == other.package else "",
            large=self.large or other.large,
            size=self.size if self.size == other.size else 0,
            nonzero=self.nonzero and other.nonzero,
            double=self.double and other.double,
        )


@dataclass
class Scope:
    """Variables of a script or of one call of a function, inside an enclosing scope."""

    outer: Scope | None = None
    names: dict[str, Variable] = field(default_factory=dict)
    # the R variable of each Python name, in the whole script
    owners: dict[str, str] = field(default_factory=dict)
    # names declared in Python
    declarations: dict[str, str] = field(default_factory=dict)
    # whether the scope is only a view of a function's enclosing scope
    is_view: bool = False

    def __post_init__(self) -> None:
        # shared by all scopes: a function must not hide a variable with another name in R
        self.owners = self.outer.owners if self.outer else self.owners

    def find_variable(self, name: str) -> Variable | None:
        """Return a variable of this or an enclosing scope; outer values may have changed since."""
        if name in self.names:
            return self.names[name]
        return self.outer.find_variable(name) if self.outer else None

    def assign_free_name(self, name: str, wanted: str = "") -> str:
        """Return an unused Python name: the wanted one, or one derived from R's name."""
        python = make_variable_name(wanted or name)
        while self.owners.setdefault(python, name) != name:
            python += "_"
        return python


def make_hidden_name(name: str) -> str:
    """Return a name that no R variable can have."""
    return f"\0{name}"


def get_arguments(node: Node | None) -> list[Node]:
    """Return the values of a call's nonempty arguments."""
    return [each.value for each in node.arguments if each.value is not None] if isinstance(node, Call) else []


def get_word(node: Node | None) -> str:
    """Return a name or a string as written, or an empty string for other nodes."""
    if isinstance(node, Name):
        return node.name
    return str(node.value) if isinstance(node, Constant) and node.kind == "character" and node.value else ""


def get_function_name(node: Node | None) -> str:
    """Return the name of the called function, without its package."""
    if not isinstance(node, Call):
        return ""
    if isinstance(node.function, Call) and get_function_name(node.function) in ("::", ":::"):
        return get_word(node.function.arguments[1].value)
    return node.function.name if isinstance(node.function, Name) else ""


def iterate_nodes(node: Node | None, inside: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """Yield a node and all nodes in it, in the order of the text; `inside` selects the nodes to enter."""
    left = [node]
    while left:
        one = left.pop()
        if one is None:
            continue
        yield one
        if isinstance(one, (Call, Function)) and inside(one):
            left += reversed(get_child_nodes(one))


def get_child_nodes(node: Node) -> list[Node | None]:
    """Return the direct children of a node, in the order of the text."""
    if isinstance(node, Function):
        return [*(each.value for each in node.formals), node.body]
    if isinstance(node, Call):
        return [node.function, *(each.value for each in node.arguments)]
    return []


def compute_depth(node: Node) -> int:
    """Return the maximum nesting depth of a node."""
    level, count = [node], 0
    while level:
        level = [part for each in level for part in get_child_nodes(each) if part is not None]
        count += 1
    return count


def find_assigned_names(node: Node | None, deep: bool = False) -> list[str]:
    """Return the names that a node assigns; with `deep`, also inside functions."""
    found = []
    for each in iterate_nodes(node, lambda n: deep or not isinstance(n, Function)):
        if isinstance(each, Call) and isinstance(each.function, Name):
            if each.function.name in ARROWS and each.arguments:
                found.append(get_root_variable(each.arguments[0].value))
            elif each.function.name == "for":
                found.append(get_word(each.arguments[0].value))
    return [name for name in dict.fromkeys(found) if name]


def get_root_variable(node: Node | None) -> str:
    """Return the variable that an assignment changes: ``x`` for ``names(x$a)[1]``."""
    while isinstance(node, Call) and node.arguments:
        node = node.arguments[0].value
    return get_word(node)


def make_call(name: str, *values: Node, like: Node) -> Call:
    """Return an R call with the position of another node."""
    given = tuple(Argument(None, each) for each in values)
    return Call(Name(name, like.start, like.end), given, like.start, like.end)


def merge_branches(first: dict[str, Variable], second: dict[str, Variable]) -> dict[str, Variable]:
    """Return the facts common to variables after two branches."""
    found = dict(first)
    for name, b in second.items():
        a = found.get(name)
        # most variables are the same on both branches
        if a is not b:
            found[name] = b if a is None else a.merge_with(b)
    return found
