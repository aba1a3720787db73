"""Whether the mirrors have what the R packages export: names, arguments, order and defaults."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from pydpstat.porting._code import make_python_name

_CONSTANTS = {"": inspect.Parameter.empty, "TRUE": True, "FALSE": False, "NULL": None, "Inf": math.inf}
# without a default in R, which does not ask for them with the Gaussian kernel
_UNASKED = {
    (name, argument)
    for name in ("svmDP$fit", "tune_classification_model")
    for argument in ("upper.bounds", "lower.bounds")
}
_STREAM = inspect.Parameter.KEYWORD_ONLY, None
_CONSTANTS |= {"NA_integer_": None, "NA_real_": None, "NA": None}


def signature_differences(package: str, name: str, entry: Mapping[str, object]) -> list[str]:
    """Return what is missing or different in the mirror of one exported name; empty where it agrees."""
    mirror = getattr(import_module(f"pydpstat.{package.lower()}"), make_python_name(name), None)
    if mirror is None:
        return [f"{name}: pydpstat.{package.lower()} has no {make_python_name(name)}"]
    if entry["kind"] == "S4":
        return _different_slots(name, mirror, entry["slots"])
    if entry["kind"] == "function":
        return _different_arguments(name, mirror, entry["arguments"])
    found = []
    for method, arguments in entry["methods"].items():
        ours = mirror if method == "initialize" else getattr(mirror, method, None)
        if ours is None:
            found.append(f"{name}: no method {method}")
        else:
            found += _different_arguments(f"{name}${method}", ours, arguments, bound=method != "initialize")
    return found


def _different_slots(name: str, mirror: Callable[..., object], slots: Sequence[Sequence[str]]) -> list[str]:
    ours = inspect.signature(mirror).parameters
    found = [f"{name}: no slot {slot}" for slot, _ in slots if make_python_name(slot) not in ours]
    return found + [
        f"{name}: {slot} is {_default(default)!r} in R, {ours[make_python_name(slot)].default!r} here"
        for slot, default in slots
        if default and make_python_name(slot) in ours and not _same(ours[make_python_name(slot)].default, default)
    ]


def _different_arguments(
    name: str, mirror: Callable[..., object], arguments: Sequence[Sequence[str]], bound: bool = False
) -> list[str]:
    parameters = list(inspect.signature(mirror).parameters.values())[bound:]
    if any(each.name == "rng" and (each.kind, each.default) != _STREAM for each in parameters):
        return [f"{name}: rng is not by name alone, or has a default"]
    ours = [each for each in parameters if each.name != "rng"]
    # data columns given by name, which R takes in its dots
    ours = [each for each in ours if each.kind is not inspect.Parameter.VAR_KEYWORD]
    theirs = [make_python_name(argument) for argument, _ in arguments]
    dots = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in ours)
    if not dots and any(each.kind is each.KEYWORD_ONLY for each in ours[: len(theirs)]):
        return [f"{name}: an argument of R's cannot be given by place"]
    names = ["___" if each.kind is inspect.Parameter.VAR_POSITIONAL else each.name for each in ours]
    extra = [each.name for each in ours[len(theirs) :] if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    if names[: len(theirs)] != theirs or extra:
        return [f"{name}: arguments {theirs} in R, {names} here"]
    return [
        f"{name}: {argument} is {_default(default)!r} in R, {each.default!r} here"
        for each, (argument, default) in zip(ours, arguments)
        if not (_same(each.default, default) or (name, argument) in _UNASKED and each.default is None)
    ]


def _same(ours: object, theirs: str) -> bool:
    expected = _default(theirs)
    if isinstance(ours, float) and math.isnan(ours):
        return expected is None
    return ours is expected or (type(ours) is not bool and ours == expected)


def _default(text: str) -> object:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text.startswith('"'):
        return text.strip('"')
    return float(text.rstrip("L"))
