"""Values of R's number and string literals."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache

_NUMBER_PARTS = re.compile(
    r"0[xX](?P<hex>[0-9a-fA-F]*)\.?(?P<after>[0-9a-fA-F]*)(?:[pP](?P<power>[-+]?[0-9]+))?"
    r"|(?P<whole>[0-9]*)\.?(?P<part>[0-9]*)(?:[eE](?P<exponent>[-+]?[0-9]+))?"
)
# as in R, exponents beyond the range of doubles are truncated
_MAX_EXPONENT = 20_000
# with this number of decimal digits, a number is beyond the range of doubles
_MAX_DIGITS = 400
_MAX_DOUBLE = Fraction(2**1024 - 2**971)

_ESCAPE = re.compile(
    r"\\([0-7]{1,3}|x[0-9a-fA-F]{0,2}|u(?:\{[0-9a-fA-F]{0,4}\}?|[0-9a-fA-F]{0,4})"
    r"|U(?:\{[0-9a-fA-F]{0,8}\}?|[0-9a-fA-F]{0,8})|.)",
    re.DOTALL,
)
_SIMPLE_ESCAPES = dict(zip("abfnrtv\\\"'` \n", "\a\b\f\n\r\t\v\\\"'` \n"))
# bytes that are not UTF-8; characters that change the text direction
_UNREADABLE = re.compile("(?P<byte>[\udc80-\udcff])|[\u202a-\u202e\u2066-\u2069]")
_MAX_ESCAPED_LENGTH = 9_999


class LiteralError(Exception):
    """R's message for a literal, and the offset from its first character."""


@lru_cache(maxsize=4096)
def parse_number(text: str) -> tuple[float | complex, str]:
    """Return the value and the kind of a number literal.

    The last bits are those of R on x86-64, which computes with 64 binary digits and rounds twice.
    """
    if text.endswith("i"):
        return complex(0, _parse_double(text[:-1])), "complex"
    if not text.endswith("L"):
        return _parse_double(text), "double"
    value = _parse_double(text[:-1])
    whole = value < 2**31 and value == int(value)
    return (int(value), "integer") if whole else (value, "double")


def _parse_double(text: str) -> float:
    parts = _NUMBER_PARTS.fullmatch(text)
    assert parts is not None
    value = _parse_hexadecimal(parts) if parts["hex"] is not None else _parse_decimal(parts)
    return math.inf if value > _MAX_DOUBLE else float(value)


def _parse_hexadecimal(parts: re.Match[str]) -> Fraction:
    value, power = _parse_digits(parts["hex"] + parts["after"], 16), _parse_exponent(parts["power"])
    # R's two is a double, and so are its powers
    if value and abs(power) >= 1024:
        return Fraction(0) if power < 0 else _MAX_DOUBLE * 2
    return value * Fraction(2) ** (power - 4 * len(parts["after"]))


def _parse_decimal(parts: re.Match[str]) -> Fraction:
    digits, power = parts["whole"] + parts["part"], _parse_exponent(parts["exponent"]) - len(parts["part"])
    value = _parse_digits(digits, 10)
    size = power + len(digits.lstrip("0"))
    if value and abs(size) > _MAX_DIGITS:
        return Fraction(0) if size < 0 else _MAX_DOUBLE * 2
    if power + len(digits) < -300:
        value = _scale_by_tenths(value, len(digits))
        power += len(digits)
    factor, ten, left = Fraction(1), Fraction(10), abs(power) if value else 0
    while left:
        if left & 1:
            factor = _round_to_long_double(factor / ten if power < -307 else factor * ten)
        ten, left = _round_to_long_double(ten * ten), left >> 1
    return _round_to_long_double(value / factor if -307 <= power < 0 else value * factor)


def _parse_exponent(text: str | None) -> int:
    return max(-_MAX_EXPONENT, min(int(text or 0), _MAX_EXPONENT))


def _parse_digits(text: str, base: int) -> Fraction:
    if len(text) < 17:
        return Fraction(int(text or "0", base))
    value = 0
    for digit in text:
        value = _round_to_64_bits(_round_to_64_bits(base * value, 1) + int(digit, base), 1)
    return Fraction(value)


def _round_to_long_double(value: Fraction) -> Fraction:
    """Round to 64 binary digits, the C type ``long double``."""
    # a denominator that is a power of two preserves the digits
    power = max(0, value.denominator.bit_length() - value.numerator.bit_length() + 65)
    return Fraction(_round_to_64_bits(value.numerator << power, value.denominator), 1 << power)


def _scale_by_tenths(value: Fraction, times: int) -> Fraction:
    """Divide a whole number repeatedly by ten, rounding each time."""
    digits, power = value.numerator, 0
    for _ in range(times):
        digits = _round_to_64_bits(digits << 68, 10)
        more = max(0, digits.bit_length() - 64)
        digits, power = digits >> more, power + more - 68
    return Fraction(digits) * Fraction(2) ** power


def _round_to_64_bits(numerator: int, denominator: int) -> int:
    """Return a quotient, whole or of at least 64 binary digits, rounded to 64 binary digits, half to even."""
    shift = max(0, numerator.bit_length() - denominator.bit_length() - 64)
    if numerator >= denominator << (shift + 64):
        shift += 1
    unit = denominator << shift
    whole, rest = divmod(numerator, unit)
    whole += 2 * rest > unit or (2 * rest == unit and whole & 1)
    return whole << shift


def parse_string(body: str, symbol: bool = False) -> str:
    """Return the value of a string, or of a name in backquotes, without its quotes."""
    pieces: list[str] = []
    place, kinds = 0, set()
    for escape in _ESCAPE.finditer(body):
        pieces += [
            check_plain_text(body[place : escape.start()], place),
            _parse_escape(escape[1], symbol, escape.start()),
        ]
        place = escape.end()
        kinds.add("u" if escape[1][0] in "uU" else "x" if escape[1][0] in "x01234567" else "")
    text = "".join([*pieces, check_plain_text(body[place:], place)])
    if {"u", "x"} <= kinds:
        raise LiteralError("mixing Unicode and octal/hex escapes in a string is not allowed", 0)
    if "u" not in kinds:
        # bytes that form one character
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    if len(text) >= _MAX_ESCAPED_LENGTH:
        raise LiteralError("string containing Unicode escapes is too long", 0)
    # surrogates that form one character
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def check_plain_text(text: str, place: int = 0) -> str:
    """Return a text without escapes, which R allows in a string unless a character is unreadable."""
    found = _UNREADABLE.search(text)
    if found is None:
        return text
    byte = "invalid multibyte character in parser"
    raise LiteralError(byte if found["byte"] else "bidi formatting not allowed", place + found.start())


def _parse_escape(escape: str, symbol: bool, place: int) -> str:
    letter, digits = escape[0], escape[1:].strip("{}")
    if letter in "01234567":
        letter, digits, code = "", escape, int(escape, 8)
    elif letter in "xuU":
        code = int(digits or "0", 16)
    elif letter in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[letter]
    else:
        raise LiteralError(f"'\\{letter}' is an unrecognized escape in character string", place)
    digit = "xxxxxxxx" if letter == "U" else "xxxx"
    braced = f"{{{digit}}}" if "{" in escape else digit
    for wrong, reason in (
        (symbol and letter in ("u", "U"), f"\\{letter}{digit} sequences not supported inside backticks"),
        (not digits, f"'\\{letter}' used without hex digits in character string"),
        ("{" in escape and "}" not in escape, f"invalid \\{letter}{braced} sequence"),
        (code == 0, "nul character not allowed"),
        (letter == "" and code > 0xFF, "exceeded maximum allowed octal value \\377"),
        (code > 0x10FFFF, f"invalid \\U{braced} value"),
    ):
        if wrong:
            raise LiteralError(reason, place)
    return chr(code if letter in ("u", "U") or code < 0x80 else 0xDC00 + code)
