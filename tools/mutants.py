"""Change one token of the package at a time, and see whether a test notices.

``python tools/mutants.py --count 320`` copies the checkout, records once which test runs which line, then
tries a seeded sample of all changes: each in a process of its own, with the tests that run its line, the
quickest first, until one fails. ``--survivors`` tries what is left again, with more of all tests, and
``--record`` writes `mutants.json`, which also says of some changes why no test can notice them. It needs
coverage.py. Tests that start another Python do not see the change, so that somewhat more may be caught.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import pickle
import random
import resource
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from mutations import Mutant, mutants

HERE = Path(__file__).resolve().parent
ROOMS = (
    "_release",
    "budget",
    "inference/_null_distributions",
    "mechanisms",
    "privacy",
    "statistics/_kernels",
)
RECORD = HERE / "mutants.json"
# where the rooms have their tests; all others are for what survives these
NEAR = ("budget", "inference", "mechanisms", "neighbors", "privacy", "statistics", "test_")
# they ask for engines or a server, or look at texts, and would only take time
SKIPPED = ("engines", "plots", "stubs", "tutorial", "test_benchmarks", "test_docs", "test_house")
SKIPPED += ("postgres_crash", "test_files", "test_notebooks", "test_whole_report", "test_readme")
SKIPPED += ("test_lists", "test_digits")
# imported once, before a process is forked for each change
WARM = "numpy scipy.stats scipy.optimize scipy.signal pandas mpmath statsmodels.api hypothesis"
# seconds of tests for a change: at first, and with --survivors
SHORT, LONG = 25.0, 150.0


class Heard:
    """A plugin of pytest: it selects tests, and hears of their time and their failures."""

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


# the examples in a module's docstrings; the rewriting of asserts would read the module from its file
EXAMPLES = ("--doctest-modules", "--import-mode=prepend", "--assert=plain")


def pytest_run(files: list[str], heard: Heard, *options: str) -> None:
    """Run tests here, in silence."""
    import pytest

    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    # hypothesis is warm already
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:cacheprovider", "-q", "--tb=no")
    code = pytest.main([*files, *quiet, *options], plugins=[heard])
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        heard.failed.append("pytest itself")


def mapped(job: tuple[Path, str, Path]) -> None:
    """Record which lines of the rooms the tests of a file run, and how long they take."""
    from coverage import Coverage

    tree, file, to = job
    rooms = [str(tree / "pydpstat" / room / "*") for room in ROOMS]
    coverage = Coverage(data_file=None, config_file=False, include=rooms)
    heard, begun = Heard(coverage=coverage), time.monotonic()
    coverage.start()
    pytest_run([file], heard)
    coverage.stop()
    data = coverage.get_data()
    lines = {
        str(Path(path).relative_to(tree)): data.contexts_by_lineno(path) for path in data.measured_files()
    }
    aside = time.monotonic() - begun - sum(heard.seconds.values())
    seconds = {test: each for test, each in heard.seconds.items() if test not in heard.failed}
    to.write_bytes(pickle.dumps((lines, seconds, aside, heard.failed)))


class Tests:
    """Which tests run a line."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.seconds: dict[str, float] = {}
        self.aside: dict[str, float] = {}
        self.broken: list[str] = []
        for file, path in paths.items():
            lines, seconds, self.aside[file], failed = pickle.loads(path.read_bytes())
            self.seconds |= seconds
            self.broken += failed
            for module, found in lines.items():
                for line, contexts in found.items():
                    # what runs while tests are collected may concern each of them
                    known = seconds if "" in contexts else seconds.keys() & set(contexts)
                    self.lines[module][line] |= set(known)

    def of(self, mutant: Mutant) -> list[tuple[float, str]]:
        """Return the tests that run a change with their seconds, the quickest first."""
        lines = self.lines.get(mutant.path, {})
        asked = lines if mutant.imported else range(mutant.first, mutant.last + 1)
        tests = set().union(*(lines.get(line, ()) for line in asked))
        # what a file needs to be read is shared by its tests
        files = Counter(map(file_of, tests))
        shared = {file: self.aside[file] / count for file, count in files.items()}
        return sorted((self.seconds[test] + shared[file_of(test)], test) for test in tests)


def file_of(test: str) -> str:
    """Return a test's file."""
    return test.partition("::")[0]


def tried(job: tuple[Path, Mutant, list[tuple[float, str]], float]) -> dict[str, Any]:
    """Run a change's tests, some more each time, until one fails or the time is over."""
    tree, mutant, tests, most = job
    begun, total, place = time.monotonic(), 0.0, 0
    said = {"key": mutant.key, "state": "survived" if tests else "unrun", "tests": len(tests), "ran": 0}
    for upto in (0.0, 0.02 * most, 0.2 * most, most):
        first, before = place, total
        while upto and place < len(tests) and (place == first or total + tests[place][0] < upto):
            total, place = total + tests[place][0], place + 1
        chosen = {test for _, test in tests[first:place]}
        if upto and not chosen or total > 2.0 * most:
            break
        failed = forked(tree, mutant, chosen, 20.0 + 5.0 * (total - before))
        said["ran"] = place
        if failed:
            said |= {"state": "caught", "by": failed}
            break
    return said | {"seconds": round(time.monotonic() - begun, 1)}


def forked(tree: Path, mutant: Mutant, chosen: set[str], limit: float) -> str:
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
                return compile(mutant.source(), changed, "exec", dont_inherit=True)
            return load(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        heard = Heard(chosen or None)
        try:
            files = sorted(set(map(file_of, chosen))) or [mutant.path]
            pytest_run(files, heard, "-x", *(() if chosen else EXAMPLES))
        except BaseException as error:
            heard.failed.append(type(error).__name__)
        os.write(write, "".join(heard.failed[:1]).encode()[:4000])
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


def prepared(folder: Path) -> Path:
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


def chosen(every: list[Mutant], count: int, drawn: random.Random) -> list[Mutant]:
    """Return a sample: half of it equally from all rooms, half as they have changes."""
    found = []
    for room in ROOMS:
        inside = [each for each in every if each.path.startswith(f"pydpstat/{room}/")]
        found += drawn.sample(inside, round(0.5 * count * (1 / len(ROOMS) + len(inside) / len(every))))
    return drawn.sample(found, len(found))


def main() -> None:
    """Map the tests, try a sample of the changes, and print what no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=320, help="how many changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "pydpstat-mutants")
    parser.add_argument("--survivors", action="store_true", help="only those of the last run, with all tests")
    parser.add_argument("--record", action="store_true", help="write mutants.json")
    asked = parser.parse_args()
    (asked.folder / "map").mkdir(parents=True, exist_ok=True)
    tree, fork = prepared(asked.folder.resolve()), get_context("fork")
    paths = {}
    for path in sorted(tree.glob("tests/**/test_*.py")):
        file, hashed = str(path.relative_to(tree)), hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        near = asked.survivors or file.startswith(tuple(f"tests/{name}" for name in NEAR))
        if near and not any(name in file for name in SKIPPED):
            paths[file] = asked.folder.resolve() / "map" / f"{file.replace('/', '-')}-{hashed}"
    jobs = [(tree, file, to) for file, to in paths.items() if not to.exists()]
    with fork.Pool(asked.jobs, maxtasksperchild=1) as pool:
        for number, _ in enumerate(pool.imap_unordered(mapped, jobs, chunksize=1), 1):
            print(f"mapped {number} of {len(jobs)}", flush=True)
    tests = Tests({file: path for file, path in paths.items() if path.exists()})
    print(f"{len(tests.seconds)} tests, without {len(tests.broken)} that fail here: {tests.broken[:5]}")
    every = [each for room in ROOMS for each in mutants(tree, f"pydpstat/{room}")]
    results = asked.folder / f"results-{asked.seed}-{asked.count}.json"
    before = json.loads(results.read_text()) if results.exists() else {}
    sample = chosen(every, asked.count, random.Random(asked.seed))
    if asked.survivors:
        known = json.loads(RECORD.read_text())["equivalent"]
        known |= {key: "" for key, said in before.items() if said["state"] == "caught"}
        sample = [each for each in sample if each.key not in known]
    else:
        sample = [each for each in sample if each.key not in before]
    work = [(tree, each, tests.of(each), LONG if asked.survivors else SHORT) for each in sample]
    with fork.Pool(asked.jobs) as pool:
        for number, said in enumerate(pool.imap_unordered(tried, work, chunksize=1), 1):
            before[said["key"]] = said
            results.write_text(json.dumps(before, indent=1))
            print(f"{number}/{len(work)}", *said.values(), flush=True)
    recorded(before, len(every), asked)
    by = {said["by"] for said in before.values() if said.get("by", "").startswith("tests/")}
    nothing = Mutant(tree, every[0].path, 0, 0, "", "", 1, 1, False)
    print("without a change fails:", forked(tree, nothing, by, 3600.0) or "none of the tests that caught one")


def recorded(results: dict[str, Any], every: int, asked: argparse.Namespace) -> None:
    """Print how many changes were caught in each room, and what is left; write that, if asked."""
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"equivalent": {}}
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    left = []
    for key, said in results.items():
        room = next(room for room in ROOMS if key.startswith(f"pydpstat/{room}/"))
        state = said["state"]
        if state != "caught":
            state = "equivalent" if key in record["equivalent"] else "survived"
        rooms[room][state] += 1
        left += [key] if state == "survived" else []
    print(*left, sep="\n")
    for room, counts in sorted(rooms.items()):
        print(f"{room:22}", dict(counts))
    if asked.record:
        record = {"every": every, "seed": asked.seed, "rooms": rooms, "survived": left} | {
            "equivalent": {key: why for key, why in record["equivalent"].items() if key in results}
        }
        RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
