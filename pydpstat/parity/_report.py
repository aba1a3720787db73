"""The report of the comparison: a table by function, on screen, as Markdown and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from pydpstat.parity._compare import DIFFERENT, Verdict
from pydpstat.parity._printing import table_lines
from pydpstat.parity._recorded import covered
from pydpstat.parity.distribution import DistributionVerdict

# in this order, before R's own packages
_MIRRORED = ("DPpack", "diffpriv")
HEADINGS = ("package", "function", "levels", "cases", "live", "recorded", "not run", "failed", "worst")


@dataclass(frozen=True)
class Report:
    """All verdicts of one run, with the versions of R's side, and notes on what could not be used, and why.

    Where all comparisons were asked for (`whole`) the report ends with the exported names covered.
    """

    verdicts: Sequence[Verdict]
    distributions: Sequence[DistributionVerdict] = ()
    versions: dict[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    whole: bool = True

    @property
    def failures(self) -> list[Verdict | DistributionVerdict]:
        """The comparisons that failed."""
        everything: list[Verdict | DistributionVerdict] = [*self.verdicts, *self.distributions]
        return [verdict for verdict in everything if verdict.status == "failed"]

    def count(self, **wanted: str) -> int:
        """Count the comparisons with the given attributes, for example ``against="live"``."""
        return _count(self.verdicts, **wanted)

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row for each function."""
        keys = dict.fromkeys((verdict.case.package, verdict.case.function) for verdict in self.verdicts)
        return [self._row(package, function) for package, function in sorted(keys, key=_by_package)]

    def _row(self, package: str, function: str) -> tuple[str, ...]:
        group = [v for v in self.verdicts if (v.case.package, v.case.function) == (package, function)]
        levels = ", ".join(dict.fromkeys(v.case.level for v in group))
        numbers = [len(group), *(_count(group, against=side) for side in ("live", "recorded"))]
        numbers += [_count(group, status=status) for status in ("not run", "failed")]
        return (package, function, levels, *map(str, numbers), _worst(group))

    def text(self) -> str:
        """Return the report as it is printed."""
        return "\n".join([*table_lines([HEADINGS, *self.rows()]), "", *self._summary()])

    def markdown(self) -> str:
        """Return the report as Markdown."""
        rows = ["| " + " | ".join(row) + " |" for row in (HEADINGS, ("---",) * len(HEADINGS), *self.rows())]
        return "\n".join(
            ["# Comparison with R", "", *rows, "", *(f"- {line}" for line in self._summary() if line), ""]
        )

    def json(self) -> str:
        """Return the report as JSON, with every case."""
        stated = ("id", "function", "package", "level", "reason")
        cases = [
            {
                **{name: getattr(v.case, name) for name in stated},
                "status": v.status,
                "against": v.against,
                "difference": v.difference if math.isfinite(v.difference) else "infinite",
                "message": v.message,
            }
            for v in self.verdicts
        ]
        tests = [asdict(each) for each in self.distributions]
        content = {
            "versions": self.versions,
            "notes": list(self.notes),
            "cases": cases,
            "distributions": tests,
        }
        return json.dumps(content, indent=1)

    def _summary(self) -> list[str]:
        versions = ", ".join(f"{name} {version or '-'}" for name, version in self.versions.items())
        lines = [f"R: {versions}", *self.notes]
        lines += [f"distribution: {each.line()}" for each in self.distributions]
        if self.distributions:
            # a shape and a scale test each, on one or two samples
            alarm = sum(each.false_alarm for each in self.distributions)
            lines.append(f"distribution: false alarm of all tests together at most {alarm:.1g}")
        lines += [f"NOT RUN {v.case.id}: {v.message}" for v in self.verdicts if v.status == "not run"]
        lines += [f"FAILED {verdict.name}: {verdict.message}" for verdict in self.failures]
        stopped = [v for v in self.verdicts if v.case.level in DIFFERENT]
        if stopped:
            lines.append(
                f"{len(stopped)} of the cases are deliberate differences: "
                "Python stops where R returns nothing usable"
            )
        lines.append(
            f"{len(self.verdicts)} cases: {self.count(against='live')} live, "
            f"{self.count(against='recorded')} recorded, "
            f"{self.count(status='not run')} not run, {self.count(status='failed')} failed; "
            f"{len(self.distributions)} distributions, "
            f"{_count(self.distributions, status='failed')} failed"
        )
        examples = [v for v in self.verdicts if v.case.help_page]
        if examples:
            pages = len({(v.case.package, v.case.help_page) for v in examples})
            passed = _count(examples, status="passed")
            equal = _count(examples, status="passed", difference=0.0)
            lines.append(
                f"examples of {pages} help pages: {len(examples)}, {passed} passed, {equal} bit for bit"
            )
        if self.whole:
            lines += self._coverage()
        return lines

    def _coverage(self) -> list[str]:
        names = covered(self.verdicts)
        lines = [
            f"{package} without a passed comparison: {', '.join(others)}"
            for package, (_, others) in names.items()
            if others
        ]
        counts = (
            f"{package} {len(passed)} of {len(passed) + len(rest)}"
            for package, (passed, rest) in names.items()
        )
        return [*lines, ", ".join(counts)]


def _count(verdicts: Sequence[Verdict | DistributionVerdict], **wanted: object) -> int:
    return sum(all(getattr(each, name) == value for name, value in wanted.items()) for each in verdicts)


def _by_package(key: tuple[str, str]) -> tuple[int, str, str]:
    place = _MIRRORED.index(key[0]) if key[0] in _MIRRORED else len(_MIRRORED)
    return place, key[0], key[1].lower()


def _worst(group: Sequence[Verdict]) -> str:
    worst = max((v.difference for v in group if v.case.level != "rtol"), default=0.0)
    relative = max((v.difference for v in group if v.case.level == "rtol"), default=0.0)
    if relative:
        return f"{relative:.1e} relative"
    return "equal" if worst == 0.0 else f"{worst:g} ulp"
