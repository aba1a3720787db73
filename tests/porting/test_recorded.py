"""What R computes in a script, and its record."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from shutil import which

import pandas as pd
import pytest

from pydpstat.errors import PydpstatError
from pydpstat.porting._groupings import separate_groups
from pydpstat.porting._recorded import load_record, make_recorder

SCRIPTS = Path(__file__).parents[2] / "r_reference" / "scripts"
NEEDS_R = pytest.mark.skipif(
    which("Rscript") is None or os.environ.get("PYDPSTAT_NO_R", "0") not in ("", "0"), reason="needs R"
)


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.R")), ids=lambda path: path.stem)
def test_recorded_scripts_are_those_of_the_folder(script: Path) -> None:
    record = load_record(script, script.with_suffix(".json"))
    assert not any("error" in each for each in record["expressions"])
    assert len(record["expressions"]) > 30


def test_records_of_other_texts_are_refused(tmp_path: Path) -> None:
    script, record = tmp_path / "a.R", tmp_path / "a.json"
    script.write_text("x <- 1\n")
    with pytest.raises(PydpstatError, match="no record"):
        load_record(script, record)
    record.write_text(json.dumps({"md5": "0", "expressions": [], "pool": []}))
    with pytest.raises(PydpstatError, match="another text"):
        load_record(script, record)


TEXT = """\
x <- c(a = 0.1 + 0.2, b = NA, c = -0)   # one
for (i in 1:2) { y <- i; cat(i, "\\u00e9\\n") }; (z <- factor(c("u", NA)))
f <- function() x <<- 3L
print(list(1L, "q\\"\\\\"))
invisible(5)
d <- data.frame(k = c(1.5, NaN), s = c("a", NA))
d$k[1] <- -Inf
f()
length.crew <- function(x) 99L
p <- structure(list(a = 1, b = 2), class = "crew")
paste0 <- function(...) stop("the script's")
f()
cat("open")
message("said")
runif(1) > 2
stop("at the end")
unreached <- 1
"""


@pytest.mark.slow
@NEEDS_R
def test_recorder(tmp_path: Path) -> None:
    script = tmp_path / "a script.R"
    script.write_text(TEXT, encoding="utf-8")
    live = load_record(script)
    (tmp_path / "recorder.R").write_text(make_recorder(script), encoding="utf-8")
    subprocess.run(["Rscript", "recorder.R"], cwd=tmp_path, check=True, capture_output=True)
    assert load_record(script, tmp_path / "a script.json") == live
    by = {each["index"]: each for each in live["expressions"]}
    assert by[0]["variables"]["x"]["values"] == [
        (0.1 + 0.2).hex().replace("0000000000000p", "p"),
        "NA",
        "-0x0p+0",
    ]
    assert [by[1]["line"], by[2]["line"], by[3]["line"]] == [2, 2, 3]
    assert by[1]["output"] == ["1 é", "2 é"] and by[1]["variables"]["y"]["values"] == [2]
    assert by[2]["value"] == by[2]["variables"]["z"] and by[2]["value"]["levels"] == ["u"]
    assert by[4]["value"]["values"][1]["values"] == ['q"\\'] and not by[4]["visible"]
    assert "value" not in by[5]
    assert by[7]["variables"]["d"]["values"][0]["values"] == ["-Inf", "NaN"]
    assert by[8]["variables"]["x"]["values"] == [3]
    assert by[10]["variables"]["p"]["names"] == ["a", "b"]
    assert "variables" not in by[12]
    assert by[13]["unended"] and "unended" not in by[1]
    assert by[14]["messages"] == ["said\n"]
    assert by[15]["draws"] and "draws" not in by[14]
    assert by[16]["error"] == "at the end" and len(by) == 17


@pytest.mark.slow
@NEEDS_R
def test_a_script_is_recorded_as_before() -> None:
    script = SCRIPTS / "report.R"
    recorded, live = load_record(script, script.with_suffix(".json")), load_record(script)
    if live["packages"] != recorded["packages"]:
        pytest.skip("DPpack is not that of the record")
    # the last bits depend on the processor
    for a, b in zip(recorded["expressions"], live["expressions"], strict=True):
        assert (a["line"], list(a), len(a["output"])) == (b["line"], list(b), len(b["output"]))


@pytest.mark.slow
@NEEDS_R
def test_r_says_what_is_wrong_with_a_script(tmp_path: Path) -> None:
    (tmp_path / "a.R").write_text("x <- (\n")
    with pytest.raises(PydpstatError, match="unexpected end of input"):
        load_record(tmp_path / "a.R")


@pytest.mark.parametrize(
    ("names", "rows", "place"),
    [
        (["a", "b"], [[2, 3], [1]], ""),
        (["a", "c"], [[2, 3], [1]], "groups of d$s"),
        (["a", "b"], [[2], [1, 3]], "d: R has other rows in its 2 groups than Python"),
    ],
)
def test_groups_are_compared_by_their_rows_and_names(names: list[str], rows: list[list[int]], place: str) -> None:
    inner = [{"kind": "integer", "count": len(each), "values": each} for each in rows]
    kept = [{"kind": "character", "count": 2, "values": names}, {"kind": "list", "names": None, "values": inner}]
    groups = {"kind": "data.frame", "names": ["s", ".rows"], "values": kept, "rows": 2}
    record = {"kind": "data.frame", "attributes": {"groups": groups, "other": {}}}
    left, found = separate_groups(record, pd.DataFrame({"s": ["b", "a", "a"]}), ["s"], [], "d")
    assert left == {"kind": "data.frame", "attributes": {"other": {}}}
    assert [each.words[: len(place)] for each in found if each.size] == [place] * bool(place)
