"""R's options for the output of print, cat, format and paste, and the system time."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from pydpstat.errors import PydpstatError

DEFAULT_OPTIONS: dict[str, Any] = {
    "digits": 7,
    "scipen": 0,
    "width": 80,
    "warn": 0,
    "stringsAsFactors": False,
}
CURRENT_OPTIONS = dict(DEFAULT_OPTIONS)
# other options of R that scripts read
_UNSUPPORTED_OPTIONS = set(
    "OutDec contrasts encoding repos na.action max.print editor device browser papersize prompt timeout "
    "show.signif.stars digits.secs ts.eps verbose warning.length keep.source mc.cores expressions".split()
)


def options(*given: dict[str, object], **named: object) -> dict[str, object]:
    """Set options and return their previous values; `digits`, `scipen` and `width` affect output.

    Examples
    --------
    >>> old = options(digits=3)
    >>> old, options(old)
    ({'digits': 7}, {'digits': 3})
    """
    new = {key: value for each in (*given, named) for key, value in each.items()}
    for key, value in new.items():
        if key not in CURRENT_OPTIONS or (key == "stringsAsFactors" and value):
            raise PydpstatError(f"options are {list(CURRENT_OPTIONS)}, the last one False; got {key}={value!r}")
    old = {key: CURRENT_OPTIONS[key] for key in new or CURRENT_OPTIONS}
    CURRENT_OPTIONS.update(new)
    return old


def getOption(x: str, default: object = None) -> Any:
    """Return an option's value, or `default`.

    Examples
    --------
    >>> getOption("digits"), getOption("unknown", 5)
    (7, 5)
    """
    if x in _UNSUPPORTED_OPTIONS:
        raise PydpstatError(f"x must be none of the options that only R has; got {x!r}")
    return CURRENT_OPTIONS.get(x, default)


def Sys_Date() -> date:
    """Return the current date.

    Examples
    --------
    >>> Sys_Date().year > 2000
    True
    """
    return date.today()


def Sys_time() -> datetime:
    """Return the current time.

    Examples
    --------
    >>> Sys_time().year > 2000
    True
    """
    return datetime.now()
