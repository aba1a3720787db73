"""Items of a statement: one for each result, or for each entry of a budget's ledger."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results._labels import Labels
from pydpstat.results._words import collect_bounded_variables, describe_contribution, describe_noise, get_printed_name

if TYPE_CHECKING:
    from pydpstat.results._call import Call

# start of the condition in a guarantee of a seeded release
SEEDED_STREAM = "a seeded stream"
# public arguments that a reader has to know
_PUBLIC_ARGUMENTS = ("bounds", "range", "edges", "breaks", "levels", "groups", "max_weight", "grid_points")
# maximum number of levels or edges that are written out
_MAX_LISTED = 12
_LOSS_NOISES = {
    "LaplaceLoss": "Laplace noise",
    "GeometricLoss": "symmetric geometric noise",
    "GaussianLoss": "Gaussian noise",
    "DiscreteGaussianLoss": "discrete Gaussian noise",
}


class LedgerEntry(Protocol):
    """Interface of `pydpstat.budget.Entry`, an entry of a budget's ledger."""

    @property
    def call(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def delta(self) -> float: ...
    @property
    def neighbors(self) -> str: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def loss(self) -> str: ...
    @property
    def conditions(self) -> str: ...
    @property
    def mechanism(self) -> str: ...


class StatementItem(NamedTuple):
    """Facts of a release for a statement."""

    name: str
    mechanism: str
    public_arguments: str
    guarantee: Guarantee
    claim: Guarantee
    conditions: tuple[str, ...]
    is_seeded: bool
    # whether it was derived from another release
    is_derived: bool
    is_clipped: bool
    # whether it has intervals that cover sampling; None if unknown, as for a ledger entry
    has_sampling_intervals: bool | None
    # whether answers were randomized before collection
    is_local: bool
    call: str
    # contribution bound in words
    contribution: str
    # whether records with missing values were dropped
    has_dropped_missing: bool


def make_item_from_result(result: object, name: str | None) -> StatementItem:
    """Make the item of a result, or of a fitted model's results."""
    model_results = getattr(result, "results", None)
    result = model_results if isinstance(getattr(model_results, "guarantee", None), Guarantee) else result
    release: Any = getattr(result, "Bounded", result)
    guarantee, record = getattr(result, "guarantee", None), getattr(release, "record", None)
    if not isinstance(guarantee, Guarantee) or record is None:
        hint = "A plan is not a release: make the release first." if type(result).__name__ == "Plan" else ""
        raise PydpstatError(
            f"releases must be a release, a list of them, or a Budget; got {type(result).__name__}. "
            f"{hint or 'Give for example pydpstat.statement([r1, r2]).'}"
        )
    arguments = dict(getattr(record, "arguments", ()))
    bounds = getattr(release, "bounds", None)
    mechanism = _describe_release_noise(release)
    return StatementItem(
        name or _describe_release(release, record, is_pair=release is not result),
        mechanism,
        _format_public_arguments(
            {**arguments, **_collect_bounds_and_groups(bounds, record)},
            _get_design_variables(record, arguments),
        ),
        guarantee,
        release.claim,
        guarantee.conditions or release.guarantee.conditions,
        bool(release.reproducible),
        bool(getattr(record, "method_calls", ())),
        bounds is not None,
        _has_sampling_intervals(release),
        mechanism == "randomized response",
        record.format_python(),
        describe_contribution(getattr(record, "function", ""), arguments),
        arguments.get("missing") == "drop",
    )


def make_item_from_entry(entry: LedgerEntry) -> StatementItem:
    """Make the item of a ledger entry, whose call and privacy loss are texts."""
    function, arguments, first_argument = _parse_call_text(entry.call)
    guarantee = Guarantee(
        entry.epsilon,
        entry.delta,
        entry.neighbors,
        tuple(filter(None, entry.conditions.split("\n"))),
        unit=entry.unit,
    )
    printed_name = get_printed_name(function)
    return StatementItem(
        (entry.label if printed_name in entry.label else f"{entry.label} ({printed_name})")
        if entry.label
        else printed_name,
        entry.mechanism or _LOSS_NOISES.get(entry.loss.split("(")[0], "-"),
        _format_public_arguments(
            arguments, collect_bounded_variables(function, first_argument, arguments.get("levels"))
        ),
        guarantee,
        guarantee,
        guarantee.conditions,
        SEEDED_STREAM in entry.conditions,
        False,
        "bounds" in arguments,
        None,
        function == "respond",
        entry.call,
        describe_contribution(function, arguments),
        arguments.get("missing") == "drop",
    )


def match_entries(
    entries: Sequence[LedgerEntry], results: Sequence[tuple[str | None, object]]
) -> Iterator[StatementItem]:
    """Yield the item of each ledger entry, from its result if that is given."""
    items = [make_item_from_result(item, name) for name, item in results]
    for entry in entries:
        matches = (item for item in items if item.call == entry.call and item.guarantee.epsilon == entry.epsilon)
        matched = next(matches, None)
        if matched is not None:
            items.remove(matched)
        yield matched or make_item_from_entry(entry)
    if items:
        raise PydpstatError(
            f"releases must all be in the budget's ledger; {items[0].name} is not. Charge it with "
            "budget.charge(result), leave out what was computed from another release, or give no "
            "budget."
        )


def _describe_release(first: object, record: Call, is_pair: bool) -> str:
    """Describe the released statistic in words; R functions by their names."""
    labels, statistic = getattr(first, "labels", None), str(getattr(first, "statistic", ""))
    variables = labels.describe_variables(statistic) if isinstance(labels, Labels) else ""
    test = getattr(first, "test", None)
    if isinstance(test, str) and record.method_calls:
        return " of ".join(filter(None, (test, record.describe_subject(variables))))
    if statistic in ("share", "margins") and record.method_calls:
        return f"{get_printed_name(statistic)} of {record.describe_subject(variables)}"
    if getattr(record, "package", ""):
        subject = f"{statistic} of {variables}" if variables else statistic
        kind_text = ", bounded and unbounded" if is_pair else ""
        return f"{subject} ({record.function}{kind_text})" if subject else record.function
    subject = get_printed_name(record.function) if record.function.isidentifier() else statistic
    return record.describe_release(variables) or subject


def _describe_release_noise(first: Any) -> str:
    """Describe the mechanism, with the noise's standard deviation in the estimate's unit."""
    if hasattr(first, "perturbation"):
        return f"{first.perturbation} perturbation"
    # moments store the mechanism in their release
    inner = next(
        (source for attribute in ("release", "mean") if (source := getattr(first, attribute, None)) is not None),
        first,
    )
    name = describe_noise(str(getattr(first, "mechanism", None) or getattr(inner, "mechanism", "-")))
    # the noise of a test is in sums that are not shown
    sds = np.asarray([] if getattr(first, "noise", None) is None else first.bse, dtype=np.float64)
    # a variable's correlation with itself has no noise
    sds = sds[np.isfinite(sds) & (sds > 0.0)]
    if not sds.size:
        return name
    low, high = (_format_plain_value(float(f"{value:.4g}")) for value in (sds.min(), sds.max()))
    return f"{name}, standard deviation {low if low == high else f'{low} to {high}'}"


def _collect_bounds_and_groups(bounds: object, record: Any) -> dict[str, object]:
    """Return the bounds, and the groups of a design's test, as public arguments."""
    groups = record.design_call.groups if getattr(record, "design_call", None) is not None else ()
    return {**({} if bounds is None else {"bounds": bounds}), **({"groups": groups} if groups else {})}


def _get_design_variables(record: Call, arguments: Mapping[str, object]) -> tuple[str, ...]:
    """Return the bounded variables of a design's call."""
    if getattr(record, "design_call", None) is None or not record.data:
        return ()
    return collect_bounded_variables(record.function, _parse_literal(record.data[0][0]), arguments.get("levels"))


def _has_sampling_intervals(first: object) -> bool:
    """Return whether a result has intervals or tests that cover sampling."""
    if any(hasattr(first, name) for name in ("pvalue", "pvalues", "test", "predicted_mean")):
        return True
    return getattr(getattr(first, "post", None), "population", None) is not None


def _parse_literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except checks.SYNTAX_ERRORS:
        return None


def _parse_call_text(call: str) -> tuple[str, dict[str, object], object]:
    """Parse a call into its function, literal keyword arguments and first argument."""
    try:
        node = ast.parse(call, mode="eval").body
    except checks.SYNTAX_ERRORS:
        return call, {}, None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # descend from method calls to the call of the release
        inner = node.func.value
        if not isinstance(inner, ast.Call):
            break
        node = inner
    if not isinstance(node, ast.Call):
        return call, {}, None
    keywords = {
        str(keyword_node.arg): _parse_literal(ast.unparse(keyword_node.value)) for keyword_node in node.keywords
    }
    arguments = {name: value for name, value in keywords.items() if value is not None}
    return (
        ast.unparse(node.func),
        arguments,
        _parse_literal(ast.unparse(node.args[0])) if node.args else None,
    )


def _format_public_arguments(arguments: Mapping[str, object], variables: Sequence[str]) -> str:
    texts = []
    for name in _PUBLIC_ARGUMENTS:
        value = arguments.get(name)
        # discovered levels are not public arguments
        if value is None or value == "discover" or isinstance(value, (list, tuple)) and not value:
            continue
        if name == "max_weight":
            texts.append(f"weights in [0, {_format_plain_value(value)}]")
        elif name == "grid_points":
            texts.append(f"{_format_plain_value(value)} grid points")
        else:
            variable_bounds = _format_variable_bounds(variables, value) if name == "bounds" else ""
            texts.append(variable_bounds or f"{name} {_format_public_value(name, value)}")
    limits = [arguments.get(f"{side}_bound{plural}") for plural in ("", "s") for side in ("lower", "upper")]
    if not texts and any(limit is not None for limit in limits):
        texts.append(f"bounds {_format_public_value('bounds', [limit for limit in limits if limit is not None])}")
    return "; ".join(texts)


def _format_variable_bounds(variables: Sequence[str], bounds: object) -> str:
    """Format bounds with their variables; empty if these are unknown."""
    pairs = bounds if isinstance(bounds, (list, tuple)) else ()
    if pairs and not isinstance(pairs[0], (list, tuple)):
        pairs = (pairs,)
    if not variables or len(pairs) != len(variables):
        return ""
    return ", ".join(f"{name} in {_format_plain_value(pair)}" for name, pair in zip(variables, pairs))


def _format_public_value(name: str, value: object) -> str:
    items = getattr(value, "items", None)
    if items is not None:
        pairs = items() if callable(items) else items
        return ", ".join(f"of {key}: {_format_public_value(name, item)}" for key, item in pairs)
    if not isinstance(value, (list, tuple)):
        return _format_plain_value(value)
    if name in ("bounds", "range") and not any(isinstance(item, (list, tuple)) for item in value):
        return f"[{', '.join(map(_format_plain_value, value))}]"
    if any(isinstance(item, (list, tuple)) for item in value):
        return (" and " if name == "bounds" else " x ").join(_format_public_value(name, item) for item in value)
    omitted = [f"and {len(value) - _MAX_LISTED} more"] if len(value) > _MAX_LISTED else []
    return ", ".join([*map(_format_plain_value, value[:_MAX_LISTED]), *omitted])


def _format_plain_value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_format_plain_value, value))}]"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)) and 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
    return f"{value:.6g}" if isinstance(value, (int, float)) else str(value)
