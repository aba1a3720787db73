"""``python -m pydpstat parity``: compare with R and print the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files
from pydpstat._data.progress import is_watched
from pydpstat.errors import MissingExtraError
from pydpstat.parity import _report as reports
from pydpstat.parity._compare import Verdict, compare
from pydpstat.parity._evaluate import evaluate_in_python
from pydpstat.parity._live import PEERS, LiveR, NoR, is_set
from pydpstat.parity._recorded import Recording, exports_path, record, record_exports, recording_path
from pydpstat.parity.case import Case
from pydpstat.parity.distribution import all_distributions, check_distributions
from pydpstat.parity.reference import all_cases


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison and return the exit code: 0 where everything agrees.

    Examples
    --------
    >>> main(["--recorded", "--draws", "0", "--quiet", "--only", "runif"])
    0
    """
    options = _parser().parse_args(argv)
    cases = [case for case in all_cases() if options.only in case.id][:: options.every]
    distributions = [each.name for each in all_distributions() if options.only in each.name]
    if not cases and not distributions:
        print(f"no case has {options.only!r} in its id, and no distribution in its name", file=sys.stderr)
        return 2
    if options.record:
        return _record(all_cases())
    live, progress = not options.recorded, is_watched()
    report = run(cases, distributions, live=live, draws=options.draws, progress=progress)
    if not options.quiet:
        print(report.text())
    if options.json:
        files.write(options.json, report.json())
    if options.markdown:
        files.write(options.markdown, report.markdown())
    required = is_set("PYDPSTAT_REQUIRE_R") and not options.recorded
    return 1 if report.failures or (required and _left_out(report)) else 0


def run(
    cases: Sequence[Case],
    distributions: Sequence[str] = (),
    *,
    live: bool = True,
    draws: int = 20_000,
    progress: bool = False,
) -> reports.Report:
    """Compare cases live where R is installed (and `live` allows to look for it), else against the recording.

    Each distribution named is tested with so many draws at most; 0 leaves them out. `progress` shows on
    standard error how far the run is.
    """
    session, notes = _session(live)
    recording = Recording() if recording_path().exists() else None
    verdicts = []
    for done, case in enumerate(cases, start=1):
        verdicts.append(_verdict(case, session, recording))
        if progress and done % 50 == 0:
            print(f"\r{done} of {len(cases)} cases", end="\n" if done == len(cases) else "", file=sys.stderr)
    if progress:
        print("\rdistribution tests  " if draws else "\r", file=sys.stderr)
    wanted = distributions if draws else ()
    checked = check_distributions(wanted, draws, session is not None) if wanted else []
    versions = session.versions if session else dict(recording.versions) if recording else {}
    return reports.Report(verdicts, checked, versions, notes, whole=len(cases) == len(all_cases()))


def _left_out(report: reports.Report) -> bool:
    """Tell whether a comparison was not live that has to be: packages without a mirror need not be there."""
    return any(each.against != "live" and each.case.package not in PEERS for each in report.verdicts)


def _session(live: bool) -> tuple[LiveR | None, list[str]]:
    if not live:
        return None, ["R was not asked for: compared with the recorded values"]
    try:
        return LiveR(), []
    except NoR as reason:
        return None, [f"no live R ({reason}): compared with the recorded values"]


def _verdict(case: Case, session: LiveR | None, recording: Recording | None) -> Verdict:
    """Compare live where this case's R package is there, else with the recording."""
    try:
        ours = evaluate_in_python(case)
    except MissingExtraError as error:
        return Verdict(case, "not run", "-", message=str(error))
    except Exception as error:  # a crash in one case must not hide the others
        return Verdict(case, "failed", "-", message=f"Python raises {type(error).__name__}: {error}")
    if session is not None and not session.missing(case.package):
        return compare(case, ours, session.evaluate(case), "live")
    theirs = recording.evaluate(case) if recording is not None else None
    if theirs is None:
        return Verdict(case, "not run", "-", message="neither R nor a recording of this case is here")
    return compare(case, ours, theirs, "recorded")


def _record(cases: Sequence[Case]) -> int:
    changed = record(cases)
    print(f"{len(cases)} cases recorded in {recording_path()}; {len(changed)} differ from before")
    for name in changed[:40]:
        print(f"  {name}")
    if record_exports():
        print(f"the export lists in {exports_path()} differ from before")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat parity",
        description="Compare pydpstat with R: live where R is installed, else with recorded values.",
    )
    only = "only cases with this text in their id, and distributions with it in their name"
    parser.add_argument("--only", default="", metavar="TEXT", help=only)
    parser.add_argument(
        "--recorded", action="store_true", help="use the recorded values even where R is installed"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth case")
    parser.add_argument(
        "--draws",
        type=int,
        default=20_000,
        help="most draws of each distribution test (default 20000; above, what 20 seconds allow)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the report as Markdown")
    parser.add_argument(
        "--record", action="store_true", help="record all cases with Rscript and show what changed"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    return parser
