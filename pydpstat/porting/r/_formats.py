"""Numbers as text, with a common width and number of decimals per vector, as R's ``format`` and ``print``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date

import numpy as np

from pydpstat._data.values import is_missing, to_object_array
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import check_number_text
from pydpstat.porting.r._options import CURRENT_OPTIONS
from pydpstat.porting.r._values import (  # fmt: skip
    Value,
    Vector,
    check_flat_vector,
    drop_attributes,
    get_factor,
    match_shape,
    refuse_computed_nan,
    to_plain_vector,
    to_single_integer,
    to_strings,
    to_vector,
)
from pydpstat.r_arithmetic import round
from pydpstat.r_arithmetic.rounding import get_digits_and_power

# penalties with which every number, or none, is in fixed notation
_FORCING_PENALTY = 1000
_JUSTIFY_OPTIONS = ("left", "right", "centre", "none")


def compute_decimals(values: Sequence[float], digits: int = 7, nsmall: int = 0, penalty: int = 0) -> tuple[int, bool]:
    """Return the decimals needed for `digits` significant digits, and whether notation is scientific.

    Examples
    --------
    >>> compute_decimals([1.5, 2.25]), compute_decimals([1e10])
    ((2, False), (0, True))
    """
    most, right, left, power_most, power_least, negative = 1, 0, 1, 0, 0, False
    for x in values:
        significant, power = get_digits_and_power(x, digits) if x else (1, 0)
        # a number that rounds up to another digit in scientific notation may not do so in fixed notation
        widens = 0 < power and abs(x) < 10.0**power - 0.5 / 10.0 ** max(0, digits - power)
        most, right = max(most, significant), max(right, significant - power - 1)
        left = max(left, power + 1 - widens + (x < 0))
        negative |= x < 0
        power_most, power_least = max(power_most, power), min(power_least, power)
    left = max(left, 1 + negative) if negative else left
    exponent = 3 if power_most >= 100 or power_least <= -99 else 2
    scientific = negative + (most > 1) + most + 2 + exponent
    if left + right + (right > 0) <= scientific + penalty:
        return max(right, nsmall), False
    return most - 1, True


def format_with_decimals(x: float, decimals: int, scientific: bool) -> str:
    """Return a number with the given number of decimals.

    Examples
    --------
    >>> format_with_decimals(1.5, 2, False), format_with_decimals(1e5, 0, True)
    ('1.50', '1e+05')
    >>> format_with_decimals(float("nan"), 0, False)
    'NA'
    """
    if not math.isfinite(x):
        return "NA" if x != x else "Inf" if x > 0 else "-Inf"
    # R's zero has no sign
    return f"{x + 0.0:.{decimals}{'e' if scientific else 'f'}}"


def format_elements(
    values: Vector,
    digits: Value = None,
    quote: bool | None = None,
    nsmall: int = 0,
    penalty: int | None = None,
) -> list[str]:
    """Return a vector's elements as R displays them together, without padding.

    By default, `digits` and `penalty` are R's options. Without quotes, ``print`` shows a missing string as <NA>.

    Examples
    --------
    >>> format_elements(np.array([1.0, 2.25])), format_elements(np.array(["a", None], object), quote=True)
    (['1.00', '2.25'], ['"a"', 'NA'])
    """
    if values.dtype == object:
        gone = "<NA>" if quote is False else "NA"
        known = (lambda text: text) if quote is None else (lambda text: escape_text(text, quote))
        return [gone if is_missing(each) else known(each) for each in values]
    if values.dtype.kind != "f":
        return to_strings(values).tolist()
    refuse_computed_nan(values)
    most = to_single_integer(CURRENT_OPTIONS["digits"] if digits is None else digits, "digits")
    penalty = to_single_integer(CURRENT_OPTIONS["scipen"]) if penalty is None else penalty
    how = compute_decimals(values[np.isfinite(values)].tolist(), most, nsmall, penalty)
    return [format_with_decimals(each, *how) for each in values.tolist()]


_ESCAPES = [("\\", "\\"), *zip("abfnrtv", "\a\b\f\n\r\t\v"), ("033", "\033"), ("177", "\177")]


def escape_text(text: str, quote: bool) -> str:
    r"""Return a string with escapes as R prints it, optionally in double quotes.

    Examples
    --------
    >>> print(escape_text('a "b"', True), escape_text("a\tb", False))
    "a \"b\"" a\tb
    """
    for letter, sign in [*_ESCAPES, *[('"', '"')] * quote]:
        text = text.replace(sign, f"\\{letter}")
    return f'"{text}"' if quote else text


def pad_texts(parts: Sequence[str], left: bool = False, width: int = 0) -> list[str]:
    """Return strings padded to equal width, aligned right or left.

    Examples
    --------
    >>> pad_texts(["a", "bcd"]), pad_texts(["a", "bcd"], left=True)
    (['  a', 'bcd'], ['a  ', 'bcd'])
    """
    wide = max([width, *map(len, parts)])
    return [each.ljust(wide) if left else each.rjust(wide) for each in parts]


def round_to_largest(x: Value, digits: int) -> Vector:
    """Return numbers rounded to the significant digits of the largest one, as R's ``zapsmall``.

    Examples
    --------
    >>> round_to_largest([1.0, 1e-9], 5)
    array([1., 0.])
    """
    values = np.asarray(x, dtype=np.float64)
    largest = np.nanmax(np.abs(values), initial=0.0)
    places = max(0, math.floor(digits - math.log10(largest) + 0.5)) if largest else digits
    return np.asarray(round(values, places))


def format(
    x: Value, trim: bool | str = False, digits: Value = None, nsmall: int = 0, justify: str = "left",
    width: Value = 0, scientific: bool | int | None = None, big_mark: str = "",
) -> Value:  # fmt: skip
    """Return a vector as strings of equal width, numbers with equally many decimals, as R's ``format``.

    Parameters
    ----------
    x : vector or factor
    trim : bool or str, optional
        Whether numbers have no leading spaces; for a date, its format.
    digits : int, optional
        Minimum number of significant digits displayed for at least one number, by default the option's.
    nsmall : int, optional
        Minimum number of decimals in fixed notation.
    justify : str, optional
        Alignment of strings in R's words, or "none".
    width : int, optional
        Minimum width.
    scientific : bool or int, optional
        Whether notation is scientific, or the penalty of scientific notation in characters.
    big_mark : str, optional
        Separator of thousands.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> format([1, 2.5, 10]), format(1234567.891, big_mark=","), format(2.0, nsmall=2)
    (array([' 1.0', ' 2.5', '10.0'], dtype=object), '1,234,568', '2.00')
    """
    if isinstance(x, date):
        return x.strftime(trim) if isinstance(trim, str) else to_strings(x)[0]
    if x is None or getattr(x, "name", None) == "summary":
        raise PydpstatError("x must be a vector; got NULL or a summary")
    if justify not in _JUSTIFY_OPTIONS:
        raise PydpstatError(f"justify must be one of {_JUSTIFY_OPTIONS}; got {justify!r}")
    check_number_text(x)
    # an integral Python number may be an R double, which gets the decimals
    values = to_vector(check_flat_vector(float(x) if type(x) is int and nsmall else x))
    penalty = {None: None, False: _FORCING_PENALTY, True: -_FORCING_PENALTY}.get(scientific, scientific)  # type: ignore[arg-type]
    parts = format_elements(values, digits, None, to_single_integer(nsmall, "nsmall"), penalty)
    least = 0 if width is None else to_single_integer(width, "width")
    if values.dtype == object:
        wide = max([least, *map(len, parts)])
        if justify == "centre":
            parts = [f"{'':{(wide - len(each)) // 2}}{each}" for each in parts]
        parts = parts if justify == "none" else pad_texts(parts, justify != "right", wide)
    else:
        parts = [insert_thousands_mark(each, big_mark) for each in parts]
        parts = parts if trim else pad_texts(parts, width=least)
    return match_shape(to_object_array(parts), x)


def insert_thousands_mark(text: str, mark: str) -> str:
    """Return a number with a mark between thousands, which replaces leading spaces.

    Examples
    --------
    >>> insert_thousands_mark("  1234567.5", ",")
    '1,234,567.5'
    """
    whole, point, rest = text.partition(".")
    found = re.sub(r"(?<=\d)(?=(\d{3})+(?!\d))", lambda _: mark, whole) + point + rest
    return re.sub(f"^ {{0,{len(found) - len(text)}}}", "", found)


def formatC(
    x: Value, digits: Value = None, width: Value = None, format: str | None = None, flag: str = "",
    mode: str | None = None, big_mark: str = "",
) -> Value:  # fmt: skip
    """Format each element as a string by a C format, as R's ``formatC``.

    Parameters
    ----------
    x : vector
    digits : int, optional
        Decimals, or significant digits for "g"; 4 by default.
    width : int, optional
        Minimum width, by default 1, or `digits` plus 1; a negative width aligns left.
    format : {"d", "f", "e", "E", "g", "G", "s"}, optional
        By default "d" for integers, "g" for other numbers and "s" for strings.
    flag : str, optional
        Any of "0", "-", "+", "#" and " ".
    mode : {"integer", "double", "character"}, optional
        Type of the values.
    big_mark : str, optional
        Separator of thousands.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> formatC(3.14159, digits=2, format="f"), formatC(42, width=6, flag="0")
    ('3.14', '000042')
    """
    values = to_plain_vector(x)
    refuse_computed_nan(values)
    own = {"O": "character", "f": "double", "i": "integer"}.get(values.dtype.kind, "logical")
    kind = format or {"character": "s", "double": "g", "integer": "d"}.get(mode or own, "")
    text = own == "character"
    if kind not in tuple("dfeEgGs") or not set(flag) <= set("0-+# ") or text != (kind == "s") or own == "logical":
        raise PydpstatError(
            f"formatC takes format d, f, e, E, g and G for numbers, s for strings, and flags of '0-+# '; "
            f"got {kind!r} and {flag!r} for {own} values"
        )
    asked = None if digits is None else to_single_integer(digits, "digits")
    places = (2 if kind == "d" else 4) if asked is None else 6 if asked < 0 else asked
    least = None if width is None else to_single_integer(width, "width")
    if not text:
        least = (1 if asked is None else places + 1) if least is None else least or places
    special = [is_missing(each) or not (text or math.isfinite(each)) for each in values.tolist()]
    if kind == "d" and (np.abs(values) >= 2**31).any():
        raise PydpstatError("x has numbers beyond R's integers, where R has NA: use format='f' and digits=0")
    shown = (
        format_elements(values) if text else [format_with_decimals(each, 0, False) for each in values[special].tolist()]
    )
    left = "-" in flag or (least or 0) < 0
    alone = iter(pad_texts(shown, left if text else flag == "-" or left, abs(least or 0)))
    form = f"%{flag}*d" if kind == "d" else f"%{flag}*.{places}{kind}"
    parts = []
    for each, gone in zip(values.tolist(), special):
        part = next(alone) if gone or text else form % (least, int(each) if kind == "d" else each)
        parts.append(part if text else insert_thousands_mark(part, big_mark))
    return match_shape(to_object_array(parts), x)


def prettyNum(x: Value, big_mark: str = "") -> Value:
    """Return each number as a string, with a mark between thousands.

    Examples
    --------
    >>> prettyNum([1234567, 10.5], big_mark=",")
    array(['1,234,567', '10.5'], dtype=object)
    """
    values = to_plain_vector(x)
    if get_factor(x) is not None or (values.dtype == object and any(map(is_missing, values))):
        raise PydpstatError("x must be numbers, or strings none of which is missing; got others")
    if values.dtype == object and len(set(map(len, values))) > 1:
        raise PydpstatError("x has strings of several widths, which R makes equal: give numbers")
    parts = [format_elements(values[k : k + 1])[0] for k in range(values.size)]
    return match_shape(to_object_array([insert_thousands_mark(each, big_mark) for each in parts]), x)


_FORMAT_SPECIFICATION = re.compile(r"%(?:(\d+)\$)?([-+ 0#]*)(\d+|\*)?(?:\.(\d*))?([a-zA-Z%])")


def sprintf(fmt: Value, *values: Value) -> Value:
    """Format values by ``%d``, ``%.2f``, ``%s`` ..., as R's ``sprintf``.

    Parameters
    ----------
    fmt : str or vector of str
    *values : vectors
        Recycled. ``%d`` needs whole numbers; ``%s`` writes numbers as `as_character` does.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> sprintf("%d: %5.2f%%", 3, 12.345), sprintf("%s!", ["a", "b"])
    ('3: 12.35%', array(['a!', 'b!'], dtype=object))
    """
    formats = to_strings(fmt)
    if any("s" in {found[-1] for found in _FORMAT_SPECIFICATION.findall(each)} for each in formats if each):
        check_number_text(*values)
    columns = [formats, *(to_vector(each) for each in values)]
    n = max(each.size for each in columns) if all(each.size for each in columns) else 0
    if any(n % each.size for each in columns if n):
        raise PydpstatError(f"sprintf's lengths must divide the longest; got {[e.size for e in columns]}")
    rows = zip(*(np.resize(each, n).tolist() for each in columns))
    return match_shape(
        to_object_array([_fill_format(row[0], row[1:]) for row in rows]),
        drop_attributes(fmt),
        *map(drop_attributes, values),
    )


def _fill_format(fmt: str, values: Sequence[Value]) -> str:
    place = 0

    def insert_value(found: re.Match[str]) -> str:
        nonlocal place
        number, flags, width, precision, kind = found.groups()
        if kind == "%":
            return "%"
        if width == "*":
            width, place = str(to_single_integer(values[place], "a width")), place + 1
        at = int(number) - 1 if number else place
        place += not number
        if at >= len(values):
            raise PydpstatError(f"sprintf has too few values for {fmt!r}; got {len(values)}")
        return _format_sprintf_value(flags, width or "", precision, kind, values[at])

    text = _FORMAT_SPECIFICATION.sub(insert_value, fmt)
    if "%" in _FORMAT_SPECIFICATION.sub("", fmt):
        raise PydpstatError(f"the format {fmt!r} has a % that starts no specification: write %%")
    return text


def _format_sprintf_value(flags: str, width: str, precision: str | None, kind: str, value: Value) -> str:
    gone = is_missing(value)
    if kind == "s":
        # R counts bytes
        text = b"NA" if gone else to_strings(value)[0].encode()
        text = text if precision is None else text[: int(precision or 0)]
        return (b"%*s" % (int(width or 0) * (-1 if "-" in flags else 1), text)).decode(errors="ignore")
    if isinstance(value, str) or kind not in "dixXoeEfgG":
        raise PydpstatError(f"sprintf has no %{kind} for {value!r}: write %d, %f, %e or %g for numbers, %s for strings")
    if gone or (isinstance(value, float) and math.isinf(value) and kind not in "dixXo"):
        sign = "+" if "+" in flags and value > 0 else " " if " " in flags and value > 0 else ""
        return f"%{'-' * ('-' in flags)}{width}s" % (sign * (not gone) + format_with_decimals(value, 0, False))
    if kind in "dixXo":
        if abs(value) >= 2**31 or value != int(value) or (kind in "xXo" and (value < 0 or value is True)):
            raise PydpstatError(f"sprintf has no %{kind} for {value}: write %.0f, or round it for an integer")
        value, flags = int(value), flags if value else flags.replace("#", "")
    return f"%{flags}{width}{'' if precision is None else '.' + precision}{kind}" % value
