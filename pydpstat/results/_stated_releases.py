"""What a statement says of each release: taken from a result, or from a line of a budget's ledger."""

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

# what a guarantee says of a release with a seed begins so
SEEDED_STREAM = "a seeded stream"
# arguments that hold for every data set, and that a reader has to know
_PUBLIC_ARGUMENTS = ("bounds", "range", "edges", "breaks", "levels", "groups", "max_weight", "grid_points")
# levels and edges that are written out
_MAX_LISTED = 12
_LOSS_NOISES = {
    "LaplaceLoss": "Laplace noise",
    "GeometricLoss": "symmetric geometric noise",
    "GaussianLoss": "Gaussian noise",
    "DiscreteGaussianLoss": "discrete Gaussian noise",
}


class LedgerEntry(Protocol):
    """A line of a budget's ledger, as `pydpstat.budget.Entry` has it."""

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
    """A release as a statement has it."""

    name: str
    mechanism: str
    public_arguments: str
    guarantee: Guarantee
    claim: Guarantee
    conditions: tuple[str, ...]
    is_seeded: bool
    # whether it was made of another release
    is_derived: bool
    is_clipped: bool
    # whether it has intervals that cover sampling as well; None where a ledger does not tell
    has_sampling_intervals: bool | None
    # whether the answers were randomized before they were collected
    is_local: bool
    call: str
    # how many records of each unit count
    contribution: str
    # whether records with missing values are left out
    has_dropped_missing: bool


def make_item_from_result(result: object, name: str | None) -> StatementItem:
    """Return what is said of a result; of a model that was fitted, its results count."""
    fitted = getattr(result, "results", None)
    result = fitted if isinstance(getattr(fitted, "guarantee", None), Guarantee) else result
    first: Any = getattr(result, "Bounded", result)
    guarantee, record = getattr(result, "guarantee", None), getattr(first, "record", None)
    if not isinstance(guarantee, Guarantee) or record is None:
        hint = "A plan is not a release: make the release first." if type(result).__name__ == "Plan" else ""
        raise PydpstatError(
            f"releases must be a release, a list of them, or a Budget; got {type(result).__name__}. "
            f"{hint or 'Give for example pydpstat.statement([r1, r2]).'}"
        )
    arguments = dict(getattr(record, "arguments", ()))
    bounds = getattr(first, "bounds", None)
    mechanism = _describe_release_noise(first)
    return StatementItem(
        name or _describe_release(first, record, is_pair=first is not result),
        mechanism,
        _format_public_arguments(
            {**arguments, **_collect_bounds_and_groups(bounds, record)},
            _get_design_variables(record, arguments),
        ),
        guarantee,
        first.claim,
        guarantee.conditions or first.guarantee.conditions,
        bool(first.reproducible),
        bool(getattr(record, "method_calls", ())),
        bounds is not None,
        _has_sampling_intervals(first),
        mechanism == "randomized response",
        record.format_python(),
        describe_contribution(getattr(record, "function", ""), arguments),
        arguments.get("missing") == "drop",
    )


def make_item_from_entry(entry: LedgerEntry) -> StatementItem:
    """Return what is said of a line of a ledger, which has the call and the privacy loss as texts."""
    function, arguments, first = _parse_call_text(entry.call)
    guarantee = Guarantee(
        entry.epsilon,
        entry.delta,
        entry.neighbors,
        tuple(filter(None, entry.conditions.split("\n"))),
        unit=entry.unit,
    )
    what = get_printed_name(function)
    return StatementItem(
        (entry.label if what in entry.label else f"{entry.label} ({what})") if entry.label else what,
        entry.mechanism or _LOSS_NOISES.get(entry.loss.split("(")[0], "-"),
        _format_public_arguments(arguments, collect_bounded_variables(function, first, arguments.get("levels"))),
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
    """Yield what is said of each line of a ledger, from its result where that is among those given."""
    known = [make_item_from_result(each, name) for name, each in results]
    for entry in entries:
        own = (each for each in known if each.call == entry.call and each.guarantee.epsilon == entry.epsilon)
        found = next(own, None)
        if found is not None:
            known.remove(found)
        yield found or make_item_from_entry(entry)
    if known:
        raise PydpstatError(
            f"releases must all be in the budget's ledger; {known[0].name} is not. Charge it with "
            "budget.charge(result), leave out what was computed from another release, or give no "
            "budget."
        )


def _describe_release(first: object, record: Call, is_pair: bool) -> str:
    """Return what was released in words, R's functions by their names."""
    labels, statistic = getattr(first, "labels", None), str(getattr(first, "statistic", ""))
    named = labels.describe_variables(statistic) if isinstance(labels, Labels) else ""
    test = getattr(first, "test", None)
    if isinstance(test, str) and record.method_calls:
        return " of ".join(filter(None, (test, record.describe_subject(named))))
    if statistic in ("share", "margins") and record.method_calls:
        return f"{get_printed_name(statistic)} of {record.describe_subject(named)}"
    if getattr(record, "package", ""):
        what = f"{statistic} of {named}" if named else statistic
        kinds = ", bounded and unbounded" if is_pair else ""
        return f"{what} ({record.function}{kinds})" if what else record.function
    what = get_printed_name(record.function) if record.function.isidentifier() else statistic
    return record.describe_release(named) or what


def _describe_release_noise(first: Any) -> str:
    """Return the mechanism in words, with the noise's standard deviation in the unit of the estimate."""
    if hasattr(first, "perturbation"):
        return f"{first.perturbation} perturbation"
    # moments have it in what they are made of
    inner = next((each for part in ("release", "mean") if (each := getattr(first, part, None)) is not None), first)
    name = describe_noise(str(getattr(first, "mechanism", None) or getattr(inner, "mechanism", "-")))
    # the noise of a test is in sums that nobody sees
    sds = np.asarray([] if getattr(first, "noise", None) is None else first.bse, dtype=np.float64)
    # a correlation of a variable with itself has no noise
    sds = sds[np.isfinite(sds) & (sds > 0.0)]
    if not sds.size:
        return name
    low, high = (_format_plain_value(float(f"{value:.4g}")) for value in (sds.min(), sds.max()))
    return f"{name}, standard deviation {low if low == high else f'{low} to {high}'}"


def _collect_bounds_and_groups(bounds: object, record: Any) -> dict[str, object]:
    """Return bounds, and the groups of a test that a design was asked for."""
    groups = record.design_call.groups if getattr(record, "design_call", None) is not None else ()
    return {**({} if bounds is None else {"bounds": bounds}), **({"groups": groups} if groups else {})}


def _get_design_variables(record: Call, arguments: Mapping[str, object]) -> tuple[str, ...]:
    """Return the variables that a design was asked for."""
    if getattr(record, "design_call", None) is None or not record.data:
        return ()
    return collect_bounded_variables(record.function, _parse_literal(record.data[0][0]), arguments.get("levels"))


def _has_sampling_intervals(first: object) -> bool:
    """Tell whether a result has intervals or tests that cover sampling."""
    if any(hasattr(first, name) for name in ("pvalue", "pvalues", "test", "predicted_mean")):
        return True
    return getattr(getattr(first, "post", None), "population", None) is not None


def _parse_literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except checks.SYNTAX_ERRORS:
        return None


def _parse_call_text(call: str) -> tuple[str, dict[str, object], object]:
    """Return the function of a call that is given as text, its plain named arguments, and its first one."""
    try:
        found = ast.parse(call, mode="eval").body
    except checks.SYNTAX_ERRORS:
        return call, {}, None
    while isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute):
        # the release comes before the methods of what it released
        inner = found.func.value
        if not isinstance(inner, ast.Call):
            break
        found = inner
    if not isinstance(found, ast.Call):
        return call, {}, None
    named = {str(each.arg): _parse_literal(ast.unparse(each.value)) for each in found.keywords}
    arguments = {name: value for name, value in named.items() if value is not None}
    return (
        ast.unparse(found.func),
        arguments,
        _parse_literal(ast.unparse(found.args[0])) if found.args else None,
    )


def _format_public_arguments(arguments: Mapping[str, object], variables: Sequence[str]) -> str:
    said = []
    for name in _PUBLIC_ARGUMENTS:
        value = arguments.get(name)
        # levels that were found in the data are no public ones
        if value is None or value == "discover" or isinstance(value, (list, tuple)) and not value:
            continue
        if name == "max_weight":
            said.append(f"weights in [0, {_format_plain_value(value)}]")
        elif name == "grid_points":
            said.append(f"{_format_plain_value(value)} grid points")
        else:
            of_each = _format_variable_bounds(variables, value) if name == "bounds" else ""
            said.append(of_each or f"{name} {_format_public_value(name, value)}")
    ends = [arguments.get(f"{side}_bound{more}") for more in ("", "s") for side in ("lower", "upper")]
    if not said and any(each is not None for each in ends):
        said.append(f"bounds {_format_public_value('bounds', [each for each in ends if each is not None])}")
    return "; ".join(said)


def _format_variable_bounds(variables: Sequence[str], bounds: object) -> str:
    """Return bounds with the variables that they are of; empty where these are not known."""
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
        return ", ".join(f"of {key}: {_format_public_value(name, each)}" for key, each in pairs)
    if not isinstance(value, (list, tuple)):
        return _format_plain_value(value)
    if name in ("bounds", "range") and not any(isinstance(each, (list, tuple)) for each in value):
        return f"[{', '.join(map(_format_plain_value, value))}]"
    if any(isinstance(each, (list, tuple)) for each in value):
        return (" and " if name == "bounds" else " x ").join(_format_public_value(name, each) for each in value)
    more = [f"and {len(value) - _MAX_LISTED} more"] if len(value) > _MAX_LISTED else []
    return ", ".join([*map(_format_plain_value, value[:_MAX_LISTED]), *more])


def _format_plain_value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_format_plain_value, value))}]"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)) and 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
    return f"{value:.6g}" if isinstance(value, (int, float)) else str(value)
