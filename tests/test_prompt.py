"""What is shown of tables and designs at a prompt and in a notebook."""

import re

import numpy as np
import pandas as pd

import pydpstat as dp

FRAME = pd.DataFrame({"sex": ["f", "m"] * 100, "region": ["n", "s", "w", "n"] * 50, "age": np.arange(200) % 60 + 20.0})
PEOPLE = dp.design(
    FRAME, bounds={"age": (18, 90)}, levels={"sex": ["f", "m"], "region": ["n", "s", "w"]}, other=None, rng=1
)


def test_a_table_is_shown_as_by_pandas():
    table = PEOPLE.crosstab(["sex", "region"], 1.0)
    head, *lines = repr(table).split("\n")
    assert head.startswith("<TableResults table: 6 values, ") and lines == repr(table.estimate).split("\n")
    by = PEOPLE.mean("age", 1.0, by="sex")
    assert repr(by).split("\n")[1:] == by.estimate.to_string().split("\n")
    # one number stays one line
    assert "\n" not in repr(PEOPLE.mean("age", 1.0))


def test_a_long_table_is_up_to_a_screen():
    levels = [f"level {k}" for k in range(300)]
    table = dp.crosstab(levels, 1.0, levels=levels, rng=1)
    lines = repr(table).split("\n")
    assert len(lines) < 25 and "level 0" in lines[1] + lines[2] and "other" in lines[-1]
    wide = dp.crosstab({"a": levels, "b": levels}, 1.0, levels=[levels[:30], levels[:30]], rng=1)
    assert max(map(len, repr(wide).split("\n"))) <= 120 and len(repr(wide).split("\n")) < 80


def test_a_design_is_a_table_in_notebooks():
    made = PEOPLE.assign(old="age >= 65").subset("sex == 'f'")
    html = made._repr_html_()
    assert html.count("<tr>") == 5 and "<th" in html
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert cells[:4] == ["sex", "", "f, m", ""] and cells[8:12] == ["age", "from 18 to 90", "", ""]
    assert cells[12:] == ["old", "", "False, True", "= age &gt;= 65"]
    assert "sex == &#x27;f&#x27;" in html and "unbounded neighbors" in html
    odd = dp.design({"<b>": [1.0]}, levels={"<b>": ["<script>"]}, missing={"<b>": "<i>"})._repr_html_()
    assert "<script>" not in odd and "<b>" not in odd and "<i>" not in odd


def test_neither_shows_data():
    # the same facts of other data
    other = dp.design(
        FRAME.sample(7, random_state=1).assign(age=3.0),
        bounds={"age": (18, 90)},
        levels={"sex": ["f", "m"], "region": ["n", "s", "w"]},
        other=None,
    )
    assert other._repr_html_() == PEOPLE._repr_html_() and repr(other) == repr(PEOPLE)
    facts = dp.design(bounds={"age": (18, 90)})
    assert "Design without data" in facts._repr_html_()
