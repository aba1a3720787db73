"""Sixty scripts in the style of statisticians at work: values, names and printed text are R's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydpstat.porting import _verify as v
from pydpstat.porting._recorded import load_record
from pydpstat.porting._translation import translate_script

SCRIPTS = sorted((Path(__file__).parent / "scripts" / "port").glob("*.R"))
# lines that are not translated, and that R and Python have otherwise
LEFT: dict[str, tuple[list[int], list[int]]] = {
    "grouped_summary_dplyr": ([2], []),
    "recode_levels": ([5], []),
    "stratified_means": ([6], []),
    "switch_units": ([14], []),
}


def compared(script: Path) -> tuple[v.LineResult, ...]:
    port = translate_script(script.read_text(encoding="utf-8"), script.name)
    return v.verify_port(port.all_chunks, load_record(script, script.with_suffix(".json")), script.parent).lines


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_r_s_but_for_known_lines(script: Path) -> None:
    found = compared(script)
    refused = [each.line for each in found if each.status in (v.NOT_TRANSLATED, v.REFUSED)]
    wrong = [each.line for each in found if each.status in (v.DIFFERENT, v.PYTHON_STOPPED)]
    assert (refused, wrong) == LEFT.get(script.stem, ([], []))


def test_most_scripts_are_translated_whole() -> None:
    assert len(SCRIPTS) == 60
    assert len(SCRIPTS) - len(LEFT) >= 50
    releases = ("DPpack", "diffpriv", "rgeom", "runif(n) - 0.5")
    texts = [script.read_text(encoding="utf-8") for script in SCRIPTS]
    assert all(10 <= len(text.splitlines()) <= 26 for text in texts)
    assert sum(any(word in text for word in releases) for text in texts) >= 30
