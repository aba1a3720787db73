"""Arguments of R's calls and their counterparts in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._code import TranslationError, make_python_name, write_keyword
from pydpstat.porting._syntax import Argument, Node

# functions whose argument names label the result, and functions that ignore the names
_LABEL_FUNCTIONS = set("table c cbind rbind expand.grid data.frame".split())
# parameters with another name in Python
_RENAMED_PARAMETERS = {("rpois", "lambda"): "lam"}
_IGNORES_NAMES = set("paste paste0 cat message sum prod max min range any all pmax pmin".split())


class Parameters(NamedTuple):
    """Parameters of a Python function without its random stream, and whether it takes further arguments."""

    names: list[str]
    takes_any: bool
    takes_any_name: bool


@cache
def get_parameters(function: Callable[..., object]) -> Parameters:
    """Return the parameters of a Python function, with ``...`` for ``*`` and ``**`` parameters.

    Examples
    --------
    >>> get_parameters(lambda x, *rest, rng=None, **more: None)
    Parameters(names=['x', '...'], takes_any=True, takes_any_name=True)
    """
    all_ = inspect.signature(function).parameters
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    kinds = [each.kind for each in all_.values()]
    names = [DOTS if one.kind in several else name for name, one in all_.items() if name not in ("rng", "self")]
    return Parameters(list(dict.fromkeys(names)), *(each in kinds for each in several))


def bind_arguments(formals: Sequence[str], given: Sequence[Argument], what: str) -> list[tuple[str, Argument]]:
    """Return the nonempty arguments, each with the formal argument that R matches it to."""
    names = [each.name for each in given]
    empty = {k for k, each in enumerate(given) if each.value is None}
    try:
        found = match_arguments(formals, names, empty)
    except AmbiguousArguments as error:
        raise TranslationError(f"{what}: {error}") from None
    for k, (formal, name) in enumerate(zip(found, names)):
        if formal is None and name:
            raise TranslationError(f"{what} has no argument {name}")
        if formal is None:
            raise TranslationError(f"{what} takes {len(formals)} arguments: {', '.join(formals)}")
        if formal == DOTS and k in empty:
            raise TranslationError(f"argument {k + 1} of {what} is empty")
    return [(str(formal), each) for k, (formal, each) in enumerate(zip(found, given)) if k not in empty]


def match_parameters(known: Sequence[str], given: Sequence[Argument], what: str) -> list[tuple[str, Node]]:
    """Return the nonempty arguments, each with its parameter, where names are the same in R and Python."""
    spelled = [replace(each, name=make_python_name(each.name) if each.name else None) for each in given]
    return [
        (each.name if formal == DOTS and each.name else formal, each.value)
        for formal, each in bind_arguments(known, spelled, what)
        if each.value is not None
    ]


def to_parameters(
    package: str, name: str, of_class: str, given: Sequence[Argument], known: Parameters
) -> list[tuple[str, Node]]:
    """Return the arguments of an R call, each with the parameter of the counterpart in Python.

    Raises
    ------
    Untranslated
        If the counterpart does not take one of them.
    """
    formals = packages.find_formals(package, name, of_class)
    if formals is None:
        return match_parameters(known.names, given, name)
    found = bind_arguments(formals, given, name)
    if more := packages.find_forwarded_formals(package, name):
        handed = [each for formal, each in found if formal == DOTS]
        found = [pair for pair in found if pair[0] != DOTS] + bind_arguments(more, handed, name)
        found.sort(key=lambda pair: list(given).index(pair[1]))
    return [
        (_find_parameter(formal, each.name, formals, known, name), each.value) for formal, each in found if each.value
    ]


def _find_parameter(formal: str, name: str | None, formals: Sequence[str], known: Parameters, what: str) -> str:
    """Return the Python parameter of an argument that R matches to a formal argument."""
    plain = _RENAMED_PARAMETERS.get((what, formal)) or (DOTS if formal == DOTS else make_python_name(formal))
    if formal == DOTS and name and what not in _IGNORES_NAMES:
        if not known.takes_any_name:
            raise TranslationError(f"the argument {name} of {what} has no counterpart")
        return name if what in _LABEL_FUNCTIONS else make_python_name(name)
    if plain in known.names and (plain != DOTS or known.takes_any):
        return plain
    first, *_ = [*known.names, DOTS]
    # the formula of a test is the first argument in Python
    if formal == formals[0] and first not in map(make_python_name, formals):
        return first
    if formal != DOTS and known.takes_any and known.names[-1] == DOTS and name is None:
        return DOTS
    raise TranslationError(f"the argument {formal} of {what} has no counterpart")


def write_arguments(
    known: Sequence[str],
    given: Sequence[Argument],
    texts: Sequence[tuple[str, str]],
    what: str,
) -> list[str]:
    """Return the arguments in Python, with keywords where the R call has names or the position is ambiguous.

    Raises
    ------
    Untranslated
        If Python has no way to write them: an argument in the dots, and none for a parameter before them.
    """
    values = [each for each in given if each.value is not None]
    last = max((k for k, each in enumerate(values) if not each.name), default=-1)
    before = list(known[: known.index(DOTS)]) if DOTS in known else []
    by_place, by_name = [], []
    places, named = list(known), False
    if any(name == DOTS for name, _ in texts):
        # arguments in the dots come after all parameters before the dots
        by_name = [each for each in texts if each[0] not in (*before, DOTS)]
        leading = dict(each for each in texts if each[0] in before)
        for missing in (each for each in before if each not in leading):
            raise TranslationError(f"{what} has further arguments, and none for {missing}")
        by_place = [leading[each] for each in before] + [text for name, text in texts if name == DOTS]
    else:
        for k, (name, text) in enumerate(texts):
            named = named or k > last or places[:1] != [name]
            if named:
                by_name.append((name, text))
            else:
                by_place.append(text)
            del places[:1]
    names = [name for name, _ in by_name]
    for name in names:
        if names.count(name) > 1:
            raise TranslationError(f"two arguments of {what} are called {name}")
    return [*by_place, *(write_keyword(name, text) for name, text in by_name)]
