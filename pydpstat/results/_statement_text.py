"""What a statement says: the total of releases, sentences, and the points that readers ask for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.privacy import Guarantee, compose, compose_basic
from pydpstat.results._stated_releases import SEEDED, Stated
from pydpstat.results._words import joined

_METHODS = {
    "exact": "optimal composition of equal guarantees",
    "zcdp": "zero-concentrated differential privacy",
    "pld": "privacy loss distributions",
}
_BASIC = "basic composition"
_SUMS = f"{_BASIC}, epsilons and deltas add up"
_NOT_A_TOTAL = "none: releases without a guarantee have no total"
_CENTRAL = "central: those who compute the releases see the records; readers see only the releases"
_LOCAL = "local: every answer was randomized before it was collected"
_SEEDED = "a seeded generator, for checking only: anyone who knows the seed can remove the noise"
_SECURE = "the operating system's cryptographically secure generator"
_SIDE = "running time and other side channels; access to the records themselves"
_DECLARED = "the declared "
_MIXED = "Releases for added or removed records count with their guarantee for one replaced record."
# what is between lists of levels, and how many commas a long one has
_LISTS, _MANY = re.compile(r"(?:^|; )(?:levels |groups |edges )?| x |(?:, )?of [^:;]+: "), 3
# names that begin a sentence as they are, and those in the plural
_OWN = ("Kendall", "Welch", "Kruskal", "Kolmogorov", "Mann", "Wilcoxon")
_PLURAL = ("moments", "quantiles", "proportions")
Lines = tuple[str, ...]


class Total(NamedTuple):
    """What several releases keep together."""

    guarantee: Guarantee
    # how it follows, and the same by its name alone
    composed: str
    method: str = ""
    # of the budget that paid, in words
    limit: str = ""
    remark: str = ""


def total_of(guarantees: Sequence[Guarantee], delta: float | None) -> Total:
    """Return the sum of a list, and what another composition says where that is less."""
    remark = ""
    if len({each.neighbors for each in guarantees}) > 1:
        guarantees, remark = [each.as_bounded() for each in guarantees], _MIXED
    if len(guarantees) == 1:
        return Total(guarantees[0], "")
    basic = compose_basic(*guarantees)
    if is_void(basic):
        return Total(basic, _NOT_A_TOTAL, remark=remark)
    goal = basic.delta if delta is None else delta
    better = min(_better(guarantees, basic.epsilon, goal), default=None)
    if better is None:
        return Total(basic, _SUMS, _BASIC, remark=remark)
    told = f"epsilon = {better[0]:.6g} at delta = {goal:.6g} by {_METHODS[better[1]]}"
    return Total(basic, f"{_SUMS}; if the list was fixed in advance, {told}", _BASIC, remark=remark)


def _better(guarantees: Sequence[Guarantee], epsilon: float, goal: float) -> Iterator[tuple[float, str]]:
    for method in _METHODS if goal > 0.0 else ():
        try:
            found = compose(guarantees, method, delta=goal).epsilon
        except (PydpstatError, MissingExtraError):
            # a method that cannot take the list, or has no package here
            continue
        if found < 0.99 * epsilon:
            yield found, method


def total_of_budget(budget: Any) -> Total:
    """Return what was spent from a budget, as its accountant adds it up."""
    spent, limited = budget.spent, math.isfinite(budget.epsilon)
    limit = f"a limit of {_pair(budget.epsilon, budget.delta)}" if limited else "no limit"
    how, method = _METHODS["zcdp"], _METHODS["zcdp"]
    if budget.accountant == "basic":
        how, method = _SUMS, _BASIC
    place = budget.path or budget.url
    told = f"{how}, in a budget with {limit}{f' (ledger {place})' if place else ''}; it is valid even if "
    told += "each release is chosen after seeing the earlier ones"
    return Total(
        Guarantee(spent.epsilon, spent.delta, budget.neighbors, unit=budget.unit), told, method, limit
    )


def parts_of(
    items: Sequence[Stated], total: Total
) -> tuple[Lines, tuple[tuple[str, str], ...], Lines, tuple[Lines, ...]]:
    """Return the paragraph's sentences, the points, and the table's heads and rows."""
    differ = any(map(_differs, items))
    apart = len({each.counted for each in items}) > 1
    heads = ("release", "mechanism", "public", "epsilon", "delta", *(("claimed epsilon",) if differ else ()))
    points = tuple((name, text) for name, text in _points(items, total) if text)
    return (
        tuple(_sentences(items, total)),
        points,
        heads,
        tuple(_row(each, len(items) > 1, differ, apart) for each in items),
    )


def _sentences(items: Sequence[Stated], total: Total) -> Iterator[str]:
    if not items:
        yield f"Nothing has been released yet from a privacy budget with {total.limit}."
        return
    held, what = total.guarantee, _what_was(items)
    if is_void(held):
        yield f"{what} released without a guarantee of differential privacy."
    else:
        several = len(items) > 1
        whole = f"a{' total' if several else ''} privacy loss of {_loss(held)}"
        by = f" by {total.method}" if several else ""
        yield f"{what} released with differential privacy, at {whole}{by}."
        bound = f"exp({held.epsilon:.6g}){_factor(held.epsilon)}"
        more = f", plus {held.delta:.6g}" if held.delta else ""
        yield f"{_step(held)} changes the probability of any result by a factor of at most {bound}{more}."
    if counts := _counts(items):
        yield f"{counts[0].upper()}{counts[1:]}."
    if total.limit:
        yield f"All of it was charged to one privacy budget with {total.limit}."
    for each in filter(_differs, items):
        claim = _loss(each.claim)
        if each.claim.neighbors != each.guarantee.neighbors:
            claim += f" for {each.claim.neighbors} neighbors"
        if len(items) == 1:
            yield f"The function claims {claim}, which is not its true guarantee."
            continue
        kept = "nothing is guaranteed" if is_void(each.guarantee) else f"{_loss(each.guarantee)} holds"
        yield f"For the {each.name} {kept}, where {claim} was claimed."
    if total.remark:
        yield total.remark
    yield from _mechanisms(items)
    if any(each.seeded for each in items):
        yield "The noise was drawn with a seed, so this is for checking and must not be published."
    yield f"Computed with {software()}."


def _what_was(items: Sequence[Stated]) -> str:
    if len(items) > 1:
        return f"{len(items)} statistics were"
    name = items[0].name
    article = "" if name.startswith(_OWN) else "The "
    return f"{article}{name} {'were' if name.startswith(_PLURAL) else 'was'}"


def _mechanisms(items: Sequence[Stated]) -> Iterator[str]:
    kinds = Counter(each.mechanism.split(",")[0] for each in items if each.mechanism != "-")
    if len(items) > 1 and kinds:
        counted = [f"{kind} ({count})" if len(kinds) > 1 else kind for kind, count in kinds.items()]
        yield f"The mechanism{'s are' if len(kinds) > 1 else ' is'} {joined(counted)}."
    elif kinds:
        fixed = f", with {items[0].public.replace('; ', ' and ')} fixed in advance" if items[0].public else ""
        clipped = "; values outside the bounds were clipped" if items[0].clipped else ""
        article = "the " if next(iter(kinds)).endswith("mechanism") else ""
        yield f"The mechanism is {article}{items[0].mechanism}{fixed}{clipped}."


def _points(items: Sequence[Stated], total: Total) -> Iterator[tuple[str, str]]:
    held = total.guarantee
    yield "Privacy loss", _loss(held) + (f" spent, of {total.limit}" if total.limit else "")
    if not is_void(held):
        yield "Protected", "a single record" if held.unit is None else f"each {held.unit} with all records"
        yield "Neighbors", _neighbors(held)
    if counts := _counts(items):
        yield "Counted", counts
    yield "Composition", total.composed
    yield "Trust model", _LOCAL if items and all(each.local for each in items) else _CENTRAL
    yield "Randomness", _SEEDED if any(each.seeded for each in items) else _SECURE
    yield "Conditions", "; ".join(_conditions(items))
    yield "Not covered", "; ".join([*_not_covered(items), _SIDE])
    yield "Software", software()


def _conditions(items: Sequence[Stated]) -> Iterator[str]:
    """Yield each condition once; facts that a design declares are in the table."""
    lines = dict.fromkeys(line for each in items for line in each.conditions)
    if any(line.startswith(_DECLARED) for line in lines):
        yield "the declared bounds and levels in the table are public"
    yield from (line for line in lines if not line.startswith((_DECLARED, SEEDED)))


def _not_covered(items: Sequence[Stated]) -> Iterator[str]:
    if not all(each.population for each in items):
        some = any(each.population is not False for each in items)
        yield "sampling error" + (
            ", except in tests, models and confidence intervals for the population" if some else ""
        )
    if any(each.clipped for each in items):
        yield "bias from clipping values to the bounds"
    if any(each.left_out for each in items):
        yield "bias from leaving out records with missing values"


def _counts(items: Sequence[Stated]) -> str:
    """Return how many records of each unit count; where that differs the table has it."""
    said = {each.counted for each in items}
    if len(said) > 1:
        return "of each unit at most as many records count as the table says, drawn at random"
    return "".join(f"{each}, drawn at random" for each in said if each)


def _row(item: Stated, several: bool, differ: bool, apart: bool) -> tuple[str, ...]:
    name = (
        f"{item.name} (computed from another release; counted again)"
        if item.derived and several
        else item.name
    )
    held = item.guarantee
    pair = ("none", "none") if is_void(held) else (f"{held.epsilon:.6g}", f"{held.delta:.6g}")
    return (
        name,
        item.mechanism,
        "; ".join(filter(None, (item.public, item.counted if apart else ""))) or "-",
        *pair,
        *((f"{item.claim.epsilon:.6g}",) if differ else ()),
    )


def shared_lists(rows: Sequence[Sequence[str]]) -> tuple[list[tuple[str, str]], list[tuple[str, ...]]]:
    """Return levels that several rows list, with a name for each list, and the rows with these names."""
    found = Counter(part for row in rows for part in dict.fromkeys(_LISTS.split(row[2])))
    shared = [part for part, count in found.items() if count > 1 and part.count(", ") >= _MANY]
    names = {part: f"({place})" for place, part in enumerate(shared, 1)}
    shown = []
    for row in rows:
        cells = list(row)
        for part in sorted(names, key=len, reverse=True):
            cells[2] = cells[2].replace(part, names[part])
        shown.append(tuple(cells))
    return [(name, part) for part, name in names.items()], shown


def _neighbors(held: Guarantee) -> str:
    what = "record" if held.unit is None else "unit"
    if held.neighbors == "bounded":
        return f"one {what} replaced by another (bounded); the number of {what}s is public"
    return f"one {what} added or removed (unbounded); the number of {what}s is private"


def _step(held: Guarantee) -> str:
    what = "any single record" if held.unit is None else f"all records of any one {held.unit}"
    return f"{'Replacing' if held.neighbors == 'bounded' else 'Adding or removing'} {what}"


def _factor(epsilon: float) -> str:
    # what is as large says no more
    return f" = {math.exp(epsilon):.3g}" if epsilon < 6.0 else ""


def _pair(epsilon: float, delta: float) -> str:
    return f"epsilon = {epsilon:.6g}" + (f" and delta = {delta:.6g}" if delta else "")


def _loss(held: Guarantee) -> str:
    return "not bounded" if is_void(held) else _pair(held.epsilon, held.delta)


def _differs(item: Stated) -> bool:
    return str(item.guarantee) != str(item.claim)


def is_void(held: Guarantee) -> bool:
    """Tell whether a guarantee says nothing."""
    return math.isinf(held.epsilon) or held.delta == 1.0


def software() -> str:
    """Return the package's name and version."""
    import pydpstat

    return f"pydpstat {pydpstat.__version__}"
