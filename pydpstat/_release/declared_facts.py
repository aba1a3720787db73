"""Context of a release: the design's call, its declared facts, and the names of the data."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from contextvars import ContextVar, Token
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import has_attributes, is_vector
from pydpstat._warn import LARGE_EPSILON, warn_large_epsilon
from pydpstat.results._call import DesignCallText

Fact = tuple[str, tuple[str, ...]]


class DesignCallProtocol(Protocol):
    """Call of a design's method."""

    @property
    def name(self) -> str:
        """Name of the method, which is that of its function."""

    def describe_call(self) -> DesignCallText:
        """Return the call as text."""


# an inferred column type, and with it the equality of values or ids, may depend on one record
TYPES_CONDITION = "the types of the columns are public"


class DesignCallContext:
    """Record the declared facts on which releases within the block depend, and the design's call.

    `types_condition` is the condition if records are `compared`; None for lists, which have no types.
    """

    __slots__ = ("_token", "compared", "facts", "design_call", "types")
    _token: Token[FunctionCall]

    def __init__(
        self,
        design_call: DesignCallProtocol | None = None,
        facts: Iterable[Fact] = (),
        types_condition: str | None = TYPES_CONDITION,
    ) -> None:
        self.design_call = design_call
        self.facts = [*facts]
        self.types, self.compared = types_condition, False

    def __enter__(self) -> None:
        self._token = current_call.set(current_call.get()._replace(design_context=self))

    def __exit__(self, *raised: object) -> None:
        current_call.reset(self._token)


class FunctionCall(NamedTuple):
    """Name and arguments of the running function, and the context of the design's call around it.

    `has_judged_epsilon` tells that nothing need be said of its epsilon: it was said, or another function called it.
    """

    function: str = ""
    arguments: tuple[object, ...] = ()
    options: Mapping[str, object] = {}
    design_context: DesignCallContext | None = None
    has_judged_epsilon: bool = False


# helpers at any depth ask for the names and types of the data, and for the facts that a design declares
current_call: ContextVar[FunctionCall] = ContextVar("pydpstat call", default=FunctionCall())


def record_facts(kind: str, names: Iterable[str]) -> None:
    """Record bounds or levels of columns as facts on which the next releases depend."""
    around = current_call.get().design_context
    if around is not None:
        around.facts.append((kind, tuple(names)))


def record_comparison() -> None:
    """Record that the next release depends on comparisons: a condition, or groups of records."""
    around = current_call.get().design_context
    if around is not None:
        around.compared = True


def get_comparison_conditions() -> tuple[str, ...]:
    """Return the condition on types if a design's records were compared for this release."""
    around = current_call.get().design_context
    return () if around is None or not around.compared or around.types is None else (around.types,)


def get_type_conditions() -> tuple[str, ...]:
    """Return the condition on the types of the data passed to the running function; empty for lists."""
    design_context = current_call.get().design_context
    if design_context is not None:
        return () if design_context.types is None else (design_context.types,)
    call = current_call.get()
    data_arguments = [*call.arguments, *(value for key, value in call.options.items() if key not in _PUBLIC_ARGUMENTS)]
    return (TYPES_CONDITION,) if any(map(_has_types, data_arguments)) else ()


# arguments without records
_PUBLIC_ARGUMENTS = {"bounds", "levels", "budget", "rng", "mechanism", "edges", "f_exp", "hierarchy"}
# scalars and ranges have no column type
_UNTYPED_CLASSES = (str, bytes, numbers.Number, np.generic, range, type(None))


def _has_types(argument: object) -> bool:
    """Return whether an argument is a container with a column type, or contains one."""
    if isinstance(argument, Mapping):
        return any(map(_has_types, argument.values()))
    if isinstance(argument, (list, tuple)):
        # a list of variables has types; a list of records has none
        return all(map(is_vector, argument)) and any(hasattr(variable, "dtype") for variable in argument)
    return not isinstance(argument, _UNTYPED_CLASSES) and not callable(argument)


def get_recorded_facts() -> tuple[Fact, ...]:
    """Return the facts recorded in the enclosing block."""
    around = current_call.get().design_context
    return () if around is None else tuple(around.facts)


def get_design_call(function: str) -> DesignCallText | None:
    """Return the design call that triggered this function; None if it was called directly."""
    around = current_call.get().design_context
    if around is None or around.design_call is None or around.design_call.name != function:
        return None
    return around.design_call.describe_call()


def is_subset_release() -> bool:
    """Return whether the release is that of a subset of a design's sample."""
    around = current_call.get().design_context
    return around is not None and getattr(around.design_call, "subset", None) is not None


def get_series_names(function: str) -> tuple[str, ...]:
    """Return the names of the series passed to a function, which are public like those of columns."""
    call = current_call.get()
    series = [each for each in call.arguments if has_attributes(each, "to_frame")] if call.function == function else []
    names = [getattr(each, "name", None) for each in series]
    return tuple(dict.fromkeys(each for each in names if isinstance(each, str)))


def format_fact_conditions() -> tuple[str, ...]:
    """Return the facts in one sentence, as a condition of a guarantee; empty if there are none."""
    facts = get_recorded_facts()
    return _format_facts(facts) if facts else ()


@lru_cache(maxsize=256)
def _format_facts(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    phrases = []
    for kind in sorted({kind for kind, _ in facts}):
        names = dict.fromkeys(name for fact_kind, names in facts if fact_kind == kind for name in names)
        phrases += [f"{kind} of {', '.join(map(_quote_name, names))}"] if names else []
    return (f"the declared {' and '.join(phrases)} are public",) if phrases else ()


def _quote_name(name: str) -> str:
    # a budget's file has one condition per line
    return name if name.isidentifier() else repr(name)


# numbers that can be given by position in the place of epsilon, and their positions
_EXCHANGEABLE_ARGUMENTS = {"ttest_1samp": ("popmean", 1), "choose": ("sensitivity", 3)}


def warn_call_epsilon(epsilon: float) -> None:
    """Warn of a large epsilon of the running function, once, unless another function of the package called it."""
    call = current_call.get()
    if call.function and not call.has_judged_epsilon and epsilon > LARGE_EPSILON:
        current_call.set(call._replace(has_judged_epsilon=True))
        warn_large_epsilon(epsilon, hint=suggest_exchange(epsilon))


def suggest_exchange(epsilon: float) -> str:
    """Return a hint if epsilon and another number of the call look exchanged, by public arguments alone."""
    call = current_call.get()
    name, position = _EXCHANGEABLE_ARGUMENTS.get(call.function, ("", 0))
    other = call.arguments[position] if 0 < position < len(call.arguments) else call.options.get(name)
    if not checks.is_number(other) or not 0.0 < checks.as_float(other) <= LARGE_EPSILON:
        return ""
    bounds = call.options.get("bounds")
    if name == "popmean" and isinstance(bounds, tuple) and not bounds[0] <= epsilon <= bounds[-1]:
        return ""
    return f"Were {name} and epsilon exchanged? Write both with their names: {name}=, epsilon=."
