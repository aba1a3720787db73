"""The worked examples' pages: each is in the contents, runs, and meets the figures of its text."""

import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from livedocs import running  # noqa: E402

WORKED = DOCS / "worked"
PAGES = sorted(path for path in WORKED.glob("*.md") if path.stem != "index")
# the fewest figures that each page compares
FIGURES = {"a-mechanisms": 40, "a-hierarchy": 11, "b-coins": 9}
FIGURES |= {"c-federated": 11, "d-anonymization": 14, "e-noise": 27}
# of how many a page says where they come from: the text, R's record, the page's own arithmetic
SOURCES = {
    "a-mechanisms": {"text": 7, "R": 47, "by hand": 1},
    "a-hierarchy": {"text": 10, "R": 1},
    "b-coins": {"text": 4, "by hand": 13},
    "c-federated": {"text": 4, "by hand": 9},
}
BLOCK = re.compile(r"^```\{run\}\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:(\w+): (.*)\n", flags=re.MULTILINE)


def executed(page: Path, monkeypatch) -> tuple[list[pd.DataFrame], int]:
    """Run a page's code as the build does; return its tables of figures, and the number of pictures."""
    tables: dict[int, pd.DataFrame] = {}
    shown = running.as_table

    def spy(value):
        if isinstance(value, pd.DataFrame):
            tables[id(value)] = value
        return shown(value)

    monkeypatch.setattr(running, "as_table", spy)
    names: dict[str, object] = {"__name__": "page"}
    pictures = 0
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        options = dict(OPTION.findall(block))
        pictures += len(running.run(OPTION.sub("", block), names, options.get("raises", "")).pictures)
    kept = {id(value): value for value in names.values() if isinstance(value, pd.DataFrame)}
    return [each for each in {**tables, **kept}.values() if {"here", "same"} <= set(each.columns)], pictures


def test_every_page_is_in_the_contents():
    index = (WORKED / "index.md").read_text(encoding="utf-8")
    contents = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, flags=re.MULTILINE | re.DOTALL)
    listed = [line for line in contents[0].splitlines() if line and not line.startswith(":")]
    assert sorted(listed) == [page.stem for page in PAGES] == sorted(FIGURES)
    for name in listed:
        assert f"]({name}.md)" in index
    start = (DOCS / "index.md").read_text(encoding="utf-8")
    assert "\nworked/index\n" in start and "](worked/index.md)" in start


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts(page):
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ") and "better way" in text.lower()
    assert set(re.findall(r"^```(\S+)$", text, flags=re.MULTILINE)) <= {"{run}", "sh", "r"}
    # a picture says in words what is on it
    for block in BLOCK.findall(text):
        if "plots." in block or ".plot(" in block:
            assert ":alt: " in block, block


# the building of the documentation runs all pages, and stops at a figure that is not met
SLOW = {"d-anonymization"}


@pytest.mark.slow
@pytest.mark.parametrize("page", [each for each in PAGES if each.stem not in SLOW], ids=lambda page: page.stem)
def test_a_page_runs_and_meets_its_figures(page, monkeypatch):
    if "plot" in page.read_text(encoding="utf-8"):
        pytest.importorskip("matplotlib").use("agg")
    tables, pictures = executed(page, monkeypatch)
    figures = pd.concat(tables)
    assert len(figures) >= FIGURES[page.stem]
    sources = Counter(name for table in tables for name in [table.columns[0]] * len(table))
    assert set(sources) <= {"text", "R", "by hand"} and sources == SOURCES.get(page.stem, sources)
    # a figure that is not met has a remark that says why
    remarks = figures.get("remark", pd.Series("", index=figures.index)).fillna("")
    unmet = figures[~figures["same"].astype(bool) & (remarks == "")]
    assert unmet.empty, unmet
    assert pictures >= page.read_text(encoding="utf-8").count(":alt: ")


def test_the_reference_has_every_name():
    from pydpstat import plots, teaching

    for module in (plots, teaching):
        name = module.__name__
        page = (DOCS / "api" / f"{name.rpartition('.')[2]}.md").read_text(encoding="utf-8")
        shown = re.findall(rf"^\.\. auto(?:class|function):: {re.escape(name)}\.(\w+)$", page, flags=re.MULTILINE)
        assert sorted(shown) == sorted(module.__all__)
