"""Command line ``python -m pydpstat parity``: comparison with R, reported by function as text, Markdown or JSON."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydpstat import _files as files
from pydpstat._data.progress import is_progress_shown
from pydpstat._markup import as_markdown
from pydpstat.errors import MissingExtraError
from pydpstat.parity._compare import DIFFERENCE_LEVELS, Verdict, compare_outcomes, evaluate_in_python
from pydpstat.parity._r_side import (
    UNMIRRORED_PACKAGES,
    LiveRSession,
    Recording,
    RUnavailableError,
    get_exports_path,
    get_recording_path,
    is_variable_set,
    record_cases,
    record_exports,
    split_by_coverage,
)
from pydpstat.parity.case import Case, all_cases, format_table_lines
from pydpstat.parity.distribution import DistributionVerdict, load_distributions, run_distribution_checks

# packages in the order of the report, before R's own packages
_MIRRORED_PACKAGES = ("DPpack", "diffpriv")
HEADINGS = ("package", "function", "levels", "cases", "live", "recorded", "not run", "failed", "worst")


@dataclass(frozen=True)
class ParityReport:
    """All verdicts of one run, R's versions, and notes on what was unavailable.

    If all comparisons are included (`is_complete`), it ends with the coverage of exported names.
    """

    verdicts: Sequence[Verdict]
    distributions: Sequence[DistributionVerdict] = ()
    versions: dict[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    is_complete: bool = True

    @property
    def failures(self) -> list[Verdict | DistributionVerdict]:
        """The failed comparisons."""
        everything: list[Verdict | DistributionVerdict] = [*self.verdicts, *self.distributions]
        return [verdict for verdict in everything if verdict.status == "failed"]

    def count_verdicts(self, **wanted: str) -> int:
        """Count the comparisons with the given attributes, for example ``against="live"``."""
        return _count_matching(self.verdicts, **wanted)

    def make_rows(self) -> list[tuple[str, ...]]:
        """Return a row for each function."""
        keys = dict.fromkeys((verdict.case.package, verdict.case.function) for verdict in self.verdicts)
        return [self._make_row(package, function) for package, function in sorted(keys, key=_get_sort_key)]

    def _make_row(self, package: str, function: str) -> tuple[str, ...]:
        group = [v for v in self.verdicts if (v.case.package, v.case.function) == (package, function)]
        levels = ", ".join(dict.fromkeys(v.case.level for v in group))
        numbers = [len(group), *(_count_matching(group, against=side) for side in ("live", "recorded"))]
        numbers += [_count_matching(group, status=status) for status in ("not run", "failed")]
        return (package, function, levels, *map(str, numbers), _format_worst_difference(group))

    def render_text(self) -> str:
        """Return the report as text."""
        return "\n".join([*format_table_lines([HEADINGS, *self.make_rows()]), "", *self._summarize_lines()])

    def render_markdown(self) -> str:
        """Return the report as Markdown."""
        rows = ["| " + " | ".join(map(as_markdown, row)) + " |" for row in (HEADINGS, *self.make_rows())]
        rows.insert(1, "| " + " | ".join(["---"] * len(HEADINGS)) + " |")
        notes = [f"- {as_markdown(line)}" for line in self._summarize_lines() if line]
        return "\n".join(["# Comparison with R", "", *rows, "", *notes, ""])

    def render_json(self) -> str:
        """Return the report as JSON, with every case."""
        attribute_names = ("id", "function", "package", "level", "reason")
        cases = [
            {
                **{name: getattr(v.case, name) for name in attribute_names},
                "status": v.status,
                "against": v.against,
                "difference": v.difference if math.isfinite(v.difference) else "infinite",
                "message": v.message,
            }
            for v in self.verdicts
        ]
        tests = [asdict(distribution) for distribution in self.distributions]
        content = {
            "versions": self.versions,
            "notes": list(self.notes),
            "cases": cases,
            "distributions": tests,
        }
        return json.dumps(content, indent=1)

    def _summarize_lines(self) -> list[str]:
        versions = ", ".join(f"{name} {version or '-'}" for name, version in self.versions.items())
        lines = [f"R: {versions}", *self.notes]
        lines += [f"distribution: {distribution.format_line()}" for distribution in self.distributions]
        if self.distributions:
            # one test of shape and one of scale each, on one or two samples
            alarm = sum(distribution.false_alarm for distribution in self.distributions)
            lines.append(f"distribution: false alarm of all tests together at most {alarm:.1g}")
        lines += [f"NOT RUN {v.case.id}: {v.message}" for v in self.verdicts if v.status == "not run"]
        lines += [f"FAILED {verdict.name}: {verdict.message}" for verdict in self.failures]
        stopped = [v for v in self.verdicts if v.case.level in DIFFERENCE_LEVELS]
        if stopped:
            lines.append(
                f"{len(stopped)} of the cases are deliberate differences: Python stops where R returns nothing usable"
            )
        lines.append(
            f"{len(self.verdicts)} cases: {self.count_verdicts(against='live')} live, "
            f"{self.count_verdicts(against='recorded')} recorded, "
            f"{self.count_verdicts(status='not run')} not run, {self.count_verdicts(status='failed')} failed; "
            f"{len(self.distributions)} distributions, "
            f"{_count_matching(self.distributions, status='failed')} failed"
        )
        examples = [v for v in self.verdicts if v.case.help_page]
        if examples:
            pages = len({(v.case.package, v.case.help_page) for v in examples})
            passed = _count_matching(examples, status="passed")
            equal = _count_matching(examples, status="passed", difference=0.0)
            lines.append(f"examples of {pages} help pages: {len(examples)}, {passed} passed, {equal} bit for bit")
        if self.is_complete:
            lines += self._summarize_coverage()
        return lines

    def _summarize_coverage(self) -> list[str]:
        names = split_by_coverage(self.verdicts)
        lines = [
            f"{package} without a passed comparison: {', '.join(missing_names)}"
            for package, (_, missing_names) in names.items()
            if missing_names
        ]
        counts = (
            f"{package} {len(passed)} of {len(passed) + len(missing)}" for package, (passed, missing) in names.items()
        )
        return [*lines, ", ".join(counts)]


def _count_matching(verdicts: Sequence[Verdict | DistributionVerdict], **wanted: object) -> int:
    return sum(all(getattr(verdict, name) == value for name, value in wanted.items()) for verdict in verdicts)


def _get_sort_key(key: tuple[str, str]) -> tuple[int, str, str]:
    position = _MIRRORED_PACKAGES.index(key[0]) if key[0] in _MIRRORED_PACKAGES else len(_MIRRORED_PACKAGES)
    return position, key[0], key[1].lower()


def _format_worst_difference(group: Sequence[Verdict]) -> str:
    worst = max((v.difference for v in group if v.case.level != "rtol"), default=0.0)
    relative = max((v.difference for v in group if v.case.level == "rtol"), default=0.0)
    if relative:
        return f"{relative:.1e} relative"
    return "equal" if worst == 0.0 else f"{worst:g} ulp"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison and return the exit code: 0 if everything agrees."""
    options = _make_parity_parser().parse_args(argv)
    cases = [case for case in all_cases() if options.only in case.id][:: options.every]
    distributions = [distribution.name for distribution in load_distributions() if options.only in distribution.name]
    if not cases and not distributions:
        print(f"no case has {options.only!r} in its id, and no distribution in its name", file=sys.stderr)
        return 2
    if options.record:
        return _record_all(all_cases())
    live, progress = not options.recorded, is_progress_shown()
    report = run_comparisons(cases, distributions, live=live, draws=options.draws, progress=progress)
    if not options.quiet:
        print(report.render_text())
    if options.json:
        files.write_text(options.json, report.render_json())
    if options.markdown:
        files.write_text(options.markdown, report.render_markdown())
    required = is_variable_set("PYDPSTAT_REQUIRE_R") and not options.recorded
    return 1 if report.failures or (required and _has_unverified_cases(report)) else 0


def run_comparisons(
    cases: Sequence[Case],
    distributions: Sequence[str] = (),
    *,
    live: bool = True,
    draws: int = 20_000,
    progress: bool = False,
) -> ParityReport:
    """Compare cases live if R is installed and `live` is true, else against the recording.

    Each of the named distributions is tested with at most `draws` draws; 0 omits them. `progress` is shown on standard
    error.
    """
    session, notes = _open_session(live)
    recording = Recording() if get_recording_path().exists() else None
    verdicts = []
    with run_distribution_checks(distributions if draws else (), draws, session is not None) as checks:
        for done, case in enumerate(cases, start=1):
            verdicts.append(_compare_case(case, session, recording))
            if progress and done % 50 == 0:
                end = "\n" if done == len(cases) else ""
                print(f"\r{done} of {len(cases)} cases", end=end, file=sys.stderr)
        if progress:
            print("\rdistribution tests  " if draws else "\r", file=sys.stderr)
        checked = list(checks)
    versions = session.versions if session else dict(recording.versions) if recording else {}
    return ParityReport(verdicts, checked, versions, notes, is_complete=len(cases) == len(all_cases()))


def _has_unverified_cases(report: ParityReport) -> bool:
    """Return whether a comparison was not live, except for packages without a mirror, which are optional."""
    return any(
        verdict.against != "live" and verdict.case.package not in UNMIRRORED_PACKAGES for verdict in report.verdicts
    )


def _open_session(live: bool) -> tuple[LiveRSession | None, list[str]]:
    if not live:
        return None, ["R was not asked for: compared with the recorded values"]
    try:
        return LiveRSession(), []
    except RUnavailableError as reason:
        return None, [f"no live R ({reason}): compared with the recorded values"]


def _compare_case(case: Case, session: LiveRSession | None, recording: Recording | None) -> Verdict:
    """Compare a case live if its R package is installed, else with the recording."""
    try:
        ours = evaluate_in_python(case)
    except MissingExtraError as error:
        return Verdict(case, "not run", "-", message=str(error))
    except Exception as error:  # a crash in one case must not hide the others
        return Verdict(case, "failed", "-", message=f"Python raises {type(error).__name__}: {error}")
    if session is not None and not session.find_missing(case.package):
        return compare_outcomes(case, ours, session.evaluate_case(case), "live")
    theirs = recording.get_outcome(case) if recording is not None else None
    if theirs is None:
        return Verdict(case, "not run", "-", message="neither R nor a recording of this case is here")
    return compare_outcomes(case, ours, theirs, "recorded")


def _record_all(cases: Sequence[Case]) -> int:
    changed = record_cases(cases)
    print(f"{len(cases)} cases recorded in {get_recording_path()}; {len(changed)} differ from before")
    for name in changed[:40]:
        print(f"  {name}")
    if record_exports():
        print(f"the export lists in {get_exports_path()} differ from before")
    return 0


def _make_parity_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat parity",
        description="Compare pydpstat with R: live where R is installed, else with recorded values.",
    )
    help_text = "only cases with this text in their id, and distributions with it in their name"
    parser.add_argument("--only", default="", metavar="TEXT", help=help_text)
    parser.add_argument("--recorded", action="store_true", help="use the recorded values even where R is installed")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth case")
    parser.add_argument(
        "--draws",
        type=int,
        default=20_000,
        help="most draws of each distribution test (default 20000; above, what 20 seconds allow)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the report as Markdown")
    parser.add_argument("--record", action="store_true", help="record all cases with Rscript and show what changed")
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    return parser
