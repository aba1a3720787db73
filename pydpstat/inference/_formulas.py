"""Formulas: which columns the response and the terms are made of; nothing of them is evaluated."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.inference._transformations import Expression, named_column

_CATEGORY = re.compile(r"^C\(\s*(?P<inner>.+?)\s*\)$")


class Factor(NamedTuple):
    """A part of a term: a column, C() of one, or a transformation."""

    columns: tuple[str, ...]
    text: str
    categorical: bool = False
    made: Expression | None = None


class Formula(NamedTuple):
    """What a formula says."""

    response: Factor
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the terms, each once."""
        return tuple(dict.fromkeys(name for each in self._factors for name in each.columns))

    @property
    def categories(self) -> tuple[str, ...]:
        """The columns that the formula says to be categorical."""
        return tuple(dict.fromkeys(each.columns[0] for each in self._factors if each.categorical))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of the terms that transformations make numbers."""
        found = [each.made.columns for each in self._factors if each.made is not None]
        return tuple(dict.fromkeys(name for each in found for name in each))

    @property
    def _factors(self) -> list[Factor]:
        return [each for term in self.terms for each in term]


def formula_terms(formula: str) -> Formula:
    """Return the response and the terms of a formula; nothing of it is evaluated.

    Terms of fewer factors come first, as in patsy.
    """
    left, right = _parsed(formula)
    if len(left) != 1 or len(left[0]) != 1:
        raise _unsuitable(formula, "must have one response")
    if [] not in right:
        raise _unsuitable(formula, "must have a constant, without '- 1' or '+ 0'")
    terms = sorted((tuple(map(_factor, each)) for each in right if each), key=len)
    found = Formula(_factor(left[0][0]), tuple(terms))
    if not terms:
        raise _unsuitable(formula, "must have at least one predictor")
    if found.response.categorical or set(found.response.columns) & set(found.columns):
        raise _unsuitable(formula, "must have a numeric response, from a column that is not a predictor")
    both = [name for name in found.categories if name in found.numbers]
    if both:
        raise _unsuitable(formula, f"must have {both[0]!r} either as a number or as C({both[0]})")
    return found


def _parsed(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the terms of both sides, each as its factors' texts; the constant has none."""
    try:
        try:
            from patsy import ModelDesc
        except ImportError:
            return _parsed_by_formulaic(formula)
        found = ModelDesc.from_formula(formula)
        sides = found.lhs_termlist, found.rhs_termlist
        left, right = ([[f.name() for f in term.factors] for term in side] for side in sides)
        return left, right
    except MissingExtraError:
        raise
    except Exception as error:
        raise _unsuitable(formula, "must be read by patsy or formulaic") from error


def _parsed_by_formulaic(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    try:
        from formulaic import Formula as Read
    except ImportError as error:
        raise MissingExtraError("a formula", "patsy or formulaic", "formulas") from error
    found = Read(formula)
    left, right = (
        [[str(f.expr) for f in term.factors if str(f.expr) != "1"] for term in side]
        for side in (found.lhs, found.rhs)
    )
    return left, right


def _unsuitable(formula: str, allowed: str) -> PydpstatError:
    return PydpstatError(
        f"formula {allowed}; got {checks.shown_option(formula)}. Write for example 'y ~ x1 * x2 + C(group)'."
    )


def _factor(text: str) -> Factor:
    """Return a column, C() of one, or a transformation."""
    category = _CATEGORY.match(text)
    name = _column(category["inner"] if category else text)
    if name is not None:
        return Factor((name,), text, category is not None)
    made = Expression(text)
    made.check()
    return Factor(made.columns, text, False, made)


def _column(text: str) -> str | None:
    try:
        return named_column(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        return None
