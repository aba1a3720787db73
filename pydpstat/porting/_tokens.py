"""R's words: what a script consists of, and which of its line ends count."""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile
from typing import Any, NamedTuple

from pydpstat.porting._literals import Refused, allowed, number, string
from pydpstat.porting._syntax import Comment, RSyntaxError, Script

_BLANK = "[ \t\f\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]*"
_HEX = r"0[xX](?:[0-9a-fA-F]++(?![.pP])|(?=[.0-9a-fA-F])[0-9a-fA-F]*+\.?+[0-9a-fA-F]*+[pP][-+]?[0-9]++)"
_DECIMAL = r"(?!0[xX])(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++|(?![eE]))"
_GROUPS = {
    "symbol": r"""(?![rR]["'])(?:[A-Za-z]|\.(?![0-9])|[^\x00-\x7f])(?:[A-Za-z0-9._]|[^\x00-\x7f])*""",
    "line": r"\n",
    "operator": r"<<-|<=|<-|<(?!<)|->>|->|>=|!=|==|=>|:::|::|:=|&&|\|\||\|>|\*\*|\[\["
    r"|[]{}()[?+/^~$@\\,;>!=:&|*-]",
    "number": f"(?:{_HEX}|{_DECIMAL})[Li]?",
    "string": "|".join(rf"{quote}[^{quote}\\]*(?:\\.[^{quote}\\]*)*" for quote in "\"'`"),
    "comment": r"#[^\n]*",
    "SPECIAL": r"%[^%\n]*%",
    "raw": r"""[rR](?P<quote>["'])(?P<dashes>-*)(?P<open>.?)""",
    "placeholder": "_",
    "other": ".",
}
_TOKEN = re.compile(
    _BLANK + "(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _GROUPS.items()) + ")", re.DOTALL
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|"}
# words and signs that R's messages or trees name otherwise: an arrow to the right is one to the left
_KNOWN: dict[str, tuple[str, object]] = {
    **{word: (f"'{word}'", word) for word in "function while repeat for if in else next break".split()},
    **{sign: ("assignment", sign) for sign in ("<-", "<<-", ":=")},
    **{"->": ("'->'", "<-"), "->>": ("'->'", "<<-"), "**": ("'^'", "^"), "\\": (r"'\\'", "function")},
    **{f"NA_{kind}_": ("numeric constant", (None, kind)) for kind in ("integer", "character", "complex")},
    **{"NA": ("numeric constant", (None, "logical")), "NA_real_": ("numeric constant", (None, "double"))},
    **{str(value).upper(): ("numeric constant", (value, "logical")) for value in (True, False)},
    **{word: ("numeric constant", (float(word), "double")) for word in ("Inf", "NaN")},
    "NULL": ("'NULL'", (None, "NULL")),
}
# the line ends after these do not count
_OPEN = {f"'{sign}'" for sign in "+ - * / ^ < <= >= > == != | & || && |> => ? ! : ~ $ @ -> = {".split()}
_OPEN |= {f"'{word}'" for word in "function while repeat for in if else".split()}
_OPEN |= {"assignment", "SPECIAL"}
_COMPLETE = {"symbol", "placeholder", "string constant", "numeric constant", "'NULL'", "'next'", "'break'"}
_BRACKETS = {f"'{bracket}'": bracket for bracket in ("(", "[", "[[", "{")}
_ENDS = {"')'", "']'", "'}'"}
_PARTS = {"';'", "','", "'else'"}
_DEEPEST = 50
# a number is computed digit by digit
_LONGEST = 500
NAMELESS = "attempt to use zero-length variable name"


class Token(NamedTuple):
    """A word: what R calls it in messages, what it is worth, and where it stands.

    The end of a line or of all has no width. The value of one that is "broken" is why R refuses it.
    """

    kind: str
    value: Any
    start: int
    end: int


def scanned(text: str) -> tuple[list[Token], list[Comment]]:
    """Split a text, which ends with a line end, up to the first thing that is no word of R."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    place, match, add = 0, _TOKEN.match, tokens.append
    while found := match(text, place):
        group = found.lastgroup or ""
        start, place = found.span(group)
        word = found[group]
        if group == "operator" or (group == "symbol" and word.isascii()):
            kind, value = _KNOWN.get(word) or ("symbol" if group == "symbol" else f"'{word}'", word)
            add(Token(kind, value, start, place))
        elif group == "line":
            add(Token("end of line", None, place, place))
        elif group == "comment":
            comments.append(Comment(word, start, place))
        elif group == "number":
            short = len(word) <= _LONGEST
            add(Token("numeric constant", number(word), start, place) if short else _long(start))
        elif group in ("SPECIAL", "placeholder"):
            add(Token(group, word, start, place))
        else:
            add(token := _literal(text, found, group, start))
            place = token.end
        if tokens and tokens[-1].kind in ("input", "broken"):
            break
    add(Token("end of input", None, len(text), len(text)))
    return tokens, comments


def _long(start: int) -> Token:
    return Token("broken", f"a number of more than {_LONGEST} characters", start, start)


def _foreign(word: str, start: int) -> Token:
    """Return a symbol with other letters than those of ASCII; it ends before what is no letter."""
    size = len("".join(takewhile(_letter, word)))
    if "\udc80" <= word[size : size + 1] <= "\udcff":
        return Token("broken", "invalid multibyte character in parser", start + size, start + size)
    kind = "symbol" if size else "input"
    return Token(kind, word[:size], start, start + max(size, 1))


def _letter(letter: str) -> bool:
    """Return whether the C library has a letter; it has vowel signs as well, and all digits."""
    kind = unicodedata.category(letter)
    mark = kind[0] == "M" and unicodedata.combining(letter) == 0
    return letter in "._" or kind[0] == "L" or kind in ("Nd", "Nl") or mark


def _literal(text: str, found: re.Match[str], group: str, start: int) -> Token:
    try:
        if group == "symbol":
            return _foreign(found[group], start)
        if group == "string":
            token = _quoted(found[group], start)
            return token if token.end <= len(text) else token._replace(kind="INCOMPLETE_STRING")
        if group == "raw":
            return _raw(text, found, start)
    except Refused as refusal:
        reason, offset = refusal.args
        return Token("broken", reason, start + 1 + offset, start + 1 + offset)
    return Token("input", None, start, start + 1)


def _quoted(word: str, start: int) -> Token:
    quote, body, end = word[0], word[1:], start + len(word)
    value = string(body, quote == "`") if "\\" in body else allowed(body)
    if quote == "`" and not value:
        raise Refused(NAMELESS, 0)
    return Token("symbol" if quote == "`" else "string constant", value, start, end + 1)


def _raw(text: str, found: re.Match[str], start: int) -> Token:
    inside = found.end() - start - 1
    if found["open"] not in _CLOSING:
        raise Refused("malformed raw string literal", inside)
    closing = _CLOSING[found["open"]] + found["dashes"] + found["quote"]
    end = text.find(closing, found.end())
    body = allowed(text[found.end() : end if end >= 0 else None], inside)
    if end < 0:
        return Token("INCOMPLETE_STRING", None, start, len(text))
    return Token("string constant", body, start, end + len(closing))


class Words:
    """A script's words, without the line ends that do not count.

    Which ones count depends on the brackets around them, on the word before them, and on whether an
    ``else`` may follow; the parser says in `open` whether the next ones do not count.
    """

    def __init__(self, text: str) -> None:
        self.open = False
        tokens, comments = scanned(text)
        self.script = Script(text, tuple(comments))
        self._tokens = iter(tokens)
        self._around: list[str] = []
        self._kept: Token | None = None

    def error(self, reason: str, start: int, missing: bool = False) -> RSyntaxError:
        """Return the error at an offset, or that something is missing before it."""
        line, column = self.script.place(start)
        shown = self.script.line(max(start - missing, 0))
        return RSyntaxError(reason, line, 0 if missing else column, shown)

    def next(self) -> Token:
        """Return the next word, or a line end that counts."""
        token, around = self._next(), self._around
        while token.kind == "end of line":
            if not self.open and not (around and around[-1] in "[("):
                return self._after_if() if around and around[-1] == "i" else token
            token = self._next()
        kind = token.kind
        if kind in _COMPLETE:
            self.open = False
        elif kind in _OPEN:
            self.open = True
        entered = "i" if kind == "'if'" and around else _BRACKETS.get(kind, "")
        if len(around) + len(entered) > _DEEPEST:
            raise self.error("contextstack overflow", token.start)
        around.extend(entered)
        if kind in _ENDS:
            self._leave()
            self.open &= kind == "'}'"
        elif kind in _PARTS:
            self._end_if()
        return token

    def _next(self) -> Token:
        token, self._kept = self._kept, None
        token = token or next(self._tokens)
        if token.kind == "broken":
            raise self.error(token.value, token.start)
        return token

    def _after_if(self) -> Token:
        """Return what comes after a line end in the body of an ``if``: it does not count before ``else``."""
        token = self._next()
        while token.kind == "end of line":
            token = self._next()
        if token.kind in _ENDS:
            self._leave()
            return token
        self._end_if()
        self.open |= token.kind == "'else'"
        if token.kind in ("'else'", "','"):
            return token
        self._kept = token
        # R says the place of what follows
        return token._replace(kind="end of line")

    def _leave(self) -> None:
        while self._around and self._around.pop() == "i":
            pass

    def _end_if(self) -> None:
        if self._around and self._around[-1] == "i":
            self._around.pop()
