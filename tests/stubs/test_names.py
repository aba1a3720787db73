"""The stubs, `__all__`, `dir` and the attributes of a package that imports on demand have the same names."""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pydpstat
from pydpstat.designs._signatures import DESIGN_METHODS
from tests.modules import modules, usable
from tools.stubs import CALLS, calls, lazy_packages, stub, stub_path

ROOT = Path(pydpstat.__file__).parent
LAZY = lazy_packages()
PARTS = [getattr(pydpstat, name) for name in dir(pydpstat) if isinstance(getattr(pydpstat, name), ModuleType)]

each_lazy = pytest.mark.parametrize(
    "package", [each for each in LAZY if usable(each.__name__)], ids=lambda package: package.__name__
)


@pytest.fixture(scope="module")
def everything_is_loaded():
    for name in modules():
        importlib.import_module(name)


def dunder(name):
    return name.startswith("__") and name.endswith("__")


def in_a_new_process(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )


def imports_of(package):
    """The public names of a package's stub, each with the module that the stub imports it from."""
    tree = ast.parse(stub_path(package).read_text(encoding="utf-8"))
    return {
        each.asname: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
        # without "as" a name of a stub is private
        if each.asname == each.name
    }


def test_every_lazy_package_has_a_stub_and_nothing_else_has_one():
    inits = ROOT.rglob("__init__.py")
    lazy = [path for path in inits if "attach_names as _attach" in path.read_text(encoding="utf-8")]
    assert {path.with_suffix(".pyi") for path in lazy} == set(ROOT.rglob("__init__.pyi"))
    assert {stub_path(package) for package in LAZY} == set(ROOT.rglob("__init__.pyi")) and pydpstat in LAZY


def test_a_designs_methods_have_the_functions_signatures():
    written = CALLS.read_text(encoding="utf-8")
    assert written == calls(), "run: python tools/stubs.py"
    (declared,) = [node for node in ast.parse(written).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in declared.body] == sorted(DESIGN_METHODS, key=DESIGN_METHODS.index)
    assert set(ROOT.rglob("*.pyi")) == {*ROOT.rglob("__init__.pyi"), CALLS}


@each_lazy
def test_a_stub_is_what_the_tool_writes(package):
    assert stub_path(package).read_text(encoding="utf-8") == stub(package), "run: python tools/stubs.py"


@each_lazy
def test_a_stub_has_the_names_and_the_objects_of_the_package(package):
    imported = imports_of(package)
    assert set(imported) == {name for name in dir(package) if not dunder(name)}
    for name, home in imported.items():
        assert getattr(importlib.import_module(home), name) is getattr(package, name) is not None


@each_lazy
def test_a_stub_lists_what_a_star_imports(package):
    tree = ast.parse(stub_path(package).read_text(encoding="utf-8"))
    [listed] = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    ]
    typed = [node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)]
    assert listed == package.__all__ and sorted(listed) == sorted({*listed})
    assert {*listed} <= {*imports_of(package), *typed} and {*typed} <= {*listed}
    taken: dict[str, object] = {}
    exec(f"from {package.__name__} import *", taken)
    assert {*taken} - {"__builtins__"} == {*listed}


@each_lazy
@pytest.mark.usefixtures("everything_is_loaded")
def test_dir_shows_public_names_and_no_others(package):
    shown = dir(package)
    public = {name for name in shown if not dunder(name)}
    parts = {name for name in public if isinstance(getattr(package, name), ModuleType)}
    assert shown == sorted({*shown}) and public == {*package.__all__, *parts} - {"__version__"}
    assert all(not name.startswith("_") for name in public) and "__main__" not in shown
    assert {"__all__", "__doc__", "__file__", "__name__", "__path__"} <= {*shown}


@pytest.mark.parametrize("part", [part for part in PARTS if hasattr(part, "__path__")], ids=lambda part: part.__name__)
@pytest.mark.usefixtures("everything_is_loaded")
def test_a_public_namespace_shows_its_names_and_its_modules(part):
    modules = {each.name for each in pkgutil.iter_modules(part.__path__)}
    assert {*part.__all__} <= {*dir(part)}
    assert {name for name in dir(part) if not dunder(name)} <= {*part.__all__, *modules}


@pytest.mark.slow
def test_every_public_namespace_is_an_attribute_without_an_import_of_its_own():
    names = [part.__name__.partition(".")[2] for part in PARTS]
    assert {"diffpriv", "dppack", "errors", "local", "mechanisms", "privacy", "random", "results"} <= {*names}
    code = f"""
import sys
for name in {names}:
    for each in [each for each in sys.modules if each.partition('.')[0] == 'pydpstat']:
        del sys.modules[each]
    import pydpstat
    assert name in dir(pydpstat) and f'pydpstat.{{name}}' not in sys.modules, name
    assert getattr(pydpstat, name).__name__ == f'pydpstat.{{name}}' and name in vars(pydpstat)
"""
    done = in_a_new_process(code)
    assert done.returncode == 0, done.stderr
    # a namespace of a namespace, too
    done = in_a_new_process("import pydpstat as dp; print(dp.random.r_stream.RRandom is dp.RRandom)")
    assert done.stdout == "True\n", done.stderr


@each_lazy
def test_an_unknown_name_is_an_attribute_error(package):
    for name in ("no_such_name", "_no_such_name", "__wrapped__", "importlib"):
        message = f"module {package.__name__!r} has no attribute {name!r}"
        with pytest.raises(AttributeError, match=f"^{re.escape(message)}"):
            getattr(package, name)


def test_the_name_that_was_meant_is_suggested():
    done = in_a_new_process("import pydpstat as dp; dp.meanDp")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("'meanDp'. Did you mean 'meanDP'?"), done.stderr
