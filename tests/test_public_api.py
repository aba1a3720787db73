"""Names, docstrings, and what an import brings along."""

import doctest
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pydpstat
from pydpstat import RRandom, dppack
from pydpstat.designs._signatures import DESIGN_METHODS
from tests.modules import modules
from tests.test_see_also import PUBLIC

HEAVY = ("pandas", "statsmodels", "matplotlib", "rpy2", "scipy")
OF_THE_STREAM = [name for name in dir(RRandom) if not name.startswith("_")]
MODULES = [name for name in modules() if not name.endswith("__main__")]


def in_a_new_process(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded_after(code):
    names = f"[name for name in {HEAVY} if name in sys.modules]"
    return in_a_new_process(f"import sys\n{code}\nprint(*{names})").split()


def has_example(thing):
    doc = inspect.getdoc(thing) or ""
    _, found, examples = doc.partition("Examples\n--------\n")
    return bool(found) and bool(doctest.DocTestParser().get_examples(examples))


@pytest.mark.parametrize("name", [each for each in pydpstat.__all__ if each != "__version__"])
def test_public_names_have_examples(name):
    thing = getattr(pydpstat, name)
    assert has_example(thing) and thing.__doc__.split("\n")[0].rstrip().endswith((".", ":"))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_first_line_fits(name):
    first = (inspect.getdoc(PUBLIC[name]) or "").split("\n")[0]
    assert len(first) <= 75 and first.endswith(".")


@pytest.mark.parametrize("name", DESIGN_METHODS)
def test_a_designs_method_begins_with_what_it_does(name):
    lines = (inspect.getdoc(getattr(pydpstat.Design, name)) or "").split("\n")
    assert lines[0] == (inspect.getdoc(getattr(pydpstat, name)) or "").split("\n")[0]
    assert lines[2].startswith(f"It is `pydpstat.{name}` with this design's data")


@pytest.mark.parametrize("name", dppack.__all__)
def test_mirrors_have_examples_and_the_sections(name):
    mirror = getattr(dppack, name)
    assert has_example(mirror)
    # a class returns itself
    returns = () if inspect.isclass(mirror) else ("Returns",)
    for section in ("Parameters", *returns, "Raises", "References", "Examples"):
        assert f"{section}\n{'-' * len(section)}\n" in inspect.getdoc(mirror)


@pytest.mark.parametrize("name", OF_THE_STREAM)
def test_methods_of_the_stream_have_examples(name):
    assert has_example(getattr(RRandom, name))


RESULTS = [pydpstat.DPResults, pydpstat.TableResults, pydpstat.HistogramResults, pydpstat.GroupedResults]


@pytest.mark.parametrize("kind", [*RESULTS, pydpstat.DPResultsPair, pydpstat.Guarantee])
def test_public_members_are_documented(kind):
    missing = []
    for name, member in vars(kind).items():
        if (
            not name.startswith("_")
            and (callable(member) or isinstance(member, property))
            and not inspect.getdoc(member)
        ):
            missing.append(name)
    assert missing == []


def test_every_module_and_public_function_says_what_it_is():
    import importlib

    missing = []
    for name in MODULES:
        module = importlib.import_module(name)
        if not (module.__doc__ or "").strip() and Path(module.__file__).read_text(encoding="utf-8").strip():
            missing.append(name)
        for label, member in vars(module).items():
            if label.startswith("_") or getattr(member, "__module__", None) != name:
                continue
            if (inspect.isfunction(member) or inspect.isclass(member)) and not inspect.getdoc(member):
                missing.append(f"{name}.{label}")
    assert missing == []


def test_importing_is_light():
    assert loaded_after("import pydpstat") == []


def test_importing_draws_nothing_and_prints_nothing():
    code = "import random\na = random.getstate()\nimport pydpstat\nassert random.getstate() == a"
    assert in_a_new_process(code) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "meanDP([1.0, 2.0], 1, 0, 5)",
        "meanDP([1.0, 2.0], 1, 0, 5, rng=1)",
        "histogramDP([1.0, 2.0], 1, 0, 4, breaks=[0, 2, 4])",
        "LaplaceMechanism([1.0, 2.0], 1, 1, rng=pydpstat.RRandom(1)).estimate",
        "symmetric_geometric(3, 1.0)",
        "RRandom(1).rnorm(3)",
        "float(pydpstat.meanDP([1.0, 2.0], 1, 0, 5)) + 1",
        "meanDP([1.0, 2.0], 0.5, 0, 5, mechanism='Gaussian', delta=0.01, rng=1)",
    ],
)
def test_a_release_needs_no_pandas(code):
    call = code if code.startswith("float") else f"pydpstat.{code}"
    assert set(loaded_after(f"import pydpstat\n{call}")) <= {"scipy"}


@pytest.mark.slow
def test_a_laplace_release_needs_no_scipy():
    assert loaded_after("import pydpstat\npydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)") == []


@pytest.mark.slow
def test_a_summary_needs_statsmodels_only_then():
    code = """import pydpstat
result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5)
assert "statsmodels" not in sys.modules
result.summary()"""
    assert "statsmodels" in loaded_after(code)


@pytest.mark.slow
def test_every_room_is_imported_first_once():
    """Each room on its own, before any other: that modules make no circle is read from their source."""
    rooms = [name for name in MODULES if hasattr(importlib.import_module(name), "__path__")]
    assert len(rooms) > 20
    code = f"""
import importlib, sys
import numpy
kept = set(sys.modules)
failed = []
for name in {rooms}:
    for each in [each for each in sys.modules if each.partition('.')[0] == 'pydpstat']:
        del sys.modules[each]
    try:
        importlib.import_module(name)
    except Exception as error:
        failed.append(f'{{name}}: {{error!r}}')
print(failed)
"""
    assert in_a_new_process(code) == "[]"


@pytest.mark.slow
def test_no_module_imports_rpy2_or_matplotlib_by_itself():
    # the page is a statsmodels Summary; it is imported when a summary is asked for
    modules = [name for name in MODULES if name != "pydpstat.results._summary_page"]
    code = f"import importlib\nfor name in {modules}: importlib.import_module(name)"
    assert not {"rpy2", "matplotlib", "statsmodels"} & set(loaded_after(code))


def test_errors_are_value_errors():
    from pydpstat.errors import MissingExtraError, NotSupportedError

    assert issubclass(pydpstat.PydpstatError, ValueError)
    assert issubclass(NotSupportedError, pydpstat.PydpstatError)
    assert issubclass(MissingExtraError, ImportError) and issubclass(pydpstat.PrivacyWarning, UserWarning)


def test_the_package_is_typed():
    from importlib import resources

    assert (resources.files("pydpstat") / "py.typed").is_file()
