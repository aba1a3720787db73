"""A ported script beside R's record of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pydpstat import dppack
from pydpstat.porting import _verify as v
from pydpstat.porting._comparison import OPEN_TYPE_REMARK, iterate_deviations
from pydpstat.porting._translation import translate_script
from pydpstat.porting.r._shapes import with_dimnames
from pydpstat.r_arithmetic import hist, table


def num(*values: Any, kind: str = "double", **more: Any) -> dict[str, Any]:
    values = tuple(x.hex() if isinstance(x, float) and math.isfinite(x) else x for x in values)
    return {"kind": kind, "count": len(values), "values": list(values), **more}


def expression(index: int, *output: str, **more: Any) -> dict[str, Any]:
    return {"index": index, "line": index + 1, "visible": "value" in more, "output": list(output), **more}


def run(tmp_path: Path, *pairs: tuple[str, dict[str, Any]], pool: Any = ()) -> v.Verification:
    """Compare one Python text per record; the variable is called x on both sides."""
    chunks = [v.Chunk(i, i + 1, python, (("x", "x"),)) for i, (python, _) in enumerate(pairs)]
    expressions = [expression(i, *more.pop("output", ()), **more) for i, (_, more) in enumerate(pairs)]
    return v.verify_port(chunks, {"expressions": expressions, "pool": list(pool)}, tmp_path)


def status(tmp_path: Path, *pairs: tuple[str, dict[str, Any]]) -> str:
    return run(tmp_path, *pairs).lines[-1].status


@pytest.mark.parametrize(
    ("python", "recorded", "expected"),
    [
        ("x = 0.1 + 0.2", num(0.1 + 0.2), v.EQUAL),
        ("x = 0.3", num(0.1 + 0.2), v.DIFFERENT),
        ("x = 1", num(1.0), v.EQUAL),
        ("x = 1", num(1, kind="integer"), v.EQUAL),
        ("x = 1.0", num(1, kind="integer"), v.DIFFERENT),
        ("x = np.array([1.0, 2.0])", num(1.0, 2.0), v.EQUAL),
        ("x = np.array([1, 2])", num(1.0, 2.0), v.DIFFERENT),
        ("x = np.array([1.0, 2.0])", num(1, 2, kind="integer"), v.DIFFERENT),
        ("x = np.array([1.0, np.nan])", num(1, "NA", kind="integer"), v.EQUAL),
        ("x = [1.0, 2.0]", num(1.0, 2.0), v.DIFFERENT),
        ("x = np.array([1.0, 2.0])", num(1.0, 2.0, 3.0), v.DIFFERENT),
        ("x = np.array([0.5, np.nan])", num(0.5, "NaN"), v.DIFFERENT),
        ("x = np.array([0.5, -np.nan])", num(0.5, "NaN"), v.EQUAL),
        ("x = np.array([-np.nan, np.nan])", num("NaN", "NaN"), v.DIFFERENT),
        ("x = np.array([0.5, np.nan])", num(0.5, "NA"), v.EQUAL),
        ("x = np.array([0.5])", num(0.5, attributes={"unit": num("cm", kind="character")}), v.DIFFERENT),
        ("x = np.array([0.5])", {**num(0.5), "class": ["noquote"]}, v.DIFFERENT),
        ("x = float('nan')", num("NA"), v.EQUAL),
        ("x = float('nan')", num(1.0), v.DIFFERENT),
        ("x = float('inf')", num("Inf"), v.EQUAL),
        ("x = True", num(True, kind="logical"), v.EQUAL),
        ("x = 1", num(True, kind="logical"), v.DIFFERENT),
        ("x = True", num(1.0), v.DIFFERENT),
        ("x = '1'", num(1.0), v.DIFFERENT),
        ("x = np.array(['a', None])", num("a", None, kind="character"), v.EQUAL),
        ("x = np.array(['a', 'b'])", num("a", None, kind="character"), v.DIFFERENT),
        ("x = np.array(['a', 'b'])", num(1, 2, kind="factor", levels=["a", "b"]), v.DIFFERENT),
        ("x = None", {"kind": "NULL"}, v.EQUAL),
        ("x = 0", {"kind": "NULL"}, v.DIFFERENT),
        ("x = np.array([])", {"kind": "NULL"}, v.DIFFERENT),
        ("y = 0", num(1.0), v.DIFFERENT),
        ("x = abs", {"kind": "other", "class": ["function"]}, v.NOT_COMPARED),
        ("class Own: pass\nx = Own()", num(1.0), v.DIFFERENT),
    ],
)
def test_values(tmp_path: Path, python: str, recorded: dict[str, Any], expected: str) -> None:
    python = f"import numpy as np\n{python}"
    assert status(tmp_path, (python, {"variables": {"x": recorded}})) == expected


def test_an_open_type_is_remarked(tmp_path: Path) -> None:
    assert OPEN_TYPE_REMARK in run(tmp_path, ("x = 1", {"variables": {"x": num(1.0)}})).to_text()
    assert OPEN_TYPE_REMARK not in run(tmp_path, ("x = 1", {"variables": {"x": num(1, kind="integer")}})).to_text()


@pytest.mark.parametrize("off", [False, True])
@pytest.mark.parametrize("of_model", [False, True])
def test_only_what_comes_from_inexact_functions_may_deviate(tmp_path: Path, off: bool, of_model: bool) -> None:
    model = "class r: lm = staticmethod(lambda y: y)"
    first = "x = r.lm(1.0)" if of_model else "x = 1.0"
    twice = {"value": num(math.nextafter(2.0, 3.0) if off else 2.0), "output": ["2.0"]}
    pairs = [(model, {}), (first, {"variables": {"x": num(1.0)}}), ("y = x * 2\nprint(y)", twice)]
    expected = v.EQUAL if not off else v.CLOSE if of_model else v.DIFFERENT
    assert status(tmp_path, *pairs) == expected


def test_last_bit_in_words(tmp_path: Path) -> None:
    found = run(tmp_path, ("import numpy as np\nx = np.array([1.0, 0.3])", {"variables": {"x": num(1.0, 0.1 + 0.2)}}))
    assert found.has_failed
    assert "x: value 2: R 0.30000000000000004, Python 0.3" in found.to_text()
    assert found.to_text().endswith("1 expressions: 1 different")


def test_a_value_that_python_does_not_print_differs(tmp_path: Path) -> None:
    shown: dict[str, Any] = {"value": num(2.0), "output": ["2"]}
    assert status(tmp_path, ("print(1 + 1)", dict(shown))) == v.EQUAL
    assert status(tmp_path, ("print(1 + 1, '')", dict(shown))) == v.DIFFERENT
    assert status(tmp_path, ("1 + 1", dict(shown))) == v.DIFFERENT
    assert status(tmp_path, ("print(1 + 2)", dict(shown))) == v.DIFFERENT


@pytest.mark.parametrize(
    ("theirs", "mine", "expected"),
    [
        (["mean 1.50 (n = 3)"], "mean 1.50 (n = 3)", v.EQUAL),
        (["mean 1.50 (n = 3)"], "mean 1.5 (n = 3)", v.DIFFERENT),
        (["mean 1.50 (n = 3)"], "mean 1.51 (n = 3)", v.DIFFERENT),
        (["mean 1.5"], "Mean 1.5", v.DIFFERENT),
        (["[1] 1 2", "[3] 3"], "[1] 1 2\n[3] 3", v.EQUAL),
        (["[1] 1 2", "[3] 3"], "[1] 1 2 3", v.DIFFERENT),
        (["a b ", "1 2 "], "[1] 1 2", v.DIFFERENT),
        (['[1] "a"'], "a", v.DIFFERENT),
        (["<environment: 0x55d0>"], "<environment: 0x12>", v.EQUAL),
        (["1 2"], "1", v.DIFFERENT),
        (["1"], "", v.DIFFERENT),
        ([], "1", v.DIFFERENT),
        (["NA"], "nan", v.DIFFERENT),
    ],
)
def test_printed(tmp_path: Path, theirs: list[str], mine: str, expected: str) -> None:
    assert status(tmp_path, (f"print({mine!r})" if mine else "x = 1", {"output": theirs})) == expected


def test_errors_on_either_side(tmp_path: Path) -> None:
    stops = "raise ValueError('no')"
    found = run(tmp_path, ("x = 1", {"variables": {"x": num(1.0)}}), (stops, {}), ("y = 2", {}))
    assert [each.status for each in found.lines] == [v.EQUAL, v.PYTHON_STOPPED, v.NOT_COMPARED]
    assert found.has_failed and "ValueError: no" in found.to_text()
    found = run(tmp_path, (stops, {"error": "object 'y' not found"}))
    assert not found.has_failed and found.lines[0].status == v.R_STOPPED
    found = run(tmp_path, ("x = 1", {"error": "object 'y' not found"}))
    assert found.has_failed and "Python did not" in found.to_text()
    assert status(tmp_path, ("raise SystemExit(1)", {})) == v.PYTHON_STOPPED
    assert status(tmp_path, ("x = (", {})) == v.PYTHON_STOPPED


def test_what_has_no_python_is_not_compared(tmp_path: Path) -> None:
    record = {"expressions": [expression(0), expression(1, variables={"a.b": num(4.0)})], "pool": []}
    chunks = [v.Chunk(-1, 0, "import math"), v.Chunk(1, 2, "a_b = math.sqrt(16)", (("a.b", "a_b"),))]
    found = v.verify_port(chunks, record, tmp_path)
    assert [each.status for each in found.lines] == [v.NOT_COMPARED, v.EQUAL]


def statuses(tmp_path: Path, text: str, *records: dict[str, Any]) -> list[str]:
    """Compare a script's translation with the expressions' records."""
    expressions = [expression(i, *more.pop("output", ()), **more) for i, more in enumerate(map(dict, records))]
    found = v.verify_port(translate_script(text).all_chunks, {"expressions": expressions, "pool": []}, tmp_path)
    return [each.status for each in found.lines]


def test_what_does_not_depend_on_a_statement_that_is_left_is_compared(tmp_path: Path) -> None:
    text = "x <- quote(a)\ny <- 2\nf <- function(k) k * x\nz <- f(2)\nx <- 3\nz <- f(y)\n"
    function = {"kind": "other", "class": ["function"]}
    found = statuses(
        tmp_path,
        text,
        {"variables": {"x": {"kind": "other", "class": ["name"]}}},
        {"variables": {"y": num(2.0)}},
        {"variables": {"f": function}},
        {"variables": {"z": num(1.0)}},
        {"variables": {"x": num(3.0)}},
        {"variables": {"z": num(6.0)}},
    )
    assert found == [v.NOT_TRANSLATED, v.EQUAL, v.NOT_COMPARED, v.NOT_COMPARED, v.EQUAL, v.EQUAL]


def test_random_numbers_after_draws_that_are_left_out_are_not_compared(tmp_path: Path) -> None:
    text = "set.seed(1)\nx <- nosuch(1)\ny <- runif(1)\ny\nset.seed(2)\ny <- runif(1)\n"
    drawn = num(0.18488225992769003)
    found = statuses(
        tmp_path,
        text,
        {"draws": True},
        {"variables": {"x": num(5.0)}, "draws": True},
        {"variables": {"y": num(0.5)}, "draws": True},
        {"value": num(0.5), "output": ["[1] 0.5"]},
        {"draws": True},
        {"variables": {"y": drawn}, "draws": True},
    )
    assert found == [v.NOT_COMPARED, v.NOT_TRANSLATED, *[v.NOT_COMPARED] * 3, v.EQUAL]


def test_a_script_without_a_seed_is_not_compared(tmp_path: Path) -> None:
    text = "n <- 2\nx <- runif(n)\nmean(x)\nn + 1\n"
    found = statuses(
        tmp_path,
        text,
        {"variables": {"n": num(2.0)}},
        {"variables": {"x": num(0.1, 0.2)}, "draws": True},
        {"value": num(0.15), "output": ["[1] 0.15"]},
        {"value": num(3.0), "output": ["[1] 3"]},
    )
    assert found == [v.EQUAL, v.UNSEEDED, v.UNSEEDED, v.EQUAL]


def test_draws_on_one_side_only_differ(tmp_path: Path) -> None:
    text = "set.seed(1)\nx <- runif(1)\n"
    drawn = {"variables": {"x": num(0.2655086631421)}}
    assert statuses(tmp_path, text, {"draws": True}, drawn)[-1] == v.DIFFERENT


def test_what_a_function_changes_outside_is_compared(tmp_path: Path) -> None:
    text = "n <- 0\nf <- function() n <<- n + 1\nf()\n"
    records = [{"variables": {"n": num(0.0)}}, {}, {"variables": {"n": num(2.0)}}]
    assert statuses(tmp_path, text, *records) == [v.EQUAL, v.NOT_COMPARED, v.DIFFERENT]


def test_what_the_run_time_help_refuses_is_told_apart(tmp_path: Path) -> None:
    refuses = "from pydpstat.errors import PydpstatError\nraise PydpstatError('x must be a number')"
    found = run(tmp_path, (refuses, {"variables": {"x": num(1.0)}}))
    assert found.lines[0].status == v.REFUSED and found.has_failed


def test_messages_are_compared(tmp_path: Path) -> None:
    said = "import sys\nsys.stderr.write('two\\n')"
    assert status(tmp_path, (said, {"messages": ["two\n"]})) == v.NOT_COMPARED
    assert status(tmp_path, (said, {"messages": ["three\n"]})) == v.DIFFERENT


def test_files_are_read_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("7")
    assert status(tmp_path, ("x = int(open('a.txt').read())", {"variables": {"x": num(7.0)}})) == v.EQUAL


NAMED = num(1.0, 2.0, names=["a", "b"])
SQUARE = num(1, 3, 2, 4, kind="integer", dim=[2, 2], dimnames=[["r", "s"], ["c", "d"]])
BARE_SQUARE = num(1, 3, 2, 4, kind="integer", dim=[2, 2])
LETTERED = pd.Series([1.0, 2.0], ["a", "b"])
COUNTS = num(1, 0, 0, 1, kind="integer", dim=[2, 2], dimnames=[["a", "b"], ["c", "d"]], dnn=["", ""])
COUNTS["class"] = ["table"]
FRAME = {
    "kind": "data.frame",
    "class": ["data.frame"],
    "names": ["n", "s"],
    "rows": 2,
    "values": [{"ref": 0}, num(1, 2, kind="factor", levels=["a", "b"])],
}


@pytest.mark.parametrize(
    ("recorded", "value", "equal"),
    [
        (NAMED, pd.Series([1.0, 2.0], ["a", "b"]), True),
        (NAMED, {"a": 1.0, "b": 2.0}, False),
        (NAMED, np.array([1.0, 2.0]), False),
        (num(1.0, 2.0), pd.Series([1.0, 2.0], ["a", "b"]), False),
        (NAMED, pd.Series([1.0, 2.0], ["a", "c"]), False),
        (SQUARE, with_dimnames(np.array([[1, 2], [3, 4]]), (["r", "s"], ["c", "d"])), True),
        (SQUARE, with_dimnames(np.array([[1, 2], [3, 4]]), (["r", "s"], ["c", "e"])), False),
        (SQUARE, np.array([[1, 2], [3, 4]]), False),
        (BARE_SQUARE, np.array([[1, 2], [3, 4]]), True),
        (BARE_SQUARE, np.array([1, 3, 2, 4]), False),
        (num(1, 3, 2, 4, kind="integer"), np.array([[1, 2], [3, 4]]), False),
        (SQUARE, np.array([[1, 3], [2, 4]]), False),
        (SQUARE, np.array([[1, 2, 3, 4]]), False),
        (COUNTS, table(["a", "b"], ["c", "d"]), True),
        ({**COUNTS, "dnn": ["x", ""]}, table(["a", "b"], ["c", "d"]), False),
        ({**COUNTS, "class": None}, table(["a", "b"], ["c", "d"]), False),
        (
            num(1, 0, 0, 1, dim=[2, 2], dimnames=[["a", "b"], ["c", "e"]]),
            table(["a", "b"], ["c", "d"]),
            False,
        ),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "s": pd.Categorical(["a", "b"])}), True),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "s": ["a", "b"]}), False),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "s": pd.Categorical(["a", "b"])}, index=[5, 6]), False),
        (
            {**FRAME, "row_names": ["6", "7"]},
            pd.DataFrame({"n": [1.0, 2.0], "s": pd.Categorical(["a", "b"])}, index=[5, 6]),
            True,
        ),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "s": pd.Categorical(["a", "b"], ordered=True)}), False),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "s": pd.Categorical(["a", "b"], ["b", "a"])}), False),
        (FRAME, pd.DataFrame({"n": [1.0, 2.0], "t": ["a", "b"]}), False),
        (FRAME, pd.DataFrame({"n": [1.0], "s": ["a"]}), False),
        (FRAME, {"n": [1.0, 2.0], "s": ["a", "b"]}, False),
        ({"kind": "list", "class": None, "names": ["p"], "values": [NAMED]}, {"p": LETTERED}, True),
        ({"kind": "list", "class": None, "names": ["p"], "values": [NAMED]}, {"q": LETTERED}, False),
        ({"kind": "list", "class": None, "names": ["p"], "values": [NAMED]}, [LETTERED], False),
        ({"kind": "list", "class": None, "names": None, "values": [NAMED]}, [LETTERED], True),
        ({"kind": "list", "class": ["crew"], "names": ["p"], "values": [NAMED]}, {"p": LETTERED}, False),
        ({"kind": "list", "class": None, "names": None, "values": [NAMED]}, [], False),
    ],
)
def test_shapes(recorded: dict[str, Any], value: object, equal: bool) -> None:
    found = list(iterate_deviations(recorded, value, [num(1.0, 2.0)]))
    assert found and (max(found)[0] == 0) is equal, found


def test_objects_by_their_fields() -> None:
    x = np.array([1.0, 2.0, 4.0])
    counts = num(1, 1, 0, 1, kind="integer")
    histogram = {
        "kind": "list",
        "class": ["histogram"],
        "names": ["counts", "xname", "other"],
        "values": [counts, num("income", kind="character"), num(1.0)],
    }
    counted = hist(x, [0.5, 1.5, 2.5, 3.5, 4.5])
    assert list(iterate_deviations(histogram, counted, [])) == [(0.0, "")]
    model = {
        "kind": "R6",
        "class": ["svmDP"],
        "fields": {"eps": num(1, kind="integer"), "gamma": num(2.0), "h": num(0.0)},
    }
    found = list(iterate_deviations(model, dppack.svmDP("l2", 1, 3), []))
    assert found == [(0.0, ""), (1 / 3, "$gamma: value 1: R 2.0, Python 3.0")]


def test_releases_are_their_numbers() -> None:
    released = dppack.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=123)
    assert list(iterate_deviations(num(float(released)), released, [])) == [(0.0, "")]


def test_of_long_vectors_the_ends() -> None:
    long = num(*range(20), *range(5980, 6000), kind="integer") | {"count": 6000}
    assert list(iterate_deviations(long, np.arange(6000), [])) == [(0.0, "")]
    assert next(iterate_deviations(long, np.arange(6000) % 5999, []))[0] > 0
