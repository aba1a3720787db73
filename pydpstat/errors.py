"""Errors and warnings that pydpstat raises, each with the way out in its text."""

from __future__ import annotations


class PydpstatError(ValueError):
    """An argument or a state that does not allow a release.

    The message names the argument, the value given, what is allowed and what to do.

    Examples
    --------
    >>> import pydpstat
    >>> issubclass(pydpstat.PydpstatError, ValueError)
    True
    """


class NotSupportedError(PydpstatError):
    """R can do this and pydpstat does not; the message says what to use instead.

    Examples
    --------
    >>> from pydpstat.errors import NotSupportedError, PydpstatError
    >>> issubclass(NotSupportedError, PydpstatError)
    True
    """


class MissingExtraError(ImportError):
    """An optional package is not installed; the message has the command that installs it.

    Examples
    --------
    >>> from pydpstat.errors import MissingExtraError
    >>> str(MissingExtraError("plot()", "matplotlib", "plot"))
    "plot() needs matplotlib: pip install 'pydpstat[plot]'"
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package}: pip install 'pydpstat[{extra}]'")


class PrivacyWarning(UserWarning):
    """A release keeps less privacy than it claims.

    The message carries the true figure and names what to use instead.

    Examples
    --------
    >>> import warnings, pydpstat
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", pydpstat.PrivacyWarning)
    """
