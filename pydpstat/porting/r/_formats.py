"""Numbers as text, a vector's with common width and decimals, as R's ``format`` and ``print`` make them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pydpstat._data.values import is_missing, objects
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._values import Value, Vector, factor_of, plain, shaped, size, texts  # fmt: skip
from pydpstat.r_arithmetic import round
from pydpstat.r_arithmetic.character import shape

_DIGITS = 7
_MOST_DECIMALS = 15
# enough for every number to be in fixed notation, or none
_ALWAYS = 1000


def decimals_of(
    values: Sequence[float], digits: int = _DIGITS, nsmall: int = 0, penalty: int = 0
) -> tuple[int, bool]:
    """Return the decimals with which finite numbers show so many digits, and whether in scientific notation.

    Examples
    --------
    >>> decimals_of([1.5, 2.25]), decimals_of([1e10])
    ((2, False), (0, True))
    """
    most, right, left, power_most, power_least, negative = 1, 0, 1, 0, 0, False
    for x in values:
        significant, power = shape(x, digits) if x else (1, 0)
        # what rounds up to another digit in scientific notation may not do so in fixed notation
        widens = 0 < power and abs(x) < 10.0**power
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


def written(x: float, decimals: int, scientific: bool) -> str:
    """Return a number with so many decimals.

    Examples
    --------
    >>> written(1.5, 2, False), written(1e5, 0, True), written(float("nan"), 0, False)
    ('1.50', '1e+05', 'NA')
    """
    if not math.isfinite(x):
        return "NA" if x != x else "Inf" if x > 0 else "-Inf"
    # zero has no sign
    return f"{x + 0.0:.{decimals}{'e' if scientific else 'f'}}"


def cells(
    values: Vector, digits: int = _DIGITS, quote: bool = False, nsmall: int = 0, penalty: int = 0
) -> list[str]:
    """Return a vector's elements as R shows them beside each other, without padding.

    Examples
    --------
    >>> cells(np.array([1.0, 2.25])), cells(np.array(["a", None], object), quote=True)
    (['1.00', '2.25'], ['"a"', 'NA'])
    """
    if values.dtype == object:
        return ["NA" if is_missing(each) else quoted(each) if quote else each for each in values]
    if values.dtype.kind != "f":
        return texts(values).tolist()
    how = decimals_of(values[np.isfinite(values)].tolist(), digits, nsmall, penalty)
    return [written(each, *how) for each in values.tolist()]


def quoted(text: str) -> str:
    """Return a string in double quotes, with escapes.

    Examples
    --------
    >>> print(quoted('a "b"'))
    "a \\"b\\""
    """
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return f'"{"".join(escapes.get(each, each) for each in text)}"'


def padded(parts: Sequence[str], left: bool = False, width: int = 0) -> list[str]:
    """Return texts of one width, aligned to the right or left.

    Examples
    --------
    >>> padded(["a", "bcd"]), padded(["a", "bcd"], left=True)
    (['  a', 'bcd'], ['a  ', 'bcd'])
    """
    wide = max([width, *map(len, parts)])
    return [each.ljust(wide) if left else each.rjust(wide) for each in parts]


def zapped(x: Any, digits: int) -> Vector:
    """Return numbers rounded to the digits of the largest one, as R's ``zapsmall``.

    Examples
    --------
    >>> zapped([1.0, 1e-9], 5)
    array([1., 0.])
    """
    values = np.asarray(x, dtype=np.float64)
    largest = np.nanmax(np.abs(values), initial=0.0)
    places = max(0, math.floor(digits - math.log10(largest) + 0.5)) if largest else digits
    return np.asarray(round(values, places))


def format(
    x: Value, trim: bool = False, digits: int | None = None, nsmall: int = 0, justify: str = "left",
    width: int | None = None, scientific: bool | int | None = None, big_mark: str = "",
) -> Value:  # fmt: skip
    """Return a vector as strings of one width, numbers with equally many decimals, as R's ``format``.

    Parameters
    ----------
    x : vector or factor
    trim : bool, optional
        Whether numbers are without spaces in front.
    digits : int, optional
        Significant digits, 7 by default; so many that the number with most needs shows them.
    nsmall : int, optional
        Least decimals in fixed notation.
    justify : {"left", "right", "none"}
        Of strings.
    width : int, optional
        Least width.
    scientific : bool or int, optional
        Whether numbers are in scientific notation, or by how much wider fixed notation may be.
    big_mark : str, optional
        What separates thousands.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> format([1, 2.5, 10]), format(1234567.891, big_mark=","), format(2, nsmall=2)
    (array([' 1.0', ' 2.5', '10.0'], dtype=object), '1,234,568', '2')
    """
    if isinstance(x, (list, dict)) and not all(map(_is_single, x)):
        raise PydpstatError("x must be a vector; got a list. Write unlist(x), or format its elements.")
    values = texts(x) if factor_of(x) is not None else plain(x)
    penalty = {None: 0, False: _ALWAYS, True: -_ALWAYS}.get(scientific, scientific)  # type: ignore[arg-type]
    parts = cells(values, digits or _DIGITS, nsmall=nsmall, penalty=penalty or 0)
    if big_mark:
        parts = [_marked(each, big_mark) for each in parts]
    if values.dtype == object:
        if justify not in ("left", "right", "none"):
            raise PydpstatError(f"justify must be 'left', 'right' or 'none'; got {justify!r}")
        parts = parts if justify == "none" else padded(parts, justify != "right", width or 0)
    elif not trim:
        parts = padded(parts, width=width or 0)
    return shaped(objects(parts), x)


def _is_single(x: object) -> bool:
    return x is None or size(x) == 1


def _marked(text: str, mark: str) -> str:
    whole, rest = re.fullmatch(r"(\s*-?\d*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    return re.sub(r"(?<=\d)(?=(\d{3})+$)", lambda _: mark, whole) + rest


def formatC(
    x: Value, width: int = 0, digits: int | None = None, format: str | None = None, flag: str = "",
    mode: str | None = None, big_mark: str = "",
) -> Value:  # fmt: skip
    """Return each element as a string in one of C's formats, as R's ``formatC``.

    Parameters
    ----------
    x : vector
    width : int, optional
        Least width; a negative one aligns to the left.
    digits : int, optional
        Decimals, or significant digits for "g".
    format : {"d", "f", "e", "E", "g", "G", "s"}, optional
        By default "d" for integers, "g" for other numbers and "s" for strings.
    flag : str, optional
        Any of "0", "-", "+" and " ".
    mode : str, optional
        Not used: the values have it.
    big_mark : str, optional
        What separates thousands.

    Returns
    -------
    str or ndarray of str

    Examples
    --------
    >>> formatC(3.14159, digits=2, format="f"), formatC(42, width=6, flag="0")
    ('3.14', '000042')
    """
    values = plain(x)
    kind = format or {"O": "s", "f": "g"}.get(values.dtype.kind, "d")
    if (
        kind not in tuple("dfeEgGs")
        or not set(flag) <= set("0-+ ")
        or values.dtype == bool
        or mode is not None
    ):
        raise PydpstatError(
            f"formatC takes format d, f, e, E, g, G or s, and flags of '0-+ '; got {kind!r}, {flag!r}"
        )
    flag, width = (f"{flag}-", -width) if width < 0 else (flag, width)
    parts = []
    for each in values.tolist():
        gone = is_missing(each) or (isinstance(each, float) and not math.isfinite(each))
        signs = "".join(c for c in flag if c in "+ ") if kind != "s" else ""
        if gone or kind == "s":
            text = ("NA" if is_missing(each) else written(each, 0, False)) if gone else f"{each}"
        elif kind == "d":
            text = f"%{signs}d" % int(np.rint(each))
        else:
            text = f"%{signs}{'' if digits is None else f'.{digits}'}{kind}" % each
        text = _marked(text, big_mark) if big_mark and not gone else text
        zero = "0" in flag and not gone and kind != "s" and "-" not in flag
        parts.append(text.zfill(width) if zero else text.ljust(width) if "-" in flag else text.rjust(width))
    return shaped(objects(parts), x)


def prettyNum(x: Value, big_mark: str = "") -> Value:
    """Return each number as a string, with a mark between thousands.

    Examples
    --------
    >>> prettyNum([1234567, 10.5], big_mark=",")
    array(['1,234,567', '10.5'], dtype=object)
    """
    parts = [
        cells(np.array([each]) if not isinstance(each, str) else objects([each]))[0]
        for each in plain(x).tolist()
    ]
    return shaped(objects([_marked(each, big_mark) for each in parts]), x)


_SPECIFICATION = re.compile(r"%(?:(\d+)\$)?([-+ 0#]*)(\d+|\*)?(?:\.(\d*))?([a-zA-Z%])")


def sprintf(fmt: Value, *values: Value) -> Value:
    """Return texts with values in the places of ``%d``, ``%.2f``, ``%s`` ..., as R's ``sprintf``.

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
    columns = [texts(fmt), *(texts(each) if factor_of(each) is not None else plain(each) for each in values)]
    n = max(each.size for each in columns) if all(each.size for each in columns) else 0
    rows = zip(*(np.resize(each, n).tolist() for each in columns))
    return shaped(objects([_inserted(row[0], row[1:]) for row in rows]), fmt, *values)


def _inserted(fmt: str, values: Sequence[Any]) -> str:
    place = 0

    def insert(found: re.Match[str]) -> str:
        nonlocal place
        number, flags, width, precision, kind = found.groups()
        if kind == "%":
            return "%"
        if width == "*":
            width, place = str(values[place]), place + 1
        at = int(number) - 1 if number else place
        place += not number
        if at >= len(values):
            raise PydpstatError(f"sprintf has too few values for {fmt!r}; got {len(values)}")
        return _one(flags, width or "", precision, kind, values[at])

    text = _SPECIFICATION.sub(insert, fmt)
    if "%" in _SPECIFICATION.sub("", fmt):
        raise PydpstatError(f"the format {fmt!r} has a % that starts no specification: write %%")
    return text


def _one(flags: str, width: str, precision: str | None, kind: str, value: Any) -> str:
    gone = is_missing(value)
    if kind == "s":
        text = "NA" if gone else texts(value)[0]
        text = text if precision is None else text[: int(precision or 0)]
        return f"%{'-' * ('-' in flags)}{width}s" % text
    if isinstance(value, str) or kind not in "dixXoeEfgG":
        raise PydpstatError(
            f"sprintf has no %{kind} for {value!r}: write %d, %f, %e or %g for numbers, %s for strings"
        )
    if gone or (isinstance(value, float) and math.isinf(value)):
        sign = "+" if "+" in flags and value > 0 else " " if " " in flags and value > 0 else ""
        return f"%{'-' * ('-' in flags)}{width}s" % (sign * (not gone) + written(value, 0, False))
    if kind in "dixXo":
        if value != int(value):
            raise PydpstatError(
                f"sprintf needs a whole number for %{kind}; got {value}: write %f or round it"
            )
        value = int(value)
    return f"%{flags}{width}{'' if precision is None else '.' + precision}{kind}" % value
