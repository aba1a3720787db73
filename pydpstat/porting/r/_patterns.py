"""R's regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from pydpstat._data.values import to_object_array
from pydpstat.errors import NotSupportedError, PydpstatError
from pydpstat.porting.r._shapes import make_list
from pydpstat.porting.r._strings import apply_to_texts
from pydpstat.porting.r._values import (
    Value,
    Vector,
    drop_attributes,
    get_element_names,
    get_factor,
    to_plain_vector,
    to_strings,
)

_CHARACTER_CLASSES = {
    "alpha": r"^\W\d_", "digit": r"0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z", "alnum": r"^\W_",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), "blank": r" \t", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


_TOKEN_PATTERN = re.compile(r"\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^]\\]|\\(?=\]))*\]|.", re.DOTALL)


def _translate_bracket(token: str, perl: bool) -> str:
    start = 2 if token.startswith("[^") else 1
    inner = token[start:-1]
    classes = re.findall(r"\[:(\w+):\]", inner)
    if unknown := [each for each in classes if each not in _CHARACTER_CLASSES]:
        raise NotSupportedError(f"[:{unknown[0]}:] is not supported in patterns: write its characters")
    rest = re.sub(r"\[:\w+:\]", "", inner)
    if not perl:
        # in R's own patterns, a backslash in brackets is literal
        rest = rest.replace("\\", "\\\\")
    rest = rest.replace("[", "\\[")
    rest = f"\\{rest}" if rest.startswith(("]", "^")) else rest
    negated = [_CHARACTER_CLASSES[each] for each in classes if _CHARACTER_CLASSES[each].startswith("^")]
    rest += "".join(_CHARACTER_CLASSES[each] for each in classes if not _CHARACTER_CLASSES[each].startswith("^"))
    if not negated:
        return f"{token[:start]}{rest}]"
    options = [f"[{each}]" for each in [*negated, *[rest] * bool(rest)]]
    return f"(?:(?!{'|'.join(options)}).)" if start == 2 else f"(?:{'|'.join(options)})"


@lru_cache(maxsize=256)
def _compile_patterns(pattern: str, fixed: bool, perl: bool, ignore_case: bool) -> list[re.Pattern[str]]:
    """Compile a pattern in Python's syntax, and, if it has alternatives, also with these reversed."""
    tokens = [] if fixed else [each[0] for each in _TOKEN_PATTERN.finditer(pattern)]
    for k, token in enumerate(tokens):
        if len(token) > 1 and token.startswith("["):
            tokens[k] = _translate_bracket(token, perl)
        elif token in ("\\<", "\\>"):
            tokens[k] = "\\b"
        elif token == "$" and not perl:
            tokens[k] = "\\Z"
    flags = (re.IGNORECASE if ignore_case else 0) | (0 if perl else re.DOTALL)
    ways = [re.escape(pattern) if fixed else "".join(tokens)]
    if "|" in tokens and not perl:
        ways.append("".join(_build_reversed_tokens(tokens)))
    try:
        return [re.compile(each, flags) for each in ways]
    except re.error as error:
        raise NotSupportedError(f"the pattern {pattern!r} is not supported: {error}") from error


def _build_reversed_tokens(tokens: list[str]) -> list[str]:
    runs: list[list[str]] = [[]]
    out: list[str] = []
    for token in [*tokens, ")"]:
        if token in ("(", ")"):
            out += "|".join(reversed(["".join(each) for each in runs]))
            out.append(token)
            runs = [[]]
        elif token == "|":
            runs.append([])
        else:
            runs[-1].append(token)
    return out[:-1]


def _apply_unambiguously(
    patterns: list[re.Pattern[str]], use: Callable[[re.Pattern[str]], Value], pattern: str
) -> Value:
    """Apply a pattern if the order of alternatives does not matter: R takes the longest match."""
    first = use(patterns[0])
    if any(use(each) != first for each in patterns[1:]):
        raise NotSupportedError(f"R takes the longest alternative of {pattern!r} and Python the first: use perl=TRUE")
    return first


def grepl(pattern: str, x: Value, ignore_case: bool = False, perl: bool = False, fixed: bool = False) -> Value:
    """Return whether each string has a match of a pattern; a missing string has none.

    Examples
    --------
    >>> grepl("^a[[:digit:]]+$", ["a12", "b1"])
    array([ True, False])
    """
    found = _compile_patterns(pattern, fixed, perl, ignore_case)[0]
    return drop_attributes(apply_to_texts(x, lambda text: found.search(text) is not None, False))


def grep(
    pattern: str,
    x: Value,
    ignore_case: bool = False,
    perl: bool = False,
    value: bool = False,
    fixed: bool = False,
) -> Value:
    """Return the positions, from 1, of strings that match a pattern, or with `value` the strings.

    Examples
    --------
    >>> grep("a", ["ab", "b", "ca"])
    array([1, 3])
    """
    found = np.flatnonzero(np.atleast_1d(grepl(pattern, x, ignore_case, perl, fixed)))
    return to_strings(x)[found] if value else found + 1


def sub(
    pattern: str,
    replacement: str,
    x: Value,
    ignore_case: bool = False,
    perl: bool = False,
    fixed: bool = False,
) -> Value:
    r"""Replace the first match of a pattern in each string; ``\\1`` is its first group.

    Examples
    --------
    >>> sub("(a)(b)", "\\2\\1", "abab")
    'baab'
    """
    return _replace_matches(pattern, replacement, x, (fixed, perl, ignore_case), 1)


def gsub(
    pattern: str,
    replacement: str,
    x: Value,
    ignore_case: bool = False,
    perl: bool = False,
    fixed: bool = False,
) -> Value:
    """Replace all matches of a pattern in each string.

    Examples
    --------
    >>> gsub("[aeiou]", "_", ["banana", "x"])
    array(['b_n_n_', 'x'], dtype=object)
    """
    return _replace_matches(pattern, replacement, x, (fixed, perl, ignore_case), 0)


def _replace_matches(pattern: str, replacement: str, x: Value, flags: tuple[bool, bool, bool], count: int) -> Value:
    found = _compile_patterns(pattern, *flags)
    if not flags[0] and re.search(r"\\[ULE]", replacement) and flags[1]:
        raise NotSupportedError(f"case conversion in {replacement!r} is not supported: use toupper or tolower")
    if not count and replacement and pattern and found[0].search("") is not None:
        raise NotSupportedError(f"gsub with a pattern that matches nothing is not supported; got {pattern!r}")

    def fill_replacement(match: re.Match[str]) -> str:
        if flags[0]:
            return replacement
        return re.sub(r"\\(.?)", lambda m: (match[int(m[1])] or "") if m[1].isdigit() else m[1], replacement)

    return apply_to_texts(
        x,
        lambda text: _apply_unambiguously(found, lambda each: each.sub(fill_replacement, text, count), pattern),
    )


def strsplit(x: Value, split: str | None, fixed: bool = False, perl: bool = False) -> list[Vector]:
    """Split each string at the matches of a pattern; an empty pattern splits into characters.

    Examples
    --------
    >>> strsplit(["a,b", "c"], ",")
    [array(['a', 'b'], dtype=object), array(['c'], dtype=object)]
    """
    split = "" if split is None else split
    found = _compile_patterns(split, fixed, perl, False)
    if to_plain_vector(x).dtype != object or get_factor(x) is not None:
        raise PydpstatError(f"x must be strings; got {x!r:.60}. Write as_character(x).")

    def split_text(text: str, each: re.Pattern[str]) -> list[str]:
        pieces: list[str] = []
        while text:
            match = each.search(text) if split else None
            if match is None and split:
                return [*pieces, text]
            # an empty match splits off one character
            end = match.end() if match is not None and match.end() else 0
            pieces.append(text[: match.start()] if match is not None and end else text[0])
            text = text[end or 1 :]
        return pieces

    answers = [
        to_object_array(
            [None] if text is None else _apply_unambiguously(found, lambda each: split_text(text, each), split)
        )
        for text in to_strings(x)
    ]
    return make_list(answers, get_element_names(x))  # type: ignore[no-any-return]


class MatchPositions(np.ndarray):
    """Positions of matches in strings, from 1 and -1 for none, with their lengths as an attribute."""

    attributes: dict[str, Value]


def _find_spans(pattern: str, text: Value, flags: tuple[bool, bool, bool]) -> list[list[tuple[int, int]]]:
    found, words = _compile_patterns(pattern, *flags), to_strings(text).tolist()
    if None in words or any(each.match("") for each in found):
        raise NotSupportedError("strings that are missing, and patterns that match nothing, are not supported")
    return [
        _apply_unambiguously(found, lambda each: [match.span() for match in each.finditer(word)], pattern)  # noqa: B023
        for word in words
    ]


def _make_match_positions(spans: list[tuple[int, int]], ascii: bool) -> MatchPositions:
    found = np.array([start + 1 for start, _ in spans], np.int64).view(MatchPositions)
    lengths = np.array([end - start for start, end in spans], np.int64)
    found.attributes = {"match.length": lengths, "index.type": "chars", "useBytes": ascii}
    return found


def regexpr(
    pattern: str, text: Value, ignore_case: bool = False, perl: bool = False, fixed: bool = False
) -> MatchPositions:
    """Return the position of the first match in each string, for `regmatches`.

    Examples
    --------
    >>> regexpr("a", ["banana", "x"]).tolist()
    [2, -1]
    """
    spans = _find_spans(pattern, text, (fixed, perl, ignore_case))
    return _make_match_positions(
        [each[0] if each else (-2, -3) for each in spans], all(map(str.isascii, to_strings(text)))
    )


def gregexpr(
    pattern: str, text: Value, ignore_case: bool = False, perl: bool = False, fixed: bool = False
) -> list[MatchPositions]:
    """Return the positions of all matches in each string, for `regmatches`.

    Examples
    --------
    >>> [each.tolist() for each in gregexpr("a", ["banana", "x"])]
    [[2, 4, 6], [-1]]
    """
    spans = _find_spans(pattern, text, (fixed, perl, ignore_case))
    return [_make_match_positions(each or [(-2, -3)], all(map(str.isascii, to_strings(text)))) for each in spans]


def regmatches(x: Value, m: MatchPositions | list[MatchPositions]) -> Value:
    """Return the substrings matched by `regexpr` or `gregexpr`.

    Examples
    --------
    >>> regmatches("a1b22", gregexpr("[0-9]+", "a1b22"))
    [array(['1', '22'], dtype=object)]
    """

    def get_matched_parts(text: str, at: MatchPositions) -> list[str]:
        ends = at + at.attributes["match.length"]
        return [text[place - 1 : end - 1] for place, end in zip(at.tolist(), ends.tolist()) if place > 0]

    if isinstance(m, list):
        return [to_object_array(get_matched_parts(text, at)) for text, at in zip(to_strings(x), m)]
    spans = zip(to_strings(x), m.tolist(), m.attributes["match.length"].tolist())
    return to_object_array([text[place - 1 : place - 1 + size] for text, place, size in spans if place > 0])
