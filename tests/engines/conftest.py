"""Which engines the tests found, and how many tests of releases each had, printed at the end."""

import re
from importlib import metadata

# the words in a test's name or file that tell whose data it releases from
ENGINES = {
    "pyarrow": {"table", "reader", "dataset", "scanner", "capsule", "batches"},
    "polars": {"polars", "lazy", "scan"},
    "duckdb": {"duckdb", "relation"},
    "dask": {"dask"},
    "distributed": {"workers"},
    "pyspark": {"classic"},
    "pyspark-connect": {"connect"},
    "pandas": {"frames", "dicts", "iterator", "memory", "pandas"},
}
PACKAGES = {"pyspark-connect": "pyspark"}


def version_of(name):
    """Return the version of an engine that is installed, or what stands in its place."""
    try:
        return metadata.version(PACKAGES.get(name, name))
    except metadata.PackageNotFoundError:
        return "not installed"


def engine_of(test):
    """Return the engine that a test of releases is about; None for another test, or for several engines."""
    file, _, rest = test.rpartition("/")[2].partition("::")
    words = set(re.findall("[a-z]+", f"{file} {rest}"))
    if "releases" not in words:
        return None
    return next((name for name, own in ENGINES.items() if own & words), None)


def pytest_terminal_summary(terminalreporter):
    """Print each engine's version, and how many tests of releases passed, failed and were skipped."""
    counts = {}
    for outcome in ("passed", "failed", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            place = engine_of(report.nodeid), outcome
            counts[place] = counts.get(place, 0) + 1
    terminalreporter.section("engines")
    terminalreporter.line(f"{'engine':16} {'version':>14} {'releases':>9} {'failed':>7} {'skipped':>8}")
    for name in ENGINES:
        passed, failed, skipped = (counts.get((name, each), 0) for each in ("passed", "failed", "skipped"))
        terminalreporter.line(f"{name:16} {version_of(name):>14} {passed:9} {failed:7} {skipped:8}")
    terminalreporter.line(f"{'numpy':16} {version_of('numpy'):>14}")
