"""Parsing of formulas, and the predictors of their terms."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds
from pydpstat._records.expressions import compute_range, parse_syntax_tree
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.inference.regression._predictors import DerivedPredictor, Expression, Predictor, get_column_name

_CATEGORY = re.compile(r"^C\(\s*(?P<inner>.+?)\s*\)$")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(")


class FormulaFactor(NamedTuple):
    """Factor of a term: a column, C() of a column, or a transformation."""

    columns: tuple[str, ...]
    text: str
    categorical: bool = False
    expression: Expression | None = None
    is_condition: bool = False


class ParsedFormula(NamedTuple):
    """Response and terms of a formula."""

    response: FormulaFactor
    terms: tuple[tuple[FormulaFactor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the terms, without repetition."""
        return tuple(dict.fromkeys(name for factor in self._factors for name in factor.columns))

    @property
    def categorical_columns(self) -> tuple[str, ...]:
        """Columns inside C()."""
        return tuple(dict.fromkeys(factor.columns[0] for factor in self._factors if factor.categorical))

    @property
    def transformed_columns(self) -> tuple[str, ...]:
        """Columns inside numeric transformations."""
        columns = [factor.expression.columns for factor in self._factors if factor.expression is not None]
        return tuple(dict.fromkeys(name for names in columns for name in names))

    @property
    def _factors(self) -> list[FormulaFactor]:
        return [factor for term in self.terms for factor in term]


def parse_formula(formula: str, has_column: Callable[[str], bool] | None = None) -> ParsedFormula:
    """Return the response and the terms of a formula, without evaluating it.

    Terms of fewer factors come first, as in patsy. A condition is a column of its name, which a design computes;
    `has_column` tells whether data have it.
    """
    left, right = _parse_sides(formula)
    if len(left) != 1 or len(left[0]) != 1:
        raise _make_formula_error(formula, "must have one response")
    if [] not in right:
        raise _make_formula_error(formula, "must have a constant, without '- 1' or '+ 0'")
    terms = sorted((tuple(map(_parse_factor, term)) for term in right if term), key=len)
    parsed = ParsedFormula(_parse_factor(left[0][0]), tuple(terms))
    for factor in (parsed.response, *parsed._factors):
        if factor.is_condition and has_column is not None and not has_column(factor.columns[0]):
            raise PydpstatError(
                f"formula must have columns as its terms, since a condition needs a design: got {factor.text!r}. Write "
                f"dp.design(frame, ...).logit({formula!r}, ...), or make a column of truth values first, "
                "frame.assign(high=frame['income'] > 9000)."
            )
    if not terms:
        raise _make_formula_error(formula, "must have at least one predictor")
    if parsed.response.categorical or set(parsed.response.columns) & set(parsed.columns):
        raise _make_formula_error(formula, "must have a numeric response, from a column that is not a predictor")
    ambiguous = [name for name in parsed.categorical_columns if name in parsed.transformed_columns]
    if ambiguous:
        raise _make_formula_error(formula, f"must have {ambiguous[0]!r} either as a number or as C({ambiguous[0]})")
    return parsed


def _parse_sides(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the terms of both sides as lists of factor texts; the constant is an empty list."""
    try:
        try:
            from patsy import ModelDesc
        except ImportError:
            return _parse_with_formulaic(formula)
        description = ModelDesc.from_formula(formula)
        sides = description.lhs_termlist, description.rhs_termlist
        left, right = ([[f.name() for f in term.factors] for term in side] for side in sides)
        return left, right
    except MissingExtraError:
        raise
    except Exception as error:
        raise _make_formula_error(formula, "must be read by patsy or formulaic") from error


def _parse_with_formulaic(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    try:
        from formulaic import Formula as Read
    except ImportError as error:
        raise MissingExtraError("a formula", "patsy or formulaic", "formulas") from error
    parsed = Read(formula)
    left, right = (
        [[str(f.expr) for f in term.factors if str(f.expr) != "1"] for term in side]
        for side in (parsed.lhs, parsed.rhs)
    )
    return left, right


def _make_formula_error(formula: str, requirement: str) -> PydpstatError:
    return PydpstatError(
        f"formula {requirement}; got {checks.describe_option(formula)}. Write for example 'y ~ x1 * x2 + C(group)'."
    )


def _parse_factor(text: str) -> FormulaFactor:
    """Return a column, C() of a column, or a transformation."""
    category = _CATEGORY.match(text)
    name = _parse_column_name(category["inner"] if category else text)
    if name is not None:
        return FormulaFactor((name,), text, category is not None)
    if (condition := _parse_condition(text)) is not None:
        label = text if text.startswith("I(") else condition
        return FormulaFactor((condition,), label, is_condition=True)
    if "^" in text and not _CALL.match(text):
        raise PydpstatError(
            f"formula must have powers in I(); got {checks.describe_option(text)}. Write I({text.replace('^', '**')})."
        )
    expression = Expression(text)
    expression.check_transformation()
    return FormulaFactor(expression.columns, text, False, expression)


def _parse_column_name(text: str) -> str | None:
    try:
        return get_column_name(ast.parse(text, mode="eval").body)
    except checks.SYNTAX_ERRORS:
        return None


def _parse_condition(text: str) -> str | None:
    """Return the text of a condition, without the I() around it; None for anything else."""
    try:
        node = parse_syntax_tree(text)
    except PydpstatError:
        return None
    is_negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return ast.unparse(node) if isinstance(node, (ast.Compare, ast.BoolOp)) or is_negation else None


Subset = frozenset[str]


def encode_terms(terms: Sequence[Sequence[FormulaFactor]], columns: Mapping[str, Predictor]) -> tuple[Predictor, ...]:
    """Return the predictors of terms, those of fewer factors first."""
    covered: dict[Subset, set[Subset]] = {frozenset(): {frozenset()}}
    predictors: list[Predictor] = []
    for term in terms:
        factors = [
            factor for factor in term if factor.expression is None and columns[factor.columns[0]].levels is not None
        ]
        numbers = [factor for factor in term if factor not in factors]
        fully_coded = _find_fully_coded_columns(
            term, factors, covered.setdefault(frozenset(factor.text for factor in numbers), set())
        )
        if len(term) == 1 and term[0].expression is None:
            predictors.append(replace(columns[term[0].columns[0]], text=term[0].text))
        else:
            predictors += _make_term_predictors(term, factors, numbers, fully_coded, columns)
    return tuple(predictors)


def _find_fully_coded_columns(
    term: Sequence[FormulaFactor], factors: Sequence[FormulaFactor], coded_subsets: set[Subset]
) -> Subset:
    """Return the column coded with all levels because the term without it is absent, if any; extend `coded_subsets`."""
    names = frozenset(factor.columns[0] for factor in factors)
    subsets = {frozenset(subset) for size in range(len(names) + 1) for subset in combinations(sorted(names), size)}
    # subsets that full indicators of all factors would add
    new = subsets - coded_subsets
    text = ":".join(factor.text for factor in term)
    if names not in new or len(names) != len(factors):
        raise PydpstatError(f"formula must have every term once; {checks.describe_option(text)} repeats another term.")
    missing = new - {names}
    if len(missing) > 1 or any(len(subset) < len(names) - 1 for subset in missing):
        raise PydpstatError(
            "formula must have the main terms of an interaction; those of "
            f"{checks.describe_option(text)} are missing. Write * for :, as in C(a) * C(b)."
        )
    coded_subsets |= subsets
    return names.difference(*missing) if missing else frozenset()


def _make_term_predictors(
    term: Sequence[FormulaFactor],
    factors: Sequence[FormulaFactor],
    numbers: Sequence[FormulaFactor],
    fully_coded: Subset,
    columns: Mapping[str, Predictor],
) -> list[Predictor]:
    """Return the predictors of an interaction or a transformation."""
    text = ":".join(factor.text for factor in term)
    expressions = tuple(factor.expression or Expression(factor.text) for factor in numbers)
    pairs = {name: predictor.bounds for name, predictor in columns.items() if predictor.bounds is not None}
    pair = (
        _compute_product_bounds([expression.compute_bounds(pairs) for expression in expressions])
        if expressions
        else None
    )
    if not factors:
        return [DerivedPredictor(text, text, pair, None, numbers=expressions, coefficient_names=(text,))]
    labels = [list(map(str, columns[factor.columns[0]].levels or ())) for factor in factors]
    starts = [0 if factor.columns[0] in fully_coded else 1 for factor in factors]
    cells = list(product(*(range(start, len(texts)) for start, texts in zip(starts, labels))))
    marks = ["" if factor.columns[0] in fully_coded else "T." for factor in factors]
    names, shown, cell_codes = [], [], []
    for cell in cells:
        levels = [texts[code] for texts, code in zip(labels, cell)]
        labels_by_text = {
            factor.text: f"{factor.text}[{mark}{level}]" for factor, mark, level in zip(factors, marks, levels)
        }
        names.append(":".join(labels_by_text.get(factor.text, factor.text) for factor in term))
        shown.append(":".join(levels))
        cell_codes.append(tuple((factor.columns[0], code) for factor, code in zip(factors, cell)))
    if pair is None:
        cell_levels = ("any other", *shown)
        return [
            DerivedPredictor(text, text, None, cell_levels, cells=tuple(cell_codes), coefficient_names=tuple(names))
        ]
    within = min(pair[0], 0.0), max(pair[1], 0.0)
    return [
        DerivedPredictor(name, name, within, None, numbers=expressions, cells=(codes,), coefficient_names=(name,))
        for name, codes in zip(names, cell_codes)
    ]


def _compute_product_bounds(pairs: Sequence[VariableBounds]) -> VariableBounds:
    """Return the bounds of a product, which must be finite."""
    bounds = reduce(lambda one, other: compute_range(operator.mul, list(product(one, other))), pairs)
    if not max(map(abs, bounds)) < inf:
        raise PydpstatError("an interaction must have finite bounds; those of its factors are too wide.")
    return bounds
