"""Every row of the tutorial is R's, and the comparison notices when one is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from dataclasses import replace

import numpy as np
import pytest

import pydpstat
from pydpstat.parity._tutorial import Agreement, TutorialSession, _format_matrices, compare_printed
from pydpstat.parity.case import format_as_r_prints, format_matrix_lines, part

steps, cars = part("tutorial.steps"), part("tutorial.cars")
STEPS = steps.STEPS
PRINTED_BY_R = {
    1: ["0.498559"],
    2: ["0.5007902"],
    3: ["0.02757174", "0.5055434"],
    4: ["0.5007902", "0.4836385"],
    10: ["1000"],
    11: ["287.0583", "408.7466", "304.1951"],
}


@pytest.fixture(scope="module")
def outcomes():
    session = TutorialSession()
    return [session.run_step(step) for step in STEPS]


@pytest.mark.parametrize("number", range(1, 13), ids=lambda number: f"row {number}")
def test_row_is_equal_to_r(outcomes, number):
    outcome = outcomes[number - 1]
    assert outcome.is_equal
    assert outcome.next_agreement is Agreement.EQUAL
    if not outcome.step.logarithms:
        assert set(outcome.agreements) == {Agreement.EQUAL}


def test_rows_that_warn(outcomes):
    warned = {number: outcome.warnings for number, outcome in enumerate(outcomes, 1) if outcome.warnings}
    assert list(warned) == [7, 9]
    assert "epsilon is 1.6931, not 1" in warned[7][0]
    assert "infinite" in warned[9][0]


@pytest.mark.parametrize("number", PRINTED_BY_R)
def test_printed_digits(number):
    texts = [recorded.printed for recorded in STEPS[number - 1].recorded]
    assert [text for vector in texts for text in vector] == PRINTED_BY_R[number]


def test_columns_are_formatted_one_by_one():
    lines = format_matrix_lines(np.array(STEPS[11].recorded[0].value))
    assert lines == [
        "          [,1]     [,2]",
        "[1,]  96.16113 190.8972",
        "[2,] 152.52484 256.2218",
        "[3,] 202.14742 102.0476",
    ]


@pytest.mark.parametrize(
    ("ours", "logarithms", "expected"),
    [
        ([0.5, 300.0], False, Agreement.EQUAL),
        ([0.5, np.nextafter(300.0, 301.0)], False, Agreement.DIFFERENT),
        ([0.5, np.nextafter(300.0, 301.0)], True, Agreement.PRINTED),
        ([0.5, 300.0 + 2 * np.spacing(300.0)], True, Agreement.PRINTED),
        ([0.5, 300.0 + 3 * np.spacing(300.0)], True, Agreement.DIFFERENT),
        ([0.5, np.nan], True, Agreement.DIFFERENT),
        ([0.5], True, Agreement.DIFFERENT),
    ],
)
def test_agreement(ours, logarithms, expected):
    assert compare_printed(np.array([0.5, 300.0]), np.array(ours), logarithms) is expected


def test_the_last_place_does_not_excuse_another_print():
    below, above = np.nextafter(0.12345675, 0.0), np.nextafter(0.12345675, 1.0)
    assert format_as_r_prints(below) != format_as_r_prints(above)
    assert compare_printed(np.array(below), np.array(above), logarithms=True) is Agreement.DIFFERENT


def test_a_wrong_next_uniform_is_different():
    outcome = TutorialSession().run_step(replace(STEPS[1], next_uniform=0.5))
    assert all(outcome.agreements) and not outcome.is_equal


def test_a_missing_value_is_an_error():
    with pytest.raises(RuntimeError, match="1 values, but 2"):
        TutorialSession().run_step(replace(STEPS[0], recorded=STEPS[0].recorded * 2))


def test_other_warnings_are_passed_on():
    noisy = replace(STEPS[0], python=("import warnings", "warnings.warn('careful', UserWarning)", "0.5"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert TutorialSession().run_step(noisy).warnings == ()
    assert [str(each.message) for each in caught] == ["careful"]


def test_type_of_privacy_does_nothing_with_laplace_noise():
    data = cars.cars93()
    kinds = ("pDP", "aDP")
    first, second = (pydpstat.tableDP(data.Type, data.Origin, type_DP=kind, rng=123) for kind in kinds)
    assert (first.value == second.value).all() and first.guarantee == second.guarantee


def test_data():
    data = cars.cars93()
    assert len(cars.records()) == 93 and data.shape == (93, 2)
    for name, levels in cars.LEVELS.items():
        assert tuple(data[name].cat.categories) == levels
        assert not data[name].isna().any()


R_RUNNER = """
for (i in seq_along(steps)) {
  for (line in parse(text = steps[[i]])) {
    seen <- withVisible(eval(line, globalenv()))
    if (seen$visible) cat(i, sprintf("%.17g", as.vector(seen$value)), "\\n")
  }
  before <- .Random.seed
  cat(i, "next", sprintf("%.17g", runif(1)), "\\n")
  assign(".Random.seed", before, globalenv())
}
"""


@pytest.mark.slow
@pytest.mark.live
def test_r_prints_what_is_recorded(tmp_path):
    check = "stopifnot(requireNamespace('DPpack'), requireNamespace('rmutil'), requireNamespace('MASS'))"
    rscript = shutil.which("Rscript")
    if rscript is None or subprocess.run([rscript, "-e", check], capture_output=True).returncode:
        reason = "the R lines need R with DPpack, rmutil and MASS"
        if os.environ.get("PYDPSTAT_REQUIRE_R", "0") not in ("", "0"):
            pytest.fail(reason)
        pytest.skip(reason)
    quoted = ("c(" + ", ".join("'" + line + "'" for line in step.r) + ")" for step in STEPS)
    script = tmp_path / "steps.R"
    script.write_text("\n".join([*steps.R_PREAMBLE, f"steps <- list({', '.join(quoted)})", R_RUNNER]))
    done = subprocess.run([rscript, str(script)], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    for number, step in enumerate(STEPS, 1):
        mine = [words[1:] for words in lines if words[0] == str(number)]
        expected = [np.ravel(recorded.value, order="F") for recorded in step.recorded]
        assert len(mine) == len(expected) + 1
        for words, values in zip(mine, expected):
            assert compare_printed(values.astype(float), np.array(words, dtype=float), step.logarithms)
        if step.next_uniform is not None:
            assert float(mine[-1][1]) == step.next_uniform


def test_matrices_are_side_by_side_under_the_names_of_the_languages():
    (recorded, *_) = STEPS[11].recorded
    head, *rows = _format_matrices(recorded, recorded.array, recorded.array)
    assert head.split() == ["R", "[,1]", "[,2]", "Python", "[,1]", "[,2]"]
    assert [row.split()[0] for row in rows] == [row.split()[3] for row in rows] == ["[1,]", "[2,]", "[3,]"]
