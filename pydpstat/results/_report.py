"""Base of results with a guarantee, and formatting of their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pydpstat.errors import ArgumentError
from pydpstat.privacy import Guarantee
from pydpstat.results import _shared_methods
from pydpstat.results._exports import MAX_PAGE_ROWS, Facts, Report, trim_name, wrap_notes
from pydpstat.results._numbers import Rows
from pydpstat.results._words import describe_mechanism, describe_missing_values, format_contribution_sentence

if TYPE_CHECKING:
    from pydpstat.results._call import Call, ModelCall
    from pydpstat.results.statements import Statement

__all__ = [
    "MAX_PAGE_ROWS",
    "Facts",
    "GuaranteedReport",
    "NoTruthValue",
    "Plottable",
    "Report",
    "Rows",
    "format_cell_value",
    "format_level",
    "format_privacy_line",
    "format_significant",
    "make_omission_note",
    "make_unit_fact",
    "to_json_guarantee",
    "to_json_types",
    "trim_name",
    "wrap_notes",
]


# size of a table at the prompt
_PROMPT_ROWS, _PROMPT_COLUMNS, _PROMPT_WIDTH = 20, 12, 100


class NoTruthValue:
    """Base of results without a truth value: bool() raises an error that names a condition to write."""

    __slots__ = ()

    _condition = "result.pvalue < 0.05"

    def __bool__(self) -> bool:
        raise ArgumentError(f"{type(self).__name__} is neither true nor false. Write {self._condition}.")


class GuaranteedReport(Report):
    """Base of results that have a guarantee, a claim and the call that made them."""

    __slots__ = ()

    claim: Guarantee
    guarantee: Guarantee
    record: Call | ModelCall

    def __str__(self) -> str:
        lines = [
            self._format_guarantee(),
            *self._make_contribution_notes(brief=True),
            *wrap_notes(self._collect_omissions()),
        ]
        return "\n".join([self.summary().tables[0].as_text(), *lines])

    def _collect_omissions(self) -> list[str]:
        """Return notes on rows and intervals that the page omits."""
        return []

    @property
    def epsilon(self) -> float:
        """The guaranteed epsilon, infinite if nothing is guaranteed; `claim` has the requested one."""
        return math.inf if _is_void(self.guarantee) else self.guarantee.epsilon

    @property
    def delta(self) -> float:
        """The guaranteed delta, 1 if nothing is guaranteed; `claim` has the requested one."""
        return 1.0 if _is_void(self.guarantee) else self.guarantee.delta

    @property
    def neighbors(self) -> str:
        """The neighboring data sets of the guarantee, "bounded" or "unbounded"."""
        return self.guarantee.neighbors

    @property
    def unit(self) -> str | None:
        """The privacy unit, by its column name; None for a single record."""
        return self.guarantee.unit

    @property
    def call(self) -> str:
        """The call as the user typed it, with names in place of the data."""
        return self.record.format_source()

    def statement(self) -> Statement:
        """Return the paragraph and the table for a methods section or privacy office.

        `pydpstat.statement` makes one of several releases, and of a budget.

        Returns
        -------
        Statement
            With ``text``, ``paragraph`` and ``to_frame()``; ``to_text(path)``, ``to_markdown(path)``,
            ``to_latex(path)`` and ``to_html(path)`` write files.

        See Also
        --------
        statement : several releases in one statement.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> print(r.statement().sentences[0])
        The mean was released with differential privacy, at a privacy loss of epsilon = 1.
        """
        from pydpstat.results.statements import statement

        return statement(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        An infinite epsilon is the string "infinite"; NaN and other infinities, which JSON does not have,
        are None.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_dict()["epsilon"]
        1.0
        """
        return {name: to_json_types(value) for name, value in self._collect_content().items()}

    def _collect_content(self) -> Mapping[str, object]:
        """Return the content of `to_dict`, in order."""
        raise NotImplementedError

    def _collect_attributes(self, *names: str) -> dict[str, object]:
        """Return attributes of these names, for the content."""
        return {name: getattr(self, name) for name in names}

    def _collect_privacy(self) -> dict[str, object]:
        """Return the guarantee and the claim, for the content."""
        guarantee = to_json_guarantee(replace(self.guarantee, epsilon=self.epsilon, delta=self.delta))
        parameters = {name: value for name, value in guarantee.items() if name != "conditions"}
        return {**parameters, "guarantee": guarantee, "claim": to_json_guarantee(self.claim)}

    def _format_guarantee(self) -> str:
        """Return the guarantee in one line, with the claim if it differs."""
        guaranteed, claimed = str(self.guarantee), str(self.claim)
        text = "no guarantee" if _is_void(self.guarantee) else guaranteed
        return text if guaranteed == claimed else f"{text}, claimed {claimed}"

    def _collect_right_facts(self) -> Facts:
        is_void, claim = _is_void(self.guarantee), self.claim
        triples = [
            (
                "epsilon",
                "none" if is_void else format_significant(self.epsilon),
                format_significant(claim.epsilon),
            ),
            ("delta", "none" if is_void else format_significant(self.delta), format_significant(claim.delta)),
            ("neighbors", "-" if is_void else self.neighbors, claim.neighbors),
        ]
        facts: Facts = []
        claimed: Facts = []
        for name, guaranteed, claimed_value in triples:
            # show the claim only if it differs from the guarantee
            differs = guaranteed != claimed_value
            facts.append((f"Guaranteed {name}:" if differs else f"{name.capitalize()}:", guaranteed))
            claimed += [(f"Claimed {name}:", claimed_value)] * differs
        return [*facts, *make_unit_fact(self.unit), *claimed]

    def _make_guarantee_notes(self, function: str) -> list[str]:
        """Return notes on the conditions of the guarantee, the contribution bound and missing values."""
        void_note = f"Nothing is guaranteed: see the PrivacyWarning of {function}."
        conditions = self.guarantee.conditions
        notes = [void_note] if _is_void(self.guarantee) else []
        notes += [f"Conditions: {'; '.join(conditions)}."] if conditions else []
        missing_note = describe_missing_values(dict(self.record.arguments))
        return [*notes, *self._make_contribution_notes(), *([missing_note] if missing_note else [])]

    def _make_contribution_notes(self, brief: bool = False) -> list[str]:
        """Return the note on the contribution bound, if there are units."""
        sentence = format_contribution_sentence(self.record.function, dict(self.record.arguments), brief)
        return [sentence] if sentence else []


def format_significant(value: object) -> str:
    """Format a number with six significant digits, without negative zero; else return it as text."""
    return f"{float(value) + 0.0:.6g}" if isinstance(value, Real) else trim_name(str(value))


def format_cell_value(value: object) -> str:
    """Format a number for a table cell, with a dash for NaN."""
    return "-" if isinstance(value, float) and math.isnan(value) else format_significant(value)


def make_omission_note(count: int, what: str = "rows", where: str = "to_frame()") -> list[str]:
    """Return the note on rows that the page omits, if there are any."""
    return [f"{count - MAX_PAGE_ROWS} more {what}: {where} has them all."] if count > MAX_PAGE_ROWS else []


def to_json_types(value: object) -> object:
    """Convert a value to plain JSON types, with None for NaN and infinities."""
    if isinstance(value, Mapping):
        return {name: to_json_types(entry) for name, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_json_types(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (type(None), bool, int, float, str)) else str(value)


def to_json_guarantee(guarantee: Guarantee) -> dict[str, object]:
    """Convert a guarantee to plain JSON types, with "infinite" for an infinite epsilon."""
    epsilon = "infinite" if math.isinf(guarantee.epsilon) else guarantee.epsilon
    parameters = {"epsilon": epsilon, "delta": guarantee.delta}
    scope = {"neighbors": guarantee.neighbors, "unit": guarantee.unit}
    return {**parameters, **scope, "conditions": list(guarantee.conditions)}


def make_unit_fact(unit: str | None) -> Facts:
    """Return the fact that names the privacy unit, or none for a single record."""
    return [] if unit is None else [("Unit:", trim_name(unit))]


def _is_void(guarantee: Guarantee) -> bool:
    """Return whether a guarantee is void: infinite epsilon or a delta of 1."""
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


class Plottable:
    """Base of results that can be plotted."""

    __slots__ = ()

    def _describe_picture(self, alpha: float) -> object:
        """Describe the picture, as one of those in `pydpstat.plots._pictures`."""
        raise NotImplementedError

    plot = _shared_methods.plot


class HasLoss(Protocol):
    """A result with a guarantee."""

    @property
    def epsilon(self) -> float:
        """The guaranteed epsilon."""

    @property
    def delta(self) -> float:
        """The guaranteed delta."""


class HasEstimate(Protocol):
    """Result with a value, and the same with its labels."""

    @property
    def value(self) -> np.ndarray:
        """Released value."""

    @property
    def estimate(self) -> object:
        """Labeled value."""


def add_table(line: str, result: HasEstimate) -> str:
    """Return a line about a result, followed by its numbers up to a screen if it has several."""
    if result.value.ndim == 0:
        return line
    estimate: Any = result.estimate
    if not hasattr(estimate, "to_string"):
        return line
    limits = {"max_cols": _PROMPT_COLUMNS, "line_width": _PROMPT_WIDTH} if estimate.ndim == 2 else {}
    return f"{line}\n{estimate.to_string(max_rows=_PROMPT_ROWS, **limits)}"


def format_level(alpha: float) -> str:
    """Return the confidence level as a percentage."""
    return f"{100.0 * (1.0 - alpha):.4g} %"


def format_privacy_line(result: HasLoss, mechanism: str = "") -> str:
    """Return the mechanism and the guarantee in one line, for a picture."""
    guarantee = "no guarantee"
    if math.isfinite(result.epsilon):
        guarantee = f"epsilon = {result.epsilon:.4g}" + (f", delta = {result.delta:.4g}" if result.delta else "")
    mechanism_name = describe_mechanism(mechanism)
    noise = mechanism_name if mechanism_name.endswith("mechanism") else f"{mechanism_name} noise"
    return f"{noise}, {guarantee}" if mechanism else guarantee
