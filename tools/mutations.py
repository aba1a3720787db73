"""All changes of one token in a module: operators, comparisons, constants, signs, conditions, some names."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*", "&": "|", "|": "&"}
OPERATORS |= {f"{op}=": f"{new}=" for op, new in OPERATORS.items()}
COMPARISONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all", "floor": "ceil", "abs": ""}
NAMES |= {new: old for old, new in NAMES.items() if new}


@dataclass(frozen=True)
class Mutant:
    """A change: a place in a file's bytes, the statement's lines, and whether it runs on import."""

    tree: Path
    path: str
    start: int
    end: int
    new: str
    scope: str
    first: int
    last: int
    imported: bool

    def make_source(self) -> bytes:
        """Return the changed module."""
        text = (self.tree / self.path).read_bytes()
        return text[: self.start] + self.new.encode() + text[self.end :]

    @property
    def key(self) -> str:
        """Name the change by its line's text, which stays where lines move."""
        text = (self.tree / self.path).read_bytes()
        begin, end = text.rfind(b"\n", 0, self.start) + 1, text.find(b"\n", self.end)
        old = text[self.start : self.end].decode()
        line = f"{text[begin : self.start].decode()}[{old} -> {self.new}]{text[self.end : end].decode()}"
        return f"{self.path} {self.scope}: {line.strip()}"


def find_mutants(tree: Path, folder: str) -> Iterator[Mutant]:
    """Return all changes of a folder's modules."""
    for path in sorted((tree / folder).rglob("*.py")):
        yield from _MutantFinder(tree, str(path.relative_to(tree))).mutants


class _MutantFinder(ast.NodeVisitor):
    """Walk a module, and keep what can be changed; not what only people or type checkers read."""

    def __init__(self, tree: Path, path: str) -> None:
        self.tree, self.path = tree, path
        text = (tree / path).read_bytes()
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        lines = text.decode().splitlines(keepends=True)
        self.tokens = []
        for token in tokenize.tokenize(io.BytesIO(text).readline):
            if token.type in (tokenize.OP, tokenize.NAME):
                row, column = token.start
                start = self.starts[row - 1] + len(lines[row - 1][:column].encode())
                self.tokens.append((start, start + len(token.string.encode()), token.string))
        self.scopes: list[str] = []
        self.running, self.lines = 0, (1, 1)
        self.mutants: list[Mutant] = []
        self.visit(ast.parse(text))

    def _find_offset(self, node: ast.AST, end: bool = False) -> int:
        row, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return self.starts[row - 1] + column

    def _add_mutant(self, start: int, end: int, new: str) -> None:
        scope = ".".join(self.scopes) or "module"
        self.mutants.append(Mutant(self.tree, self.path, start, end, new, scope, *self.lines, not self.running))

    def _find_operator(self, left: ast.AST, right: ast.AST, names: tuple[str, ...] = ()) -> tuple[int, int, str]:
        """Return the operator between two operands."""
        begin, end = self._find_offset(left, end=True), self._find_offset(right)
        some = [each for each in self.tokens if begin <= each[0] < end and each[2] not in "()"]
        return some[0][0], some[-1][1], " ".join(each[2] for each in some)

    def visit(self, node: ast.AST) -> None:
        """Keep the lines of the statement that a change is in; of a compound one its head."""
        if not isinstance(node, (ast.stmt, ast.ExceptHandler)):
            super().visit(node)
            return
        outer, body = self.lines, getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
        self.lines = node.lineno, last
        super().visit(node)
        self.lines = outer

    def _visit_function(self, node: ast.FunctionDef) -> None:
        names = [ast.unparse(each).rpartition(".")[2] for each in node.decorator_list]
        if "overload" in names:
            return
        self.scopes.append(node.name)
        for each in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        self.running += 1
        for each in node.body:
            self.visit(each)
        self.running -= 1
        self.scopes.pop()

    visit_FunctionDef = _visit_function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.running += 1
        self.generic_visit(node)
        self.running -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scopes.append(node.name)
        self.generic_visit(node)
        self.scopes.pop()

    def _skip_node(self, node: ast.AST) -> None:
        """Messages, texts and type hints."""

    visit_Raise = visit_JoinedStr = visit_arg = _skip_node

    def visit_Assign(self, node: ast.Assign) -> None:
        joined = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)
        # a union of types
        if self.running or not joined:
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if not ast.unparse(node.test).endswith("TYPE_CHECKING"):
            self._visit_condition(node)

    def _visit_condition(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if isinstance(node.test, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)):
            self._add_mutant(self._find_offset(node.test), self._find_offset(node.test), "not ")
        self.generic_visit(node)

    visit_While = visit_IfExp = _visit_condition

    def visit_BinOp(self, node: ast.BinOp) -> None:
        start, end, op = self._find_operator(node.left, node.right)
        if op in OPERATORS:
            self._add_mutant(start, end, OPERATORS[op])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        start, end, op = self._find_operator(node.target, node.value)
        if op in OPERATORS:
            self._add_mutant(start, end, OPERATORS[op])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:]):
            start, end, op = self._find_operator(left, right)
            self._add_mutant(start, end, {"and": "or", "or": "and"}[op])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators):
            start, end, op = self._find_operator(left, right)
            for new in COMPARISONS[op]:
                self._add_mutant(start, end, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub)):
            self._add_mutant(
                self._find_offset(node), self._find_offset(node) + (4 if isinstance(node.op, ast.Not) else 1), ""
            )
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) in (bool, int, float):
            new = not node.value if type(node.value) is bool else {2: 1, 1: 0}.get(node.value, node.value + 1)
            self._add_mutant(self._find_offset(node), self._find_offset(node, end=True), repr(type(node.value)(new)))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in NAMES:
            end = self._find_offset(node.func, end=True)
            start = self._find_offset(node.func) if name == "abs" else end - len(name)
            self._add_mutant(start, end, NAMES[name])
        self.generic_visit(node)
