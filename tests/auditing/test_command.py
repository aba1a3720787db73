import json
from collections import Counter

import numpy as np
import pytest

from pydpstat.__main__ import main
from pydpstat.auditing import _command as command
from pydpstat.auditing._cases import all_cases, groups, models
from tests.auditing.test_many_draws import CASES

# enough to see the coarsest mistakes; the command itself makes a million draws
FEW, SOME = 500, 2_000
ROWS = {"", "1", "2", "3", "4", "5", "8", "12", "15", "C1", "C2", "delta"}
# what only many draws show
PATIENT = {
    "symmetric_geometric_noise(method='sign')",
    "varDP, Laplace, redrawn until positive",
    "meanDP, RRandom: support",
}
SLOW = {"tune_linear_regression_model, a record outside", "LogisticRegressionDP, gamma 100"}
# the stages that they consist of are audited one by one
STAGED = {"logit", "logit, the response stays", "logit, two predictors", "logit, levels"}
STAGED |= {"ols, one slope and its interval", "ols, moments, HC3"}


BY_GROUP = "mean sum var std count proportion cov corr".split()


def test_every_row_and_every_own_function_is_there():
    cases = all_cases()
    assert {case.row for case in cases} == ROWS
    assert len({case.name for case in cases}) == len(cases)
    sound = " ".join(case.name for case in cases if case.kind == "sound")
    own = "mean sum count proportion var std cov corr quantile quantiles median histogram crosstab choose "
    own += "nunique binomtest proportions_test quantile_test "
    own += "moments ttest_1samp ttest_rel ttest_ind"
    assert [name for name in own.split() if name not in sound] == []
    for start in (f"{name} {scope}" for scope in ("by group", "by unit") for name in BY_GROUP):
        assert [case.name.startswith(start) for case in cases].count(True) == 2


def test_values_groups_and_persons_of_neighbors_are_equally_many():
    for case in groups.CASES:
        # by unit the data have what others have, and what the person has
        if isinstance(case.data, tuple) and not case.name.endswith(", many groups"):
            assert [len(set(map(len, data))) for data in (case.data, case.neighbor)] == [1, 1], case.name


# releases that are one query are audited at fifty times as many draws
LEFT = [
    place
    for place, case in enumerate(all_cases())
    if case.name not in PATIENT | SLOW | STAGED and not (case.kind == "sound" and case.name in CASES)
]


@pytest.mark.slow
@pytest.mark.parametrize("place", LEFT, ids=lambda place: all_cases()[place].name)
def test_defects_are_found_and_own_functions_cleared(place):
    case = all_cases()[place]
    samples = FEW if case.kind == "sound" else SOME
    (row,) = command.run_cases([place], samples, 1)
    assert row.is_right, command.format_text([row], samples)


@pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
@pytest.mark.parametrize("name", sorted(SLOW))
def test_cases_of_models_fit_both_data_sets(name):
    case = next(case for case in all_cases() if case.name == name)
    for data in (case.data, case.neighbor):
        result = case.release(data)
        assert result.nobs == len(data) and np.isfinite(result.coeff).all()


def test_the_table_and_the_files(tmp_path, capsys):
    files = [tmp_path / "a.json", tmp_path / "a.md"]
    asked = ["audit", "--only", "uniform noise", "--samples", "2000"]
    code = main([*asked, "--json", str(files[0]), "--markdown", str(files[1])])
    out = capsys.readouterr().out
    assert code == 0 and "infinite" in out and "found" in out and "only under one of the two" in out
    data = json.loads(files[0].read_text())
    assert data["rows"][0]["verdict"] == "found" and data["rows"][0]["audit"]["violates"] is True
    assert files[1].read_text().startswith("| row | release | claim |")


def test_exit_codes(capsys, monkeypatch):
    assert main(["audit", "--only", "no such case"]) == 2
    assert main(["audit", "--samples", "3"]) == 2
    sound = next(case for case in all_cases() if case.name == "count")
    wrong = type(sound)(**{**sound.__dict__, "kind": "defect", "name": "wrong"})
    monkeypatch.setattr(command, "all_cases", lambda: (wrong,))
    assert main(["audit", "--samples", "500"]) == 1
    assert "MISSED" in capsys.readouterr().out
    broken = type(sound)(**{**sound.__dict__, "release": lambda x: 1 / 0})
    monkeypatch.setattr(command, "all_cases", lambda: (broken,))
    assert main(["audit", "--samples", "500"]) == 1
    assert "failed: release raises the same error" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, at_least, verdict",
    [("sound", 0.0, "cleared"), ("defect", 0.0, "MISSED"), ("defect", 9.0, "MISSED")],
)
def test_equal_laws_clear_a_sound_case_and_miss_a_defect(monkeypatch, kind, at_least, verdict):
    # as with the full number of draws
    monkeypatch.setattr(command, "SAMPLES", 500)
    fair = next(case for case in all_cases() if case.name == "mean, missing='drop'")
    case = type(fair)(**{**fair.__dict__, "kind": kind, "at_least": at_least})
    monkeypatch.setattr(command, "all_cases", lambda: (case,))
    (row,) = command.run_cases([0], 500, 1)
    assert row.result.epsilon_lower < 1.0 and row.verdict == verdict


@pytest.mark.slow
def test_only_may_be_given_several_times(capsys):
    assert main(["audit", "--only", "uniform", "--only", "missing='drop'", "--samples", "500"]) == 0
    out = capsys.readouterr().out
    assert "uniform noise" in out and "mean, missing='drop'" in out and "corr" not in out


@pytest.mark.slow
def test_two_processes_give_the_same_table(capsys):
    places = [place for place, case in enumerate(all_cases()) if case.name in ("count", "uniform noise on -2..2")]
    rows = command.run_cases(places, 1_000, 2, progress=True)
    assert [row.verdict for row in rows] == ["found", "cleared"]
    lines = sorted(line.partition(": ")[2] for line in capsys.readouterr().err.splitlines())
    assert lines[0].startswith(f"count, cleared with epsilon >= {rows[1].result.epsilon_lower:.4f}, ")
    assert lines[1].startswith("uniform noise on -2..2, found with epsilon >= ")


# persons with several records, records of which only the ranks count, and a record with several cells
SEVERAL = ("by unit", "a person in every group", "nunique, by group", "one predictor by ranks")


def count_records(*sets):
    """The records of data sets, each with its sample unless all columns are of the same length."""
    parts = [data if isinstance(data, tuple) else (data,) for data in sets]
    parts = [[list(zip(*part.values())) if isinstance(part, dict) else part for part in each] for each in parts]
    whole = all(len(set(map(len, each))) == 1 for each in parts)
    rows = [list(zip(*each)) if whole else [(k, row) for k, part in enumerate(each) for row in part] for each in parts]
    return [Counter(repr(np.asarray(row, dtype=object).tolist()) for row in each) for each in rows]


def test_the_data_of_each_case_are_neighbors():
    for case in all_cases():
        if isinstance(case.data, int):
            assert abs(case.data - case.neighbor) == 1, case.name
        elif case.name.endswith("by unit, many groups") or not any(word in case.name for word in SEVERAL):
            one, other = count_records(case.data, case.neighbor)
            assert ((one - other).total(), (other - one).total()) in ((1, 1), (1, 0), (0, 1)), case.name


def test_the_slopes_with_the_record_that_changes_change_their_signs():
    for one, other, coincide in ((models.UPWARD, models.DOWNWARD, True), (models.ABOVE, models.BELOW, False)):
        (y, x), (changed, same) = np.array(one), np.array(other)
        slopes, others = (y[0] - y[1:]) / (x[0] - x[1:]), (changed[0] - changed[1:]) / (same[0] - same[1:])
        assert (slopes > 0.0).all() and (others == -slopes).all() and (x == same).all()
        assert (len(set(x[1:])) == 1) == coincide


def test_cases_of_populations_release_their_intervals():
    cases = [case for case in all_cases() if ", population" in case.name]
    for case in cases:
        assert case.release(case.data).conf_int(kind="population").notna().all(axis=None), case.name
    assert len(cases) >= 5
