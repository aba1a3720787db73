"""The documentation's own code: what a comparison shows, what ends a build, and that nothing is left out."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import pydpstat
from pydpstat.parity._r_side import Recording, load_exports
from pydpstat.parity.case import Case, all_cases
from pydpstat.porting import _verify as verify
from pydpstat.porting._recorded import load_record
from pydpstat.porting._translation import translate_script

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from livedocs import generated  # noqa: E402
from livedocs.comparing import Comparer, ComparisonFailed, printed  # noqa: E402
from livedocs.readable import folded, python_lines, r_lines  # noqa: E402
from livedocs.running import PageFailed, run  # noqa: E402

CASES = {case.id: case for case in all_cases()}
GUIDE = generated.entries(DOCS / "porting.toml")
MEAN = CASES["meanDP/clips both sides"]
NAMES = [name for names in load_exports().values() for name in names]


@pytest.fixture(scope="module")
def recorded():
    return Comparer(None, Recording())


# a comparison on a page


def test_a_comparison_shows_code_that_a_reader_can_run(recorded):
    shown = recorded.show(MEAN)
    assert shown.r.startswith("set.seed(123)\nx <- c(\n    1, 2.5, 3, 4,")
    assert shown.r.endswith("DPpack::meanDP(x, 0.7, 0.5, 3.5)")
    head = "import numpy as np\nfrom pydpstat import RRandom, dppack\n\nrng = RRandom(123)"
    assert shown.python.startswith(head)
    names = {}
    lines = shown.python.rsplit("\ndppack", 1)
    exec(f"{lines[0]}\nvalue = dppack{lines[1]}", names)
    assert printed(names["value"]) == shown.python_output
    assert shown.r_output.startswith("[1] ") and shown.r_output[4:] in f"{names['value']:.6f}"
    assert shown.source.startswith("R, recorded (R 4") and "DPpack 0.2.2" in shown.source
    assert shown.agreement == f"One number ({names['value']!r}), equal bit for bit."


def test_a_comparison_shows_privacy_warnings(recorded):
    assert [row for row, _ in recorded.show(CASES["varDP/constant data"]).warnings] == ["2"]
    assert recorded.show(MEAN).warnings == ()


def test_a_deliberate_difference_shows_both_sides(recorded):
    shown = recorded.show(CASES["meanDP/missing value"])
    assert shown.python_output.startswith("PydpstatError: the mean of these data is")
    assert shown.agreement.startswith("A difference on purpose: R returns NA")


def test_both_sides_stop(recorded):
    shown = recorded.show(CASES["meanDP/eps zero"])
    assert shown.r_output.startswith("Error: ") and shown.python_output.startswith("PydpstatError: eps")


def test_a_wrong_number_fails(recorded):
    with pytest.raises(ComparisonFailed, match="clips both sides: value 1 of 1: R has"):
        recorded.show(replace(MEAN, python="dppack.meanDP(x, 0.7, 0.5, 3.4, rng=rng)"))


def test_another_number_of_draws_fails(recorded):
    with pytest.raises(ComparisonFailed, match="the streams diverge"):
        recorded.show(replace(MEAN, python=f"rng.runif(1)\n{MEAN.python}"))


def test_without_r_and_recording_it_fails(recorded):
    unknown = replace(MEAN, r="DPpack::meanDP(x, 0.7, 0.5, 3.25)")
    for comparer in (Comparer(None, None), recorded):
        with pytest.raises(ComparisonFailed, match="is not recorded. Build where R"):
            comparer.show(unknown)


@pytest.mark.slow
@pytest.mark.live
def test_live_code_is_the_shown_code(live_r):
    comparer = Comparer(Comparer.here().live, None)
    shown = comparer.show(MEAN)
    assert shown.source.startswith("R, live (R ") and shown.r_output.startswith("[1] ")
    with pytest.raises(ComparisonFailed, match="value 1 of 1"):
        comparer.show(replace(MEAN, r="DPpack::meanDP(x, 0.7, 0.5, 3.4)"))


# literals and lines


def test_long_lines_are_folded_and_mean_the_same():
    line = "f([1, (2, 3), 'a, (b'], {'key, ': [4, 5]}, third=g(6, 7), fourth='(((')"
    names = {"f": lambda *values, **named: (values, named), "g": lambda *values: values}
    parts = folded([line], 24)
    assert max(map(len, parts)) <= 28 and len(parts) > 4
    assert eval("\n".join(parts), dict(names)) == eval(line, dict(names))
    assert folded(["short(1, 2)", "# a comment, which is long, stays as (it, is)"], 20) == [
        "short(1, 2)",
        "# a comment, which is long, stays as (it, is)",
    ]
    apart = ["f(", "    1,", "    2,", ")"]
    assert folded(apart) == apart and folded(apart, joined=True) == ["f(1, 2)"]


def test_imports_are_those_that_are_needed():
    case = Case("f/g", "f", "base", "x", "x = math.pi\npd.Series([x])", inputs={"x": 1.0, "unused": 2.0})
    assert python_lines(case)[:3] == ["import math", "import pandas as pd", ""]
    assert r_lines(case) == ["x <- 1", "x"]
    draws = replace(case, python="dppack.sdDP(x, rng=rng)", seed=5)
    assert python_lines(draws)[:3] == ["from pydpstat import RRandom, dppack", "", "rng = RRandom(5)"]
    assert r_lines(draws)[0] == "set.seed(5)"


# code of a page


def test_code_of_a_page():
    names = {}
    assert run("a = 1\nprint('printed')\na + 1", names).text == "printed\n2"
    assert run("a * 10", names).text == "10" and run("b = 2", names).text == ""
    assert run("raise ValueError('why')", names, "ValueError").text == "ValueError: why"


def test_frames_are_tables_with_their_numbers_to_the_right():
    code = "import pandas as pd\nprint('first')\npd.DataFrame({'a': [1.5, -2.0], 'b': ['x < y', '12 %']})"
    shown = run(code, {"__name__": "page"})
    assert shown.text == "first" and shown.table.startswith('<table class="dataframe docutils">')
    assert '<td class="number">-2.0</td>' in shown.table and '<td class="number">12 %</td>' in shown.table
    assert "<td>x &lt; y</td>" in shown.table
    series = run("import pandas as pd\npd.Series([1, 2], name='counts')", {"__name__": "page"})
    assert series.text == "" and "<th>counts</th>" in series.table


def test_long_lines_of_prose_are_broken_and_tables_are_not():
    lines = run("print('word ' * 40)\nprint('column  ' * 20)", {}).text.splitlines()
    assert max(map(len, lines[:-1])) <= 88 and len(lines) == 4 and len(lines[-1]) > 150


@pytest.mark.parametrize(
    ("source", "raises"),
    [
        ("1 / 0", ""),
        ("1 / 0", "ValueError"),
        ("1", "ValueError"),
        ("import warnings\nwarnings.warn('x')", ""),
    ],
)
def test_code_that_fails(source, raises):
    with pytest.raises(PageFailed, match="ZeroDivisionError|no ValueError was raised|UserWarning: x"):
        run(source, {}, raises)


def test_a_page_shows_privacy_warnings_and_figures():
    pytest.importorskip("matplotlib")
    code = "from pydpstat import varDP\nr = varDP([1, 2, 3], 1, 0, 5, rng=1)"
    assert run(code, {"__name__": "page"}).text.startswith("PrivacyWarning: varDP with Laplace")
    output = run("from matplotlib import pyplot\npyplot.plot([1, 2])", {})
    assert output.text == "" and len(output.pictures) == 1 and output.pictures[0].startswith("iVBOR")


# the porting guide


def test_every_exported_function_has_a_section():
    assert len(NAMES) == 57 and sorted(entry.name for entry in GUIDE) == sorted(NAMES)
    pages = {entry.group: (DOCS / "porting" / f"{entry.group}.md").read_text(encoding="utf-8") for entry in GUIDE}
    text = "".join(generated.filled(page, GUIDE, tuple(CASES.values())) for page in pages.values())
    for name in NAMES:
        assert f"\n## {name}\n" in text and f"(port-{generated.slug(name)})=" in text


def test_the_guide_has_no_gaps():
    assert generated.gaps(GUIDE, tuple(CASES.values())) == []


@pytest.mark.parametrize("entry", GUIDE, ids=lambda entry: entry.name)
def test_a_section_shows_its_own_function_and_a_finite_value(entry):
    for name in entry.cases or generated.clearest(entry.name, tuple(CASES.values())):
        assert name in CASES, f"porting.toml names {name!r}, which is no case"
        assert CASES[name].level in ("exact", "ulp", "rtol")
        assert entry.name in CASES[name].r


def test_every_finding_of_a_warning_has_a_place():
    page = (DOCS / "privacy-truth.md").read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "pydpstat").rglob("*.py")]
    rows = {row for text in sources for row in re.findall(r"""\brow=["']([\w.]+)["']""", text)}
    assert len(rows) >= 6
    for row in rows:
        assert f"(row-{row.lower()})=" in page and f"{{ref}}`{row} <row-{row.lower()}>`" in page


PORTED = sorted((DOCS / "own" / "scripts").glob("*.R"))


@pytest.mark.parametrize("script", PORTED, ids=lambda path: path.stem)
def test_the_scripts_of_the_page_on_porting_are_r_s_but_for_what_is_left(script):
    port = translate_script(script.read_text(encoding="utf-8"), script.name)
    record = load_record(script, script.with_suffix(".json"))
    found = verify.verify_port(port.all_chunks, record, script.parent).lines
    assert not [each for each in found if each.status in (verify.DIFFERENT, verify.PYTHON_STOPPED)]
    left = [each.line for each in found if each.status in (verify.NOT_TRANSLATED, verify.REFUSED)]
    assert left == {"survey": [10]}.get(script.stem, [])


# the package's own functions


def test_every_public_name_is_on_one_page_of_the_reference():
    from pydpstat import diffpriv, dppack

    pages = sorted((DOCS / "api").glob("*.md"))
    shown = [
        name
        for page in pages
        for name in re.findall(
            r"^\.\. auto(?:class|function):: (\S+)$",
            generated.filled(page.read_text(encoding="utf-8"), GUIDE, tuple(CASES.values())),
            flags=re.MULTILINE,
        )
    ]
    assert len(set(shown)) == len(shown)
    mirrors = {*dppack.__all__, *diffpriv.__all__}
    own = {f"pydpstat.{name}" for name in pydpstat.__all__ if name not in mirrors and name != "__version__"}
    assert own <= set(shown) and {"pydpstat.mean", "pydpstat.Budget", "pydpstat.audit"} <= own


def test_the_page_on_releases_has_every_own_statistic():
    page = generated.filled((DOCS / "own" / "releases.md").read_text(encoding="utf-8"), (), ())
    names = [name.rpartition(".")[2] for name in generated.own_names("releases")]
    assert len(names) >= 16
    missing = [name for name in names if name != "Plan" and f"`{name}`" not in page]
    assert not missing, f"add {missing} to pydpstat/statistics/_catalog.py or docs/own/releases.md"


# a page of R is run by a test of its own
PYTHON = sorted({*(DOCS / "own").glob("*.md")} - {DOCS / "own" / "reticulate.md"})


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.stem)
def test_all_python_on_the_own_pages_runs(page):
    fences = re.findall(r"^```(\S+)(?: scripts/\S+)?$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    # what needs an extra is run by a test of its own: tests/sklearn/test_page.py
    code = {"sklearn": "pycon", "port": "{ported}"}.get(page.stem, "{run}")
    assert code in fences and set(fences) <= {code, "sh"}


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_options_are_read_the_same_by_every_myst_parser(page):
    # an older one reads them as YAML, where a colon and a blank begin a value
    options = re.findall(r"^:\w+: (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [option for option in options if ": " in option or " #" in option] == []


# a build


def build(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "porting.toml").write_text("", encoding="utf-8")
    (folder / "conf.py").write_text('extensions = ["livedocs.extension", "myst_parser"]\n', encoding="utf-8")
    (folder / "index.md").write_text(text, encoding="utf-8")
    paths = [str(DOCS / "_ext"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    settings = {"PYTHONPATH": os.pathsep.join(paths), "PYDPSTAT_NO_R": "1", "MPLBACKEND": "agg"}
    environment = {**os.environ, **settings}
    command = [sys.executable, "-m", "sphinx", "-q", str(folder), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.slow
def test_a_page_is_built(tmp_path):
    pytest.importorskip("myst_parser")
    done = build(
        tmp_path,
        f"# Page\n\n```{{parity}} {MEAN.id}\n```\n\n```{{run}}\na = 20\nprint(a + 1)\na * 100\n```\n",
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "R, recorded (R 4" in page and "equal bit for bit" in page and "21\n2000" in page


@pytest.mark.slow
def test_a_script_is_shown_beside_its_translation(tmp_path):
    pytest.importorskip("myst_parser")
    for name in ("trial.R", "trial.json", "trial.csv"):
        (tmp_path / name).write_bytes((DOCS / "own" / "scripts" / name).read_bytes())
    done = build(tmp_path, "# Page\n\n```{ported} trial.R\n```\n")
    assert done.returncode == 0, done.stderr
    page = re.sub("<[^>]*>", "", (tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert "trial &lt;- read.csv" in page and "trial = r.read_csv" in page
    assert "2 releases" in page and "line 11: equal bit for bit" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```{parity} meanDP/no such case\n```", "no parity case has the id 'meanDP/no such case'"),
        ("```{run}\n1 / 0\n```", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_ends_the_build(tmp_path, text, message):
    pytest.importorskip("myst_parser")
    done = build(tmp_path, f"# Page\n\n{text}\n")
    assert done.returncode != 0 and message in done.stderr


# the items of the texts

ITEMS = '[A]\nmean = "a mean"\nsign = { what = "a sign", why = "the text has it the wrong way round" }\n'
CODE = "from pydpstat.teaching import beside\nbeside({'n': (%s)}, source='R')"
BLOCK = f"```{{run}}\n:items: A-mean\n{CODE}\n```\n"

SAME, OTHER = BLOCK % "2, 2", BLOCK % "2, 3"
MISPRINT = BLOCK % "2, 3, 'a misprint'"


def built_with_items(folder: Path, text: str) -> tuple[subprocess.CompletedProcess[str], str]:
    pytest.importorskip("myst_parser")
    (folder / "worked").mkdir()
    (folder / "worked" / "items.toml").write_text(ITEMS, encoding="utf-8")
    done = build(folder, f"# Page\n\n```{{items}}\n```\n\n{text}")
    page = folder / "out" / "index.html"
    return done, re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8")) if page.exists() else ""


@pytest.mark.slow
def test_the_table_of_items_is_made_from_what_the_pages_gave(tmp_path):
    done, page = built_with_items(tmp_path, f"{SAME}\nOn a sign.{{item}}`A-sign`\n")
    assert done.returncode == 0, done.stderr
    assert "same: 1 figure of R" in page and "differs: the text has it the wrong way round" in page
    assert "Items: 2. Of these 1 have figures that are the same, 0 have none" in page
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for anchor in ("item-a-mean", "item-a-sign"):
        assert f'href="#{anchor}"' in html and f'id="{anchor}"' in html


@pytest.mark.slow
def test_a_figure_that_differs_is_no_same_item(tmp_path):
    done, page = built_with_items(tmp_path, f"{MISPRINT}\nOn a sign.{{item}}`A-sign`\n")
    assert done.returncode == 0, done.stderr
    assert "differs: a misprint" in page and "same: " not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SAME, "no page shows the item 'A-sign'"),
        (f"{OTHER}\nOn a sign.{{item}}`A-sign`\n", "the figure 'n' differs, and no remark says why"),
        (BLOCK.replace("A-mean", "A-none") % "2, 2", "items.toml has no item 'A-none'"),
        ("On a sign.{item}`A-none`\n", "items.toml has no item 'A-none'"),
    ],
)
def test_an_item_that_is_not_shown_as_it_should_be_ends_the_build(tmp_path, text, message):
    done, _ = built_with_items(tmp_path, text)
    assert done.returncode != 0 and message in done.stderr
