"""What a script says is text in its translation and in reports: no code, no name of Python's, no control."""

from __future__ import annotations

import ast
import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat.__main__ import main
from pydpstat.errors import PydpstatError
from pydpstat.porting import RSyntaxError, r
from pydpstat.porting._check import check_script
from pydpstat.porting._code import make_python_name, make_variable_name
from pydpstat.porting._escapes import escape_text, quote_text, write_comments, write_first_comment
from pydpstat.porting._guard import TranslationGuard
from pydpstat.porting._recorded import load_record, make_recorder
from pydpstat.porting._translation import translate_script
from tests.porting.hostile import PAYLOADS, foreign

IMPORTED = (ast.Import, ast.ImportFrom)


def imports(text):
    return [ast.unparse(each) for each in ast.walk(ast.parse(text.encode())) if isinstance(each, IMPORTED)]


def run(script, **names):
    """Run a translation, and return its variables."""
    space = dict(names)
    exec(compile(translate_script(script).text.encode(), "<script>", "exec"), space)
    return space


# comments and strings


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_comment_stays_a_comment(payload):
    line = payload.replace("\n", " ")
    # the second line of a translation is empty or an import, so that only the first could declare something
    lines = [write_first_comment(f"Ported from {payload}."), "", *write_comments(payload)]
    assert ast.parse("\n".join(lines).encode()).body == []
    for script in (f"#{line}\nx <- 1 #{line}\n#{line}", f"f <- function(x) {{ #{line}\n x #{line}\n}}"):
        found = translate_script(script, f"{payload}.R")
        assert imports(found.text) == []
        assert foreign(script, found.text) == []
        assert all(each.isprintable() for each in found.text.split("\n"))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_package_that_is_installed_is_a_comment(payload):
    text = payload.replace("\\", "\\\\").replace('"', '\\"')
    # R refuses what turns the direction of a text
    text = "".join(each if each not in "\u202e\u202c\u2066\u2069" else " " for each in text)
    found = translate_script(f'install.packages("{text}")\nfoo("{text}")')
    tree = ast.parse(found.text.encode())
    assert [type(each) for each in tree.body] == [ast.Raise]


@given(st.text(), st.text())
@settings(deadline=None)
def test_texts_are_quoted_and_comments_commented(first, second):
    text = f"{quote_text(first)}\n" + "\n".join(write_comments(second))
    [statement] = ast.parse(text.encode()).body
    assert ast.literal_eval(statement.value) == first
    assert text.replace("\n", "").isprintable()
    assert escape_text(first).isprintable()


@given(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20))
@settings(deadline=None)
def test_a_string_of_r_is_the_same_in_python(text):
    codes = "".join(f"\\U{ord(each):08x}" for each in text)
    assert run(f"x <- '{codes}'")["x"] == text


@given(st.text(max_size=30), st.text(max_size=30))
@settings(deadline=None)
def test_any_comment_and_file_name_are_no_code(comment, name):
    text = comment.replace("\n", " ")
    try:
        found = translate_script(f"#{text}\n1 #{text}\n", f"{name}.R")
    except RSyntaxError:
        return
    assert imports(found.text) == ["from pydpstat.porting import r"]
    assert [ast.unparse(each) for each in ast.parse(found.text.encode()).body[1:]] == ["r.print(1)"]


def test_imports_are_of_what_is_called():
    found = translate_script('x <- "np.array pd.x rng r.print( math.pi warnings.warn pydpstat.x RRandom("\ny <- "rng"')
    assert imports(found.text) == [] and "secrets" not in found.text


def test_a_loop_that_draws_before_a_seed_has_a_stream():
    space = run("for (i in 1:2) x <- rnorm(1)\nset.seed(1)\ny <- rnorm(1)")
    assert np.isfinite(space["x"]).all()


# names


@pytest.mark.parametrize("name", "exec eval open compile getattr __import__ input globals breakpoint".split())
@pytest.mark.parametrize(
    "script",
    [
        "if (FALSE) `{}` <- function(x) x\n`{}`(\"raise SystemExit('run')\")",
        "f <- function() `{}`(\"raise SystemExit('run')\")\nif (FALSE) `{}` <- function(x) x\nf()",
        "`{}` <- function(x) x\n`{}`('a')",
    ],
)
def test_a_function_of_the_script_is_never_one_of_python(name, script):
    found = translate_script(script.replace("{}", name))
    calls = [each.func for each in ast.walk(ast.parse(found.text)) if isinstance(each, ast.Call)]
    assert name not in map(ast.unparse, calls)


@pytest.mark.parametrize("name", "r np pd rng RRandom dppack len ValueError __builtins__".split())
@pytest.mark.parametrize("wide", [False, True])
def test_names_that_a_translation_needs_stay_its_own(name, wide):
    widths = {k: k + 0xFEE0 for k in range(0x21, 0x7F) if chr(k) != "_"}
    letters = name.translate(widths) if wide else name
    space = run(f"`{letters}` <- 5\nx <- rep(c(1, 2), 2)\ny <- `{letters}` + 1\nz <- length(x)")
    assert space["y"] == 6 and space["z"] == 4


def test_names_that_python_reads_as_one_stay_two():
    space = run("x <- 1\nｘ <- 2\ny <- x\nz <- ｘ")
    assert (space["y"], space["z"]) == (1, 2)
    space = run("a_b <- 1\nf <- function(a.b) a.b * 10 + a_b\ny <- f(2)\nz <- f(a.b = 3)")
    assert (space["y"], space["z"]) == (21, 31)


def test_a_variable_named_as_the_rows_of_a_verb_is_the_variable():
    script = "library(dplyr)\nd <- 10\ne <- data.frame(v = c(1, 2))\ne <- e |> mutate(w = v * d)"
    assert run(script)["e"]["w"].tolist() == [10, 20]


@given(st.text(min_size=1, max_size=12))
@settings(deadline=None)
def test_names_in_python_are_as_python_reads_them(name):
    for plain in (make_python_name(name), make_variable_name(name)):
        [statement] = ast.parse(f"{plain} = 1").body
        assert statement.targets[0].id == plain
        assert plain.isprintable()


@pytest.mark.parametrize(
    "script",
    [
        'library(dplyr)\nd <- data.frame(a = 1)\ncount(d, a, `sort=exec("x"), wt` = 3)',
        "library(dplyr)\nd <- data.frame(a = 1)\nmutate(d, `b=1, c` = 2, class = 3, ｘ = 4)",
        'd <- data.frame(a = 1)\nd$`b=exec("x"), c` <- 2\nd$class <- 3',
        'x <- list(`a"] = exec("x") #` = 1)\nx$`b"] #` <- 1',
        'f <- function(`a=exec("x"), b`) 1\nf(`a=exec("x"), b` = 2)',
        "c(`a=1` = 1, class = 2)\ncbind(`a=1` = 1, b = 2)",
        'stopifnot(`a\nimport os` = TRUE)\nstop("a\\nimport os")',
        "DPpack::tableDP(`x=exec(\"a\"), y` = c('a', 'b'), eps = 1)",
    ],
)
def test_names_of_arguments_are_no_code(script):
    found = translate_script(script)
    assert foreign(script, found.text) == []
    calls = [each for each in ast.walk(ast.parse(found.text)) if isinstance(each, ast.Call)]
    assert "exec" not in [ast.unparse(each.func) for each in calls]


@pytest.mark.parametrize(
    "script",
    [
        "m <- DPpack::svmDP$new('l2', 1, 1)\nm$`__init__`$`__globals__`",
        "m <- DPpack::svmDP$new('l2', 1, 1)\nm$`__reduce__`()",
        "x <- c(1, 2)\nx$tofile('a')",
        "m <- DPpack::meanDP(c(1, 2), 1, 0, 5)\nm$to_frame()",
        "f <- function(x) x$`__class__`\nf(DPpack::svmDP$new('l2', 1, 1))",
        "f <- function(x) x$`__globals__`\nf(function() 1)",
        "f <- function(x) x@`__class__`\nf(DPpack::svmDP$new('l2', 1, 1))",
    ],
)
def test_components_do_not_lead_into_python(script):
    with pytest.raises((NotImplementedError, PydpstatError), match="component|function|no such|list"):
        run(script)


def test_components_of_objects_are_public_ones():
    for name in ("__class__", "_x", "nosuch"):
        with pytest.raises(PydpstatError, match="no component"):
            r.part(object(), name)
    with pytest.raises(PydpstatError, match="no component"):
        r.slot(np.sum, "__globals__")


# the last look


@pytest.mark.parametrize(
    "python, said",
    [
        ("import os", "Import"),
        ("x = eval('1')", "eval"),
        ("x = r.sum(1)", "r.sum"),
        ("x = np.load('a')", "np.load"),
        ("x = y.__class__", "__class__"),
        ("r = 1", "r"),
        ("len = 1", "len"),
        ("x = [a for a in y]", "ListComp"),
        ("x = f'{y}'", "JoinedStr"),
        ("with x: pass", "With"),
        ("x = (", "cannot read"),
        ("break", "cannot read"),
        ("f(a=1, a=2)", "cannot read"),
        ("x = '\ud800'", "cannot read"),
        ("x = " + "(" * 300 + ")" * 300, "cannot read"),
    ],
)
def test_the_guard_refuses(python, said):
    from pydpstat.porting import parse
    from pydpstat.porting._code import TranslationError

    guard = TranslationGuard(parse("x <- f(y)").expressions)
    guard.check_statement("x = f(y)")
    with pytest.raises(TranslationError, match=said):
        guard.check_statement(python)


@pytest.mark.parametrize("script", ["break", "f <- function(x) f(a = 1, a = 2)", "f <- function(x) x(x)(a = 1, a = 2)"])
def test_what_python_cannot_read_is_not_written(script):
    found = translate_script(script)
    assert found.problems
    ast.parse(found.text)


# reports and files

ESCAPES = "`a\x1b]0;title\x07\x1b[2J\u202e`(1)\n`x\n  line 9: all translated`(2)\nsource('\x1b[31m')\n'\x9b'"


def test_reports_control_no_terminal(tmp_path, capsys):
    script = tmp_path / "a\x1b[2J\n.R"
    script.write_text(ESCAPES.replace("\u202e", ""), encoding="utf-8")
    for command in (["port"], ["check"], ["check", "--format", "json"], ["check", "--format", "sarif"]):
        main([*command, str(script)])
        shown = capsys.readouterr()
        for line in (shown.out + shown.err).split("\n"):
            assert line.isprintable(), line
        assert not any(line.startswith("  line 9: all translated") for line in shown.err.split("\n"))
    assert json.loads(check_script(script).to_json())["file"] == str(script)


def test_bytes_that_are_no_text_are_written_as_escapes(tmp_path, capsys):
    script = tmp_path / "a.R"
    script.write_bytes(b"x <- '\\xff\\xfe' # \xff\xfe\nfoo('\\xff')\n")
    assert main(["port", str(script), "--output", str(tmp_path / "a.py")]) == 1
    written = (tmp_path / "a.py").read_text(encoding="utf-8")
    # R shows such a string as "\xff\xfe", and stops where it counts its letters
    assert "line 1 is not translated: a string has bytes that are no UTF-8" in written
    assert r"# \udcff\udcfe" in written
    assert main(["port", str(script)]) == 1
    assert main(["check", "--format", "json", str(script)]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("name", ["~root.R", "stdin", "-e.R", 'a"; quit(); ".R', "a'b.R", "año.R"])
def test_a_recorder_names_the_script_beside_it(tmp_path, name):
    from pydpstat.porting import parse

    code = make_recorder(tmp_path / name).splitlines()[-1]
    [call] = parse("f <- function(a, b) 1\nf" + code.removeprefix("})")).expressions[1:]
    assert call.arguments[0].value.value == f"./{name}"
    with pytest.raises(PydpstatError, match=r"cannot be seen: a\\x0ab"):
        make_recorder(tmp_path / "a\nb.R")


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("name", ["-e", "--version", "-e cat(1)", "stdin", "~", "a b;touch x.R", "$(touch x)"])
def test_a_script_s_name_is_no_option_and_no_code_of_r(tmp_path, monkeypatch, name):
    if shutil.which("Rscript") is None:
        pytest.skip("needs Rscript")
    from pathlib import Path

    monkeypatch.chdir(tmp_path)
    Path(name).write_text("x <- 1 + 1\n", encoding="utf-8")
    record = load_record(Path(name))
    assert record["expressions"][0]["variables"]["x"]["values"] == [2]
    assert [each.name for each in tmp_path.iterdir()] == [name]
