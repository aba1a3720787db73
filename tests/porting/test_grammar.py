"""R's grammar: pydpstat's trees are those of R, recorded and live."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pydpstat.porting import RSyntaxError, parse, read
from r_reference import trees

RECORDED = trees.sections(trees.RECORDED.read_text(encoding="utf-8"))
SNIPPETS = sorted(path.stem for path in (trees.HERE / "grammar").glob("*.R"))
# R's own packages have no sources where they are installed; what is left are scripts and demonstrations
LEAST_FILES = 40


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pieces")
    return {str(name): folder / name for name in trees.pieces(folder)}


@pytest.fixture(scope="module")
def version():
    """Return R's version, or skip."""
    reason = None
    if os.environ.get("PYDPSTAT_NO_R", "0") not in ("", "0"):
        reason = "PYDPSTAT_NO_R is set"
    elif shutil.which("Rscript") is None:
        reason = "R's own trees need Rscript on the path"
    if reason and os.environ.get("PYDPSTAT_REQUIRE_R", "0") not in ("", "0"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    said = subprocess.run(["Rscript", "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, re.findall(r"(\d+)\.(\d+)", said.stdout + said.stderr)[0]))


def differences(paths, wanted):
    return [
        (str(path), theirs, ours)
        for path, theirs in zip(paths, wanted)
        if not trees.same(ours := trees.ours(path), theirs)
    ]


def test_every_piece_is_recorded(pieces):
    assert list(pieces) == list(RECORDED)
    assert len(pieces) > 150


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_trees_and_errors_are_those_that_r_had(pieces, snippet):
    names = [name for name in pieces if name.rpartition("-")[0] == snippet]
    assert names
    assert differences([pieces[name] for name in names], [RECORDED[name] for name in names]) == []


@pytest.mark.live
def test_what_is_recorded_is_what_r_has(pieces, version):
    if version != (4, 2):
        pytest.skip("the trees are recorded from R 4.2")
    found = trees.theirs(pieces.values())
    assert {name: found[str(path)] for name, path in pieces.items()} == RECORDED


@pytest.mark.slow
@pytest.mark.live
def test_trees_of_installed_files_are_those_that_r_has(version):
    said = subprocess.run(
        ["Rscript", "-e", "cat(R.home(), R.home('share'), .libPaths(), sep = '\n')"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {each.resolve() for folder in said.stdout.split() for each in Path(folder).rglob("*.[rR]")}
    paths = sorted(path for path in found if path.stat().st_size < 100_000)[:250]
    if len(paths) < LEAST_FILES:
        pytest.skip(f"R has {len(paths)} files here")
    theirs = trees.theirs(paths)
    assert differences(paths, [theirs[str(path)] for path in paths]) == []


@pytest.mark.parametrize(
    "r, tree",
    [
        ("-a^b", "(`-` (`^` `a` `b`))"),
        ("-1:2", "(`:` (`-` 0x1.0000000000000p+0) 0x1.0000000000000p+1)"),
        ("!x %in% y", "(`!` (`%in%` `x` `y`))"),
        ("a -> b", "(`<-` `b` `a`)"),
        ("a ->> b", "(`<<-` `b` `a`)"),
        ("a <- b = c", "(`=` (`<-` `a` `b`) `c`)"),
        ("a ** b", "(`^` `a` `b`)"),
        ("a := b", "(`:=` `a` `b`)"),
        ("x |> f(y = _)", "(`f` `y`=`x`)"),
        ("x |> f(1L)", "(`f` `x` 1L)"),
        ("\\(x) x", "(`function` [`x`=] `x` NULL)"),
        ("function() NULL", "(`function` NULL NULL NULL)"),
        ("x[, 1L]", "(`[` `x`  1L)"),
        ("f()", "(`f`)"),
        ("'f'(x)", "(`f` `x`)"),
        ("(x)", "(`(` `x`)"),
        ("{}", "(`{`)"),
        ("r\"(a\\b)\"", '"#615c62"'),
        ("1e5L", "100000L"),
        ("0x10", "0x1.0000000000000p+4"),
        ("2i", "0x1.0000000000000p+1i"),
        ("if (a) b else c", "(`if` `a` `b` `c`)"),
        ("for (i in x) next", "(`for` `i` `x` (`next`))"),
        ("a$'b'@c", '(`@` (`$` `a` "b") `c`)'),
    ],
)  # fmt: skip
def test_a_tree(r, tree):
    assert [trees.tree(each) for each in parse(r).expressions] == [tree]


def test_the_end_of_a_line_counts_in_braces_and_not_in_parentheses():
    def count(r):
        return len(parse(r).expressions[0].arguments)

    assert count("{a\n-b}") == 2
    assert count("{a -\nb}") == 1
    assert count("({a\n-b})") == 1
    assert count("(a\n-b)") == 1
    assert count("{if (a) b\nelse c}") == 1
    with pytest.raises(RSyntaxError, match="2:1: unexpected 'else'"):
        parse("if (a) b\nelse c")


def test_files_of_other_systems_are_read_as_r_reads_them(tmp_path):
    path = tmp_path / "script.R"
    path.write_bytes("\ufeffx <- 'é'\r\ny\rz".encode())
    script = read(path)
    assert [script.written(each) for each in script.expressions] == ["x <- 'é'", "y", "z"]
    assert [script.place(each.start) for each in script.expressions] == [(1, 1), (2, 1), (3, 1)]


def test_a_number_between_two_long_doubles_becomes_the_even_one():
    # R reads numbers as long doubles: a number just above the middle of two doubles can become the lower one
    numbers = [parse(text).expressions[0].value for text in ("18446744073709553665", "18446744073709553667")]
    assert numbers == [2.0**64, 2.0**64 + 4096.0]
