"""Change R scripts in one place and see whether their ports are right or say that they are not.

``python benchmarks/r_mutations.py`` makes 210 scripts from those of ``r_reference/scripts``: each has one
change of ``r_mutations.txt``, a rewritten place or inserted lines. R and the port run each. No port may
show another number or text than R without a word: ``wrong``, ``shown`` and ``crash`` must be none.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import signal
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pydpstat.errors import PydpstatError  # noqa: E402
from pydpstat.porting import RSyntaxError, parse  # noqa: E402
from pydpstat.porting import _verify as verifying  # noqa: E402
from pydpstat.porting._recorded import ScriptRecord, load_record  # noqa: E402
from pydpstat.porting._translation import PortedScript, translate_script  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[1] / "r_reference" / "scripts"
CHANGES = Path(__file__).with_suffix(".txt")
SECONDS = 120
PROCESSES = 2
JUDGEMENTS = {
    "equal": "all values and all that is shown are equal",
    "listed": "the list of problems has it",
    "error": "Python stops with an error",
    "unreached": "a listed statement stops Python before the change",
    "no R": "R cannot read the script, or does not end",
    "wrong": "a number or a text differs without a word",
    "shown": "values are equal, but another text is shown",
    "crash": "the translator itself fails",
}
FAILURES = ("wrong", "shown", "crash")
T, U = TypeVar("T"), TypeVar("U")
# how the comparison's words begin where values are equal and what is printed is not
_PRINTED = ("printed line", "only R prints", "only Python prints", "messages:")


class Change(NamedTuple):
    """Lines to insert, or, if there is a pattern, what to write in its place."""

    name: str
    text: str
    pattern: str = ""


@dataclass(frozen=True)
class Mutant:
    """The statements of a script with a change, which is in the statement `place`."""

    script: str
    change: Change
    statements: tuple[str, ...]
    place: int

    @property
    def text(self) -> str:
        """The R script."""
        return "".join(f"{each}\n" for each in self.statements)

    @property
    def line(self) -> int:
        """Where the changed statement begins."""
        return 1 + sum(each.count("\n") + 1 for each in self.statements[: self.place])


class Judged(NamedTuple):
    """What came of a script: a word of JUDGEMENTS, the line and what is said there, and what R shows."""

    word: str
    line: int = 0
    note: str = ""
    shown: str = ""
    statement: str = ""


DEAD = Judged("crash", 0, "the process of Python died")


def changes(path: Path = CHANGES) -> list[Change]:
    """Return the changes of a file: ``@ name`` before lines to insert, ``~ name ~ pattern ~ text``."""
    found: list[Change] = []
    for block in re.split(r"^(?=[@~] )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        kind, _, rest = block.strip().partition(" ")
        if kind == "~":
            name, pattern, text = rest.split(" ~ ")
            found.append(Change(name.strip(), text.strip(), pattern.strip()))
        elif kind == "@":
            name, _, text = rest.partition("\n")
            found.append(Change(name.strip(), text))
    return found


def statements(text: str) -> tuple[str, ...]:
    """Return the top-level expressions of a script, each as it is written."""
    script = parse(text)
    return tuple(script.text[each.start : each.end] for each in script.expressions)


def mutants(scripts: dict[str, tuple[str, ...]], known: Sequence[Change], seed: int) -> Iterator[Mutant]:
    """Give each change once, in a drawn script at a drawn place, then each once again, without an end."""
    draw = random.Random(seed)
    while True:
        for change in draw.sample(known, len(known)):
            for name in draw.sample(sorted(scripts), len(scripts)):
                parts = scripts[name]
                if not change.pattern:
                    place = draw.randint(1, len(parts))
                    yield Mutant(name, change, (*parts[:place], change.text, *parts[place:]), place)
                    break
                if places := [(k, new) for k, each in enumerate(parts) for new in rewritten(each, change)]:
                    place, new = draw.choice(places)
                    yield Mutant(name, change, (*parts[:place], new, *parts[place + 1 :]), place)
                    break


def rewritten(text: str, change: Change) -> Iterator[str]:
    """Give a statement once for each place of a pattern that is not within a text or a comment."""
    kept = [found.span() for found in re.finditer(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|#.*", text)]
    for found in re.finditer(change.pattern, text):
        new = text[: found.start()] + found.expand(change.text) + text[found.end() :]
        if new != text and not any(a < found.start() < b for a, b in kept) and _is_r(new):
            yield new


def _is_r(text: str) -> bool:
    try:
        return bool(parse(text))
    except RSyntaxError:
        return False


def judged(text: str, name: str, line: int = 1) -> Judged:
    """Run a script, changed in a line, on both sides."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "data").symlink_to(SCRIPTS / "data")
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            try:
                record = load_record(path)
            except (PydpstatError, TimeoutError) as error:
                return Judged("no R", 0, str(error))
            try:
                port = translate_script(text, name)
            except Exception as error:
                return Judged("crash", 0, f"{type(error).__name__}: {error}")
            return _compared(port, record, path.parent, line)
    finally:
        signal.alarm(0)


def _compared(port: PortedScript, record: ScriptRecord, folder: Path, line: int) -> Judged:
    found = verifying.verify_port(port.all_chunks, record, folder).lines
    outputs = {each["index"]: "\n".join(each["output"]) for each in record["expressions"]}
    for each in found:
        if each.status == verifying.DIFFERENT:
            word = "shown" if each.note.startswith(_PRINTED) else "wrong"
            return Judged(word, each.line, each.note, outputs[each.index])
    last = found[-1]
    if last.status == verifying.R_STOPPED:
        return Judged("equal", last.line, "both stop")
    if last.status == verifying.PYTHON_STOPPED:
        listed = "is not translated" in last.note
        early = listed and last.line < line and all(one.line < line for one in port.problems)
        return Judged("unreached" if early else "listed" if listed else "error", last.line, last.note)
    if port.problems:
        return Judged("listed", port.problems[0].line, port.problems[0].reason)
    return Judged("equal")


def _too_long(*_: object) -> None:
    raise TimeoutError(f"no end after {SECONDS} seconds")


def equal_part(path: Path) -> tuple[tuple[str, ...], list[Judged]]:
    """Return the statements of a script, without those whose port is not equal unchanged, and why."""
    text = path.read_text(encoding="utf-8")
    parts, listed = list(statements(text)), translate_script(text).problems
    left = [Judged("listed", each.line, each.reason) for each in listed]
    starts = [parse(text).place(each.start)[0] for each in parse(text).expressions]
    for index in {bisect_right(starts, each.line) - 1 for each in listed}:
        parts[index] = ""
    parts = [each for each in parts if each]
    while True:
        text = "".join(f"{each}\n" for each in parts)
        [found] = in_processes(partial(judged, name=path.name), [text], DEAD)
        if found.word == "equal" and not found.line:
            return tuple(parts), left
        left.append(found)
        del parts[_index(parts, found.line)]


def _index(parts: Sequence[str], line: int) -> int:
    end = 0
    for index, each in enumerate(parts):
        end += each.count("\n") + 1
        if line <= end:
            return index
    return len(parts) - 1


def _judged_mutant(mutant: Mutant) -> list[Judged]:
    """Judge each of the inserted statements: those that fail are left out the next time."""
    found: list[Judged] = []
    parts = list(statements(mutant.statements[mutant.place]))
    head, tail = mutant.statements[: mutant.place], mutant.statements[mutant.place + 1 :]
    while parts:
        text = "".join(f"{each}\n" for each in (*head, *parts, *tail))
        [judgement] = in_processes(partial(judged, name=mutant.script, line=mutant.line), [text], DEAD)
        place = _index((*head, *parts, *tail), judgement.line) - len(head)
        within = judgement.line and 0 <= place < len(parts)
        found.append(judgement._replace(statement=(*head, *parts, *tail)[place + len(head)]))
        # a statement that stops both sides keeps the next ones from being compared
        if not within or judgement.word in ("unreached", "no R", "crash"):
            break
        del parts[place]
    return found


def in_processes(function: Callable[[T], U], arguments: Sequence[T], broken: U) -> Iterator[U]:
    """Give what a function returns, in order, each from a process of its own, or `broken` if it dies."""
    context = multiprocessing.get_context("fork")
    found: dict[int, U] = {}
    running: dict[Any, tuple[int, Any]] = {}
    waiting, told = list(enumerate(arguments)), 0
    while told < len(arguments):
        while waiting and len(running) < PROCESSES:
            place, argument = waiting.pop(0)
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_sent, args=(function, argument, sender))
            process.start()
            sender.close()
            running[receiver] = place, process
        for receiver in wait(list(running)):
            place, process = running.pop(receiver)
            try:
                found[place] = receiver.recv()
            except EOFError:
                found[place] = broken
            process.join()
        while told in found:
            yield found.pop(told)
            told += 1


def _sent(function: Callable[[T], U], argument: T, sender: Any) -> None:
    sender.send(function(argument))


def told(mutant: Mutant, found: Judged) -> str:
    """Return what to look at: the change, the statement that failed, and what R shows."""
    change = mutant.statements[mutant.place]
    lines = [f"{found.word}: {mutant.change.name} in {mutant.script}, line {found.line or mutant.line}"]
    lines += _indented("change", change)
    lines += _indented("fails", found.statement) if found.line and found.statement != change else []
    lines += _indented("says", found.note)
    lines += _indented("R", found.shown)
    return "\n".join(lines)


def _indented(head: str, text: str, most: int = 12) -> list[str]:
    lines = text.strip("\n").split("\n")[:most]
    return [f"    {head if not k else '':<9} {each[:160]}" for k, each in enumerate(lines)] if text else []


def main() -> int:
    """Make, run and judge the scripts; return 1 where a port is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=210, help="how many scripts")
    parser.add_argument("--only", default="", metavar="TEXT", help="only changes whose names have this text")
    parser.add_argument("--all", action="store_true", help="tell of each script, not only of failures")
    options = parser.parse_args()
    known = [each for each in changes() if options.only in each.name]
    if not known:
        parser.error(f"no change has a name with {options.only!r}")
    count = min(options.count, len(known)) if options.only else options.count
    scripts: dict[str, tuple[str, ...]] = {}
    paths = sorted(SCRIPTS.glob("*.R"))
    for path, (parts, left) in zip(paths, in_processes(equal_part, paths, ((), []))):
        scripts[path.name] = parts
        reasons = "; ".join(f"{each.word} {each.line}: {each.note}" for each in left if each.word in FAILURES)
        print(f"{path.name}: {len(parts)} statements, {len(left)} left out. {reasons}".strip(), flush=True)
    chosen = list(islice(mutants(scripts, known, options.seed), count))
    sums: Counter[str] = Counter()
    # a redefined name or a changed option lasts until the end of its process
    for mutant, found in zip(chosen, in_processes(_judged_mutant, chosen, [DEAD])):
        failures = [each for each in found if each.word in FAILURES]
        sums[(failures or found)[0].word] += 1
        for each in found if options.all else failures:
            print(f"\n{told(mutant, each)}", flush=True)
    print(f"\n{'judged':<12}{'scripts':>8}")
    for word, meaning in JUDGEMENTS.items():
        print(f"{word:<12}{sums[word]:>8}  {meaning}")
    return int(any(sums[word] for word in FAILURES))


if __name__ == "__main__":
    sys.exit(main())
