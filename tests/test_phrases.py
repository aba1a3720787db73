"""Phrases that no page, message or docstring has: each has a plain English word that is used instead."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_see_also import PUBLIC

ROOT = Path(__file__).resolve().parents[1]
# what an editor would strike out, and what is written instead
PHRASES = {
    r"in the habit of": "in the style of",
    r"whoever knows the seed": "anyone who knows the seed",
    r"take the noise away": "remove the noise",
    r"nobody can draw it again": "it cannot be reproduced",
    r"but for chance": "up to sampling error",
    r"but for a probability": "with probability 1 - alpha",
    r"needs no R\b": "R is not required",
    r"needs nothing": "no assumptions; requires only",
    r"[Gg]ive say\b": "for example",
    r"to the test\b": "tests empirically",
    r"gives it away": "reveals it",
    r"bends? the (?:statistic|mean)": "biases",
    r"see to yourself": "must ensure",
    r"\bmend(?:ed|s)?\b": "fix",
    r"\b(?:anew|afresh)\b": "again",
    r"\bbeforehand\b": "in advance",
    r"whichever of n, epsilon": "solves for the one that is omitted",
    r"says rightly that nothing": "returns an uninformative interval",
    r"one or more different": "without repetition",
    r"no or another shape": "what it is",
    r"\bown ones\b": "pydpstat's functions",
    r"\bthe own functions\b": "pydpstat's functions",
    r"neither the data nor the true value nor": "neither the data, the true value nor",
    r"public knowledge\b": "treated as public",
    r"everybody knows it": "treated as public",
    r"moved (?:on)?to (?:the|their) bounds": "clipped",
    r"are moved onto": "are clipped to",
    r"\bits kin\b": "the others",
    r"\bcut at 0\b": "clipped at 0",
    r"[Nn]othing can be said": "uninformative",
    r"[Hh]ardly anything": "almost uninformative",
    r"cannot be told apart": "indistinguishable",
    r"\bholds? at once\b": "simultaneously",
    r"at no further cost": "at no additional privacy cost",
    r"costs? nothing more": "at no additional privacy cost",
    r"takes a missing value's place": "replaces missing values",
    r"\b(?:really|truly) keeps?\b": "the true guarantee",
    r"[Ww]hose data the records are": "the column that identifies the unit",
    r"must be a text\b": "a string",
    r"\bmisspelt\b": "misspelled",
    r"to the last bit": "bit for bit, exactly",
    r"[Ss]tands? beside|printed numbers beside": "is shown next to",
    r"[Hh]olds? neither": "contains neither",
    r"(?:is|it is) another one": "differs",
    r"[Ww]here (?:the|a) (?:release|test|fit) is to be charged": "the budget to which the release is charged",
    r"[Bb]y default the budget's": "the default is that of `budget`",
    r"[Ww]hat to do (?:with missing values|where a value)": "treatment of missing values",
    r"[Ww]hose data a record": "the column that identifies the unit of each record",
    r"[Aa]n argument is not allowed": "if an argument is invalid",
}
# what a reader sees has none of these: comments and inner docstrings may
SHOWN = {
    # what parliaments pass is a law
    r"(?<!the )(?<!By )(?<!Technology )\b[Ll]aws?\b": "distribution",
    # texts of pictures are cut off
    r"\b[Cc]ut (?:to|at)\b|\b(?:is|are|was|were) cut\b(?! off)|\bcutting (?:to|at)\b": "clip, truncate",
    r"\bof (?:its|their) own\b(?! (?:type|record|scale|shape|labels)\b)": "its own, separate",
    r"\b(?:is|are) another\b": "differs, is not available",
    r"[Hh]ow far the noise": "the accuracy",
    r"(?<![Cc]ounts )\bfor nothing\b": "at no additional privacy cost",
    # the title of an opinion has its own spelling
    r"(?i:\bneighbour|behaviour|colour|favour|labelled\b|\bcent(?:re|red|res)\b|modelling|\bgrey\b|catalogue"
    r"|cancelled|signalled|analyse\b|(?:random|optim|normal|summar|minim|maxim|general|recogn|organ|student"
    r"|standard|penal|regular|discret|initial|(?<!on )anonym)is(?:e|ing|ation))": "American spelling",
}
# words of British users, which messages translate, one of R's choices, and a message of dplyr
ALIASES = ("neighbour", "neighbours", "summarise", "centre", "`summarise()` has grouped output by ")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
SOURCES = sorted((ROOT / "pydpstat").rglob("*.py"))
FILES = [*PAGES, *SOURCES]


@cache
def written() -> tuple[tuple[str, str], ...]:
    """Return all files with their texts in one line each: a phrase may be split over two."""
    return tuple((str(path.relative_to(ROOT)), re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))) for path in FILES)


@cache
def shown() -> tuple[tuple[str, str], ...]:
    """Return what readers see: pages, texts in the code, public docstrings, first lines of the others."""
    # the glossary's table of retired words begins each row with one
    found = [
        (str(path.relative_to(ROOT)), re.sub(r"(?m)^\| `\w+` \|", "|", path.read_text(encoding="utf-8")))
        for path in PAGES
    ]
    for path in SOURCES:
        found += [(str(path.relative_to(ROOT)), text) for text in texts_of(path)]
    for name, thing in PUBLIC.items():
        members = [each for each in dir(thing) if not each.startswith("_")] if inspect.isclass(thing) else []
        things = [thing, *(getattr(thing, each) for each in members)]
        found += [(name, inspect.getdoc(each) or "") for each in things]
    # a phrase may be split over two lines
    return tuple((name, re.sub(r"\s+", " ", text)) for name, text in found if text not in ALIASES)


def texts_of(path: Path) -> Iterator[str]:
    """Yield a module's texts, and of its docstrings the first lines."""
    docstrings = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.strip().split("\n")[0] if id(node) in docstrings else node.value


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_not_used(phrase):
    found = re.compile(phrase)
    used = [f"{name}: {match[0]}" for name, text in written() for match in found.finditer(text)]
    assert used == [], f"write instead: {PHRASES[phrase]}"


@pytest.mark.slow
@pytest.mark.parametrize("phrase", SHOWN)
def test_a_phrase_is_not_shown(phrase):
    found = re.compile(phrase)
    used = [
        f"{name}: {text[max(0, match.start() - 40) : match.end() + 30]}"
        for name, text in shown()
        for match in found.finditer(text)
    ]
    assert used == [], f"write instead: {SHOWN[phrase]}"


def test_the_files_are_found():
    assert len(FILES) > 400 and all(path.exists() for path in FILES)
