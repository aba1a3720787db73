"""What a statement says: the total of releases, sentences, and the points that readers ask for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.privacy import Guarantee, compose, compose_basic
from pydpstat.results._stated_releases import SEEDED_STREAM, StatementItem
from pydpstat.results._words import join_names

_COMPOSITION_NAMES = {
    "exact": "optimal composition of equal guarantees",
    "zcdp": "zero-concentrated differential privacy",
    "pld": "privacy loss distributions",
}
_BASIC_COMPOSITION = "basic composition"
_BASIC_TOTAL = f"{_BASIC_COMPOSITION}, epsilons and deltas add up"
_NO_TOTAL = "none: releases without a guarantee have no total"
_CENTRAL_MODEL = "central: those who compute the releases see the records; readers see only the releases"
_LOCAL_MODEL = "local: every answer was randomized before it was collected"
_SEEDED_RANDOMNESS = "a seeded generator, for checking only: anyone who knows the seed can remove the noise"
_SECURE_RANDOMNESS = "the operating system's cryptographically secure generator"
_SIDE_CHANNELS = "running time and other side channels; access to the records themselves"
_DECLARED_PREFIX = "the declared "
_MIXED_NEIGHBORS_REMARK = "Releases for added or removed records count with their guarantee for one replaced record."
# what is between lists of levels, and how many commas a long one has
_LIST_SEPARATORS, _MIN_LONG_LIST_COMMAS = (
    re.compile(r"(?:^|; )(?:levels |groups |edges )?| x |(?:, )?of [^:;]+: "),
    3,
)
# names that begin a sentence as they are, and those in the plural
_PROPER_NAMES = ("Kendall", "Welch", "Kruskal", "Kolmogorov", "Mann", "Wilcoxon")
_PLURAL_NAMES = ("moments", "quantiles", "proportions")
TextLines = tuple[str, ...]


class TotalGuarantee(NamedTuple):
    """What several releases keep together."""

    guarantee: Guarantee
    # how it follows, and the same by its name alone
    composition: str
    method: str = ""
    # of the budget that paid, in words
    limit: str = ""
    remark: str = ""


def compose_total(guarantees: Sequence[Guarantee], delta: float | None) -> TotalGuarantee:
    """Return the sum of a list, and what another composition says where that is less."""
    remark = ""
    if len({each.neighbors for each in guarantees}) > 1:
        guarantees, remark = [each.as_bounded() for each in guarantees], _MIXED_NEIGHBORS_REMARK
    if len(guarantees) == 1:
        return TotalGuarantee(guarantees[0], "")
    basic = compose_basic(*guarantees)
    if is_void(basic):
        return TotalGuarantee(basic, _NO_TOTAL, remark=remark)
    goal = basic.delta if delta is None else delta
    better = min(_iter_tighter_totals(guarantees, basic.epsilon, goal), default=None)
    if better is None:
        return TotalGuarantee(basic, _BASIC_TOTAL, _BASIC_COMPOSITION, remark=remark)
    told = f"epsilon = {better[0]:.6g} at delta = {goal:.6g} by {_COMPOSITION_NAMES[better[1]]}"
    return TotalGuarantee(
        basic, f"{_BASIC_TOTAL}; if the list was fixed in advance, {told}", _BASIC_COMPOSITION, remark=remark
    )


def _iter_tighter_totals(guarantees: Sequence[Guarantee], epsilon: float, delta: float) -> Iterator[tuple[float, str]]:
    for method in _COMPOSITION_NAMES if delta > 0.0 else ():
        try:
            found = compose(guarantees, method, delta=delta).epsilon
        except (PydpstatError, MissingExtraError):
            # a method that cannot take the list, or has no package here
            continue
        if found < 0.99 * epsilon:
            yield found, method


def make_budget_total(budget: Any) -> TotalGuarantee:
    """Return what was spent from a budget, as its accountant adds it up."""
    spent, limited = budget.spent, math.isfinite(budget.epsilon)
    limit = f"a limit of {_format_parameters(budget.epsilon, budget.delta)}" if limited else "no limit"
    how, method = _COMPOSITION_NAMES["zcdp"], _COMPOSITION_NAMES["zcdp"]
    if budget.accountant == "basic":
        how, method = _BASIC_TOTAL, _BASIC_COMPOSITION
    place = budget.path or budget.url
    told = f"{how}, in a budget with {limit}{f' (ledger {place})' if place else ''}; it is valid even if "
    told += "each release is chosen after seeing the earlier ones"
    return TotalGuarantee(
        Guarantee(spent.epsilon, spent.delta, budget.neighbors, unit=budget.unit), told, method, limit
    )


def make_statement_parts(
    items: Sequence[StatementItem], total: TotalGuarantee
) -> tuple[TextLines, tuple[tuple[str, str], ...], TextLines, tuple[TextLines, ...]]:
    """Return the paragraph's sentences, the points, and the table's heads and rows."""
    differ = any(map(_has_different_claim, items))
    apart = len({each.contribution for each in items}) > 1
    heads = ("release", "mechanism", "public", "epsilon", "delta", *(("claimed epsilon",) if differ else ()))
    points = tuple((name, text) for name, text in _iter_points(items, total) if text)
    return (
        tuple(_iter_sentences(items, total)),
        points,
        heads,
        tuple(_make_item_row(each, len(items) > 1, differ, apart) for each in items),
    )


def _iter_sentences(items: Sequence[StatementItem], total: TotalGuarantee) -> Iterator[str]:
    if not items:
        yield f"Nothing has been released yet from a privacy budget with {total.limit}."
        return
    held, what = total.guarantee, _format_sentence_subject(items)
    if is_void(held):
        yield f"{what} released without a guarantee of differential privacy."
    else:
        several = len(items) > 1
        whole = f"a{' total' if several else ''} privacy loss of {_format_privacy_loss(held)}"
        by = f" by {total.method}" if several else ""
        yield f"{what} released with differential privacy, at {whole}{by}."
        bound = f"exp({held.epsilon:.6g}){_format_factor(held.epsilon)}"
        more = f", plus {held.delta:.6g}" if held.delta else ""
        yield f"{_describe_change(held)} changes the probability of any result by a factor of at most {bound}{more}."
    if counts := _describe_contributions(items):
        yield f"{counts[0].upper()}{counts[1:]}."
    if total.limit:
        yield f"All of it was charged to one privacy budget with {total.limit}."
    for each in filter(_has_different_claim, items):
        claim = _format_privacy_loss(each.claim)
        if each.claim.neighbors != each.guarantee.neighbors:
            claim += f" for {each.claim.neighbors} neighbors"
        if len(items) == 1:
            yield f"The function claims {claim}, which is not its true guarantee."
            continue
        kept = "nothing is guaranteed" if is_void(each.guarantee) else f"{_format_privacy_loss(each.guarantee)} holds"
        yield f"For the {each.name} {kept}, where {claim} was claimed."
    if total.remark:
        yield total.remark
    yield from _describe_mechanisms(items)
    if any(each.is_seeded for each in items):
        yield "The noise was drawn with a seed, so this is for checking and must not be published."
    yield f"Computed with {describe_software()}."


def _format_sentence_subject(items: Sequence[StatementItem]) -> str:
    if len(items) > 1:
        return f"{len(items)} statistics were"
    name = items[0].name
    article = "" if name.startswith(_PROPER_NAMES) else "The "
    return f"{article}{name} {'were' if name.startswith(_PLURAL_NAMES) else 'was'}"


def _describe_mechanisms(items: Sequence[StatementItem]) -> Iterator[str]:
    kinds = Counter(each.mechanism.split(",")[0] for each in items if each.mechanism != "-")
    if len(items) > 1 and kinds:
        counted = [f"{kind} ({count})" if len(kinds) > 1 else kind for kind, count in kinds.items()]
        yield f"The mechanism{'s are' if len(kinds) > 1 else ' is'} {join_names(counted)}."
    elif kinds:
        fixed = (
            f", with {items[0].public_arguments.replace('; ', ' and ')} fixed in advance"
            if items[0].public_arguments
            else ""
        )
        clipped = "; values outside the bounds were clipped" if items[0].is_clipped else ""
        article = "the " if next(iter(kinds)).endswith("mechanism") else ""
        yield f"The mechanism is {article}{items[0].mechanism}{fixed}{clipped}."


def _iter_points(items: Sequence[StatementItem], total: TotalGuarantee) -> Iterator[tuple[str, str]]:
    held = total.guarantee
    yield "Privacy loss", _format_privacy_loss(held) + (f" spent, of {total.limit}" if total.limit else "")
    if not is_void(held):
        yield "Protected", "a single record" if held.unit is None else f"each {held.unit} with all records"
        yield "Neighbors", _describe_neighbors(held)
    if counts := _describe_contributions(items):
        yield "Counted", counts
    yield "Composition", total.composition
    yield "Trust model", _LOCAL_MODEL if items and all(each.is_local for each in items) else _CENTRAL_MODEL
    yield "Randomness", _SEEDED_RANDOMNESS if any(each.is_seeded for each in items) else _SECURE_RANDOMNESS
    yield "Conditions", "; ".join(_iter_conditions(items))
    yield "Not covered", "; ".join([*_iter_uncovered_errors(items), _SIDE_CHANNELS])
    yield "Software", describe_software()


def _iter_conditions(items: Sequence[StatementItem]) -> Iterator[str]:
    """Yield each condition once; facts that a design declares are in the table."""
    lines = dict.fromkeys(line for each in items for line in each.conditions)
    if any(line.startswith(_DECLARED_PREFIX) for line in lines):
        yield "the declared bounds and levels in the table are public"
    yield from (line for line in lines if not line.startswith((_DECLARED_PREFIX, SEEDED_STREAM)))


def _iter_uncovered_errors(items: Sequence[StatementItem]) -> Iterator[str]:
    if not all(each.has_sampling_intervals for each in items):
        some = any(each.has_sampling_intervals is not False for each in items)
        yield "sampling error" + (
            ", except in tests, models and confidence intervals for the population" if some else ""
        )
    if any(each.is_clipped for each in items):
        yield "bias from clipping values to the bounds"
    if any(each.has_dropped_missing for each in items):
        yield "bias from leaving out records with missing values"


def _describe_contributions(items: Sequence[StatementItem]) -> str:
    """Return how many records of each unit count; where that differs the table has it."""
    said = {each.contribution for each in items}
    if len(said) > 1:
        return "of each unit at most as many records count as the table says, drawn at random"
    return "".join(f"{each}, drawn at random" for each in said if each)


def _make_item_row(
    item: StatementItem, is_one_of_several: bool, has_claims: bool, has_contributions: bool
) -> tuple[str, ...]:
    name = (
        f"{item.name} (computed from another release; counted again)"
        if item.is_derived and is_one_of_several
        else item.name
    )
    held = item.guarantee
    pair = ("none", "none") if is_void(held) else (f"{held.epsilon:.6g}", f"{held.delta:.6g}")
    return (
        name,
        item.mechanism,
        "; ".join(filter(None, (item.public_arguments, item.contribution if has_contributions else ""))) or "-",
        *pair,
        *((f"{item.claim.epsilon:.6g}",) if has_claims else ()),
    )


def collect_shared_lists(
    rows: Sequence[Sequence[str]],
) -> tuple[list[tuple[str, str]], list[tuple[str, ...]]]:
    """Return levels that several rows list, with a name for each list, and the rows with these names."""
    found = Counter(part for row in rows for part in dict.fromkeys(_LIST_SEPARATORS.split(row[2])))
    shared = [part for part, count in found.items() if count > 1 and part.count(", ") >= _MIN_LONG_LIST_COMMAS]
    names = {part: f"({place})" for place, part in enumerate(shared, 1)}
    shown = []
    for row in rows:
        cells = list(row)
        for part in sorted(names, key=len, reverse=True):
            cells[2] = cells[2].replace(part, names[part])
        shown.append(tuple(cells))
    return [(name, part) for part, name in names.items()], shown


def _describe_neighbors(guarantee: Guarantee) -> str:
    what = "record" if guarantee.unit is None else "unit"
    if guarantee.neighbors == "bounded":
        return f"one {what} replaced by another (bounded); the number of {what}s is public"
    return f"one {what} added or removed (unbounded); the number of {what}s is private"


def _describe_change(guarantee: Guarantee) -> str:
    what = "any single record" if guarantee.unit is None else f"all records of any one {guarantee.unit}"
    return f"{'Replacing' if guarantee.neighbors == 'bounded' else 'Adding or removing'} {what}"


def _format_factor(epsilon: float) -> str:
    # what is as large says no more
    return f" = {math.exp(epsilon):.3g}" if epsilon < 6.0 else ""


def _format_parameters(epsilon: float, delta: float) -> str:
    return f"epsilon = {epsilon:.6g}" + (f" and delta = {delta:.6g}" if delta else "")


def _format_privacy_loss(guarantee: Guarantee) -> str:
    return "not bounded" if is_void(guarantee) else _format_parameters(guarantee.epsilon, guarantee.delta)


def _has_different_claim(item: StatementItem) -> bool:
    return str(item.guarantee) != str(item.claim)


def is_void(guarantee: Guarantee) -> bool:
    """Tell whether a guarantee says nothing."""
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


def describe_software() -> str:
    """Return the package's name and version."""
    import pydpstat

    return f"pydpstat {pydpstat.__version__}"
