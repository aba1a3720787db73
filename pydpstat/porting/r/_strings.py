"""Strings: pasted, cut, searched and replaced."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat._data.values import objects
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._conversions import _bare
from pydpstat.porting.r._values import Value, Vector, plain, recycled, shaped, size, texts


def paste(*values: Value, sep: str = " ", collapse: str | None = None) -> Value:
    """Join vectors element by element as strings, and all of them with `collapse`.

    Parameters
    ----------
    *values : vectors or factors
        Recycled; numbers have up to 15 significant digits.
    sep : str, optional
        What is between the parts.
    collapse : str, optional
        What is between the elements, which become one string.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> paste("a", [1, 2]), paste(["x", "y"], collapse="+")
    (array(['a 1', 'a 2'], dtype=object), 'x+y')
    """
    parts = [_shown(each) for each in values]
    parts = [each for each in parts if each]
    n = max(map(len, parts), default=0)
    joined = [sep.join(each[k % len(each)] for each in parts) for k in range(n)]
    if collapse is not None:
        return collapse.join(joined)
    return shaped(objects(joined), *(_bare(each) for each in values)) if values else objects([])


def _shown(x: Value) -> list[str]:
    if isinstance(x, list) and any(size(each) != 1 for each in x):
        raise PydpstatError("a list of vectors cannot be pasted: write unlist(x), or paste its elements")
    return ["NA" if each is None else each for each in texts(x)]


def paste0(*values: Value, collapse: str | None = None) -> Value:
    """Join vectors element by element as strings with nothing in between.

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
    """Write values to the standard error, with a line end.

    Examples
    --------
    >>> message("done")
    """
    sys.stderr.write("".join(word for each in values for word in _shown(each)) + "\n")


def each_text(x: Value, function: Callable[[str], Any], missing: Any = None) -> Value:
    """Return a function of each string; a missing one is `missing`.

    Examples
    --------
    >>> each_text(["a", None], str.upper)
    array(['A', None], dtype=object)
    """
    found = [missing if each is None else function(each) for each in texts(x)]
    kept = np.array(found, bool) if found and isinstance(found[0], bool) else objects(found)
    return shaped(kept, x)


def toupper(x: Value) -> Value:
    """Return strings in capital letters.

    Examples
    --------
    >>> toupper("abc")
    'ABC'
    """
    return each_text(x, lambda text: "".join(c.upper() if len(c.upper()) == 1 else c for c in text))


def tolower(x: Value) -> Value:
    """Return strings in small letters.

    Examples
    --------
    >>> tolower("ABC")
    'abc'
    """
    return each_text(x, lambda text: "".join(c.lower() if len(c.lower()) == 1 else c for c in text))


def trimws(x: Value, which: str = "both") -> Value:
    """Return strings without white space at both ends, or at the left or right one.

    Examples
    --------
    >>> trimws(" a ")
    'a'
    """
    strip = {"both": str.strip, "left": str.lstrip, "right": str.rstrip}.get(which)
    if strip is None:
        raise PydpstatError(f"which must be 'both', 'left' or 'right'; got {which!r}")
    return each_text(x, lambda text: strip(text, " \t\r\n"))


def substr(x: Value, start: Value, stop: Value) -> Value:
    """Return the characters of strings from one place to another, which count from 1.

    Examples
    --------
    >>> substr("abcdef", 2, 3)
    'bc'
    """
    words = texts(x)
    first, last = (np.resize(plain(each), words.size).astype(int).tolist() for each in (start, stop))
    cut = [None if w is None else w[max(0, a - 1) : max(0, b)] for w, a, b in zip(words, first, last)]
    return shaped(objects(cut), x)


def substring(text: Value, first: Value, last: Value = 1000000) -> Value:
    """Return the characters of strings from one place to another; all are recycled.

    Examples
    --------
    >>> substring("abc", [1, 2])
    array(['abc', 'bc'], dtype=object)
    """
    words, a, b = recycled(texts(text), plain(first), plain(last))
    return shaped(plain(substr(words, a, b)), text, first, last)


def strrep(x: Value, times: Value) -> Value:
    """Return strings repeated.

    Examples
    --------
    >>> strrep("ab", 2), strrep("-", [1, 2])
    ('abab', array(['-', '--'], dtype=object))
    """
    words, n = recycled(texts(x), plain(times))
    return shaped(objects([None if w is None else w * int(k) for w, k in zip(words, n)]), x, times)


def strtoi(x: Value, base: int = 10) -> Value:
    """Return whole numbers written with a base; NA if a string is none.

    Examples
    --------
    >>> strtoi("ff", 16), strtoi(["7", "x"])
    (255, array([ 7., nan]))
    """

    def value(text: str) -> float:
        try:
            found = int(text.replace("_", "?"), base)
        except ValueError:
            return float("nan")
        return found if abs(found) < 2**31 else float("nan")

    return shaped(np.array([float("nan") if each is None else value(each) for each in texts(x)]), _bare(x))


def startsWith(x: Value, prefix: Value) -> Value:
    """Tell which strings start with a prefix.

    Examples
    --------
    >>> startsWith(["ab", "b"], "a")
    array([ True, False])
    """
    words, ends = recycled(texts(x), texts(prefix))
    return shaped(np.array([w.startswith(p) for w, p in zip(_whole(words), _whole(ends))], bool), x, prefix)


def endsWith(x: Value, suffix: Value) -> Value:
    """Tell which strings end with a suffix.

    Examples
    --------
    >>> endsWith(["ab", "b"], "b")
    array([ True,  True])
    """
    words, ends = recycled(texts(x), texts(suffix))
    return shaped(np.array([w.endswith(p) for w, p in zip(_whole(words), _whole(ends))], bool), x, suffix)


def _whole(words: Vector) -> Vector:
    if None in words:
        raise PydpstatError(
            "x has missing strings, of which the answer is NA: filter them first, as by ~r.is_na(x)"
        )
    return words


# regular expressions
