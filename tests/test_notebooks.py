"""The worked examples as notebooks: each is its page's, and what a page may have comes out right."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import nbformat  # noqa: E402

from livedocs.notebooks import NotebookFailed, cells, differing, executed  # noqa: E402

PAGES = sorted(page for page in (ROOT / "docs" / "worked").glob("*.md") if page.stem != "index")
PAGE = """# Page

Finding {ref}`one <row-1>` of {py:obj}`~pydpstat.mean`, and [coins](b-coins.md).{item}`A-mean`

```{run}
:items: A-mean
:raises: ValueError
print(1)
raise ValueError("so it is")
```

```{items}
```

Last.
"""


def written(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_notebook_is_that_of_its_page(page):
    assert differing(page, page.with_suffix(".ipynb")) == "", "run: python docs/notebooks.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_have_outputs_and_nothing_of_a_machine(page):
    text = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert "ipykernel_" not in text and str(ROOT) not in text and str(Path.home()) + os.sep not in text
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    run = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert run and sum(bool(cell.outputs) for cell in run) > len(run) / 2


def test_text_and_code_of_a_page_become_cells(tmp_path):
    made = [cell for cell in cells(written(tmp_path, PAGE)) if cell.source]
    assert [cell.cell_type for cell in made] == ["markdown", "markdown", "code", "markdown"]
    assert made[1].source == "# Page\n\nFinding one of `mean`, and [coins](b-coins.ipynb)."
    assert made[2].source == 'print(1)\nraise ValueError("so it is")'
    assert made[2].metadata.tags == ["raises-exception"] and made[3].source == "Last."


@pytest.mark.slow
def test_a_page_is_run(tmp_path):
    made = executed(written(tmp_path, PAGE), dict(os.environ))
    printed, raised = made.cells[2].outputs
    assert printed.text == "1\n" and raised.traceback == ["ValueError: so it is"]


@pytest.mark.slow
def test_what_does_not_raise_as_it_should(tmp_path):
    page = written(tmp_path, "```{run}\n:raises: ValueError\nprint(1)\n```\n")
    with pytest.raises(NotebookFailed, match="nothing was raised in\nprint"):
        executed(page, dict(os.environ))


@pytest.mark.parametrize("text", ["```{parity} f/g\n```\n", "See {doc}`page`."])
def test_what_notebooks_do_not_know(tmp_path, text):
    with pytest.raises(NotebookFailed, match="do not know"):
        cells(written(tmp_path, text))


def test_a_notebook_that_is_not_its_pages(tmp_path):
    page, notebook = written(tmp_path, PAGE), tmp_path / "page.ipynb"
    assert differing(page, notebook) == "page.ipynb is missing"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell for cell in cells(page) if cell.source]), notebook)
    assert differing(page, notebook) == ""
    written(tmp_path, PAGE.replace("Last", "First"))
    assert differing(page, notebook) == "page.ipynb has another text or code than page.md"
