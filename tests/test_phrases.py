"""Phrases that no page, message or docstring has: each has a plain English word that is used instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
    r"\b(?:minimis|optimis)er": "optimizer",
}
FILES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "pydpstat").rglob("*.py")),
]


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_not_used(phrase):
    found = re.compile(phrase)
    used = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in FILES
        # a phrase may be split over two lines
        for match in found.finditer(re.sub(r"\s+", " ", path.read_text(encoding="utf-8")))
    ]
    assert used == [], f"write instead: {PHRASES[phrase]}"


def test_the_files_are_found():
    assert len(FILES) > 400 and all(path.exists() for path in FILES)
