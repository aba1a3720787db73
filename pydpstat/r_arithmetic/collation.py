"""The order in which R sorts strings: that of the language-neutral Unicode collation, or code points."""

from __future__ import annotations

import os
import unicodedata

# the collation's order of ASCII punctuation, which comes before digits and letters
_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANKS = {char: rank for rank, char in enumerate(_PUNCTUATION + "0123456789abcdefghijklmnopqrstuvwxyz")}
_EXPANSIONS = {"æ": "ae", "œ": "oe", "ø": "o\u0338", "đ": "d\u0335", "ł": "l\u0335"}
# the collation's order of the usual accents: acute, grave, breve, circumflex, caron, ring, ...
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], str]


def collation_key(label: str) -> Key | str:
    """Return a key that sorts labels as R's sort() does in the locale of the environment.

    In the C or POSIX locale (or with none set) R sorts by code point. Elsewhere letters sort
    regardless of case first, then by accent, then lower case before upper case, and punctuation
    comes before digits. Rules of single languages (the Spanish n with tilde, say) are not applied.

    Examples
    --------
    >>> sorted(["b", "B", "a", "_", "1"], key=_language_neutral)
    ['_', '1', 'a', 'b', 'B']
    """
    return label if _by_code_point() else _language_neutral(label)


def _by_code_point() -> bool:
    if os.name == "nt":
        return False
    name = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_COLLATE", "LANG"))), "C")
    return name in ("C", "POSIX")


def _language_neutral(label: str) -> Key:
    primary: list[int] = []
    accents: list[tuple[int, ...]] = []
    cases: list[int] = []
    for char in unicodedata.normalize("NFD", label):
        folded = char.casefold()
        for base in _EXPANSIONS.get(folded, folded):
            if unicodedata.combining(base) and accents:
                known = _ACCENTS.find(base)
                accents[-1] += (known if known >= 0 else len(_ACCENTS) + ord(base),)
                continue
            primary.append(_RANKS.get(base, len(_RANKS) + ord(base)))
            accents.append(())
            cases.append(int(char != folded))
    return tuple(primary), tuple(accents), tuple(cases), label
