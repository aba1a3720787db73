"""Every name that the two R packages export is in its mirror, with R's arguments, order and defaults."""

from __future__ import annotations

from importlib import import_module

import pytest

from pydpstat.parity._r_side import get_exports_path, load_exports, split_by_coverage, write_exports
from pydpstat.porting._code import make_python_name
from tests.parity.signatures import signature_differences

EXPORTS = load_exports()
NAMES = [(package, name) for package, names in EXPORTS.items() for name in names]


def test_the_lists_are_whole():
    assert {package: len(names) for package, names in EXPORTS.items()} == {"DPpack": 44, "diffpriv": 13}


@pytest.mark.parametrize("package, name", NAMES, ids=[name for _, name in NAMES])
def test_a_name_has_its_mirror(package, name):
    assert signature_differences(package, name, EXPORTS[package][name]) == []
    mirror = import_module(f"pydpstat.{package.lower()}")
    assert make_python_name(name) in mirror.__all__


@pytest.mark.parametrize("package", EXPORTS)
def test_the_mirror_has_no_other_names(package):
    # DPMech is the virtual class, predict R's generic, which diffpriv gives a method
    allowed = {*map(make_python_name, EXPORTS[package]), "DPMech", "predict"}
    assert set(import_module(f"pydpstat.{package.lower()}").__all__) <= allowed


@pytest.mark.slow
@pytest.mark.live
def test_the_lists_are_what_r_exports_now(live_r, tmp_path):
    write_exports(tmp_path / "exports.json")
    assert (tmp_path / "exports.json").read_text() == get_exports_path().read_text()


@pytest.mark.parametrize(
    "change, word", [(["x", ""], "arguments"), (["eps", "2"], "is 2.0 in R"), (["epsilon", ""], "arguments")]
)
def test_a_changed_argument_is_found(change, word):
    entry = {
        "kind": "function",
        "arguments": [list(each) for each in EXPORTS["DPpack"]["meanDP"]["arguments"]],
    }
    entry["arguments"][1] = change
    (found,) = signature_differences("DPpack", "meanDP", entry)
    assert word in found


def test_a_missing_name_is_found():
    entry = {"kind": "function", "arguments": []}
    assert signature_differences("DPpack", "modeDP", entry) == ["modeDP: pydpstat.dppack has no modeDP"]


def test_a_name_with_a_failed_comparison_is_not_covered():
    from dataclasses import replace

    from pydpstat.parity._compare import Verdict
    from pydpstat.parity.case import all_cases

    case = next(each for each in all_cases() if each.function == "meanDP")
    passed, failed = Verdict(case, "passed", "live"), Verdict(replace(case, id="x"), "failed", "live")
    assert split_by_coverage([passed])["DPpack"][0] == ["meanDP"]
    assert split_by_coverage([passed, failed])["DPpack"][0] == []
