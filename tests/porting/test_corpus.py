"""The comparison over the examples of R's help pages."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from shutil import which

import pytest

from r_reference import corpus

NEEDS_R = pytest.mark.skipif(
    which("Rscript") is None or os.environ.get("PYDPSTAT_NO_R", "0") not in ("", "0"), reason="needs R"
)


def test_the_record_counts_each_expression_once() -> None:
    for each in corpus.read_record():
        parts = [getattr(each, key) for key in corpus.COUNTS[1:]]
        assert sum(parts) + sum(each.refused.values()) == each.expressions, each.name
        assert len(each.wrong) == each.different + each.exceptions


def test_the_report_has_sums_and_reasons() -> None:
    found = [
        corpus.Counted("base/a", 3, equal=2, refused={"foo has no counterpart": 1}),
        corpus.Counted("stats/b", 1, different=1, wrong=["line 1: different (x)"]),
    ]
    text = corpus.report(found, details=True)
    assert text.splitlines()[3].split() == ["all", "2", "4", "2", "0", "0", "1", "0", "0", "0", "1"]
    assert "1 a function has no counterpart" in text
    assert text.endswith("stats/b: line 1: different (x)")


@pytest.mark.slow
@NEEDS_R
def test_a_file_is_counted(tmp_path: Path) -> None:
    script = tmp_path / "a.R"
    script.write_text("x <- c(1, 2)\nmean(x)\nnosuch(x)\nrunif(1)\n")
    found = corpus.count_file(script, "a", tmp_path)
    # R stops at the third
    assert (found.expressions, found.equal, found.stopped) == (3, 2, 1)


@pytest.mark.slow
@NEEDS_R
@pytest.mark.parametrize("text", ["repeat {}\n", "Sys.sleep(2)\nx <- 0\nwhile (x >= 0) x <- x + 1\n"])
def test_a_file_is_given_up_by_processor_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(corpus, "SECONDS", 1)
    script = tmp_path / "a.R"
    script.write_text(text)
    found = corpus.count_file(script, "a", tmp_path)
    assert found.failure == "it takes more than 1 seconds of processor time"
    # waiting takes none
    script.write_text("Sys.sleep(2)\nx <- 1\n")
    assert corpus.count_file(script, "a", tmp_path).equal == 1


@pytest.mark.slow
@NEEDS_R
def test_python_is_given_up_by_processor_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "SECONDS", 1)
    script = tmp_path / "a.R"
    script.write_text("x <- 1\n")
    chunks = [corpus.verify.Chunk(0, 1, "while True: pass")]
    monkeypatch.setattr(corpus.verify, "verify_port", partial(_verify_chunks, corpus.verify.verify_port, chunks))
    assert corpus.count_file(script, "a", tmp_path).failure.endswith("processor time")


def _verify_chunks(verify_port, chunks, _, record, folder):
    return verify_port(chunks, record, folder)
