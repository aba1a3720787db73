"""Model formulas, parsed by R's grammar: their terms, and the design matrix for given data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting._grammar import parse
from pydpstat.porting._syntax import Call, Constant, Name, Node
from pydpstat.porting.r._shapes import Array, get_column, to_vector
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import as_character
from pydpstat.r_arithmetic.elementary import compute_power, log1p, log10
from pydpstat.r_arithmetic.factor import convert_levels, find_categories

Term = tuple[str, ...]
_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "log": r_arithmetic.log, "exp": r_arithmetic.exp, "log10": log10, "log1p": log1p,
    "sqrt": np.sqrt, "abs": np.abs,
    "I": lambda x: x, "(": lambda x: x, "as.numeric": lambda x: x,
}  # fmt: skip
_OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
_FACTOR_FUNCTIONS = ("factor", "as.factor")


def parse_formula_sides(formula: str) -> tuple[Node | None, Node]:
    """Return the left and right sides of a formula.

    Examples
    --------
    >>> [format_expression(each) for each in parse_formula_sides("log(y)~x+z")]
    ['log(y)', 'x + z']
    """
    try:
        (tree,) = parse(formula).expressions
        assert isinstance(tree, Call) and isinstance(tree.function, Name) and tree.function.name == "~"
    except (ValueError, AssertionError) as error:
        raise PydpstatError(f"formula must be a formula of R such as 'y ~ x'; got {formula!r}") from error
    parts = [_get_argument_value(each) for each in tree.arguments]
    return (parts[0], parts[1]) if len(parts) > 1 else (None, parts[0])


def _get_argument_value(argument: Value) -> Node:
    assert argument.value is not None
    return argument.value


def _split_call(node: Node) -> tuple[str, list[Node]]:
    """Return the function of a call and its arguments, or an empty name and list."""
    if isinstance(node, Call) and isinstance(node.function, Name):
        return node.function.name, [_get_argument_value(each) for each in node.arguments]
    return "", []


def format_expression(node: Node) -> str:
    """Return the text of an expression as R deparses it.

    Examples
    --------
    >>> format_expression(parse_formula_sides("~ I( x^2+1 )")[1])
    'I(x^2 + 1)'
    """
    function, parts = _split_call(node)
    texts = [format_expression(each) for each in parts]
    if function == "(":
        return f"({texts[0]})"
    if function in ("^", ":", "/"):
        return function.join(texts)
    if function in ("+", "-", "*"):
        return f" {function} ".join(texts) if len(texts) > 1 else f"{function}{texts[0]}"
    if function:
        return f"{function}({', '.join(texts)})"
    return node.name if isinstance(node, Name) else as_character(getattr(node, "value", ""))


def collect_formula_variables(formula: str, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the variables on both sides of a formula without operators; a dot means all others.

    Examples
    --------
    >>> collect_formula_variables("cbind(a, b) ~ g", ["a", "b", "g"])
    (['a', 'b'], ['g'])
    >>> collect_formula_variables(". ~ g", ["a", "b", "g"])
    (['a', 'b'], ['g'])
    """
    left, right = (_collect_variables(each) for each in parse_formula_sides(formula))
    others = [name for name in names if name not in left and name not in right]
    found = [[each for name in side for each in (others if name == "." else [name])] for side in (left, right)]
    return found[0], found[1]


def _collect_variables(node: Node | None) -> list[str]:
    if node is None:
        return []
    function, parts = _split_call(node)
    if function in ("cbind", "+", "*", ":"):
        return [name for part in parts for name in _collect_variables(part)]
    if not isinstance(node, Name):
        raise PydpstatError("formula must have single variables, cbind and +; other terms are refused")
    return [node.name]


def collect_formula_terms(node: Node, others: Sequence[str], nodes: dict[str, Node]) -> tuple[list[Term], bool]:
    """Return the terms of a right side in R's order, and whether it has an intercept; add factors to `nodes`.

    Examples
    --------
    >>> collect_formula_terms(parse_formula_sides("y ~ x * z - 1")[1], [], {})
    ([('x',), ('z',), ('x', 'z')], False)
    """
    found = _expand_terms(node, others, nodes)
    kept = [each for each in dict.fromkeys(found) if each]
    order = list(nodes)
    unique = {tuple(sorted(set(each), key=order.index)): None for each in kept}
    return sorted(unique, key=len), () in found


def _expand_terms(
    node: Node, others: Sequence[str], nodes: dict[str, Node], has_implicit_intercept: bool = True
) -> list[Term]:
    """Return the terms of an expression; the empty term is the intercept."""
    function, parts = _split_call(node)
    start: list[Term] = [()] if has_implicit_intercept else []
    if isinstance(node, Constant) and node.value in (0, 1):
        return start if node.value else []
    if isinstance(node, Name) and node.name == ".":
        for name in others:
            nodes.setdefault(name, Name(name))
        return [*start, *((name,) for name in others)]
    if function == "(":
        return start + _expand_terms(parts[0], others, nodes, False)
    if function == "+" and len(parts) == 2:
        if isinstance(parts[1], Constant):
            left = _expand_terms(parts[0], others, nodes, has_implicit_intercept)
            return left if parts[1].value else [each for each in left if each]
        return _expand_terms(parts[0], others, nodes, has_implicit_intercept) + _expand_terms(
            parts[1], others, nodes, False
        )
    if function == "-":
        left = _expand_terms(parts[0], others, nodes, has_implicit_intercept) if len(parts) > 1 else start
        gone: list[Term] = [()] if isinstance(parts[-1], Constant) else _expand_terms(parts[-1], others, nodes, False)
        return [each for each in left if set(each) not in [set(other) for other in gone]]
    if function in ("*", ":"):
        left, right = (_expand_terms(each, others, nodes, False) for each in parts)
        crossed = [a + b for a in left for b in right]
        return start + (left + right + crossed if function == "*" else crossed)
    if function == "^":
        degree = int(getattr(parts[1], "value", 0))
        base = _expand_terms(parts[0], others, nodes, False)
        return start + [sum(each, ()) for n in range(1, degree + 1) for each in combinations(base, n)]
    if function not in ("", "I", *_FACTOR_FUNCTIONS, *_FUNCTIONS):
        raise PydpstatError(
            f"formula must have variables, +, -, *, :, ^, I(), factor(), log(), exp(), sqrt(); got {function}"
        )
    nodes.setdefault(format_expression(node), node)
    return [*start, (format_expression(node),)]


def evaluate_expression(node: Node, data: Value) -> Value:
    """Evaluate an expression in the data: an array, or a Categorical for a factor or strings.

    Examples
    --------
    >>> evaluate_expression(parse_formula_sides("~ I(x^2)")[1], {"x": [1.0, 3.0]})
    array([1., 9.])
    """
    function, parts = _split_call(node)
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Name):
        if node.name == "pi":
            return np.pi
        if node.name not in data:
            raise PydpstatError(f"formula has {node.name}, which is no variable of the data: {list(data)}")
        found = get_column(data, node.name) if isinstance(data, pd.DataFrame) else data[node.name]
        found = found.array if isinstance(found, pd.Series) and isinstance(found.dtype, pd.CategoricalDtype) else found
        return found if isinstance(found, pd.Categorical) else to_vector(found)
    values = [evaluate_expression(each, data) for each in parts]
    if function in _FACTOR_FUNCTIONS and len(values) == 1:
        return as_factor(values[0])
    if any(isinstance(each, pd.Categorical) or getattr(each, "dtype", np.dtype(float)).kind == "O" for each in values):
        raise PydpstatError(f"formula must not use {function} of strings or factors: make numbers of them first")
    if function == "^":
        return _raise_to_power(*values)
    if function in _OPERATORS and len(values) == 2:
        return _OPERATORS[function](*values)
    if function == "-":
        return np.negative(values[0])
    if function in _FUNCTIONS and len(values) == 1:
        return _FUNCTIONS[function](np.asarray(values[0], dtype=np.float64))
    raise PydpstatError(f"formula must not call {function}: it is evaluated here neither for y nor within I()")


def _raise_to_power(x: Value, y: Value) -> Value:
    base = np.asarray(x, dtype=np.float64)
    if np.ndim(y) or y != int(y):
        return np.asarray(compute_power(base, y))
    # as in R, squares are products, other whole powers are those of the C library
    return base * base if y == 2 else np.sign(base) ** int(y) * compute_power(np.abs(base), y)


def as_factor(x: Value) -> pd.Categorical:
    """Return a vector as a factor without unused levels.

    Examples
    --------
    >>> list(as_factor([2, 1, 2]).categories)
    ['1', '2']
    """
    found = r_arithmetic.factor(x)
    return pd.Categorical.from_codes(found.codes, list(found.levels))


class DesignMatrix:
    """Terms of a formula with the levels of its factors, which make design matrices, also for new data."""

    def __init__(self, formula: str, data: Value) -> None:
        self.left, right = parse_formula_sides(formula)
        if self.left is None:
            raise PydpstatError(f"formula must have a left side; got {formula!r}")
        self.nodes: dict[str, Node] = {}
        used = format_expression(self.left)
        self.formula_text = f"{used} ~ {format_expression(right)}"
        self.terms, self.intercept = collect_formula_terms(right, [str(n) for n in data if n != used], self.nodes)
        self.levels: dict[str, list[str]] = {}
        values = [
            evaluate_expression(self.left, data),
            *(evaluate_expression(node, data) for node in self.nodes.values()),
        ]
        self.complete_rows = ~reduce(np.logical_or, [pd.isna(np.asarray(v, dtype=object)) for v in values])
        self.y = values[0][self.complete_rows]
        for name, found in zip(self.nodes, values[1:]):
            if isinstance(found, pd.Categorical) or found.dtype.kind in "Ob":
                kept = found[self.complete_rows]
                self.levels[name] = list(r_arithmetic.factor(kept).levels)  # type: ignore[arg-type]
                if len(self.levels[name]) < 2:
                    raise PydpstatError(f"factors must have 2 levels or more; {name} has {self.levels[name]}")

    def make_model_matrix(self, data: Value, keep: Array | None = None) -> tuple[Array, list[str]]:
        """Return the design matrix for data, and R's names of its columns."""
        blocks: dict[str, list[tuple[str, Array]]] = {}
        for name, node in self.nodes.items():
            found = evaluate_expression(node, data)
            found = found if keep is None else found[keep]
            n = len(found)
            if name not in self.levels:
                blocks[name] = [(name, np.asarray(found, dtype=np.float64))]
                continue
            own = find_categories(found)
            codes = convert_levels(own, tuple(self.levels[name])).codes
            if new := [own.levels[i] for i in set(own.codes[(codes < 0) & (own.codes >= 0)].tolist())]:
                raise PydpstatError(f"{name} must have its levels {self.levels[name]}; got {new}")
            dummies = [np.where(codes < 0, np.nan, codes == i) for i in range(len(self.levels[name]))]
            blocks[name] = [(f"{name}{level}", d) for level, d in zip(self.levels[name], dummies)]
        n = n if self.nodes else int(keep.sum()) if keep is not None else len(next(iter(dict(data).values())))
        columns = [("(Intercept)", np.ones(n))] if self.intercept else []
        self.term_indices = [0] * len(columns)
        full_one = not self.intercept
        for place, term in enumerate(self.terms, 1):
            parts = []
            for name in term:
                full = name in self.levels and (
                    full_one or (len(term) > 1 and tuple(x for x in term if x != name) not in self.terms)
                )
                full_one = full_one and name not in self.levels
                parts.append(blocks[name] if full or name not in self.levels else blocks[name][1:])
            columns += reduce(_combine_interaction, parts)  # type: ignore[arg-type]
            self.term_indices += [place] * (len(columns) - len(self.term_indices))
        return np.column_stack([c for _, c in columns] or [np.empty((n, 0))]), [name for name, _ in columns]


def _combine_interaction(left: list[tuple[str, Array]], right: list[tuple[str, Array]]) -> list[tuple[str, Array]]:
    return [(f"{a}:{b}", x * y) for b, y in right for a, x in left]
