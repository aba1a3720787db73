"""What editors that use jedi show of the package: completions, signatures, docstrings."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

import pydpstat

jedi = pytest.importorskip("jedi", reason="jedi is not installed: pip install 'pydpstat[test]'")

HEAD = "import pydpstat as dp\n"
RELEASE = "r = dp.mean([0.5], 1.0, bounds=(0, 1))\n"
PARTS = [name for name in dir(pydpstat) if isinstance(getattr(pydpstat, name), ModuleType)]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep jedi's files out of the user's home."""
    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path))


def script(code):
    # the environment is this interpreter, which finds the package that is tested
    return jedi.Script(HEAD + code, environment=jedi.InterpreterEnvironment())


def completions(code):
    return {each.name for each in script(code).complete()}


@pytest.mark.slow
def test_completion_offers_every_public_name():
    offered = completions("dp.")
    assert {*pydpstat.__all__, *PARTS} <= offered and len(PARTS) > 10
    assert not {"Any", "TYPE_CHECKING", "annotations", "importlib"} & offered
    assert completions("dp.meanD") == {"meanDP", "meanDataAccess"}


@pytest.mark.parametrize("part", PARTS)
def test_completion_offers_the_names_of_every_namespace(part):
    module = getattr(pydpstat, part)
    names = getattr(module, "__all__", [name for name in dir(module) if name.endswith(("Error", "Warning"))])
    assert names and {*names} <= completions(f"dp.{part}.")
    assert {*names} <= completions(f"from pydpstat.{part} import ")


def test_completion_of_the_living_module():
    # as in IPython
    names = {each.name for each in jedi.Interpreter("dp.", [{"dp": pydpstat}]).complete()}
    assert {*dir(pydpstat)} <= names and not {"Any", "annotations", "importlib"} & names


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["mean", "quantile", "histogram", "meanDP", "dppack.tableDP", "diffpriv.releaseResponse", "audit"]
)
def test_a_call_shows_its_signature_and_its_docstring(name):
    function = pydpstat
    for each in name.split("."):
        function = getattr(function, each)
    [signature] = script(f"dp.{name}(").get_signatures()
    assert [each.name for each in signature.params] == list(inspect.signature(function).parameters)
    assert signature.docstring(raw=True).strip() == inspect.getdoc(function)
    [shown] = script(f"dp.{name}").help(2, 3 + len(name) - 1)
    assert shown.docstring(raw=True) == inspect.getdoc(function)
    assert re.match(rf"{function.__name__}\(", shown.docstring())


@pytest.mark.slow
def test_a_class_shows_its_signature():
    [signature] = script("dp.local.RandomizedResponse(").get_signatures()
    assert [each.name for each in signature.params] == ["epsilon", "categories", "missing"]


def test_a_namespace_shows_its_docstring():
    [shown] = script("dp.random").help(2, 4)
    assert shown.docstring() == inspect.getdoc(pydpstat.random)


@pytest.mark.slow
def test_a_result_offers_its_attributes():
    public = {name for name in dir(pydpstat.DPResults) if not name.startswith("_")}
    assert {"estimate", "conf_int", "summary", "guarantee"} <= public <= completions(RELEASE + "r.")
    offered = completions(RELEASE + "r.")
    assert not {"margins", "cdf", "chi2", "f_oneway", "pairs"} & offered
    assert {"margins", "chi2", "wide"} <= completions("dp.crosstab([1], 1.0, levels=[1]).")
    [signature] = script(RELEASE + "r.conf_int(").get_signatures()
    given = "alpha: float=0.05, kind: str | None=None, *, joint: bool=False"
    assert signature.to_string() == f"conf_int({given}) -> pd.DataFrame"
    assert {"epsilon", "delta", "neighbors"} <= completions(RELEASE + "r.guarantee.")
