"""R's tokens, without the line ends that have no meaning."""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile
from typing import Any, NamedTuple

from pydpstat.porting._literals import LiteralError, check_plain_text, parse_number, parse_string
from pydpstat.porting._syntax import Comment, RSyntaxError, Script

_BLANK = "[ \t\f\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]*"
_HEX = r"0[xX](?:[0-9a-fA-F]++(?![.pP])|(?=[.0-9a-fA-F])[0-9a-fA-F]*+\.?+[0-9a-fA-F]*+[pP][-+]?[0-9]++)"
_DECIMAL = r"(?!0[xX])(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++|(?![eE]))"
_TOKEN_PATTERNS = {
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
    _BLANK + "(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _TOKEN_PATTERNS.items()) + ")",
    re.DOTALL,
)
_CLOSING_SIGNS = {"(": ")", "[": "]", "{": "}", "|": "|"}
# tokens with another name in R's messages or trees: a right arrow is a left arrow
_KNOWN_WORDS: dict[str, tuple[str, object]] = {
    **{word: (f"'{word}'", word) for word in "function while repeat for if in else next break".split()},
    **{sign: ("assignment", sign) for sign in ("<-", "<<-", ":=")},
    **{"->": ("'->'", "<-"), "->>": ("'->'", "<<-"), "**": ("'^'", "^"), "\\": (r"'\\'", "function")},
    **{f"NA_{kind}_": ("numeric constant", (None, kind)) for kind in ("integer", "character", "complex")},
    **{"NA": ("numeric constant", (None, "logical")), "NA_real_": ("numeric constant", (None, "double"))},
    **{str(value).upper(): ("numeric constant", (value, "logical")) for value in (True, False)},
    **{word: ("numeric constant", (float(word), "double")) for word in ("Inf", "NaN")},
    "NULL": ("'NULL'", (None, "NULL")),
}
# tokens after which a line end has no meaning
_CONTINUES_LINE = {f"'{sign}'" for sign in "+ - * / ^ < <= >= > == != | & || && |> => ? ! : ~ $ @ -> = {".split()}
_CONTINUES_LINE |= {f"'{word}'" for word in "function while repeat for in if else".split()}
_CONTINUES_LINE |= {"assignment", "SPECIAL"}
_COMPLETES_EXPRESSION = {
    "symbol",
    "placeholder",
    "string constant",
    "numeric constant",
    "'NULL'",
    "'next'",
    "'break'",
}
_BRACKETS = {f"'{bracket}'": bracket for bracket in ("(", "[", "[[", "{")}
_CLOSING_KINDS = {"')'", "']'", "'}'"}
_SEPARATOR_KINDS = {"';'", "','", "'else'"}
_MAX_CONTEXTS = 50
# longer numbers are refused, as the value is computed digit by digit
_MAX_NUMBER_LENGTH = 500
NAMELESS_REASON = "attempt to use zero-length variable name"


class Token(NamedTuple):
    """A token: its kind in R's messages, its value and its position.

    The end of a line or of the text has no width. The value of a "broken" token is R's error message.
    """

    kind: str
    value: Any
    start: int
    end: int


def tokenize_text(text: str) -> tuple[list[Token], list[Comment]]:
    """Split a text, which ends with a line end, into tokens, up to the first invalid one."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    place, match, add = 0, _TOKEN.match, tokens.append
    while found := match(text, place):
        group = found.lastgroup or ""
        start, place = found.span(group)
        word = found[group]
        if group == "operator" or (group == "symbol" and word.isascii()):
            kind, value = _KNOWN_WORDS.get(word) or ("symbol" if group == "symbol" else f"'{word}'", word)
            add(Token(kind, value, start, place))
        elif group == "line":
            add(Token("end of line", None, place, place))
        elif group == "comment":
            comments.append(Comment(word, start, place))
        elif group == "number":
            short = len(word) <= _MAX_NUMBER_LENGTH
            add(
                Token("numeric constant", parse_number(word), start, place) if short else _make_long_number_token(start)
            )
        elif group in ("SPECIAL", "placeholder"):
            add(Token(group, word, start, place))
        else:
            add(token := _read_literal(text, found, group, start))
            place = token.end
        if tokens and tokens[-1].kind in ("input", "broken"):
            break
    add(Token("end of input", None, len(text), len(text)))
    return tokens, comments


def _make_long_number_token(start: int) -> Token:
    return Token("broken", f"a number of more than {_MAX_NUMBER_LENGTH} characters", start, start)


def _make_foreign_symbol(word: str, start: int) -> Token:
    """Return a symbol with non-ASCII letters; it ends before the first character that is not a letter."""
    size = len("".join(takewhile(_is_letter, word)))
    if "\udc80" <= word[size : size + 1] <= "\udcff":
        return Token("broken", "invalid multibyte character in parser", start + size, start + size)
    kind = "symbol" if size else "input"
    return Token(kind, word[:size], start, start + max(size, 1))


def _is_letter(letter: str) -> bool:
    """Return whether a character is a letter in the C library, which includes vowel signs and all digits."""
    kind = unicodedata.category(letter)
    mark = kind[0] == "M" and unicodedata.combining(letter) == 0
    return letter in "._" or kind[0] == "L" or kind in ("Nd", "Nl") or mark


def _read_literal(text: str, found: re.Match[str], group: str, start: int) -> Token:
    try:
        if group == "symbol":
            return _make_foreign_symbol(found[group], start)
        if group == "string":
            token = _read_quoted(found[group], start)
            return token if token.end <= len(text) else token._replace(kind="INCOMPLETE_STRING")
        if group == "raw":
            return _read_raw_string(text, found, start)
    except LiteralError as refusal:
        reason, offset = refusal.args
        return Token("broken", reason, start + 1 + offset, start + 1 + offset)
    return Token("input", None, start, start + 1)


def _read_quoted(word: str, start: int) -> Token:
    quote, body, end = word[0], word[1:], start + len(word)
    value = parse_string(body, quote == "`") if "\\" in body else check_plain_text(body)
    if quote == "`" and not value:
        raise LiteralError(NAMELESS_REASON, 0)
    return Token("symbol" if quote == "`" else "string constant", value, start, end + 1)


def _read_raw_string(text: str, found: re.Match[str], start: int) -> Token:
    inside = found.end() - start - 1
    if found["open"] not in _CLOSING_SIGNS:
        raise LiteralError("malformed raw string literal", inside)
    closing = _CLOSING_SIGNS[found["open"]] + found["dashes"] + found["quote"]
    end = text.find(closing, found.end())
    body = check_plain_text(text[found.end() : end if end >= 0 else None], inside)
    if end < 0:
        return Token("INCOMPLETE_STRING", None, start, len(text))
    return Token("string constant", body, start, end + len(closing))


class TokenStream:
    """Tokens of a script, without the line ends that have no meaning.

    The meaning of a line end depends on the brackets around it, on the token before it, and on whether an
    ``else`` may follow; the parser sets `is_continued` if the next line ends have no meaning.
    """

    def __init__(self, text: str) -> None:
        self.is_continued = False
        tokens, comments = tokenize_text(text)
        self.script = Script(text, tuple(comments))
        self._tokens = iter(tokens)
        self._contexts: list[str] = []
        self._pending_token: Token | None = None

    def make_error(self, reason: str, start: int, missing: bool = False) -> RSyntaxError:
        """Return the error at an offset, or, with `missing`, for a missing token before it."""
        line, column = self.script.place(start)
        shown = self.script.line(max(start - missing, 0))
        return RSyntaxError(reason, line, 0 if missing else column, shown)

    def get_next(self) -> Token:
        """Return the next token, or a meaningful line end."""
        token, around = self._take_next(), self._contexts
        while token.kind == "end of line":
            if not self.is_continued and not (around and around[-1] in "[("):
                return self._read_after_if() if around and around[-1] == "i" else token
            token = self._take_next()
        kind = token.kind
        if kind in _COMPLETES_EXPRESSION:
            self.is_continued = False
        elif kind in _CONTINUES_LINE:
            self.is_continued = True
        entered = "i" if kind == "'if'" and around else _BRACKETS.get(kind, "")
        if len(around) + len(entered) > _MAX_CONTEXTS:
            raise self.make_error("contextstack overflow", token.start)
        around.extend(entered)
        if kind in _CLOSING_KINDS:
            self._close_bracket()
            self.is_continued &= kind == "'}'"
        elif kind in _SEPARATOR_KINDS:
            self._close_if()
        return token

    def _take_next(self) -> Token:
        token, self._pending_token = self._pending_token, None
        token = token or next(self._tokens)
        if token.kind == "broken":
            raise self.make_error(token.value, token.start)
        return token

    def _read_after_if(self) -> Token:
        """Return the token after a line end in the body of an ``if``, which has no meaning before ``else``."""
        token = self._take_next()
        while token.kind == "end of line":
            token = self._take_next()
        if token.kind in _CLOSING_KINDS:
            self._close_bracket()
            return token
        self._close_if()
        self.is_continued |= token.kind == "'else'"
        if token.kind in ("'else'", "','"):
            return token
        self._pending_token = token
        # R reports the position of the next token
        return token._replace(kind="end of line")

    def _close_bracket(self) -> None:
        while self._contexts and self._contexts.pop() == "i":
            pass

    def _close_if(self) -> None:
        if self._contexts and self._contexts[-1] == "i":
            self._contexts.pop()
