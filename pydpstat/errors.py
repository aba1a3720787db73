"""Errors and warnings that pydpstat raises, each with the way out in its text."""

from __future__ import annotations

from dataclasses import FrozenInstanceError


class PydpstatError(ValueError):
    """An argument or a state that does not allow a release.

    The message names the argument, the value given, what is allowed and what to do.

    See Also
    --------
    BudgetExceeded : the one of a budget.
    pydpstat.errors.ArgumentError : the one of an argument that a function has not.

    Examples
    --------
    >>> import pydpstat
    >>> issubclass(pydpstat.PydpstatError, ValueError)
    True
    """


class ArgumentError(PydpstatError, TypeError):
    """A call has an unknown, superfluous or missing argument.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> import pydpstat as dp
    >>> try:
    ...     dp.mean([20, 30], eps=1, bounds=(0, 100))
    ... except TypeError as error:
    ...     print(error)
    mean has no argument 'eps': write epsilon=1.
    """


class AttributeNameError(PydpstatError, AttributeError):
    """An object has no attribute of this name, or it cannot be set.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> import pydpstat as dp
    >>> try:
    ...     dp.sd
    ... except AttributeError as error:
    ...     print(error)
    module 'pydpstat' has no attribute 'sd'. Use 'std'.
    """


class FrozenError(AttributeNameError, FrozenInstanceError):
    """An attempt to change an attribute of a result, which is immutable.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> import pydpstat as dp
    >>> r = dp.count([True, False], 1.0, rng=1)
    >>> try:
    ...     r.estimate = 3
    ... except AttributeError as error:
    ...     print(str(error).partition(".")[0])
    estimate of DPResults cannot be changed; got 3
    """


class ElementError(PydpstatError, KeyError, IndexError):
    """A release has no element of this name.

    The message names the elements that it has.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> import pydpstat as dp
    >>> r = dp.crosstab(["a", "b"] * 50, 1.0, levels=["a", "b"], other=None, rng=1)
    >>> try:
    ...     r["c"]
    ... except KeyError as error:
    ...     print(error)
    the release of table has no element 'c'. It has 'a', 'b'.
    """

    # a KeyError would show the message in quotes
    __str__ = Exception.__str__


class MissingValuesError(PydpstatError):
    """Data have missing values, and ``missing="error"`` allows none.

    The message of a design's method names the columns: the guarantee treats it as public whether values are missing.

    See Also
    --------
    PydpstatError : what all errors are.
    pydpstat.design : its argument `missing` has a rule for each column.

    Examples
    --------
    >>> import pydpstat as dp
    >>> people = dp.design({"age": [30.0, None], "sex": ["f", "m"]}, bounds={"age": (18, 90)})
    >>> try:
    ...     people.mean("age", 1.0)
    ... except dp.PydpstatError as error:
    ...     print(str(error).partition(",")[2].partition(",")[0].strip())
    because 'age' has some
    """


class NotSupportedError(PydpstatError):
    """R supports this and pydpstat does not.

    The message says what to use instead.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> from pydpstat.errors import NotSupportedError, PydpstatError
    >>> issubclass(NotSupportedError, PydpstatError)
    True
    """


class MissingExtraError(ImportError):
    """An optional package is not installed.

    The message has the command that installs it.

    See Also
    --------
    PydpstatError : what all errors are.

    Examples
    --------
    >>> from pydpstat.errors import MissingExtraError
    >>> str(MissingExtraError("plot()", "matplotlib", "plot"))
    "plot() needs matplotlib: pip install 'pydpstat[plot]', or '.[plot]' in a checkout"
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        command = f"pip install 'pydpstat[{extra}]', or '.[{extra}]' in a checkout"
        super().__init__(f"{feature} needs {package}: {command}")


class BudgetWarning(UserWarning):
    """A release is not charged to a budget that is open in another thread.

    The block does not extend to a thread that is started inside. The message names its budget, and what to
    write.

    See Also
    --------
    pydpstat.Budget : what it speaks of.

    Examples
    --------
    >>> import threading, warnings, pydpstat
    >>> with warnings.catch_warnings(record=True) as caught, pydpstat.Budget(1.0):
    ...     warnings.simplefilter("always")
    ...     thread = threading.Thread(target=lambda: pydpstat.count([True], 0.5))
    ...     thread.start()
    ...     thread.join()
    >>> caught[0].category.__name__
    'BudgetWarning'
    """


class UsageWarning(UserWarning):
    """A call is allowed, but perhaps not what was meant.

    It says what the call means, or what the released numbers look like, and how to write what may have been
    meant. It is made from public values and released numbers only.

    See Also
    --------
    PrivacyWarning : where less privacy is kept than was claimed.

    Examples
    --------
    >>> import warnings, pydpstat as dp
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     r = dp.crosstab(["f", "m"] * 500, 1.0, levels=["F", "M"], rng=1)
    >>> caught[0].category.__name__
    'UsageWarning'
    """


class LargeEpsilonWarning(UsageWarning):
    """An epsilon is so large that the guarantee says next to nothing.

    It is given above 10, by every function that releases something, by `Budget`, and by the answers and the noise of
    `pydpstat.local`, before anything is charged or drawn. A study of the methods with made-up data may ignore it.

    See Also
    --------
    UsageWarning : what it is a kind of.

    Examples
    --------
    >>> import warnings, pydpstat as dp
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     budget = dp.Budget(100)
    >>> caught[0].category.__name__
    'LargeEpsilonWarning'
    """


class PrivacyWarning(UserWarning):
    """A release guarantees less privacy than it claims.

    The message states the true guarantee and names what to use instead.

    Parameters
    ----------
    text : str
        The message.
    row : str, keyword only
        The finding: its name in the table "What the originals guarantee".
    use : str, keyword only
        Name of the sound function to use instead.

    See Also
    --------
    pydpstat.errors.UsageWarning : where a call may not be what was meant.
    PydpstatError : what refuses a call.

    Examples
    --------
    >>> import warnings, pydpstat
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     r = pydpstat.varDP([1, 2, 3, 4], 1.0, 0, 5)
    >>> caught[0].message.row, caught[0].message.use
    ('2', 'var')
    """

    def __init__(self, text: str, *, row: str = "", use: str = "") -> None:
        super().__init__(text)
        self.row, self.use = row, use
