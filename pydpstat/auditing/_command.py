"""Command line ``python -m pydpstat audit``: audits of known defects of the originals and of all pydpstat functions."""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from pydpstat import _files as files
from pydpstat._data.progress import is_progress_shown
from pydpstat._markup import as_markdown
from pydpstat.auditing._cases import Case, all_cases
from pydpstat.auditing.audit import MIN_SAMPLES, audit
from pydpstat.auditing.results import AuditResults
from pydpstat.errors import MissingExtraError, PydpstatError

SAMPLES = 1_000_000
# the first is for defects; with the second, the chance of accusing any sound case is below 1 %
DEFECT_CONFIDENCE, SOUND_CONFIDENCE = 0.99, 0.9999
HEADERS = ("row", "release", "claim", "true", "epsilon >=", "verdict", "witness")


@dataclass(frozen=True)
class CaseOutcome:
    """Outcome of the case with this index in `all_cases`."""

    index: int
    result: AuditResults | None
    seconds: float
    message: str = ""

    @property
    def case(self) -> Case:
        """The case; it is looked up because its release is a function that cannot be pickled."""
        return all_cases()[self.index]

    @property
    def is_right(self) -> bool:
        """Whether a defect was found, or a sound release cleared; True if the case could not be run."""
        if self.result is None:
            return self.message.startswith("not run")
        sound = self.case.kind == "sound"
        if not sound and self.result.draws[0] >= SAMPLES and self.result.epsilon_lower <= self.case.at_least:
            return False
        return bool(self.result.violates) != sound

    @property
    def verdict(self) -> str:
        """The outcome in one word."""
        if self.result is None:
            return self.message
        if self.case.kind == "sound":
            return "cleared" if self.is_right else "ACCUSED"
        status = "documented" if self.case.kind == "exception" else "found"
        return status if self.is_right else "MISSED"

    def format_cells(self) -> tuple[str, ...]:
        """Return the table's row."""
        result, case = self.result, self.case
        if result is None:
            return (case.row, case.name, "-", _format_epsilon(case.true), "-", self.verdict, "-")
        claim = "-" if result.claim is None else f"{result.claim.epsilon:g}"
        claim += f", {result.delta:g}" if result.delta else ""
        restriction = " (only under one of the two)" if result.only_under_one else ""
        witness = result.witness + restriction if result.epsilon_lower > 0.0 else "-"
        lower_bound = f"{result.epsilon_lower:.4f}"
        return (case.row, case.name, claim, _format_epsilon(case.true), lower_bound, self.verdict, witness)

    def describe_progress(self) -> str:
        """Return the row in one line, for the progress display."""
        lower_bound = "" if self.result is None else f" with epsilon >= {self.result.epsilon_lower:.4f}"
        return f"{self.case.name}, {self.verdict}{lower_bound}, {self.seconds:.0f} s"

    def as_dict(self) -> dict[str, object]:
        """Return the row in plain JSON types."""
        return {
            "name": self.case.name,
            "kind": self.case.kind,
            "row": self.case.row,
            "true": self.case.true if math.isfinite(self.case.true) else _format_epsilon(self.case.true),
            "verdict": self.verdict,
            "seconds": round(self.seconds, 2),
            "audit": None if self.result is None else self.result.to_dict(),
        }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the audits and return 0 if each defect is found and each sound release cleared, else 1 or 2."""
    options = _make_parser().parse_args(argv)
    name_parts = options.only or [""]
    indices = [index for index, case in enumerate(all_cases()) if any(text in case.name for text in name_parts)]
    if not indices:
        print(f"no case has {' or '.join(map(repr, name_parts))} in its name", file=sys.stderr)
        return 2
    if options.samples < MIN_SAMPLES:
        print(f"--samples must be at least {MIN_SAMPLES}; got {options.samples}", file=sys.stderr)
        return 2
    rows = run_cases(indices, options.samples, options.processes, options.seconds, is_progress_shown())
    print(format_text(rows, options.samples))
    if options.markdown:
        files.write_text(options.markdown, format_markdown(rows, options.samples))
    if options.json:
        data = {"samples": options.samples, "rows": [row.as_dict() for row in rows]}
        files.write_text(options.json, json.dumps(data, indent=1) + "\n")
    return 0 if all(row.is_right for row in rows) else 1


def run_cases(
    indices: Sequence[int], samples: int, processes: int, seconds: float | None = None, progress: bool = False
) -> list[CaseOutcome]:
    """Audit cases by their indices in `all_cases`, with up to `processes` at a time; a single process is this one.

    Each draws `samples` times from each data set, or fewer times if these suffice, or for up to `seconds`.
    """
    if processes == 1 or len(indices) == 1:
        return [_run_case(index, samples, seconds) for index in indices]
    # spawned because a forked process would share this one's random streams
    context = multiprocessing.get_context("spawn")
    done: dict[int, CaseOutcome] = {}
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_set_no_progress) as pool:
        for job in as_completed([pool.submit(_run_case, index, samples, seconds) for index in indices]):
            row = job.result()
            done[row.index] = row
            if progress:
                print(f"{len(done)} of {len(indices)}: {row.describe_progress()}", file=sys.stderr, flush=True)
    return [done[index] for index in indices]


def _set_no_progress() -> None:
    # the progress lines of several processes would overwrite each other
    os.environ["PYDPSTAT_PROGRESS"] = "0"


def _run_case(index: int, samples: int, seconds: float | None) -> CaseOutcome:
    start, case = time.perf_counter(), all_cases()[index]
    result, message = None, ""
    try:
        result = audit(
            case.release,
            case.data,
            case.neighbor,
            claim=case.claim,
            samples=min(samples, case.max_draws),
            seconds=seconds,
            confidence=SOUND_CONFIDENCE if case.kind == "sound" else DEFECT_CONFIDENCE,
        )
    except MissingExtraError as error:
        message = f"not run: {error}"
    except PydpstatError as error:
        message = f"failed: {error}"
    return CaseOutcome(index, result, time.perf_counter() - start, message)


def format_text(rows: Sequence[CaseOutcome], samples: int) -> str:
    """Return the table as text, with the witness last and in full."""
    lines = [HEADERS, *(row.format_cells() for row in rows)]
    widths = [max(len(line[j]) for line in lines) for j in range(len(HEADERS) - 1)]
    table = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[-1]]).rstrip() for line in lines
    ]
    return "\n".join([*table, "", *_format_notes(rows, samples)])


def format_markdown(rows: Sequence[CaseOutcome], samples: int) -> str:
    """Return the table as Markdown."""
    lines = [HEADERS, *(row.format_cells() for row in rows)]
    table = ["| " + " | ".join(map(as_markdown, line)) + " |" for line in lines]
    table.insert(1, "| " + " | ".join(["---"] * len(HEADERS)) + " |")
    return "\n".join([*table, "", *_format_notes(rows, samples), ""])


def _format_notes(rows: Sequence[CaseOutcome], samples: int) -> list[str]:
    wrong = [row.case.name for row in rows if not row.is_right]
    count = {kind: sum(row.case.kind == kind for row in rows) for kind in ("defect", "sound", "exception")}
    return [
        f"Up to {samples:,} draws from each data set. Each bound holds with probability {DEFECT_CONFIDENCE:g} "
        f"(defects) or {SOUND_CONFIDENCE:g} (pydpstat's functions).",
        f"{count['defect']} known defects, {count['sound']} sound releases, {count['exception']} documented "
        f"exceptions: " + ("all as they should be." if not wrong else "wrong: " + "; ".join(wrong) + "."),
    ]


def _format_epsilon(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "infinite" if math.isinf(value) else f"{value:.4g}"


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat audit",
        description="Audit the originals' known defects and pydpstat's functions at their worst neighbors.",
    )
    parser.add_argument("--samples", type=int, default=SAMPLES, help="draws from each data set (default 1000000)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only cases with this text in their name; may be given several times",
    )
    parser.add_argument("--processes", type=int, default=2, help="cases to work on at a time (default 2)")
    parser.add_argument("--seconds", type=float, metavar="S", help="draw for at most this long for each case")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table as JSON")
    return parser
