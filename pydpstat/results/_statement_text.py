"""Text of a statement: total guarantee, sentences, points and table."""

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
# separators between lists of levels, and minimum number of commas of a long list
_LIST_SEPARATORS, _MIN_LONG_LIST_COMMAS = (
    re.compile(r"(?:^|; )(?:levels |groups |edges )?| x |(?:, )?of [^:;]+: "),
    3,
)
# names that start a sentence without an article, and names in the plural
_PROPER_NAMES = ("Kendall", "Welch", "Kruskal", "Kolmogorov", "Mann", "Wilcoxon")
_PLURAL_NAMES = ("moments", "quantiles", "proportions")
TextLines = tuple[str, ...]


class TotalGuarantee(NamedTuple):
    """Joint guarantee of several releases."""

    guarantee: Guarantee
    # description of the composition, and its name
    composition: str
    method: str = ""
    # limit of the charged budget, in words
    limit: str = ""
    remark: str = ""


def compose_total(guarantees: Sequence[Guarantee], delta: float | None) -> TotalGuarantee:
    """Return the basic composition of a list, with a tighter composition if there is one."""
    remark = ""
    if len({guarantee.neighbors for guarantee in guarantees}) > 1:
        guarantees, remark = [guarantee.as_bounded() for guarantee in guarantees], _MIXED_NEIGHBORS_REMARK
    if len(guarantees) == 1:
        return TotalGuarantee(guarantees[0], "")
    basic = compose_basic(*guarantees)
    if is_void(basic):
        return TotalGuarantee(basic, _NO_TOTAL, remark=remark)
    target_delta = basic.delta if delta is None else delta
    tightest = min(_iter_tighter_totals(guarantees, basic.epsilon, target_delta), default=None)
    if tightest is None:
        return TotalGuarantee(basic, _BASIC_TOTAL, _BASIC_COMPOSITION, remark=remark)
    tighter_text = f"epsilon = {tightest[0]:.6g} at delta = {target_delta:.6g} by {_COMPOSITION_NAMES[tightest[1]]}"
    return TotalGuarantee(
        basic, f"{_BASIC_TOTAL}; if the list was fixed in advance, {tighter_text}", _BASIC_COMPOSITION, remark=remark
    )


def _iter_tighter_totals(guarantees: Sequence[Guarantee], epsilon: float, delta: float) -> Iterator[tuple[float, str]]:
    for method in _COMPOSITION_NAMES if delta > 0.0 else ():
        try:
            total_epsilon = compose(guarantees, method, delta=delta).epsilon
        except (PydpstatError, MissingExtraError):
            # the method does not apply to the list, or its package is not installed
            continue
        if total_epsilon < 0.99 * epsilon:
            yield total_epsilon, method


def make_budget_total(budget: Any) -> TotalGuarantee:
    """Return the total that was spent from a budget, composed by its accountant."""
    spent, is_limited = budget.spent, math.isfinite(budget.epsilon)
    limit = f"a limit of {_format_parameters(budget.epsilon, budget.delta)}" if is_limited else "no limit"
    composition, method = _COMPOSITION_NAMES["zcdp"], _COMPOSITION_NAMES["zcdp"]
    if budget.accountant == "basic":
        composition, method = _BASIC_TOTAL, _BASIC_COMPOSITION
    ledger = budget.path or budget.url
    text = f"{composition}, in a budget with {limit}{f' (ledger {ledger})' if ledger else ''}; it is valid even if "
    text += "each release is chosen after seeing the earlier ones"
    return TotalGuarantee(
        Guarantee(spent.epsilon, spent.delta, budget.neighbors, unit=budget.unit), text, method, limit
    )


def make_statement_parts(
    items: Sequence[StatementItem], total: TotalGuarantee
) -> tuple[TextLines, tuple[tuple[str, str], ...], TextLines, tuple[TextLines, ...]]:
    """Return the paragraph's sentences, the points, and the table's headers and rows."""
    has_claims = any(map(_has_different_claim, items))
    has_contributions = len({item.contribution for item in items}) > 1
    headers = ("release", "mechanism", "public", "epsilon", "delta", *(("claimed epsilon",) if has_claims else ()))
    points = tuple((name, text) for name, text in _iter_points(items, total) if text)
    return (
        tuple(_iter_sentences(items, total)),
        points,
        headers,
        tuple(_make_item_row(item, len(items) > 1, has_claims, has_contributions) for item in items),
    )


def _iter_sentences(items: Sequence[StatementItem], total: TotalGuarantee) -> Iterator[str]:
    if not items:
        yield f"Nothing has been released yet from a privacy budget with {total.limit}."
        return
    joint, subject = total.guarantee, _format_sentence_subject(items)
    if is_void(joint):
        yield f"{subject} released without a guarantee of differential privacy."
    else:
        is_several = len(items) > 1
        loss = f"a{' total' if is_several else ''} privacy loss of {_format_privacy_loss(joint)}"
        method = f" by {total.method}" if is_several else ""
        yield f"{subject} released with differential privacy, at {loss}{method}."
        bound = f"exp({joint.epsilon:.6g}){_format_factor(joint.epsilon)}"
        extra = f", plus {joint.delta:.6g}" if joint.delta else ""
        yield f"{_describe_change(joint)} changes the probability of any result by a factor of at most {bound}{extra}."
    if counts := _describe_contributions(items):
        yield f"{counts[0].upper()}{counts[1:]}."
    if total.limit:
        yield f"All of it was charged to one privacy budget with {total.limit}."
    for item in filter(_has_different_claim, items):
        claim = _format_privacy_loss(item.claim)
        if item.claim.neighbors != item.guarantee.neighbors:
            claim += f" for {item.claim.neighbors} neighbors"
        if len(items) == 1:
            yield f"The function claims {claim}, which is not its true guarantee."
            continue
        guarantee_text = (
            "nothing is guaranteed" if is_void(item.guarantee) else f"{_format_privacy_loss(item.guarantee)} holds"
        )
        yield f"For the {item.name} {guarantee_text}, where {claim} was claimed."
    if total.remark:
        yield total.remark
    yield from _describe_mechanisms(items)
    if any(item.is_seeded for item in items):
        yield "The noise was drawn with a seed, so this is for checking and must not be published."
    yield f"Computed with {describe_software()}."


def _format_sentence_subject(items: Sequence[StatementItem]) -> str:
    if len(items) > 1:
        return f"{len(items)} statistics were"
    name = items[0].name
    article = "" if name.startswith(_PROPER_NAMES) else "The "
    return f"{article}{name} {'were' if name.startswith(_PLURAL_NAMES) else 'was'}"


def _describe_mechanisms(items: Sequence[StatementItem]) -> Iterator[str]:
    kinds = Counter(item.mechanism.split(",")[0] for item in items if item.mechanism != "-")
    if len(items) > 1 and kinds:
        counted = [f"{kind} ({count})" if len(kinds) > 1 else kind for kind, count in kinds.items()]
        yield f"The mechanism{'s are' if len(kinds) > 1 else ' is'} {join_names(counted)}."
    elif kinds:
        arguments = (
            f", with {items[0].public_arguments.replace('; ', ' and ')} fixed in advance"
            if items[0].public_arguments
            else ""
        )
        clipped = "; values outside the bounds were clipped" if items[0].is_clipped else ""
        article = "the " if next(iter(kinds)).endswith("mechanism") else ""
        yield f"The mechanism is {article}{items[0].mechanism}{arguments}{clipped}."


def _iter_points(items: Sequence[StatementItem], total: TotalGuarantee) -> Iterator[tuple[str, str]]:
    guarantee = total.guarantee
    yield "Privacy loss", _format_privacy_loss(guarantee) + (f" spent, of {total.limit}" if total.limit else "")
    if not is_void(guarantee):
        yield "Protected", "a single record" if guarantee.unit is None else f"each {guarantee.unit} with all records"
        yield "Neighbors", _describe_neighbors(guarantee)
    if counts := _describe_contributions(items):
        yield "Counted", counts
    yield "Composition", total.composition
    yield "Trust model", _LOCAL_MODEL if items and all(item.is_local for item in items) else _CENTRAL_MODEL
    yield "Randomness", _SEEDED_RANDOMNESS if any(item.is_seeded for item in items) else _SECURE_RANDOMNESS
    yield "Conditions", "; ".join(_iter_conditions(items))
    yield "Not covered", "; ".join([*_iter_uncovered_errors(items), _SIDE_CHANNELS])
    yield "Software", describe_software()


def _iter_conditions(items: Sequence[StatementItem]) -> Iterator[str]:
    """Yield each condition once, with a single line for all declared facts."""
    lines = dict.fromkeys(line for item in items for line in item.conditions)
    if any(line.startswith(_DECLARED_PREFIX) for line in lines):
        yield "the declared bounds and levels in the table are public"
    yield from (line for line in lines if not line.startswith((_DECLARED_PREFIX, SEEDED_STREAM)))


def _iter_uncovered_errors(items: Sequence[StatementItem]) -> Iterator[str]:
    if not all(item.has_sampling_intervals for item in items):
        has_some = any(item.has_sampling_intervals is not False for item in items)
        yield "sampling error" + (
            ", except in tests, models and confidence intervals for the population" if has_some else ""
        )
    if any(item.is_clipped for item in items):
        yield "bias from clipping values to the bounds"
    if any(item.has_dropped_missing for item in items):
        yield "bias from leaving out records with missing values"


def _describe_contributions(items: Sequence[StatementItem]) -> str:
    """Describe the contribution bound, or refer to the table if the bounds differ."""
    contributions = {contribution.contribution for contribution in items}
    if len(contributions) > 1:
        return "of each unit at most as many records count as the table says, drawn at random"
    return "".join(f"{contribution}, drawn at random" for contribution in contributions if contribution)


def _make_item_row(
    item: StatementItem, is_one_of_several: bool, has_claims: bool, has_contributions: bool
) -> tuple[str, ...]:
    name = (
        f"{item.name} (computed from another release; counted again)"
        if item.is_derived and is_one_of_several
        else item.name
    )
    guarantee = item.guarantee
    parameters = ("none", "none") if is_void(guarantee) else (f"{guarantee.epsilon:.6g}", f"{guarantee.delta:.6g}")
    return (
        name,
        item.mechanism,
        "; ".join(filter(None, (item.public_arguments, item.contribution if has_contributions else ""))) or "-",
        *parameters,
        *((f"{item.claim.epsilon:.6g}",) if has_claims else ()),
    )


def collect_shared_lists(
    rows: Sequence[Sequence[str]],
) -> tuple[list[tuple[str, str]], list[tuple[str, ...]]]:
    """Return long lists that several rows share, with a label for each, and the rows with these labels."""
    counts = Counter(text for row in rows for text in dict.fromkeys(_LIST_SEPARATORS.split(row[2])))
    shared = [text for text, count in counts.items() if count > 1 and text.count(", ") >= _MIN_LONG_LIST_COMMAS]
    names = {text: f"({number})" for number, text in enumerate(shared, 1)}
    named_rows = []
    for row in rows:
        cells = list(row)
        for text in sorted(names, key=len, reverse=True):
            cells[2] = cells[2].replace(text, names[text])
        named_rows.append(tuple(cells))
    return [(name, text) for text, name in names.items()], named_rows


def _describe_neighbors(guarantee: Guarantee) -> str:
    noun = "record" if guarantee.unit is None else "unit"
    if guarantee.neighbors == "bounded":
        return f"one {noun} replaced by another (bounded); the number of {noun}s is public"
    return f"one {noun} added or removed (unbounded); the number of {noun}s is private"


def _describe_change(guarantee: Guarantee) -> str:
    records = "any single record" if guarantee.unit is None else f"all records of any one {guarantee.unit}"
    return f"{'Replacing' if guarantee.neighbors == 'bounded' else 'Adding or removing'} {records}"


def _format_factor(epsilon: float) -> str:
    # a larger factor is no meaningful bound
    return f" = {math.exp(epsilon):.3g}" if epsilon < 6.0 else ""


def _format_parameters(epsilon: float, delta: float) -> str:
    return f"epsilon = {epsilon:.6g}" + (f" and delta = {delta:.6g}" if delta else "")


def _format_privacy_loss(guarantee: Guarantee) -> str:
    return "not bounded" if is_void(guarantee) else _format_parameters(guarantee.epsilon, guarantee.delta)


def _has_different_claim(item: StatementItem) -> bool:
    return str(item.guarantee) != str(item.claim)


def is_void(guarantee: Guarantee) -> bool:
    """Return whether a guarantee is void: infinite epsilon or a delta of 1."""
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


def describe_software() -> str:
    """Return the package's name and version."""
    import pydpstat

    return f"pydpstat {pydpstat.__version__}"
