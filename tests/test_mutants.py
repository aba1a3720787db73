"""The changes that the mutation run makes: one token each, nowhere in texts and type hints."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

import pydpstat

ROOT = Path(pydpstat.__file__).parents[1]


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# the second imports the first by its name
mutations = load_tool("mutations")
mutants = load_tool("mutants")


def changed(tmp_path, source):
    (tmp_path / "module.py").write_text(source, encoding="utf-8")
    found = list(mutations.find_mutants(tmp_path, "."))
    assert all(each.make_source().decode() != source and ast.parse(each.make_source()) for each in found)
    return [each.make_source().decode() for each in found]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("a = (b) - c", ["a = (b) + c"]),
        ("a //= b", ["a /= b"]),
        ("a = b <= c != d", ["a = b < c != d", "a = b > c != d", "a = b <= c == d"]),
        ("a = b is not c", ["a = b is c"]),
        ("a = b not  in c", ["a = b in c"]),
        ("a = b and c and d", ["a = b or c and d", "a = b and c or d"]),
        ("a = not b", ["a = b"]),
        ("a = -b, 0, 1, 2, 3.5, False", ["b", "1", "0", "1", "4.5", "True"]),
        ("a = np.abs(b), x.min()", ["a = (b), x.min()", "a = np.abs(b), x.max()"]),
        ("a = b if é(c) else d", ["a = b if not é(c) else d"]),
    ],
)
def test_changes(tmp_path, source, expected):
    found = changed(tmp_path, source)
    assert len(found) == len(expected)
    assert all(part in text for part, text in zip(expected, found))


@pytest.mark.parametrize(
    "source",
    [
        '"""Not 1 + 2."""  # 1 + 2',
        "def f(a: Literal[1]) -> 2: ...",
        "a: b[1]",
        "A = int | str",
        "if TYPE_CHECKING:\n    a = 1",
        "raise ValueError(f'{a + 1}', 2)",
        "a = f'{b - 1}'",
        "@overload\ndef f(a=1): ...",
    ],
)
def test_what_is_only_read_stays(tmp_path, source):
    assert changed(tmp_path, source) == []


def test_a_change_knows_where_it_runs(tmp_path):
    (tmp_path / "module.py").write_text("A = 1\nclass B:\n    def f(self, a=2):\n        return (\n3)\n")
    at, default, inside = mutations.find_mutants(tmp_path, ".")
    assert (at.imported, default.imported, inside.imported) == (True, True, False)
    assert (inside.first, inside.last) == (4, 5)
    assert default.key == "module.py B.f: def f(self, a=[2 -> 1]):"


def test_lines_are_followed_through_an_edit(tmp_path):
    before, now = tmp_path / "before.py", tmp_path / "now.py"
    before.write_text("a = 1\nb = 2\nc = 3\n")
    now.write_text("a = 1\n\nb = 3\nc = 3\n")
    assert mutants.match_lines(before, now) == {1: 1, 3: 4}


def test_the_sample_keeps_its_changes_where_the_code_moves(tmp_path):
    (tmp_path / "pydpstat" / "budget").mkdir(parents=True)
    module = tmp_path / "pydpstat" / "budget" / "amounts.py"
    lines = [f"a{number} = b{number} + {number + 10}" for number in range(50)]
    samples = []
    for text in ("\n".join(lines), "\n\n".join(["c = d - e", *lines])):
        module.write_text(text)
        every = list(mutations.find_mutants(tmp_path, "pydpstat"))
        samples.append({each.key for each in mutants.choose_sample(every, 20, 1)})
    assert len(samples[0]) == 20 and len(samples[0] & samples[1]) >= 19
    assert {each.key for each in mutants.choose_sample(every, 20, 2)} != samples[1]
