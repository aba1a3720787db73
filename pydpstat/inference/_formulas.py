"""Formulas: which column is the response, and which are the predictors; nothing of them is evaluated."""

from __future__ import annotations

import re
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat.errors import MissingExtraError, PydpstatError

_NAME = re.compile(r"^(?:Q\((['\"])(?P<quoted>.+)\1\)|(?P<plain>[^\W\d]\w*))$")
_CATEGORY = re.compile(r"^C\(\s*(?P<inner>.+?)\s*\)$")


class Term(NamedTuple):
    """A predictor as a formula has it: its column, its own text, and whether it says C()."""

    column: str
    text: str
    categorical: bool


def formula_terms(formula: str) -> tuple[str, tuple[Term, ...]]:
    """Return the response's name and the predictors of a formula; nothing of it is evaluated.

    Examples
    --------
    >>> formula_terms("y ~ x + C(g)")
    ('y', (Term(column='x', text='x', categorical=False), Term(column='g', text='C(g)', categorical=True)))
    """
    left, right = _parsed(formula)
    if len(left) != 1 or len(left[0]) != 1:
        raise _unsuitable(formula, "must have one response")
    if [] not in right:
        raise _unsuitable(formula, "must have its constant, without '- 1' or '+ 0'")
    terms = [_term(formula, each) for each in right if each]
    response = _term(formula, left[0])
    columns = [response.column, *(each.column for each in terms)]
    if not terms:
        raise _unsuitable(formula, "must have at least one predictor")
    if response.categorical or len(set(columns)) != len(columns):
        raise _unsuitable(formula, "must have a response that is a number, and every column once")
    return response.column, tuple(terms)


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
        from formulaic import Formula
    except ImportError as error:
        raise MissingExtraError("a formula", "patsy or formulaic", "formulas") from error
    found = Formula(formula)
    left, right = (
        [[str(f.expr) for f in term.factors if str(f.expr) != "1"] for term in side]
        for side in (found.lhs, found.rhs)
    )
    return left, right


def _unsuitable(formula: str, allowed: str) -> PydpstatError:
    return PydpstatError(
        f"formula {allowed}; got {checks.shown_option(formula)}. Write for example 'y ~ x1 + x2 + C(group)'."
    )


def _term(formula: str, factors: list[str]) -> Term:
    """Return a term that is a column, or C() of one."""
    if len(factors) != 1:
        raise PydpstatError(
            "formula must have columns and C(column) as its terms, without interactions; got "
            f"{checks.shown_option(':'.join(factors))}. Make a column of the product, with bounds of its own."
        )
    text = factors[0]
    category = _CATEGORY.match(text)
    name = _NAME.match(category["inner"] if category else text)
    if name is None:
        raise PydpstatError(
            f"formula must have columns and C(column) as its terms; got {checks.shown_option(text)}. A "
            "transformation may look at all records, and needs bounds of its own: make a column of it first. "
            "Of levels the first one given is the reference."
        )
    return Term(name["quoted"] or name["plain"], text, category is not None)
