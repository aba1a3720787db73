"""How the package's own modules are written, and what they may import."""

import ast
import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pydpstat

ROOT = Path(pydpstat.__file__).parent


def tool(name, folder=ROOT.parent / "tools"):
    """Import a script, without its folder on the path: another package is named `wheel`, too."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", folder / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house = tool("house")


def defined_twice(source):
    names = [name for statement in ast.parse(source).body for name in house.names_of(statement)]
    return sorted({name for name in names if names.count(name) > 1})


@pytest.mark.parametrize(
    "source, twice",
    [
        ("A = 1\nA = 2", ["A"]),
        ("A, (B, C) = 1, (2, 3)\nC: int = 4", ["C"]),
        ("import math\n\ndef math(): ...", ["math"]),
        ("from a import b as c\n\nclass c: ...", ["c"]),
        ("A = {}\nA['b'] = 1\nA.c = 2", []),
        ("@overload\ndef f(): ...\n@typing.overload\ndef f(): ...\ndef f(): ...", []),
        ("try:\n    import a\nexcept ImportError:\n    a = None", []),
    ],
)
def test_definitions_are_found(source, twice):
    assert defined_twice(source) == twice


@pytest.mark.slow
def test_no_module_defines_a_name_twice():
    modules = sorted(ROOT.rglob("*.py"))
    assert len(modules) > 100
    found = {str(path): defined_twice(path.read_text(encoding="utf-8")) for path in modules}
    assert {path: names for path, names in found.items() if names} == {}


# the rules, on a package of which everything is known


@pytest.fixture
def made(tmp_path):
    """Return what makes a package of these modules and reads it."""

    def make(**sources):
        for name, source in {"__init__": "", **sources}.items():
            path = tmp_path / "pydpstat" / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        return house.House(tmp_path / "pydpstat")

    return make


def arrows(found):
    return [(each.importer, each.imported, each.typing) for each in found]


@pytest.mark.parametrize(
    "source, typing",
    [
        ("from pydpstat.dppack.mean import meanDP", False),
        ("from pydpstat.dppack import mean", False),
        ("import pydpstat.dppack.mean", False),
        ("from ..dppack.mean import meanDP", False),
        ("from pydpstat.dppack import meanDP", False),
        ("from pydpstat import meanDP", False),
        ("def f():\n    from pydpstat.dppack.mean import meanDP", False),
        ("import importlib\nimportlib.import_module('pydpstat.dppack.mean')", False),
        ("if TYPE_CHECKING:\n    from pydpstat.dppack.mean import meanDP", True),
        ("import typing\nif typing.TYPE_CHECKING:\n    from pydpstat.dppack.mean import meanDP", True),
        ("if TYPE_CHECKING:\n    import ast\nelse:\n    import pydpstat.dppack.mean", False),
    ],
)
def test_an_import_that_runs_up_is_found_however_it_is_written(made, source, typing):
    homes = "_HOMES = {'meanDP': 'pydpstat.dppack.mean'}"
    mirror = {"dppack.__init__": homes, "dppack.mean": "def meanDP(): ..."}
    read = made(__init__=homes, **mirror, **{"random.__init__": "", "random.source": source})
    assert arrows(read.upward()) == [("pydpstat.random.source", "pydpstat.dppack.mean", typing)]


def test_an_import_of_a_statistic_is_one_of_its_home(made):
    catalog = "STATISTICS = {'mean': PublicStatistic('pydpstat.statistics.mean', 'columns')}"
    statistics = {"statistics.__init__": "", "statistics._catalog": catalog, "statistics.mean": "def mean(): ..."}
    read = made(__init__="_HOMES = {**homes, 'x': 'y'}", **statistics, **{"random.source": "from pydpstat import mean"})
    assert arrows(read.upward()) == [("pydpstat.random.source", "pydpstat.statistics.mean", False)]


def test_an_import_that_runs_down_is_none(made):
    assert made(errors="", **{"random.source": "from pydpstat.errors import PydpstatError"}).upward() == []


def test_a_room_needs_a_place_and_a_place_a_room(made):
    rooms = dict.fromkeys([room for layer in house.LAYERS for room in layer if room != "plots"], "")
    assert made(**rooms, attic="").unplaced() == ["attic", "plots"]


def test_circles_are_found_at_run_time_and_for_typing(made):
    later = "if TYPE_CHECKING:\n    import pydpstat._grid"
    read = made(_files="import pydpstat._warn", _warn="import pydpstat._grid", _grid="import ast")
    assert read.circles(typing=True) == []
    read = made(_files="import pydpstat._warn", _warn=later, _grid="import pydpstat._files")
    assert read.circles(typing=False) == []
    assert read.circles(typing=True) == [["pydpstat._files", "pydpstat._grid", "pydpstat._warn"]]


def test_small_modules_need_two_importers(made):
    two = {"budget.a": "import pydpstat._warn, pydpstat._files", "budget.b": "HOME = 'pydpstat._files'"}
    read = made(_warn="", _files="", _grid="\n" * house.SHORTEST, **two)
    assert list(read.small()) == ["pydpstat._warn", "pydpstat.budget.a", "pydpstat.budget.b"]


def test_a_module_without_an_underscore_has_a_public_name(made):
    modules = {"budget.budget": "class Budget: ...", "budget.file": "Budget()", "parity": "", "_warn": ""}
    modules |= {"budget.__init__": "__all__ = ['Budget']", "total": "mean = 1"}
    read = made(__init__="_HOMES = {'mean': 'pydpstat.total'}", **modules)
    assert read.nameless() == ["pydpstat.budget.file"]


def test_every_any_is_counted(made):
    source = """
from typing import Any
x: Any = 1
A = list[Any]
def f(y: "dict[str, Any]") -> typing.Any: ...
"""
    read = made(errors=source)
    assert read.anys()["pydpstat.errors"] == 4


# the rules, on this package


@pytest.fixture(scope="module")
def own():
    return house.House(ROOT)


@pytest.mark.slow
def test_every_room_has_a_place(own):
    assert own.unplaced() == []


@pytest.mark.slow
def test_imports_run_down(own):
    assert [str(each) for each in own.upward()] == []


@pytest.mark.slow
def test_no_modules_import_each_other_at_run_time(own):
    assert own.circles(typing=False) == []


def test_no_modules_import_each_other_for_typing(own):
    assert own.circles(typing=True) == []


def test_no_module_is_long(own):
    assert own.long() == {}


@pytest.mark.slow
def test_no_small_module_has_one_importer_only(own):
    assert own.small() == {}


def test_modules_without_an_underscore_have_public_names(own):
    assert own.nameless() == []


def test_docstrings_of_public_names_are_counted():
    class Sum:
        """One line."""

        def add(self):
            """Two lines.

            And a third."""

        def _hidden(self): ...

        __module__ = "pydpstat.made"

    Sum.add.__module__ = Sum.__module__
    module = type(ast)("made")
    module.Sum, module.Same, module.ast = Sum, Sum, ast
    assert house.docstring_lines([module, module]) == 4


# the picture of the rooms


def test_the_picture_is_that_of_the_rooms():
    docs = ROOT.parent / "docs"
    drawn = tool("rooms", docs).picture()
    assert (docs / "rooms.svg").read_text(encoding="utf-8") == drawn, "run: python docs/rooms.py"
    steps = re.findall(r"^\d\. `(\w+)`", (docs / "built.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert tuple(steps) == tool("rooms", docs).WAY


def test_the_code_behind_a_summary_is_where_the_page_says():
    page = (ROOT.parent / "docs" / "built.md").read_text(encoding="utf-8")
    rows = page.partition("| In the summary |")[2].partition("\n\n")[0].splitlines()[2:]
    names = [row.split("|")[3].strip().strip("`") for row in rows]
    assert len(names) == 10
    for name in names:
        room, module, attributes = name.split(".", 2)
        found = importlib.import_module(f"pydpstat.{room}.{module}")
        for attribute in attributes.split("."):
            found = getattr(found, attribute)


# the ways of releases


def test_a_way_has_the_modules_of_all_calls():
    ways = tool("ways")
    assert ways.way(lambda: ways.pydpstat.errors.PydpstatError("no function of the package")) == []
    entered = ways.way(ways.WAYS["mean"][0])
    assert {"pydpstat.statistics.mean", "pydpstat.results.results"} <= set(entered)
    assert {name.split(".")[0] for name in entered} == {"pydpstat"}


# the set-up


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no sh")
def test_the_set_up_is_short_and_names_its_sides():
    script = ROOT.parent / "tools" / "setup.sh"
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 200
    said = subprocess.run(["sh", script, "everything"], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "usage: sh tools/setup.sh demo|python|r|browser\n"


naming = tool("naming")


@pytest.fixture(scope="module")
def counts():
    return naming.count_names(ROOT)


def test_functions_are_named_by_verbs(counts):
    assert counts.functions > 5000
    assert counts.verbs_or_properties >= naming.LEAST_VERBS, "run: python tools/naming.py --list"
    assert counts.one_word <= naming.MOST_ONE_WORD and counts.participles <= naming.MOST_PARTICIPLES


def test_no_name_is_defined_in_many_modules(counts):
    assert counts.repeated == {}


def test_no_word_that_the_glossary_retires_is_a_name():
    assert len(naming.read_retired_words()) > 80
    assert [(each.module, each.line, each.name) for each in naming.find_retired(ROOT)] == []


def test_the_identifiers_of_the_glossary_are_in_the_code():
    page = (ROOT.parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    # the last column of both tables
    rows = [row.split("|")[-2] for row in page.splitlines() if row.startswith("| ")]
    found = {name for row in rows for name in re.findall(r"`([A-Za-z_]+)`", row)}
    code = {word for path in ROOT.rglob("*.py") for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    assert len(found) > 50 and sorted(found - code) == []


def test_names_are_counted(tmp_path):
    (tmp_path / "module.py").write_text(
        "class Table:\n"
        "    @property\n    def size(self): ...\n"
        "    def fold(self): ...\n"
        "    def __len__(self): ...\n"
        "def kept(held): ...\n"
        "def compute_mean(): ...\n",
        encoding="utf-8",
    )
    found = naming.count_names(tmp_path)
    assert (found.functions, found.one_word, found.participles) == (3, 2 / 3, 0.0)
    assert found.verbs_or_properties == 0.5 and {each.name for each in found.without_verb} == {"fold", "kept"}
