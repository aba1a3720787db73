"""What a script tells besides its tree: places, comments and errors. No script harms the parser."""

from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat.porting import Argument, Call, Constant, Function, Name, RSyntaxError, parse, read
from r_reference import trees

WORDS = "x y f( ) ( 1 2L 's' `b` { } \n ; , = <- -> ? ~ ! - + ^ : %in% |> _ :: $ [ [[ ] if( else for(i".split(" ")
WORDS += "in function( \\( while( repeat next r'(a)' \"\\q\" 0x é".split()
WORDS += ["", "# c\n", "\t", "\udce9"]


def values(node):
    """Give a node and what is in it, but not the functions that are called."""
    yield node
    inside = ()
    if isinstance(node, Call):
        inside = [each.value for each in node.arguments]
    elif isinstance(node, Function):
        inside = [*(each.value for each in node.formals), node.body]
    for each in inside:
        if each is not None:
            yield from values(each)


def test_the_text_of_a_part_is_that_part(tmp_path):
    parts = 0
    for name in trees.pieces(tmp_path):
        # one of these cannot have another parenthesis around it
        if name.stem.startswith("refused"):
            continue
        try:
            script = read(tmp_path / name)
        except RSyntaxError:
            continue
        for part in (each for expression in script.expressions for each in values(expression)):
            # without a place: a placeholder that R leaves, and the function that is piped into
            if not part.end:
                continue
            alone = parse(f"({script.written(part)})").expressions[0]
            assert trees.tree(alone) == f"(`(` {trees.tree(part)})"
            parts += 1
    assert parts > 1500


def test_equal_trees_are_equal_wherever_they_are():
    first, second = (parse(text).expressions[0] for text in ("f(x, a=1)", "\n  f( x , a = 1 ) # same"))
    assert first == second and hash(first) == hash(second)
    assert first == Call(Name("f"), (Argument(None, Name("x")), Argument("a", Constant(1.0, "double"))))
    assert parse("f(x, a = 2)").expressions[0] != first


def test_comments_are_kept_with_their_places():
    script = parse("# first\nx <- '# none' # second\n  ## third\n")
    assert [(each.text, script.place(each.start)) for each in script.comments] == [
        ("# first", (1, 1)),
        ("# second", (2, 15)),
        ("## third", (3, 3)),
    ]
    assert [script.written(each) for each in script.comments] == ["# first", "# second", "## third"]


@pytest.mark.parametrize("text", ["", "\n", "\n\n", "# only this", "  \t\f\n"])
def test_a_script_may_be_empty(text):
    assert parse(text).expressions == []


@pytest.mark.parametrize(
    "text, message",
    [
        ("x y", "1:3: unexpected symbol\n1: x y\n     ^"),
        ("a\n\tb\tc", "2:17: unexpected symbol\n2:         b       c\n                   ^"),
        ("f(a,\n  b", "3:0: unexpected end of input\n2:   b\n      ^"),
        ("a::\nb", "2:0: unexpected end of line\n1: a::\n      ^"),
        ("'a' -> ) b", "1:8: unexpected ')'\n1: 'a' -> ) b\n          ^"),
        ("'\\q'", "1:2: '\\q' is an unrecognized escape in character string\n1: '\\q'\n    ^"),
        ("\n\\", "3:0: unexpected end of line\n2: \\\n    ^"),
    ],
)  # fmt: skip
def test_an_error_shows_the_line_and_the_place(text, message):
    with pytest.raises(RSyntaxError) as caught:
        parse(text)
    error = caught.value
    assert str(error) == message
    assert f"{error.line}:{error.column}: {error.reason}\n" in message and error.text in message
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.column) == (message, error.line, error.column)


@pytest.mark.slow
@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=40))
@settings(max_examples=300)
def test_whatever_the_text_it_is_a_tree_or_an_error_in_the_text(text):
    try:
        script = parse(text)
    except RSyntaxError as error:
        assert 1 <= error.line <= text.count("\n") + 2 or "#line" in text
        assert error.column >= 0 and error.reason
        return
    ends = 0
    for each in script.expressions:
        assert ends <= each.start < each.end <= len(text)
        ends = each.end
    joined = "\n".join([*map(script.written, script.expressions)])
    assert [*map(trees.tree, parse(joined).expressions)] == [*map(trees.tree, script.expressions)]


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02", b"%PDF-1.7\n\xe2\xe3", b"PK\x03\x04", b"<p>Hi</p>", "x <- «1»".encode()]
)
def test_a_file_that_is_no_r_has_an_error(tmp_path, content):
    path = tmp_path / "file.R"
    path.write_bytes(content)
    with pytest.raises(RSyntaxError, match=r"^1:\d+: "):
        read(path)


@pytest.mark.slow
def test_long_chains_are_no_deep_ones():
    branches = " else ".join(f"if (x == {n}) {n}" for n in range(2000))
    assert len(parse(branches).expressions[0].arguments) == 3
    assert parse("+".join(["x"] * 20_000)).expressions[0].function == Name("+")
    assert len(parse(f"c({', '.join(map(str, range(20_000)))})").expressions[0].arguments) == 20_000


@pytest.mark.slow
def test_what_is_nested_too_deeply_has_an_error():
    with pytest.raises(RSyntaxError, match="1:1: nested too deeply"):
        parse("-" * 100_000 + "x")
    with pytest.raises(RSyntaxError, match="1:51: contextstack overflow"):
        parse("(" * 51 + "x" + ")" * 51)


@pytest.mark.slow
def test_ten_thousand_lines_take_a_moment():
    lines = (trees.HERE / "grammar" / "scripts.R").read_text(encoding="utf-8").count("\n")
    text = (trees.HERE / "grammar" / "scripts.R").read_text(encoding="utf-8") * (10_000 // lines + 1)
    start = time.process_time()
    script = parse(text)
    # a third of a second on a machine of 2020
    assert time.process_time() - start < 3
    assert text.count("\n") >= 10_000 and len(script.expressions) > 2000
