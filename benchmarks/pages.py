"""The speed tables of README.md and docs/speed.md, written from what a run measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import table
from measured import Measured
from table import Row

from pydpstat import _files as files

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- measured from here -->", "<!-- measured up to here -->"
# the rows that the README shows, by their names in a run
BESIDE_R = {
    "meanDP": "`meanDP`",
    "histogramDP, default breaks": "`histogramDP`, default breaks",
    "tableDP, two factors": "`tableDP`, two factors",
    "quantileDP": "`quantileDP`",
    "LogisticRegressionDP, 20 predictors": "`LogisticRegressionDP`, 20 predictors",
    "tune_classification_model, 10 models": "`tune_classification_model`, 10 models",
    "sensitivitySampler, the mean of 100": "`sensitivitySampler`, the mean of 100",
    "meanDP, a release, R's stream": "`meanDP`, a small release, R's stream",
    "meanDP, a release": "`meanDP`, a small release, unseeded",
    "runif": "`runif`",
    "rnorm": "`rnorm`",
    "rlaplace": "`rlaplace`",
    "rgamma(2)": "`rgamma`, shape 2",
    "calibrate_gaussian, analytic": "`calibrate_gaussian`",
}
BESIDE_NUMPY = {
    "mean, beside np.clip(x, a, b).sum()": "`mean`, beside `np.clip(x, a, b).sum()`",
    "sum, beside np.clip(x, a, b).sum()": "`sum`, beside the same",
    "var, beside np.clip(x, a, b).sum()": "`var`, beside the same",
    "histogram, 20 bins, beside np.histogram": "`histogram`, 20 bins, beside `np.histogram`",
    "median, beside np.sort": "`median`, beside `np.sort`",
    "exact Laplace": "exact Laplace noise, beside `Generator.laplace`",
    "exact Gaussian": "exact Gaussian noise, beside `Generator.normal`",
    "randomised response of bool, beside ((rng.random(n) < f) == x).sum()": (
        "`RandomizedResponse`, with its estimate, beside `((rng.random(n) < f) == x).sum()`"
    ),
    "mean, a release": "`mean`, a small release",
}


def readme(found: Measured) -> str:
    """Return the README's tables: beside R, beside NumPy, and beside other packages."""
    return "\n\n".join(
        (
            f"{_heading(found)} A ratio below 1 means faster than R:",
            _chosen(found, BESIDE_R, "R"),
            "pydpstat's functions next to the one step of NumPy that they need in any case:",
            _chosen(found, BESIDE_NUMPY, "NumPy"),
            _peers(found),
        )
    )


def speed(found: Measured) -> str:
    """Return the page's tables: all rows, and how they were measured."""
    parts = [_heading(found), table.markdown([*found.run.rows, *_marked(found)]), *found.how, _peers(found)]
    return "\n\n".join(parts)


# each page's tables
PAGES: Mapping[Path, Callable[[Measured], str]] = {
    ROOT / "README.md": readme,
    ROOT / "docs" / "speed.md": speed,
}


def rewritten(page: str, tables: str) -> str:
    """Return a page with other tables between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def write(found: Measured) -> None:
    """Write the tables into both pages."""
    for path, tables in PAGES.items():
        files.write(path, rewritten(path.read_text(encoding="utf-8"), tables(found)))


def _heading(found: Measured) -> str:
    marked = f" Rows marked * were measured with {found.earlier.heading}." if found.earlier.rows else ""
    return f"Measured with {found.run.heading}.{marked}"


def _marked(found: Measured) -> list[Row]:
    """Return the rows of an earlier run, marked."""
    return [replace(row, size=f"{row.size} *") for row in found.earlier.rows]


def _chosen(found: Measured, names: Mapping[str, str], other: str) -> str:
    """Return the named rows as a table; where the other side stands is in its head."""
    rows = {row.what: row for row in (*found.run.rows, *_marked(found))}
    lines = [("What", "Size", "pydpstat", other, "Ratio")]
    for what, shown in names.items():
        _, size, ours, theirs, ratio, *_ = rows[what].cells()
        lines.append((shown, size, ours, theirs.removesuffix(f" ({other})"), ratio))
    return table.piped(lines, (False, True, True, True, True))


def _peers(found: Measured) -> str:
    peers = found.peers
    return "\n\n".join(
        (
            f"Other packages at epsilon 1 on the same numbers ({peers.caption()}), each in an environment and"
            " a process of its own, timed in turn. In brackets stands our time divided by theirs:",
            table.piped(peers.cells(), peers.right()),
            "\n".join(f"- {note}" for note in peers.notes()),
        )
    )
