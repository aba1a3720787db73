"""The search for something private: in all that an object refers to, and in the package's own state."""

import functools
import gc
import math
import numbers
import sys
import threading
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pydpstat._data import streams as once
from pydpstat._release.pipeline import Query
from pydpstat.random.r_stream import RRandom

FORBIDDEN = (RRandom, np.random.Generator, np.random.BitGenerator)
FORBIDDEN += (Query, types.FrameType, types.TracebackType)
# sums in another order differ in the last digits; noise is found to nine
CLOSE = 1e-9
_CACHE = type(functools.lru_cache(int))


def reachable(root: Any) -> Iterator[Any]:
    """Every object that can be reached: attributes, slots, containers, closures, defaults, array bases."""
    return _walk([root])


def package_state() -> Iterator[Any]:
    """Every object that the package's loaded modules and classes keep, contents of caches included."""
    stack = _values_of_modules()
    classes = [each for each in stack if isinstance(each, type) and each.__module__.startswith("pydpstat")]
    return _walk(stack + [value for each in classes for value in vars(each).values()])


def _values_of_modules() -> list[Any]:
    # a module's builtins and loaders lead to the whole program
    return [
        value
        for name, module in list(sys.modules.items())
        # the audited examples have made-up data and streams of their own
        if name.split(".")[0] == "pydpstat" and not name.startswith("pydpstat.auditing._cases")
        for key, value in vars(module).items()
        if not key.startswith("__")
    ]


def clear_caches() -> None:
    """Empty the package's caches, so that what is in them later comes from what is done next."""
    for each in _values_of_modules():
        if isinstance(each, _CACHE):
            each.cache_clear()
    # the first pieces of iterators that are alive, of calls that ended early
    once._kept_passes.clear()
    once._passes.clear()


def _walk(stack: list[Any]) -> Iterator[Any]:
    seen: dict[int, Any] = {}
    while stack:
        each = stack.pop()
        # modules, classes and a function's globals lead to the whole program, not into the result
        if id(each) in seen or isinstance(each, (types.ModuleType, type)):
            continue
        seen[id(each)] = each
        yield each
        if isinstance(each, types.FunctionType):
            stack += [each.__closure__, each.__defaults__, each.__kwdefaults__, vars(each)]
            continue
        if isinstance(each, _CACHE):
            # its keys and values; the function itself is known by its module
            stack += [item for item in gc.get_referents(each) if item is not vars(each)]
            continue
        if isinstance(each, threading.local):
            stack.append(vars(each))
        if isinstance(each, np.ndarray):
            stack.append(each.base)
            if each.dtype == object:
                stack += each.ravel().tolist()
        stack += gc.get_referents(each)
        stack += [getattr(each, name) for kind in type(each).__mro__ for name in _slots(kind) if hasattr(each, name)]


def _slots(kind: type) -> tuple[str, ...]:
    names = vars(kind).get("__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


def _numbers(each: Any) -> Iterable[float]:
    if isinstance(each, (bool, np.bool_)):
        return ()
    if isinstance(each, (numbers.Rational, float, np.number)) and not isinstance(each, np.complexfloating):
        try:
            return (float(each),)
        except OverflowError:
            return ()
    if isinstance(each, np.ndarray) and each.dtype.kind in "iuf":
        return each.astype(np.float64).ravel().tolist()
    if isinstance(each, (bytes, bytearray)) and len(each) % 8 == 0 and each:
        return np.frombuffer(each, dtype="<f8").tolist()
    return ()


def findings(root: Any, secrets: Any, private: tuple[Any, ...] = ()) -> list[str]:
    """What of `secrets` (numbers) and `private` (objects) can be reached from `root`."""
    return found_in(reachable(root), secrets, private)


def found_in(
    objects: Iterable[Any],
    secrets: Any,
    private: tuple[Any, ...] = (),
    forbidden: tuple[type, ...] = FORBIDDEN,
) -> list[str]:
    """What of `secrets` (numbers) and `private` (objects) is among these objects."""
    wanted = sorted({float(secret) for secret in np.ravel(secrets) if secret})
    texts = [text for text in map(_digits, wanted) if len(text) > 9]
    found, values = [], []
    for each in objects:
        if any(each is item for item in private):
            found.append(f"the private {type(each).__name__}")
        if isinstance(each, forbidden):
            found.append(f"a {type(each).__name__}")
        values += _numbers(each)
        # a text that holds a private number; short ones occur by chance
        if isinstance(each, str):
            found += [f"{each!r}" for text in texts if text in each]
    return found + [repr(secret) for secret in _close(values, wanted)]


def _digits(secret: float) -> str:
    """Return the first ten digits or so, as text; a released value may share fewer with the true one."""
    text = repr(secret)
    return text[: len(text) - len(text.lstrip("-0.")) + 10]


def _close(values: list[float], wanted: list[float]) -> list[float]:
    """Return what of `wanted` is among the values, times a power of two where it has enough digits."""
    array = np.array(values, dtype=np.float64)
    array = array[np.isfinite(array) & (array != 0)]
    if not array.size or not wanted:
        return []
    plain, mantissas = np.sort(array), np.sort(np.frexp(np.abs(array))[0])
    close = []
    for secret in wanted:
        mantissa = math.frexp(abs(secret))[0]
        # a sum in units of a grid is the true value times a power of two
        many = float(mantissa * 2**16).is_integer() is False
        where, target = (mantissas, mantissa) if many else (plain, secret)
        place = int(np.searchsorted(where, target))
        near = where[max(place - 1, 0) : place + 1]
        if any(math.isclose(each, target, rel_tol=CLOSE) for each in near.tolist()):
            close.append(secret)
    return close
