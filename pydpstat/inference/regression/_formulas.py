"""Parsing of formulas, and the predictors of their terms."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds
from pydpstat._records.expressions import compute_range
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.inference.regression._predictors import DerivedPredictor, Expression, Predictor, get_column_name

_CATEGORY = re.compile(r"^C\(\s*(?P<inner>.+?)\s*\)$")


class FormulaFactor(NamedTuple):
    """Factor of a term: a column, C() of a column, or a transformation."""

    columns: tuple[str, ...]
    text: str
    categorical: bool = False
    expression: Expression | None = None


class ParsedFormula(NamedTuple):
    """Response and terms of a formula."""

    response: FormulaFactor
    terms: tuple[tuple[FormulaFactor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the terms, without repetition."""
        return tuple(dict.fromkeys(name for each in self._factors for name in each.columns))

    @property
    def categorical_columns(self) -> tuple[str, ...]:
        """Columns inside C()."""
        return tuple(dict.fromkeys(each.columns[0] for each in self._factors if each.categorical))

    @property
    def transformed_columns(self) -> tuple[str, ...]:
        """Columns inside numeric transformations."""
        found = [each.expression.columns for each in self._factors if each.expression is not None]
        return tuple(dict.fromkeys(name for each in found for name in each))

    @property
    def _factors(self) -> list[FormulaFactor]:
        return [each for term in self.terms for each in term]


def parse_formula(formula: str) -> ParsedFormula:
    """Return the response and the terms of a formula, without evaluating it.

    Terms of fewer factors come first, as in patsy.
    """
    left, right = _parse_sides(formula)
    if len(left) != 1 or len(left[0]) != 1:
        raise _make_formula_error(formula, "must have one response")
    if [] not in right:
        raise _make_formula_error(formula, "must have a constant, without '- 1' or '+ 0'")
    terms = sorted((tuple(map(_parse_factor, each)) for each in right if each), key=len)
    found = ParsedFormula(_parse_factor(left[0][0]), tuple(terms))
    if not terms:
        raise _make_formula_error(formula, "must have at least one predictor")
    if found.response.categorical or set(found.response.columns) & set(found.columns):
        raise _make_formula_error(formula, "must have a numeric response, from a column that is not a predictor")
    both = [name for name in found.categorical_columns if name in found.transformed_columns]
    if both:
        raise _make_formula_error(formula, f"must have {both[0]!r} either as a number or as C({both[0]})")
    return found


def _parse_sides(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the terms of both sides as lists of factor texts; the constant is an empty list."""
    try:
        try:
            from patsy import ModelDesc
        except ImportError:
            return _parse_with_formulaic(formula)
        found = ModelDesc.from_formula(formula)
        sides = found.lhs_termlist, found.rhs_termlist
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
    found = Read(formula)
    left, right = (
        [[str(f.expr) for f in term.factors if str(f.expr) != "1"] for term in side] for side in (found.lhs, found.rhs)
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
    made = Expression(text)
    made.check_transformation()
    return FormulaFactor(made.columns, text, False, made)


def _parse_column_name(text: str) -> str | None:
    try:
        return get_column_name(ast.parse(text, mode="eval").body)
    except checks.SYNTAX_ERRORS:
        return None


Subset = frozenset[str]


def encode_terms(terms: Sequence[Sequence[FormulaFactor]], columns: Mapping[str, Predictor]) -> tuple[Predictor, ...]:
    """Return the predictors of terms, those of fewer factors first."""
    covered: dict[Subset, set[Subset]] = {frozenset(): {frozenset()}}
    found: list[Predictor] = []
    for term in terms:
        factors = [each for each in term if each.expression is None and columns[each.columns[0]].levels is not None]
        numbers = [each for each in term if each not in factors]
        whole = _find_fully_coded_columns(
            term, factors, covered.setdefault(frozenset(each.text for each in numbers), set())
        )
        if len(term) == 1 and term[0].expression is None:
            found.append(replace(columns[term[0].columns[0]], text=term[0].text))
        else:
            found += _make_term_predictors(term, factors, numbers, whole, columns)
    return tuple(found)


def _find_fully_coded_columns(
    term: Sequence[FormulaFactor], factors: Sequence[FormulaFactor], coded_subsets: set[Subset]
) -> Subset:
    """Return the column coded with all levels because the term without it is absent, if any; extend `coded_subsets`."""
    own = frozenset(each.columns[0] for each in factors)
    subsets = {frozenset(part) for size in range(len(own) + 1) for part in combinations(sorted(own), size)}
    # subsets that full indicators of all factors would add
    new = subsets - coded_subsets
    text = ":".join(each.text for each in term)
    if own not in new or len(own) != len(factors):
        raise PydpstatError(f"formula must have every term once; {checks.describe_option(text)} repeats another term.")
    missing = new - {own}
    if len(missing) > 1 or any(len(each) < len(own) - 1 for each in missing):
        raise PydpstatError(
            "formula must have the main terms of an interaction; those of "
            f"{checks.describe_option(text)} are missing. Write * for :, as in C(a) * C(b)."
        )
    coded_subsets |= subsets
    return own.difference(*missing) if missing else frozenset()


def _make_term_predictors(
    term: Sequence[FormulaFactor],
    factors: Sequence[FormulaFactor],
    numbers: Sequence[FormulaFactor],
    fully_coded: Subset,
    columns: Mapping[str, Predictor],
) -> list[Predictor]:
    """Return the predictors of an interaction or a transformation."""
    text = ":".join(each.text for each in term)
    made = tuple(each.expression or Expression(each.text) for each in numbers)
    pairs = {name: each.bounds for name, each in columns.items() if each.bounds is not None}
    pair = _compute_product_bounds([each.compute_bounds(pairs) for each in made]) if made else None
    if not factors:
        return [DerivedPredictor(text, text, pair, None, numbers=made, coefficient_names=(text,))]
    labels = [list(map(str, columns[each.columns[0]].levels or ())) for each in factors]
    starts = [0 if each.columns[0] in fully_coded else 1 for each in factors]
    cells = list(product(*(range(start, len(each)) for start, each in zip(starts, labels))))
    marks = ["" if each.columns[0] in fully_coded else "T." for each in factors]
    names, shown, places = [], [], []
    for cell in cells:
        levels = [each[code] for each, code in zip(labels, cell)]
        parts = {each.text: f"{each.text}[{mark}{level}]" for each, mark, level in zip(factors, marks, levels)}
        names.append(":".join(parts.get(each.text, each.text) for each in term))
        shown.append(":".join(levels))
        places.append(tuple((each.columns[0], code) for each, code in zip(factors, cell)))
    if pair is None:
        own = ("any other", *shown)
        return [DerivedPredictor(text, text, None, own, cells=tuple(places), coefficient_names=tuple(names))]
    within = min(pair[0], 0.0), max(pair[1], 0.0)
    return [
        DerivedPredictor(name, name, within, None, numbers=made, cells=(place,), coefficient_names=(name,))
        for name, place in zip(names, places)
    ]


def _compute_product_bounds(pairs: Sequence[VariableBounds]) -> VariableBounds:
    """Return the bounds of a product, which must be finite."""
    found = reduce(lambda one, other: compute_range(operator.mul, list(product(one, other))), pairs)
    if not max(map(abs, found)) < inf:
        raise PydpstatError("an interaction must have finite bounds; those of its factors are too wide.")
    return found
