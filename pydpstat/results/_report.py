"""What results with a guarantee have: the guarantee, a statement and a picture; and how their numbers are written."""

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


class NoTruthValue:
    """A result that is neither true nor false: in a condition it says what to write."""

    __slots__ = ()

    _condition = "result.pvalue < 0.05"

    def __bool__(self) -> bool:
        raise ArgumentError(f"{type(self).__name__} is neither true nor false. Write {self._condition}.")


class GuaranteedReport(Report):
    """A result with a guarantee, a claim and a record of its call: first what holds, then the claim."""

    __slots__ = ()

    claim: Guarantee
    guarantee: Guarantee
    record: Call | ModelCall

    def __str__(self) -> str:
        told = [
            self._format_guarantee(),
            *self._make_contribution_notes(brief=True),
            *wrap_notes(self._collect_omissions()),
        ]
        return "\n".join([self.summary().tables[0].as_text(), *told])

    def _collect_omissions(self) -> list[str]:
        """Return notes on what a page has no place for."""
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
        """The call as it was typed, with names in place of the data."""
        return self.record.format_source()

    def statement(self) -> Statement:
        """Return the paragraph and the table that a methods section or a privacy office needs.

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
        """State what `to_dict` has, by name and in order."""
        raise NotImplementedError

    def _collect_attributes(self, *names: str) -> dict[str, object]:
        """Return attributes by their names, as the content has them."""
        return {name: getattr(self, name) for name in names}

    def _collect_privacy(self) -> dict[str, object]:
        """Return the part of the content that says what holds and what was claimed."""
        held = to_json_guarantee(replace(self.guarantee, epsilon=self.epsilon, delta=self.delta))
        pair = {name: each for name, each in held.items() if name != "conditions"}
        return {**pair, "guarantee": held, "claim": to_json_guarantee(self.claim)}

    def _format_guarantee(self) -> str:
        """Return what holds in one line, and the claim where it says something else."""
        held, claimed = str(self.guarantee), str(self.claim)
        shown = "no guarantee" if _is_void(self.guarantee) else held
        return shown if held == claimed else f"{shown}, claimed {claimed}"

    def _collect_right_facts(self) -> Facts:
        nothing, claim = _is_void(self.guarantee), self.claim
        pairs = [
            (
                "epsilon",
                "none" if nothing else format_significant(self.epsilon),
                format_significant(claim.epsilon),
            ),
            ("delta", "none" if nothing else format_significant(self.delta), format_significant(claim.delta)),
            ("neighbors", "-" if nothing else self.neighbors, claim.neighbors),
        ]
        facts: Facts = []
        claimed: Facts = []
        for name, held, other in pairs:
            # what was claimed is told only where it is something else
            apart = held != other
            facts.append((f"Guaranteed {name}:" if apart else f"{name.capitalize()}:", held))
            claimed += [(f"Claimed {name}:", other)] * apart
        return [*facts, *make_unit_fact(self.unit), *claimed]

    def _make_guarantee_notes(self, function: str) -> list[str]:
        """Return the notes on what the guarantee rests."""
        held = f"Nothing is guaranteed: see the PrivacyWarning of {function}."
        conditions = self.guarantee.conditions
        found = [held] if _is_void(self.guarantee) else []
        found += [f"Conditions: {'; '.join(conditions)}."] if conditions else []
        said = describe_missing_values(dict(self.record.arguments))
        return [*found, *self._make_contribution_notes(), *([said] if said else [])]

    def _make_contribution_notes(self, brief: bool = False) -> list[str]:
        """Return the note on how many records of each unit count, if there are units."""
        said = format_contribution_sentence(self.record.function, dict(self.record.arguments), brief)
        return [said] if said else []


def format_significant(value: object) -> str:
    """Return a number with six significant digits, without a sign at zero; anything else as text."""
    return f"{float(value) + 0.0:.6g}" if isinstance(value, Real) else trim_name(str(value))


def format_cell_value(value: object) -> str:
    """Return a number as a table shows it: a dash where it is missing."""
    return "-" if isinstance(value, float) and math.isnan(value) else format_significant(value)


def make_omission_note(count: int, what: str = "rows", where: str = "to_frame()") -> list[str]:
    """Return the note on the rows that a page has no place for, if there are any."""
    return [f"{count - MAX_PAGE_ROWS} more {what}: {where} has them all."] if count > MAX_PAGE_ROWS else []


def to_json_types(value: object) -> object:
    """Return a value in plain JSON types; NaN and infinities, which JSON has not, are None."""
    if isinstance(value, Mapping):
        return {name: to_json_types(each) for name, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_json_types(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (type(None), bool, int, float, str)) else str(value)


def to_json_guarantee(guarantee: Guarantee) -> dict[str, object]:
    """Return a guarantee in plain JSON types; an infinite epsilon is the text "infinite"."""
    epsilon = "infinite" if math.isinf(guarantee.epsilon) else guarantee.epsilon
    pair = {"epsilon": epsilon, "delta": guarantee.delta}
    whose = {"neighbors": guarantee.neighbors, "unit": guarantee.unit}
    return {**pair, **whose, "conditions": list(guarantee.conditions)}


def make_unit_fact(unit: str | None) -> Facts:
    """Return the fact that names a privacy unit; a single record needs none."""
    return [] if unit is None else [("Unit:", trim_name(unit))]


def _is_void(guarantee: Guarantee) -> bool:
    """Return whether a guarantee says nothing: its epsilon is infinite or its delta 1."""
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


class Plottable:
    """A result that can be drawn."""

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


def format_level(alpha: float) -> str:
    """Return a level as a legend has it."""
    return f"{100.0 * (1.0 - alpha):.4g} %"


def format_privacy_line(result: HasLoss, mechanism: str = "") -> str:
    """Return what a picture says of privacy, in one line."""
    held = "no guarantee"
    if math.isfinite(result.epsilon):
        held = f"epsilon = {result.epsilon:.4g}" + (f", delta = {result.delta:.4g}" if result.delta else "")
    named = describe_mechanism(mechanism)
    noise = named if named.endswith("mechanism") else f"{named} noise"
    return f"{noise}, {held}" if mechanism else held
