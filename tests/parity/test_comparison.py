"""The comparison's parts: differences between doubles, verdicts, R's text."""

from __future__ import annotations

import math
import os
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.parity._compare import (
    Outcome,
    _rank_double,
    collect_results,
    compare_outcomes,
    compute_relative_difference,
    compute_ulp_difference,
)
from pydpstat.parity._r_side import (
    UNMIRRORED_PACKAGES,
    RUnavailableError,
    _probe_r_start,
    parse_outcome,
    parse_r_number,
)
from pydpstat.parity.case import Factor, all_cases, format_python_literal, format_r_assignments, format_r_literal
from pydpstat.porting import _r_environment as environment
from tests.parity.comparisons import case

any_float = st.floats(allow_nan=False, allow_infinity=False)


def outcome_of(values=(1.0,), labels=(), error="", next_uniform=0.5):
    return Outcome(tuple(values), tuple(labels), error, next_uniform)


@given(any_float)
def test_a_neighbor_is_one_unit_away(x):
    above = math.nextafter(x, math.inf)
    if math.isfinite(above):
        # two zeros lie between the smallest numbers of either sign
        expected = 2.0 if x == 0.0 and math.copysign(1.0, x) < 0 else 1.0
        assert compute_ulp_difference(x, above) == compute_ulp_difference(above, x) == expected
    assert compute_ulp_difference(x, x) == 0.0


def test_special_numbers():
    nan, inf = math.nan, math.inf
    assert (
        compute_ulp_difference(nan, nan) == 0.0
        and compute_ulp_difference(nan, 1.0) == compute_ulp_difference(1.0, nan) == inf
    )
    assert compute_ulp_difference(0.0, -0.0) == 1.0 and compute_ulp_difference(inf, inf) == 0.0
    assert compute_ulp_difference(inf, 1.7976931348623157e308) == 1.0 and compute_ulp_difference(-inf, inf) > 1e18
    assert compute_ulp_difference(1.0, -1.0) == 2 * compute_ulp_difference(1.0, 0.0) + 1
    assert compute_relative_difference(1.0, 1.0) == 0.0 and compute_relative_difference(nan, nan) == 0.0
    assert compute_relative_difference(1.1, 1.0) == pytest.approx(0.1) and compute_relative_difference(1.0, 0.0) == inf
    assert (
        compute_relative_difference(nan, 1.0)
        == compute_relative_difference(inf, 1.0)
        == compute_relative_difference(1.0, inf)
        == inf
    )
    assert compute_relative_difference(0.0, -0.0) == 0.0


@given(any_float, any_float, any_float)
def test_ulps_are_a_distance(a, b, c):
    assert compute_ulp_difference(a, b) == compute_ulp_difference(b, a) >= 0.0
    # floats of whole numbers below 2^64: each is rounded once
    assert compute_ulp_difference(a, c) <= (compute_ulp_difference(a, b) + compute_ulp_difference(b, c)) * (1 + 1e-15)


UP = 1.0 + 2**-52
STOPS = {"error": "no", "values": ()}

PASSES = ""
# a case, what Python and R give, the difference, and what a failure says
VERDICTS = [
    ({}, {}, {}, 0.0, PASSES),
    ({}, {"values": (UP,)}, {}, 1.0, f"value 1 of 1: R has 1.0, Python {UP!r}; difference 1, allowed 0"),
    ({"recorded_ulp": 1.0}, {"values": (UP,)}, {}, 1.0, "allowed 0"),
    ({"level": "ulp", "tolerance": 1.0}, {"values": (UP,)}, {}, 1.0, PASSES),
    ({"level": "ulp", "tolerance": 0.5}, {"values": (UP,)}, {}, 1.0, "allowed 0.5"),
    ({"level": "rtol", "tolerance": 1e-4}, {"values": (1.0005,)}, {}, 5e-4, "difference 0.0005"),
    ({}, {"values": (1.0, 2.0)}, {"values": (1.0,)}, 0.0, "R returns 1 values, Python 2"),
    ({}, {"labels": ("a",)}, {"labels": ("b",)}, 0.0, "labels differ: ['b'] in R, ['a'] in Python"),
    ({}, {"next_uniform": 0.25}, {}, 0.0, "the streams diverge: next uniform 0.5 in R, 0.25 in Python"),
    ({"draws": False}, {"next_uniform": 0.25}, {}, 0.0, PASSES),
    ({}, {"error": "no"}, {}, 0.0, "only Python stops: no"),
    ({}, {}, {"error": "no"}, 0.0, "only R stops: no"),
    ({}, {"error": "no"}, {"error": "no"}, 0.0, "both sides stop"),
    ({"level": "error"}, {"error": "no"}, {"error": "nein"}, 0.0, PASSES),
    ({"level": "error"}, {}, {}, 0.0, "neither side stops"),
    ({"level": "error"}, {"error": "no"}, {}, 0.0, "only Python stops"),
    ({"level": "error"}, {"error": "no", "next_uniform": 0.1}, {"error": "no"}, 0.0, "the streams diverge"),
    ({"level": "difference"}, STOPS, {"values": (math.nan,)}, 0.0, PASSES),
    ({"level": "difference"}, STOPS, {"values": ()}, 0.0, PASSES),
    ({"level": "difference"}, STOPS, {"values": (1.0,)}, 0.0, "a finite number that Python should reproduce"),
    ({"level": "difference"}, {"values": (1.0,)}, {"values": (math.nan,)}, 0.0, "but should raise an error"),
    ({"level": "refused"}, STOPS, {"values": (1.0,)}, 0.0, PASSES),
    ({"level": "endless"}, STOPS, {"error": "time limit"}, 0.0, PASSES),
    ({"level": "endless"}, {"values": (1.0,)}, {"error": "time limit"}, 0.0, "but should raise an error"),
]
# against what R gave when it was recorded, more may be allowed
RECORDED = [
    ({"recorded_ulp": 1.0}, {"values": (UP,)}, {}, 1.0, PASSES),
    ({"level": "rtol", "tolerance": 1e-3, "recorded_ulp": 9.0}, {"values": (1.0005,)}, {}, 5e-4, PASSES),
]


@pytest.mark.parametrize(
    "fields, ours, theirs, difference, message, against",
    [*((*each, "live") for each in VERDICTS), *((*each, "recorded") for each in RECORDED)],
)
def test_verdicts(fields, ours, theirs, difference, message, against):
    verdict = compare_outcomes(case(**fields), outcome_of(**ours), outcome_of(**theirs), against)
    assert (verdict.status, verdict.against) == ("failed" if message else "passed", against)
    assert verdict.name == "meanDP/a test" and verdict.difference == pytest.approx(difference)
    assert message in verdict.message and bool(verdict.message) == bool(message)


def test_a_missing_value_is_no_number():
    assert compare_outcomes(case(), outcome_of((math.nan,)), outcome_of((1.0,)), "live").status == "failed"
    assert (
        compare_outcomes(case(level="rtol", tolerance=1e9), outcome_of((math.nan,)), outcome_of((1.0,)), "live").status
        == "failed"
    )
    assert compare_outcomes(case(), outcome_of((math.nan,)), outcome_of((math.nan,)), "live").status == "passed"


@given(st.floats())
def test_numbers_go_through_rs_text(x):
    # R's sprintf("%a") writes NaN, NA, Inf and -Inf as words
    text = "NaN" if x != x else {math.inf: "Inf", -math.inf: "-Inf"}.get(x, x.hex())
    assert compute_ulp_difference(parse_r_number(text), x) == 0.0


def test_rs_words_are_numbers():
    assert (
        math.isnan(parse_r_number("NA"))
        and parse_r_number("-Inf") == -math.inf
        and parse_r_number("0x1p-1074") == 5e-324
    )
    read = parse_outcome({"values": ["0x1p0", "-0x1p-1"], "labels": ["a"], "error": [""], "next_uniform": ["0x1p-1"]})
    assert read == Outcome((1.0, -0.5), ("a",), "", 0.5)
    # a recording has the last two as texts, R gives vectors of length 1
    assert read == parse_outcome(
        {"values": ["0x1p0", "-0x1p-1"], "labels": ["a"], "error": "", "next_uniform": "0x1p-1"}
    )


def exact(value):
    return format_r_literal(value, exact=True)


def test_literals():
    assert exact(None) == "NA" and exact(True) == "TRUE" and exact(np.bool_(False)) == "FALSE"
    assert exact(3) == "3L" and exact(-(2**31)) == "-2147483648" and exact(2**31 - 1) == "2147483647L"
    assert exact(math.inf) == "Inf" and exact(-math.inf) == "-Inf" and exact(math.nan) == "NaN"
    assert exact(0.1) == "0x1.999999999999ap-4" and exact(-0.0) == "-0x0.0p+0"
    assert exact(5e-324) == "0x0.0000000000001p-1022"
    assert exact([]) == "numeric(0)" and exact([1.0]) == "c(0x1.0000000000000p+0)"
    assert exact(np.arange(2)) == "c(0L, 1L)"
    assert exact('a"b\\c') == '"a\\"b\\\\c"' and exact(["a", None]) == 'c("a", NA)'
    assert exact(np.array([[1, 2], [3, 4]])) == "array(c(1L, 3L, 2L, 4L), c(2, 2))"
    assert exact(Factor(("a", None), ("b", "a"))) == 'factor(c("a", NA), levels = c("b", "a"))'
    assert format_r_assignments({"x": [1], "y": "a"}) == ["x <- c(1L)", 'y <- "a"']


SAMPLES = [0.1, 1e-310, 5e-324, -0.0, 1.7976931348623157e308, math.pi, -123456.789, 2.0**-1074, 1 / 3]


@pytest.mark.live
def test_literals_keep_their_bits_in_r(live_r):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**63, 500, dtype=np.uint64)
    floats = [x for x in bits.view(np.float64).tolist() if math.isfinite(x)] + SAMPLES
    theirs = np.asarray(live_r.r(exact(floats)))
    assert theirs.tobytes() == np.array(floats).tobytes()
    # and back, as R writes them
    assert [parse_r_number(str(text)) for text in live_r.r(f"sprintf('%a', {exact(floats)})")] == floats
    for text in ('a"b', "a\\b", "ä ß €", "tab\there", "line\nbreak", "'"):
        assert str(live_r.r(exact(text))[0]) == text
    assert list(live_r.r(f"is.na({exact([1.0, math.nan, math.inf])})")) == [False, True, False]
    assert tuple(live_r.r(f"levels({exact(Factor(('a', None), ('b', 'a')))})")) == ("b", "a")


def test_cases_are_data():
    cases = all_cases()
    assert len(cases) > 600 and len({each.id for each in cases}) == len(cases)
    for each in cases:
        # several functions on one stream are filed under what they show
        assert each.function == "mixture" or each.id.startswith(each.function + "/"), each.id
        # whatever is not exact has its reason, or its tolerance
        assert each.level in ("exact", "error", "endless") or each.reason or each.tolerance, each.id
        assert each.package in (
            "base",
            "stats",
            "graphics",
            "rmutil",
            "diffpriv",
            "DPpack",
            *UNMIRRORED_PACKAGES,
        )


def test_every_mirror_has_cases():
    from pydpstat.parity._r_side import load_exports

    levels = {}
    for each in all_cases():
        levels.setdefault(each.function, set()).add(each.level)
    names = {name for package in load_exports().values() for name in package}
    streams = {"runif", "rnorm", "rexp", "rgeom", "rpois", "rbinom", "rgamma", "sample", "rlaplace"}
    assert names | streams <= set(levels)
    # each has cases with numbers, and nearly each has cases that stop
    numbers = {name for name in names if levels[name] & {"exact", "rtol", "ulp"}}
    stopped = {name for name in names if levels[name] & {"error", "difference", "refused"}}
    # these take any numbers
    safe = {"calibrateAnalyticGaussianMechanism", "mapXy.gr.linear", "regularizer.l2", "regularizer.gr.l2"}
    assert names == numbers and names - stopped <= safe


def test_rs_sums_are_added_as_on_every_processor_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.setattr(environment.platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    environment.choose_kernels()
    assert os.environ["OPENBLAS_CORETYPE"] == "Haswell"
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    environment.choose_kernels()
    assert os.environ["OPENBLAS_CORETYPE"] == "Prescott"
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    monkeypatch.setattr(environment.platform, "machine", lambda: "aarch64")
    environment.choose_kernels()
    assert "OPENBLAS_CORETYPE" not in os.environ


def test_python_literals():
    assert format_python_literal(np.array([1.0, 0.5])) == "np.array([1.0, 0.5])"
    assert format_python_literal(np.array([[1], [2]])) == "np.array([[1], [2]])"
    assert format_python_literal([1.0, None]) == "np.array([1.0, math.nan])"
    assert (format_python_literal("a"), format_python_literal(0.5)) == ('"a"', "0.5")
    assert format_python_literal(["a", "b"]) == '["a", "b"]'


def test_negative_zero_is_directly_below_zero():
    assert (_rank_double(-0.0), _rank_double(0.0), _rank_double(5e-324), _rank_double(-5e-324)) == (-1, 0, 1, -2)


def test_cells_of_which_one_is_a_text_are_labels():
    values, labels = [], []
    collect_results(np.array(["a", None], dtype=object), values, labels)
    assert values == [] and labels == ["a", None]


def test_without_r_it_is_not_started(monkeypatch):
    monkeypatch.setattr("pydpstat.parity._r_side._PROBE_CODE", "")
    for value, is_refused in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("PYDPSTAT_NO_R", value)
        with pytest.raises(RUnavailableError, match="PYDPSTAT_NO_R is set") if is_refused else nullcontext():
            _probe_r_start()
