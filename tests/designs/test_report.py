"""The report from one design and the one from single calls: the same releases, letter for letter."""

import runpy
import sys
from pathlib import Path

import pytest

REPORT = Path(__file__).resolve().parents[2] / "docs" / "report"


@pytest.fixture
def reports(monkeypatch):
    monkeypatch.setenv("PYDPSTAT_STUDY_PERSONS", "400")
    monkeypatch.syspath_prepend(str(REPORT))
    sys.modules.pop("study_data", None)
    yield [runpy.run_path(str(REPORT / f"study_{name}.py")) for name in ("design", "calls")]
    sys.modules.pop("study_data", None)


@pytest.mark.slow
def test_a_design_releases_what_single_calls_do(reports):
    own, other = (each["budget"] for each in reports)
    assert own.spent.epsilon == pytest.approx(2.0)
    # but for what stands in the data's place
    public = [[each.call.partition("epsilon=")[2] for each in ledger.entries] for ledger in (own, other)]
    assert public[0] == public[1]
    assert [each.unit for each in own.entries] == ["person"] * 11
    assert [each["means"].value.shape for each in reports] == [(24,), (24,)]
