"""Change one token of the package at a time, and see whether a test notices.

``python tools/mutants.py --count 1000`` copies the checkout, records which test runs which line, then tries a
seeded sample of all changes: each in a separate process, with the tests that run its line, until one fails;
the quickest tests and those of the same module come first. ``--survivors`` tries what is left again, with the
slow tests and more time, and ``--record`` writes `mutants.json`, which also says of some changes why no test
can notice them. A later run maps, in the same folder, only the test files that are new, and tries only the
changes that neither the folder nor the record has. It needs coverage.py. TestMap that start another Python do
not see the change, so that somewhat more may be caught.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import hashlib
import json
import math
import os
import pickle
import resource
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from mutations import Mutant, find_mutants

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "pydpstat"
# the package's folders, the two largest inner ones apart, and the modules beside them
ROOMS = ("porting/r", *sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")), "")
RECORD = HERE / "mutants.json"
# they ask for engines or a server, or look at texts, and would only take time
SKIPPED = ("engines", "plots", "stubs", "tutorial", "test_benchmarks", "test_docs", "test_house")
SKIPPED += ("postgres_crash", "test_files", "test_notebooks", "test_whole_report", "test_readme")
SKIPPED += ("test_lists", "test_digits", "test_mutants")
# imported once, before a process is run_in_fork for each change
WARM = "numpy scipy.stats scipy.optimize scipy.signal pandas mpmath statsmodels.api hypothesis"
# seconds of tests for a change: at first, and with --survivors
SHORT, LONG = 25.0, 150.0


class TestRecorder:
    """A pytest plugin that selects tests and records their times and failures."""

    def __init__(self, chosen: set[str] | None = None, coverage: Any = None) -> None:
        self.chosen, self.coverage = chosen, coverage
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.chosen is not None:
            items[:] = [item for item in items if item.nodeid in self.chosen]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.coverage:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


# the examples in a module's docstrings
EXAMPLES = ("--doctest-modules", "--import-mode=prepend")


def run_pytest(files: list[str], recorder: TestRecorder, *options: str) -> None:
    """Run tests here, in silence."""
    import pytest

    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    # what a test leaves open is closed at a time that coverage.py moves; the rewriting of asserts would read a module
    # with examples, or one named *_test.py, from its file
    left_open = ("-W", "ignore::pytest.PytestUnraisableExceptionWarning")
    quiet = (*left_open, "--assert=plain", "-p", "no:cacheprovider", "-q", "--tb=no")
    code = pytest.main([*files, *quiet, *options], plugins=[recorder])
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        recorder.failed.append("pytest itself")


def hash_package(tree: Path) -> str:
    """Return a hash of the package's modules."""
    texts = [path.read_bytes() for path in sorted((tree / "pydpstat").rglob("*.py"))]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def map_test_file(job: tuple[Path, str, Path, str]) -> None:
    """Record which lines of the package the tests of a file run, and how long they take."""
    from coverage import Coverage

    tree, file, to, marked = job
    coverage = Coverage(data_file=None, config_file=False, include=[str(tree / "pydpstat" / "*")])
    recorder, begun = TestRecorder(coverage=coverage), time.monotonic()
    coverage.start()
    run_pytest([file], recorder, "-m", marked)
    coverage.stop()
    data = coverage.get_data()
    lines = {str(Path(path).relative_to(tree)): data.contexts_by_lineno(path) for path in data.measured_files()}
    aside = time.monotonic() - begun - sum(recorder.seconds.values())
    seconds = {test: each for test, each in recorder.seconds.items() if test not in recorder.failed}
    to.write_bytes(pickle.dumps((hash_package(tree), lines, seconds, aside, recorder.failed)))


@cache
def match_lines(before: Path, now: Path) -> dict[int, int]:
    """Return where the lines of an earlier text of a module are now."""
    if not before.exists() or not now.exists():
        return {}
    old, new = before.read_text(encoding="utf-8"), now.read_text(encoding="utf-8")
    if old == new:
        return {line: line for line in range(len(old.splitlines()) + 1)}
    blocks = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), False).get_matching_blocks()
    return {a + k + 1: b + k + 1 for a, b, size in blocks for k in range(size)}


class TestMap:
    """Which tests run a line."""

    def __init__(self, tree: Path, sources: Path, paths: list[tuple[str, Path]]) -> None:
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.seconds: dict[str, float] = {}
        self.aside: dict[str, float] = defaultdict(float)
        self.broken: list[str] = []
        for file, path in paths:
            digest, lines, seconds, aside, failed = pickle.loads(path.read_bytes())
            self.aside[file] = max(self.aside[file], aside)
            self.seconds |= seconds
            self.broken += failed
            for module, found in lines.items():
                now = match_lines(sources / digest / module, tree / module)
                for line, contexts in found.items():
                    # what runs while tests are collected may concern each of them
                    known = seconds if "" in contexts else seconds.keys() & set(contexts)
                    if line in now:
                        self.lines[module][now[line]] |= set(known)

    def find_tests(self, mutant: Mutant, most: float) -> list[tuple[float, str]]:
        """Return the tests that run a change with their seconds, the quickest and the nearest first.

        Those that would not be run in so many seconds are left out.
        """
        lines = self.lines.get(mutant.path, {})
        asked = lines if mutant.imported else range(mutant.first, mutant.last + 1)
        tests = set().union(*(lines.get(line, ()) for line in asked))
        if not tests and lines:
            # a new statement: what runs the nearest line that was there
            tests = lines[min(lines, key=lambda line: abs(line - mutant.first))]
        # what a file needs to be read is shared by its tests
        files = Counter(map(get_test_file, tests))
        shared = {file: self.aside[file] / count for file, count in files.items()}
        found = [(self.seconds[test] + shared[get_test_file(test)], test) for test in tests]
        found.sort(key=lambda each: (each[0] / compute_nearness(mutant.path, get_test_file(each[1])), each[1]))
        before = accumulate((each[0] for each in found), initial=0.0)
        return [each for each, begun in zip(found, before) if begun < 2.0 * most]


@cache
def compute_nearness(module: str, file: str) -> int:
    """Return how much sooner the tests of a file are run because it is named like a module or its folder."""
    of_module, of_test = Path(module), Path(file)
    named = {*of_module.stem.strip("_").split("_")} & {*of_test.stem.split("_")}
    return (4 if named else 1) * (2 if {*of_module.parts[1:-1]} & {*of_test.parts} else 1)


def get_test_file(test: str) -> str:
    """Return a test's file."""
    return test.partition("::")[0]


def plan_rounds(tests: list[tuple[float, str]], most: float) -> Iterator[tuple[list[str], float]]:
    """Return the tests to be run together and their seconds: at first few, and some more each time.

    The last round has none, for the examples: few changes are noticed by them alone.
    """
    total, place = 0.0, 0
    for upto in (0.02 * most, 0.2 * most, most):
        found, before = [], total
        for seconds, test in tests[place:]:
            if total + seconds >= (upto if found else 2.0 * most):
                break
            found.append(test)
            total += seconds
        place += len(found)
        if found:
            yield found, total - before
    yield [], 0.0


def try_mutant(job: tuple[Path, Mutant, list[tuple[float, str]], float]) -> dict[str, Any]:
    """Run a change's tests, some more each time, until one fails or the time is over."""
    tree, mutant, tests, most = job
    begun = time.monotonic()
    said = {"key": mutant.key, "state": "survived" if tests else "unrun", "tests": len(tests), "ran": 0}
    for chosen, seconds in plan_rounds(tests, most):
        failed = run_in_fork(tree, mutant, {*chosen}, 20.0 + 5.0 * seconds)
        said["ran"] += len(chosen)
        if failed:
            said |= {"state": "caught", "by": failed}
            break
    return said | {"seconds": round(time.monotonic() - begun, 1)}


def run_in_fork(tree: Path, mutant: Mutant, chosen: set[str], limit: float) -> str:
    """Return the test that fails with a change, "time" where it never ends, or nothing.

    Without tests it is the examples in the module's docstrings.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        # of the processor's time, because others may be using it, too
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
        load, changed = SourceFileLoader.get_code, str(tree / mutant.path)

        def get_code(self: SourceFileLoader, name: str) -> Any:
            if self.path == changed:
                return compile(mutant.make_source(), changed, "exec", dont_inherit=True)
            return load(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        recorder = TestRecorder(chosen or None)
        try:
            files = sorted(set(map(get_test_file, chosen))) or [mutant.path]
            run_pytest(files, recorder, "-x", *(() if chosen else EXAMPLES))
        except BaseException as error:
            recorder.failed.append(type(error).__name__)
        os.write(write, "".join(recorder.failed[:1]).encode()[:4000])
        os._exit(0)
    os.close(write)
    ends, status = time.monotonic() + 20.0 * limit, None
    while status is None and time.monotonic() < ends:
        time.sleep(0.02)
        status = dict([os.waitpid(child, os.WNOHANG)]).get(child)
    if status is None:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with os.fdopen(read, "rb") as said:
        late = status is None or os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        return "time" if late else said.read().decode() or ("a crash" if status else "")


def prepare_tree(folder: Path) -> Path:
    """Copy the checkout, go there and import what all tests need but the package."""
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    left = shutil.ignore_patterns(".git", ".venv", ".r-library*", ".cache", "output", "__pycache__")
    shutil.copytree(HERE.parent, tree, ignore=left)
    os.chdir(tree)
    sys.path[:] = [str(tree), *(each for each in sys.path if Path(each).resolve() != HERE.parent)]
    os.environ |= {"PYTHONPATH": os.pathsep.join(sys.path), "PYDPSTAT_NO_R": "1", "MPLBACKEND": "agg"}
    for name in WARM.split():
        import_module(name)
    return tree


def find_room(path: str) -> str:
    """Return the room of a module, or of a change's key."""
    return next(room for room in ROOMS if path.startswith(f"pydpstat/{room}/" if room else "pydpstat/"))


def choose_sample(every: list[Mutant], count: int, seed: int, first: Collection[str] = ()) -> list[Mutant]:
    """Return a sample: half of it equally from all rooms, half as they have changes.

    The order within a room is that of a hash of each change, so that the sample hardly moves with the code;
    those whose hash is in `first` are before the others.
    """
    by_room: dict[str, dict[str, Mutant]] = defaultdict(dict)
    for each in every:
        by_room[find_room(each.path)].setdefault(each.key, each)

    found = []
    for inside in by_room.values():
        size = math.ceil(0.5 * count * (1 / len(by_room) + len(inside) / len(every)))
        found += sorted(inside, key=lambda key: (hash_text(key) not in first, hash_text(f"{seed} {key}")))[:size]
    known = {key: each for inside in by_room.values() for key, each in inside.items()}
    return [known[key] for key in sorted(found, key=lambda key: hash_text(f"{seed} {key}"))]


def hash_text(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def map_tests(tree: Path, folder: Path, marks: tuple[str, ...], pool: Any) -> TestMap:
    """Map the test files that are new, and return which tests run a line."""
    sources = folder / "sources" / hash_package(tree)
    if not sources.exists():
        shutil.copytree(tree / "pydpstat", sources / "pydpstat")
    paths = []
    for mark in marks:
        for path in sorted(tree.glob("tests/**/test_*.py")):
            file = str(path.relative_to(tree))
            if not any(name in file for name in SKIPPED):
                version = hash_text(path.read_text(encoding="utf-8"))
                name = f"{mark.replace(' ', '-')}-{file.replace('/', '-')}-{version}"
                paths.append((file, folder / "map" / name, mark))
    jobs = [(tree, file, to, mark) for file, to, mark in paths if not to.exists()]
    for number, _ in enumerate(pool.imap_unordered(map_test_file, jobs, chunksize=1), 1):
        print(f"mapped {number} of {len(jobs)}", flush=True)
    return TestMap(tree, folder / "sources", [(file, to) for file, to, _ in paths if to.exists()])


def main() -> None:
    """Map the tests, try a sample of the changes, and print what no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--rooms", nargs="*", default=ROOMS, help="only changes in these")
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "pydpstat-mutants")
    parser.add_argument("--survivors", action="store_true", help="only those of the last run, with all tests")
    parser.add_argument("--record", action="store_true", help="write mutants.json")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    (folder / "map").mkdir(parents=True, exist_ok=True)
    tree, fork = prepare_tree(folder), get_context("fork")
    with fork.Pool(asked.jobs, maxtasksperchild=1) as pool:
        tests = map_tests(tree, folder, ("not slow", "slow") if asked.survivors else ("not slow",), pool)
    print(f"{len(tests.seconds)} tests, without {len(tests.broken)} that fail here: {tests.broken[:5]}")
    every = list(find_mutants(tree, "pydpstat"))
    count, nothing = len(every), Mutant(tree, every[0].path, 0, 0, "", "", 1, 1, False)
    results = folder / f"results-{asked.seed}.json"
    before = json.loads(results.read_text()) if results.exists() else {}
    record = json.loads(RECORD.read_text())
    # a run that was not ended goes on with the changes that it had
    first = {*record["caught"], *map(hash_text, [*record["equivalent"], *record.get("open", ())])}
    sample = choose_sample(every, asked.count, asked.seed, first)
    for key in (each.key for each in sample if hash_text(each.key) in record["caught"]):
        before.setdefault(key, {"key": key, "state": "caught"})
    known = {*before}
    if asked.survivors:
        known = {*record["equivalent"], *(key for key in before if before[key]["state"] == "caught")}
    left = [each for each in sample if each.key not in known and find_room(each.path) in asked.rooms]
    most = LONG if asked.survivors else SHORT
    work = [(tree, each, tests.find_tests(each, most), most) for each in left]
    # a process that is run_in_fork copies what it counts references to
    del tests, every
    gc.collect()
    gc.freeze()
    with fork.Pool(asked.jobs) as pool:
        for number, said in enumerate(pool.imap_unordered(try_mutant, work, chunksize=1), 1):
            before[said["key"]] = said
            results.write_text(json.dumps(before, indent=1))
            print(f"{number}/{len(work)}", *said.values(), flush=True)
    report_results({each.key: before[each.key] for each in sample if each.key in before}, record, count, asked)
    by = {said["by"] for said in before.values() if said.get("by", "").startswith("tests/")}
    print("without a change fails:", run_in_fork(tree, nothing, by, 3600.0) or "none of the tests that caught one")


def report_results(results: dict[str, Any], record: dict[str, Any], every: int, asked: argparse.Namespace) -> None:
    """Print how many changes were caught in each room, and what is left; write that, if asked."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    left = []
    for key, said in results.items():
        state = said["state"]
        if state != "caught":
            state = "equivalent" if key in record["equivalent"] else "survived"
        rooms[find_room(key) or "modules"][state] += 1
        left += [key] if state == "survived" else []
    print(*left, sep="\n")
    for room, counts in sorted(rooms.items()):
        print(f"{room:22}", dict(counts))
    if asked.record:
        record = {"every": every, "seed": asked.seed, "rooms": rooms, "survived": left} | {
            "equivalent": {key: why for key, why in record["equivalent"].items() if key in results},
            "caught": sorted(hash_text(key) for key, said in results.items() if said["state"] == "caught"),
        }
        RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
