"""The comparison's report and its command."""

from __future__ import annotations

import json
import math
import types
from contextlib import nullcontext

import pytest

from pydpstat.__main__ import main as package_main
from pydpstat.parity import _r_side as recorded
from pydpstat.parity import _report as command
from pydpstat.parity._compare import Verdict, evaluate_in_python
from pydpstat.parity._report import ParityReport
from pydpstat.parity.case import Case, all_cases
from tests.parity.comparisons import case

RECORDED = ["--recorded", "--draws", "0"]


def test_a_case_runs_on_its_own_stream():
    first = evaluate_in_python(case(python="rng.runif(2)", seed=5))
    assert (
        first
        == evaluate_in_python(case(python="rng.runif(2)", seed=5))
        != evaluate_in_python(case(python="rng.runif(2)", seed=6))
    )
    stopped = evaluate_in_python(case(python="dppack.meanDP(x, -1, 0, 1, rng=rng)", inputs={"x": [1.0]}))
    assert stopped.error.startswith("eps must be") and stopped.values == ()


def verdicts():
    passed, failed = case(id="meanDP/a"), case(id="meanDP/b", level="ulp", tolerance=1.0)
    stops, other = (
        case(id="meanDP/c", level="difference", reason="R returns NaN"),
        case(id="runif/d", function="runif", package="stats"),
    )
    return [
        Verdict(passed, "passed", "live"),
        Verdict(failed, "failed", "recorded", 7.0, "value 1 of 1"),
        Verdict(stops, "passed", "live"),
        Verdict(other, "not run", "-", message="neither R nor a recording of this case is here"),
    ]


def test_report():
    report = ParityReport(verdicts(), (), {"R": "4.2.2", "diffpriv": ""}, ["no live R (why)"])
    assert [each.name for each in report.failures] == ["meanDP/b"]
    assert report.make_rows() == [
        ("DPpack", "meanDP", "exact, ulp, difference", "3", "2", "1", "0", "1", "7 ulp"),
        ("stats", "runif", "exact", "1", "0", "0", "1", "0", "equal"),
    ]
    for text in (report.render_text(), report.render_markdown()):
        assert "FAILED meanDP/b: value 1 of 1" in text and "NOT RUN runif/d: neither R" in text
        assert "no live R (why)" in text
        assert "R: R 4.2.2, diffpriv -" in text and "4 cases: 2 live, 1 recorded, 1 not run, 1 failed" in text
        assert "1 of the cases are deliberate differences" in text
    lines = report.render_text().splitlines()
    assert lines[0].split() == [
        "package",
        "function",
        "levels",
        "cases",
        "live",
        "recorded",
        "not",
        "run",
        "failed",
        "worst",
    ]
    table = [line for line in report.render_markdown().splitlines() if line.startswith("|")]
    assert len(table) == 4 and len({line.count("|") for line in table}) == 1
    content = json.loads(report.render_json())
    assert content["versions"]["R"] == "4.2.2"
    assert [each["status"] for each in content["cases"]] == ["passed", "failed", "passed", "not run"]
    assert content["cases"][1] == {
        "id": "meanDP/b",
        "function": "meanDP",
        "package": "DPpack",
        "level": "ulp",
        "reason": "",
        "status": "failed",
        "against": "recorded",
        "difference": 7.0,
        "message": "value 1 of 1",
    }


def test_an_infinite_difference_is_json_too():
    # JSON has no infinity: what cannot read it must not be given it
    report = ParityReport([Verdict(case(), "failed", "live", math.inf, "a missing value")])
    json.loads(report.render_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_command(capsys, tmp_path):
    files = ["--json", str(tmp_path / "report.json"), "--markdown", str(tmp_path / "report.md")]
    assert command.main([*RECORDED, "--only", "meanDP/", *files]) == 0
    out, err = capsys.readouterr()
    assert "meanDP" in out and "0 failed" in out and err == "" and "compared with the recorded values" in out
    content = json.loads((tmp_path / "report.json").read_text())
    assert {each["status"] for each in content["cases"]} == {"passed"}
    assert content["versions"]["DPpack"] == "0.2.2"
    assert (tmp_path / "report.md").read_text().startswith("# Comparison with R")
    assert command.main([*RECORDED, "--only", "meanDP/", "--quiet"]) == 0 and capsys.readouterr().out == ""


def test_command_of_the_package(capsys):
    assert package_main(["parity", *RECORDED, "--only", "runif/", "--quiet"]) == 0
    assert package_main(["parity", *RECORDED, "--only", "no such case"]) == 2
    assert "no case has 'no such case' in its id, and no distribution" in capsys.readouterr().err


@pytest.mark.slow
def test_only_chooses_cases_and_distributions(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(command, "run_distribution_checks", lambda names, *_: nullcontext(asked.extend(names) or []))
    assert command.main(["--recorded", "--only", "symmetric_geometric"]) == 0
    assert "2 cases: 0 live, 2 recorded" in capsys.readouterr().out
    assert asked == ["symmetric_geometric", "symmetric_geometric_noise, sign"]
    asked.clear()
    assert command.main(["--recorded", "--only", "meanDP/", "--quiet"]) == 0 and asked == []
    assert command.main(["--recorded", "--only", "tune_classification_model", "--draws", "0", "--quiet"]) == 0


def test_command_fails_with_a_case(monkeypatch, capsys):
    wrong = case(id="meanDP/clips both sides", r="DPpack::meanDP(x, 0.7, 0.5, 3.5)", python="1.0")
    right = next(each for each in all_cases() if each.id == wrong.id)
    wrong = Case(**{**vars(right), "python": right.python.replace("0.5, 3.5", "0.5, 3.6")})
    monkeypatch.setattr(command, "all_cases", lambda: (wrong,))
    assert command.main(RECORDED) == 1
    assert "FAILED meanDP/clips both sides: value 1 of 1" in capsys.readouterr().out


def test_a_crash_of_one_case_does_not_hide_the_others():
    crash = case(id="meanDP/crash", python="1 / 0")
    report = command.run_comparisons([crash, *all_cases()[:3]], live=False, draws=0)
    assert next(each.status for each in report.verdicts) == "failed"
    assert "ZeroDivisionError" in report.verdicts[0].message
    assert report.count_verdicts(status="passed") == 3


def test_what_is_not_recorded_is_shown_as_not_run():
    report = command.run_comparisons([case(id="meanDP/new")], live=False, draws=0)
    assert report.count_verdicts(status="not run") == 1 and report.failures == []
    assert "NOT RUN meanDP/new" in report.render_text()


def test_a_changed_case_is_not_compared_with_its_old_recording():
    recording = recorded.Recording()
    right = next(each for each in all_cases() if each.id == "meanDP/clips both sides")
    assert recording.get_outcome(right) is not None
    for change in (
        {"r": right.r + " "},
        {"seed": right.seed + 1},
        {"inputs": {"x": [1.0]}},
        {"id": "meanDP/other"},
    ):
        assert recording.get_outcome(Case(**{**vars(right), **change})) is None


@pytest.mark.slow
def test_required_r_makes_recorded_cases_a_failure(monkeypatch, capsys):
    monkeypatch.setenv("PYDPSTAT_REQUIRE_R", "1")
    monkeypatch.setenv("PYDPSTAT_NO_R", "1")
    assert command.main(["--draws", "0", "--only", "meanDP/", "--quiet"]) == 1
    monkeypatch.delenv("PYDPSTAT_REQUIRE_R")
    assert command.main(["--draws", "0", "--only", "meanDP/", "--quiet"]) == 0
    assert command.main(["--draws", "0", "--only", "meanDP/"]) == 0
    assert "no live R (PYDPSTAT_NO_R is set)" in capsys.readouterr().out


def test_differences_of_recordings(tmp_path):
    for name, cases in (("a", {"x": 1, "y": 2}), ("b", {"x": 1, "y": 3, "z": 4})):
        (tmp_path / name).write_text(json.dumps({"versions": {}, "cases": cases}))
    first, second = (recorded.Recording(tmp_path / name) for name in "ab")
    assert second.find_differences(first) == ["y", "z"] and first.find_differences(first) == []


def test_of_many_changed_recordings_forty_are_named(monkeypatch, capsys):
    monkeypatch.setattr(command, "record_cases", lambda cases: [f"case {place}" for place in range(50)])
    monkeypatch.setattr(command, "record_exports", lambda: False)
    assert command._record_all([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "50 differ from before" in lines[0] and lines[1:] == [f"  case {place}" for place in range(40)]


@pytest.mark.parametrize("live", [True, False])
def test_distributions_are_drawn_by_r_where_there_is_a_session(monkeypatch, live):
    asked = []

    def run_none(names, draws, is_live):
        asked.append((names, draws, is_live))
        return nullcontext([])

    session = types.SimpleNamespace(versions={})
    monkeypatch.setattr(command, "_open_session", lambda live: (session if live else None, []))
    monkeypatch.setattr(command, "run_distribution_checks", run_none)
    command.run_comparisons([], ["runif"], live=live, draws=100)
    command.run_comparisons([], ["runif"], live=live, draws=0)
    assert asked == [(["runif"], 100, live), ((), 0, live)]
