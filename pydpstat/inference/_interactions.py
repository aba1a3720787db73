"""The coding of a formula's terms: which predictors there are, so that none follows from others."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from math import inf

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair
from pydpstat.errors import PydpstatError
from pydpstat.inference._formulas import Factor
from pydpstat.inference._predictors import Derived, Predictor
from pydpstat.inference._transformations import Expression
from pydpstat.statistics._kernels.expressions import hull

Subset = frozenset[str]


def coded(terms: Sequence[Sequence[Factor]], columns: Mapping[str, Predictor]) -> tuple[Predictor, ...]:
    """Return the predictors of terms, those of fewer factors first."""
    covered: dict[Subset, set[Subset]] = {frozenset(): {frozenset()}}
    found: list[Predictor] = []
    for term in terms:
        factors = [each for each in term if each.made is None and columns[each.columns[0]].levels is not None]
        numbers = [each for each in term if each not in factors]
        whole = _whole(term, factors, covered.setdefault(frozenset(each.text for each in numbers), set()))
        if len(term) == 1 and term[0].made is None:
            found.append(replace(columns[term[0].columns[0]], text=term[0].text))
        else:
            found += _made(term, factors, numbers, whole, columns)
    return tuple(found)


def _whole(term: Sequence[Factor], factors: Sequence[Factor], known: set[Subset]) -> Subset:
    """Return the column that has an indicator for the reference, too, if any; `known` gets what is coded."""
    own = frozenset(each.columns[0] for each in factors)
    subsets = {frozenset(part) for size in range(len(own) + 1) for part in combinations(sorted(own), size)}
    # what the indicators of all levels would add
    new = subsets - known
    text = ":".join(each.text for each in term)
    if own not in new or len(own) != len(factors):
        raise PydpstatError(
            f"formula must have every term once; {checks.shown_option(text)} repeats another term."
        )
    missing = new - {own}
    if len(missing) > 1 or any(len(each) < len(own) - 1 for each in missing):
        raise PydpstatError(
            "formula must have the main terms of an interaction; those of "
            f"{checks.shown_option(text)} are missing. Write * for :, as in C(a) * C(b)."
        )
    known |= subsets
    return own.difference(*missing) if missing else frozenset()


def _made(
    term: Sequence[Factor],
    factors: Sequence[Factor],
    numbers: Sequence[Factor],
    whole: Subset,
    columns: Mapping[str, Predictor],
) -> list[Predictor]:
    """Return the predictors of an interaction or a transformation."""
    text = ":".join(each.text for each in term)
    made = tuple(each.made or Expression(each.text) for each in numbers)
    pairs = {name: each.bounds for name, each in columns.items() if each.bounds is not None}
    pair = _product([each.bounds(pairs) for each in made]) if made else None
    if not factors:
        return [Derived(text, text, pair, None, numbers=made, shown=(text,))]
    labels = [list(map(str, columns[each.columns[0]].levels or ())) for each in factors]
    starts = [0 if each.columns[0] in whole else 1 for each in factors]
    cells = list(product(*(range(start, len(each)) for start, each in zip(starts, labels))))
    marks = ["" if each.columns[0] in whole else "T." for each in factors]
    names, shown, places = [], [], []
    for cell in cells:
        levels = [each[code] for each, code in zip(labels, cell)]
        parts = {
            each.text: f"{each.text}[{mark}{level}]" for each, mark, level in zip(factors, marks, levels)
        }
        names.append(":".join(parts.get(each.text, each.text) for each in term))
        shown.append(":".join(levels))
        places.append(tuple((each.columns[0], code) for each, code in zip(factors, cell)))
    if pair is None:
        own = ("any other", *shown)
        return [Derived(text, text, None, own, cells=tuple(places), shown=tuple(names))]
    within = min(pair[0], 0.0), max(pair[1], 0.0)
    return [
        Derived(name, name, within, None, numbers=made, cells=(place,), shown=(name,))
        for name, place in zip(names, places)
    ]


def _product(pairs: Sequence[Pair]) -> Pair:
    """Return the bounds of a product."""
    found = reduce(lambda one, other: hull(operator.mul, list(product(one, other))), pairs)
    if not max(map(abs, found)) < inf:
        raise PydpstatError("an interaction must have finite bounds; those of its factors are too wide.")
    return found
