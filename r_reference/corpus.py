"""``port --verify`` over the examples of R's help pages and over ten scripts: what is R's, and what is not.

``python -m r_reference.corpus`` runs where R is, and else shows what was recorded. ``--record`` writes the
counts of each file and all statements that differ to ``corpus.json``. Options choose files by their names.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path

from pydpstat.errors import PydpstatError
from pydpstat.porting import RSyntaxError
from pydpstat.porting import _verify as verify
from pydpstat.porting._files import read_script
from pydpstat.porting._recorded import load_record
from pydpstat.porting._translation import translate_script

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "corpus.json"
# a file is given up after so many seconds of processor time on either side, whatever else the machine does
SECONDS = 30
# a deviation up to this is one of the last digits
SMALL = 1e-12
COUNTS = ("expressions", "equal", "small", "tolerated", "different", "exceptions", "stopped", "left_out")


@dataclass
class Counted:
    """What became of the expressions of a file.

    `equal` are equal bit for bit, `small` within 1e-12 and `tolerated` within the tolerance of a function
    that R leaves to an optimizer or a library. `different` are values or texts, `exceptions` are Python's.
    `stopped` are R's own errors. `left_out` have nothing to compare, or depend on one that is refused.
    `refused` counts the reasons of what is not translated, or is refused when it is run.
    """

    name: str
    expressions: int = 0
    equal: int = 0
    small: int = 0
    tolerated: int = 0
    different: int = 0
    exceptions: int = 0
    stopped: int = 0
    left_out: int = 0
    # why the whole file is missing
    failure: str = ""
    refused: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def count_file(path: Path, name: str, folder: Path) -> Counted:
    """Compare a file's translation with R, both run in a folder."""
    found = Counted(name)
    script = folder / path.name
    shutil.copyfile(path, script) if script != path else None
    try:
        with _at_most(SECONDS):
            port = translate_script(read_script(script, "port"), path.name)
        record = load_record(script, processor_seconds=SECONDS)
        with _at_most(SECONDS):
            lines = verify.verify_port(port.all_chunks, record, folder).lines
    except (PydpstatError, RSyntaxError) as error:
        found.failure = re.sub(r"/\S+/", "", str(error))[:200]
        return found
    except _TooLongError:
        found.failure = f"it takes more than {SECONDS} seconds of processor time"
        return found
    refused: Counter[str] = Counter()
    for each in lines:
        _count_line(found, each, refused)
    found.refused = dict(sorted(refused.items()))
    return found


class _TooLongError(BaseException):
    """A side takes too long; no exception of a script, which the comparison would catch."""


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLongError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _count_line(found: Counted, line: verify.LineResult, refused: Counter[str]) -> None:
    found.expressions += 1
    status, note = line.status, line.note
    if status == verify.EQUAL:
        found.equal += 1
    elif status == verify.CLOSE:
        small = float(note.partition(",")[0]) <= SMALL
        found.small, found.tolerated = found.small + small, found.tolerated + (not small)
    elif status == verify.R_STOPPED:
        found.stopped += 1
    elif status in (verify.NOT_TRANSLATED, verify.REFUSED):
        refused[re.sub(r"^line \d+ is not translated: ", "", note)] += 1
    elif status in (verify.DIFFERENT, verify.PYTHON_STOPPED):
        different = status == verify.DIFFERENT
        found.different, found.exceptions = found.different + different, found.exceptions + (not different)
        found.wrong.append(f"line {line.line}: {status} ({note})")
    else:
        found.left_out += 1


def _task(path: Path, name: str) -> Counted:
    """Count a file in a folder that is removed afterwards; the ten scripts have data next to them."""
    own = path.parent == HERE / "scripts"
    with (
        tempfile.TemporaryDirectory() as made,
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        try:
            return count_file(path, name, path.parent if own else Path(made))
        except Exception as error:
            return Counted(name, failure=f"{type(error).__name__}: {error}"[:200])


def run(chosen: Sequence[str], processes: int, every: int = 1, record: bool = False) -> list[Counted]:
    """Count all files, or those whose names contain one of some words."""
    with tempfile.TemporaryDirectory() as made:
        command = ["Rscript", str(HERE / "examples.R"), made]
        subprocess.run(command, check=True, capture_output=True)
        files = {f"{path.parent.name}/{path.stem}": path for path in sorted(Path(made).glob("*/*.R"))}
        files |= {f"scripts/{path.stem}": path for path in sorted((HERE / "scripts").glob("*.R"))}
        wanted = {name: path for name, path in files.items() if not chosen or any(w in name for w in chosen)}
        wanted = dict(list(wanted.items())[::every])
        found = []
        # each process has what this one has imported
        with ProcessPoolExecutor(processes, get_context("fork")) as pool:
            tasks = [pool.submit(_task, path, name) for name, path in wanted.items()]
            for number, each in enumerate(as_completed(tasks), 1):
                found.append(each.result())
                # a run that is ended before its end has recorded most of it
                if record and number % 20 == 0:
                    _write_record(found, replace=False)
                last = found[-1]
                wrong = last.different + last.exceptions
                said = f"{wrong} wrong" if wrong else last.failure or "no difference"
                print(f"[{number}/{len(tasks)}] {last.name}: {said}", file=sys.stderr, flush=True)
    return sorted(found, key=lambda one: one.name)


def report(found: Sequence[Counted], details: bool = False) -> str:
    """Return the sums by package, and the most frequent reasons of refusals."""
    packages = sorted({each.name.partition("/")[0] for each in found})
    lines = [f"{'':10}{'files':>7}" + "".join(f"{key:>13}" for key in (*COUNTS, "refused"))]
    for package in [*packages, "all"]:
        mine = [each for each in found if package in ("all", each.name.partition("/")[0])]
        sums = [sum(getattr(each, key) for each in mine) for key in COUNTS]
        sums.append(sum(sum(each.refused.values()) for each in mine))
        lines.append(f"{package:10}{len(mine):>7}" + "".join(f"{each:>13}" for each in sums))
    failures = Counter(each.failure for each in found if each.failure)
    lines += ["", "Files without a comparison:", *(f"{n:7} {why}" for why, n in failures.most_common(12))]
    reasons: Counter[str] = Counter()
    for each in found:
        for reason, count in each.refused.items():
            reasons[re.sub(r"^\S+ has no counterpart.*", "a function has no counterpart", reason)] += count
    lines += ["", "Refused:", *(f"{n:7} {why[:110]}" for why, n in reasons.most_common(30))]
    if details:
        lines += ["", *(f"{each.name}: {wrong}" for each in found for wrong in each.wrong)]
    return "\n".join(lines)


def read_record() -> list[Counted]:
    """Return the counts that were recorded."""
    return [Counted(**each) for each in json.loads(RECORDED.read_text(encoding="utf-8"))]


def _write_record(found: Sequence[Counted], replace: bool) -> None:
    """Record counts; those of other files are kept unless all were run."""
    old = [] if replace or not RECORDED.exists() else read_record()
    known = {each.name: each for each in (*old, *found)}
    rows = ",\n".join(json.dumps(asdict(known[name]), ensure_ascii=False) for name in sorted(known))
    RECORDED.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Run or show the corpus; the exit code is 1 if a value differs or Python raises an exception."""
    parser = argparse.ArgumentParser(prog="python -m r_reference.corpus", description=__doc__)
    parser.add_argument("files", nargs="*", help="parts of names, such as stats/ or MASS/")
    parser.add_argument("--record", action="store_true", help="write corpus.json")
    parser.add_argument("--details", action="store_true", help="show each statement that differs")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th file")
    parser.add_argument("--processes", type=int, default=2, help="at most so many at a time")
    options = parser.parse_args(argv)
    live = shutil.which("Rscript") is not None and os.environ.get("PYDPSTAT_NO_R", "0") in ("", "0")
    if live:
        found = run(options.files, options.processes, options.every, options.record)
    else:
        print(f"There is no R: {RECORDED.name} has what was recorded.")
        found = read_record()
    if options.record and live:
        _write_record(found, replace=not options.files and options.every == 1)
    print(report(found, options.details))
    return int(any(each.different or each.exceptions for each in found))


if __name__ == "__main__":
    sys.exit(main())
