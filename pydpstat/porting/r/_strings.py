"""R's string functions: concatenation, substrings, conversion."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable

import numpy as np

from pydpstat._data.values import to_object_array
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._values import (
    Value,
    Vector,
    check_flat_vector,
    drop_attributes,
    expand_by_recycling,
    find_missing,
    get_factor,
    match_shape,
    to_plain_vector,
    to_single_integer,
    to_strings,
)


def paste(*values: Value, sep: str = " ", collapse: str | None = None) -> Value:
    """Concatenate vectors element by element as strings, and optionally all elements by `collapse`.

    Parameters
    ----------
    *values : vectors or factors
        Recycled; numbers have up to 15 significant digits.
    sep : str, optional
        Separator of the parts.
    collapse : str, optional
        Separator of the elements, which are combined into one string.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> paste("a", [1, 2]), paste(["x", "y"], collapse="+")
    (array(['a 1', 'a 2'], dtype=object), 'x+y')
    """
    parts = [_to_texts_with_na(each) for each in values]
    n = max(map(len, parts), default=0)
    parts = [each or [""] for each in parts]
    joined = [sep.join(each[k % len(each)] for each in parts) for k in range(n)]
    if collapse is not None:
        return collapse.join(joined)
    return (
        match_shape(to_object_array(joined), *(drop_attributes(each) for each in values))
        if values
        else to_object_array([])
    )


def _to_texts_with_na(x: Value) -> list[str]:
    return ["NA" if each is None else each for each in to_strings(check_flat_vector(x))]


def paste0(*values: Value, collapse: str | None = None) -> Value:
    """Concatenate vectors element by element as strings, without a separator.

    Examples
    --------
    >>> paste0("x", [1, 2])
    array(['x1', 'x2'], dtype=object)
    """
    return paste(*values, sep="", collapse=collapse)


def toString(x: Value, collapse: str = ", ") -> str:
    """Return all elements as one string.

    Examples
    --------
    >>> toString([1, 2.5])
    '1, 2.5'
    """
    return str(paste(x, collapse=collapse))


def message(*values: Value) -> None:
    """Write values to the standard error, followed by a line end.

    Examples
    --------
    >>> message("done")
    """
    sys.stderr.write("".join(word for each in values for word in _to_texts_with_na(each)) + "\n")


def single_text(x: Value) -> Value:
    """Return a single string for ``switch``; a number would select by position.

    Examples
    --------
    >>> single_text("kg")
    'kg'
    """
    values = to_plain_vector(x)
    if values.dtype != object or values.size != 1 or values[0] is None:
        raise PydpstatError(f"switch chooses by one string here; got {x!r:.60}: write if for numbers")
    return str(values[0])


def nzchar(x: Value) -> Value:
    """Return whether each string is nonempty; a missing string is.

    Examples
    --------
    >>> nzchar(["a", ""]), nzchar("")
    (array([ True, False]), False)
    """
    return match_shape(np.array([each != "" for each in to_strings(x)], bool), x)


def apply_to_texts(x: Value, function: Callable[[str], Value], otherwise: Value = None) -> Value:
    """Apply a function to each string; the result for a missing one is `otherwise`.

    Examples
    --------
    >>> apply_to_texts(["a", None], str.upper)
    array(['A', None], dtype=object)
    """
    if x is None:
        raise PydpstatError("x must be strings; got NULL")
    found = [otherwise if each is None else function(each) for each in to_strings(x)]
    kept = np.array(found, bool) if isinstance(otherwise, bool) else to_object_array(found)
    return match_shape(kept, x if get_factor(x) is None else kept)


def toupper(x: Value) -> Value:
    """Return strings in upper case.

    Examples
    --------
    >>> toupper("abc")
    'ABC'
    """
    return apply_to_texts(x, lambda text: "".join(c.upper() if len(c.upper()) == 1 else c for c in text))


def tolower(x: Value) -> Value:
    """Return strings in lower case.

    Examples
    --------
    >>> tolower("ABC")
    'abc'
    """
    return apply_to_texts(x, lambda text: "".join(c.lower() if len(c.lower()) == 1 else c for c in text))


def trimws(x: Value, which: str = "both") -> Value:
    """Remove whitespace at both ends of strings, or at the left or right one.

    Examples
    --------
    >>> trimws(" a ")
    'a'
    """
    strip = {"both": str.strip, "left": str.lstrip, "right": str.rstrip}.get(which)
    if strip is None:
        raise PydpstatError(f"which must be 'both', 'left' or 'right'; got {which!r}")
    return apply_to_texts(x, lambda text: strip(text, " \t\r\n"))


def substr(x: Value, start: Value, stop: Value) -> Value:
    """Return the substrings between two positions, which count from 1.

    Examples
    --------
    >>> substr("abcdef", 2, 3)
    'bc'
    """
    words = to_strings(x)
    first, last = (np.resize(to_plain_vector(each), words.size).astype(int).tolist() for each in (start, stop))
    cut = [None if w is None else w[max(0, a - 1) : max(0, b)] for w, a, b in zip(words, first, last)]
    return match_shape(to_object_array(cut), x)


def substring(text: Value, first: Value, last: Value = 1000000) -> Value:
    """Return the substrings between two positions; all arguments are recycled.

    Examples
    --------
    >>> substring("abc", [1, 2])
    array(['abc', 'bc'], dtype=object)
    """
    words, a, b = expand_by_recycling(to_strings(text), to_plain_vector(first), to_plain_vector(last))
    return match_shape(to_plain_vector(substr(words, a, b)), text, first, last)


def strrep(x: Value, times: Value) -> Value:
    """Repeat each string.

    Examples
    --------
    >>> strrep("ab", 2), strrep("-", [1, 2])
    ('abab', array(['-', '--'], dtype=object))
    """
    words, n = expand_by_recycling(to_strings(x), to_plain_vector(times))
    return match_shape(to_object_array([None if w is None else w * int(k) for w, k in zip(words, n)]), x, times)


def strtoi(x: Value, base: int = 0) -> Value:
    """Convert strings to integers in a given base; NA for an invalid string.

    Examples
    --------
    >>> strtoi("ff", 16), strtoi(["7", "x"])
    (255, array([ 7., nan]))
    """

    radix = to_single_integer(base, "base")

    def parse_integer(text: str) -> float:
        # in C's base 0, a leading 0 means octal
        own = 8 if not radix and re.fullmatch(r"\s*[-+]?0[0-7]+", text) else radix
        try:
            found = int(text.replace("_", "?").replace("o", "?").replace("b", "?") if not radix else text, own)
        except ValueError:
            return math.nan
        return found if abs(found) < 2**31 else math.nan

    found = [math.nan if each is None else parse_integer(each) for each in to_strings(x)]
    return match_shape(np.array(found) if found else np.empty(0, np.int64), drop_attributes(x))


def _make_affix_test(name: str, verb: str) -> Callable[[Value, Value], Value]:
    def has_affix(x: Value, part: Value) -> Value:
        pair = [to_plain_vector(each) for each in (x, part)]
        if any(each.dtype != object or None in each.tolist() for each in pair):
            raise PydpstatError(f"{name} needs strings, none of which is missing; filter them first")
        words = zip(*(each.tolist() for each in expand_by_recycling(*pair)))
        return match_shape(
            np.array([getattr(w, name.lower())(p) for w, p in words], bool),
            drop_attributes(x),
            drop_attributes(part),
        )

    has_affix.__name__ = has_affix.__qualname__ = name
    has_affix.__doc__ = f"Tell which strings {verb} with another one, as R's ``{name}``."
    return has_affix


startsWith, endsWith = _make_affix_test("startsWith", "start"), _make_affix_test("endsWith", "end")


def casefold(x: Value, upper: bool = False) -> Value:
    """Return strings in lower or upper case.

    Examples
    --------
    >>> casefold("aB"), casefold("aB", upper=True)
    ('ab', 'AB')
    """
    return toupper(x) if upper else tolower(x)


def chartr(old: str, new: str, x: Value) -> Value:
    """Replace characters of strings by others.

    Examples
    --------
    >>> chartr("abc", "xyz", "cab")
    'zxy'
    """
    if len(old) > len(new):
        raise PydpstatError(f"new must have a letter for each of old; got {old!r} and {new!r}")
    return apply_to_texts(x, lambda text: text.translate(str.maketrans(old, new[: len(old)])))


def utf8ToInt(x: str) -> Vector:
    """Return the code points of a string's characters.

    Examples
    --------
    >>> utf8ToInt("ab")
    array([97, 98])
    """
    return np.array([ord(each) for each in x], np.int64)


def intToUtf8(x: Value, multiple: bool = False) -> Value:
    """Return the characters of code points, as one string or several.

    Examples
    --------
    >>> intToUtf8([72, 105])
    'Hi'
    """
    codes = to_plain_vector(x).astype(np.int64)
    if ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
        raise PydpstatError("x has halves of surrogate pairs, which are no characters")
    found = [chr(each) for each in codes]
    return to_object_array(found) if multiple else "".join(found)


def make_unique(names: Value, sep: str = ".") -> Vector:
    """Return unique strings: repeated ones get a number as suffix.

    Examples
    --------
    >>> make_unique(["a", "b", "a"])
    array(['a', 'b', 'a.1'], dtype=object)
    """
    if to_plain_vector(names).dtype != object or find_missing(names).any():
        raise PydpstatError("names must be strings, none of which is missing")
    found = to_plain_vector(names).tolist()
    taken, numbers = set(found), dict.fromkeys(found, 0)
    for k, name in enumerate(found):
        if name in found[:k]:
            while (text := f"{name}{sep}{numbers[name] + 1}") in taken:
                numbers[name] += 1
            found[k] = text
            taken.add(text)
    return to_object_array(found)
