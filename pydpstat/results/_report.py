"""One base for everything that is shown: results state facts, rows and notes, which are shown here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.errors import ArgumentError
from pydpstat.privacy import Guarantee
from pydpstat.results._exports import Exports
from pydpstat.results._numbers import Rows
from pydpstat.results._words import describe_mechanism, describe_missing_values, format_contribution_sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary

    from pydpstat.results._call import Call, ModelCall
    from pydpstat.results.statements import Statement


class StatementMixin:
    """What can state what it keeps."""

    __slots__ = ()

    @explain_wrong_calls
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


Facts = list[tuple[str, str]]
MAX_PAGE_ROWS = 60
_NOTE_WIDTH, _TITLE_WIDTH = 78, 84
_PRIVATE_SUFFIX = ", differentially private"


class Report(Exports):
    """A result that states facts, rows and notes, and is shown as a page of these."""

    __slots__ = ()

    # of results without a heading
    _title = ""
    # letters of a row's name
    _max_name_length = 32

    def _format_heading(self) -> str:
        """Return what the result is of, in words; empty where the title says it."""
        return ""

    def _collect_facts(self) -> Facts:
        """State the names and values below the numbers."""
        raise NotImplementedError

    def _collect_right_facts(self) -> Facts:
        """State those of the right column; without them the facts are split into two."""
        return []

    def _collect_notes(self) -> list[str]:
        """State the lines below the table."""
        raise NotImplementedError

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        See Also
        --------
        InferenceResults.to_frame : the numbers as a frame.

        Examples
        --------
        >>> from pydpstat.consistency import ipf
        >>> fitted = ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]})
        >>> "Converged:" in fitted.summary().as_text()
        True
        """
        return self._make_page(self._make_rows())

    def _make_page(self, rows: Rows) -> Summary:
        from pydpstat.results._summary_page import SummaryPage

        shown = rows._replace(names=[trim_name(each, self._max_name_length) for each in rows.names])
        return SummaryPage(
            self._collect_facts(),
            *shown,
            self._format_notes(),
            self._format_title(),
            self._collect_right_facts(),
        )

    def _format_title(self) -> str:
        what = textwrap.shorten(self._format_heading(), _TITLE_WIDTH)
        # a name with capitals is left as it is
        first = what.partition(" ")[0]
        what = what[:1].upper() + what[1:] if first.islower() else what
        return f"{what}{_PRIVATE_SUFFIX}" if what else self._title

    def _format_notes(self) -> list[str]:
        return wrap_notes(self._collect_notes())

    def _repr_html_(self) -> str:
        return self.summary().as_html()


class NoTruthValue:
    """A result that is neither true nor false: in a condition it says what to write."""

    __slots__ = ()

    _condition = "result.pvalue < 0.05"

    def __bool__(self) -> bool:
        raise ArgumentError(f"{type(self).__name__} is neither true nor false. Write {self._condition}.")


class GuaranteedReport(StatementMixin, Report):
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


def wrap_notes(notes: list[str]) -> list[str]:
    """Return notes with lines as wide as the page."""
    return ["\n".join(textwrap.wrap(note, _NOTE_WIDTH)) for note in notes]


def trim_name(name: str, max_length: int = 32) -> str:
    """Return a name as a row shows it: in one line, and not too long."""
    name = " ".join(name.split())
    return name if len(name) <= max_length else name[: max_length - 3] + "..."


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

    def plot(self, ax: Axes | None = None, title: str | None = None, *, alpha: float = 0.05, **style: object) -> Axes:
        """Plot the result with its intervals; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure's, as high as names and values need.
        title : str, optional
            The title; by default what was released, with which noise and epsilon. ``""`` draws none.
        alpha : float, default 0.05
            Probability that an interval misses; above 0 and at most 0.5. It is not the opacity of the marks.
        **style
            As matplotlib has them, where the picture has such marks: `color` (or a list for several series),
            `marker`, `markersize`, `linewidth`, and `cmap` of a heat map; and `figsize`, the width and height
            of a new figure in inches.

        Returns
        -------
        matplotlib Axes
            Those that were drawn on. Panels lie inside of them, as their ``child_axes``.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or there is no number to draw.
        MissingExtraError
            If matplotlib is not installed; the message has the command.

        Notes
        -----
        Intervals of the privacy noise are thick where there are confidence intervals for the population, too,
        which are thin; up to 24 means, variances and correlations have the latter, and up to 200 other
        values. An arrow at the edge is an interval that goes far beyond the others. The picture is
        post-processing: it shows nothing but what was released.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> ax = r.plot(title="Smokers")  # doctest: +SKIP
        """
        from pydpstat.plots._draw import draw_picture

        return draw_picture(self._describe_picture(checks.check_alpha(alpha)), ax, title, style)


def format_level(alpha: float) -> str:
    """Return a level as a legend has it."""
    return f"{100.0 * (1.0 - alpha):.4g} %"


def format_privacy_line(result: GuaranteedReport, mechanism: str = "") -> str:
    """Return what a picture says of privacy, in one line."""
    held = "no guarantee"
    if math.isfinite(result.epsilon):
        held = f"epsilon = {result.epsilon:.4g}" + (f", delta = {result.delta:.4g}" if result.delta else "")
    named = describe_mechanism(mechanism)
    noise = named if named.endswith("mechanism") else f"{named} noise"
    return f"{noise}, {held}" if mechanism else held
