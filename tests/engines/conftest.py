"""Which engines the tests found, printed at the end of their run."""

from importlib import metadata

ENGINES = ("pyarrow", "polars", "duckdb", "dask", "distributed", "pyspark", "pandas", "numpy")


def version_of(name):
    """Return the version of an engine that is installed, or what stands in its place."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed: its tests were skipped"


def pytest_terminal_summary(terminalreporter):
    """Name the engines and their versions."""
    terminalreporter.section("engines")
    for name in ENGINES:
        terminalreporter.line(f"{name:12} {version_of(name)}")
