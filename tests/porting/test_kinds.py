"""Scripts about one kind of value each: types, names and printed text are R's, or a line is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydpstat.porting import _verify as v
from pydpstat.porting._recorded import load_record
from pydpstat.porting._translation import translate_script

SCRIPTS = sorted((Path(__file__).parent / "scripts" / "kinds").glob("*.R"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_value_is_r_s_or_refused(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    port = translate_script(text, script.name)
    found = v.verify_port(port.all_chunks, load_record(script, script.with_suffix(".json")), script.parent).lines
    assert [each for each in found if each.status in (v.DIFFERENT, v.PYTHON_STOPPED)] == []
    # a line that is refused says so
    lines = text.splitlines()
    refused = {each.line for each in found if each.status in (v.NOT_TRANSLATED, v.REFUSED)}
    assert refused == {number for number, line in enumerate(lines, 1) if line.endswith("# refused")}
