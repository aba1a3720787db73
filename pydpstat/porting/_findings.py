"""Report of a check: findings, releases and parts not followed, as text, JSON and SARIF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pydpstat import __version__
from pydpstat.porting._escapes import as_json, escape_text
from pydpstat.porting._forms import Place

ERROR, WARNING, NOTE = "error", "warning", "note"
_SARIF_SCHEMA = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
# every rule by its name; those of a mirror's finding are named in the table of findings
RULES = {
    "argument-from-data": "A public argument of a release is computed from the data.",
    "levels-from-data": "The levels of a table, or the groups of records, are computed from the data.",
    "epsilon": "An epsilon is far above usual values.",
    "seed": "The seed of the noise is published with the script.",
    "repeated": "The same data are released several times.",
    "repeated-without-end": "The same data are released an unknown number of times.",
    "raw-value": "A value of the data is shown or written without noise.",
    "raw-plot": "The data are drawn without noise.",
    "records-changed": "Records are changed by a figure of the same data before the release.",
    "number-selected": "The number of selected records is treated as public.",
    "closure": "An object that holds the data is written.",
    "finding": "The original keeps less than it claims.",
}


class Finding(NamedTuple):
    """A violated rule at a position: the reason, the size of the effect, and the correction."""

    rule: str
    severity: str
    place: Place
    what: str
    why: str
    figure: str
    instead: str


class ReleaseRow(NamedTuple):
    """A release in the report: its claim and its actual guarantee, as texts."""

    place: Place
    function: str
    claim: str
    kept: str
    times: float
    conditions: tuple[str, ...] = ()


class SpendingTotal(NamedTuple):
    """Total privacy loss of all releases of the same records."""

    data: str
    releases: int
    basic: str
    zcdp: str


class Report(NamedTuple):
    """Result of a check."""

    path: str
    language: str
    findings: tuple[Finding, ...]
    releases: tuple[ReleaseRow, ...]
    totals: tuple[SpendingTotal, ...]
    not_followed: tuple[tuple[Place, str], ...]
    remarks: tuple[str, ...]

    @property
    def is_broken(self) -> bool:
        """Whether the report has an error."""
        return any(each.severity == ERROR for each in self.findings)

    def to_text(self) -> str:
        """Return the report as text lines."""
        path = escape_text(self.path)
        lines = [f"{path}: {_format_count(len(self.releases), 'release')}, {_summarize_findings(self.findings)}"]
        for each in self.findings:
            where = f"{path}:{each.place.line}:{each.place.column}"
            lines += ["", f"{where}: {each.severity}: {each.what} [{each.rule}]"]
            lines += [f"    {word:<9}{said}" for word, said in _collect_explanations(each)]
        lines += ["", "Releases:"] if self.releases else []
        for row in self.releases:
            times = "" if row.times == 1 else f", {_format_times(row.times)}"
            lines.append(f"    line {row.place.line}: {row.function}{times}: {row.kept}")
        totals = [f"    {each.data}: {each.releases} releases, {each.basic}{each.zcdp}" for each in self.totals]
        left = [f"    line {place.line}: {place.text}: {reason}" for place, reason in self.not_followed]
        for head, more in (("Together:", totals), ("Not followed:", left)):
            lines += ["", head, *more] if more else []
        return "\n".join(map(escape_text, [*lines, *["", *self.remarks][: 9 * bool(self.remarks)]]))

    def to_json(self) -> str:
        """Return the report as JSON; an unknown number of repetitions is null."""
        times = (row.times if math.isfinite(row.times) else None for row in self.releases)
        rows = [{**_to_dict(row), "times": each} for row, each in zip(self.releases, times)]
        content = {
            "file": self.path,
            "language": self.language,
            "holds": not self.is_broken,
            "findings": [_to_dict(each) for each in self.findings],
            "releases": rows,
            "totals": [each._asdict() for each in self.totals],
            "not_followed": [{"place": place._asdict(), "reason": why} for place, why in self.not_followed],
            "remarks": self.remarks,
        }
        return as_json(content)

    def to_sarif_run(self) -> dict[str, object]:
        """Return the report as one run of SARIF 2.1.0."""
        names = sorted({each.rule for each in self.findings})
        rules = [{"id": name, "shortDescription": {"text": describe_rule(name)}} for name in names]
        notes = [self._make_sarif_result("note", reason, place) for place, reason in self.not_followed]
        results = [
            {"ruleId": each.rule, "ruleIndex": names.index(each.rule)}
            | self._make_sarif_result(
                each.severity,
                " ".join([each.what, *(said for _, said in _collect_explanations(each))]),
                each.place,
            )
            for each in self.findings
        ]
        return {
            "tool": {"driver": {"name": "pydpstat check", "version": __version__, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
            "results": results,
        }

    def _make_sarif_result(self, level: str, text: str, place: Place) -> dict[str, object]:
        file = {"uri": quote(Path(self.path).as_posix(), errors="surrogateescape")}
        region = {"startLine": place.line, "startColumn": place.column}
        location = {"physicalLocation": {"artifactLocation": file, "region": region}}
        return {"level": level, "message": {"text": text}, "locations": [location]}


def _to_dict(row: Finding | ReleaseRow) -> dict[str, object]:
    return {**row._asdict(), "place": row.place._asdict()}


def describe_rule(rule: str) -> str:
    """Return the description of a rule."""
    return RULES["finding" if rule.startswith("finding-") else rule]


def format_sarif(reports: Sequence[Report]) -> str:
    """Return reports as SARIF 2.1.0, one run for each."""
    content = {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [each.to_sarif_run() for each in reports],
    }
    return as_json(content)


def _collect_explanations(finding: Finding) -> list[tuple[str, str]]:
    pairs = (("why:", finding.why), ("figure:", finding.figure), ("instead:", finding.instead))
    return [(word, said) for word, said in pairs if said]


def _format_times(times: float) -> str:
    return f"{times:g} times" if math.isfinite(times) else "an unknown number of times"


def _summarize_findings(findings: Sequence[Finding]) -> str:
    kinds = [(kind, sum(each.severity == kind for each in findings)) for kind in (ERROR, WARNING, NOTE)]
    return ", ".join(_format_count(count, kind) for kind, count in kinds if count) or "no finding"


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
