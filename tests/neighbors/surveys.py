"""Local privacy: one person's value is replaced, and the answers are equal up to sampling error."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.local import GaussianAccess, LaplaceAccess, RandomizedResponse, RandomizedResponseCoins, federate_array
from tests.neighbors.engine import Case
from tests.neighbors.kinds import MASKED, NAN, NUMBERS, SNAN, Kind, array, masked, objects, series

SCALAR = "scalar"


@dataclass(frozen=True)
class Answered:
    """Answers and what they keep."""

    value: Any
    guarantee: Any


@dataclass(frozen=True)
class Survey:
    """A design with the containers that it is asked of."""

    name: str
    # makes it, for missing values that count as a category and for such that are an error
    design: Callable[[bool], Any]
    kinds: tuple[Kind, ...]


def _scalar(values: list[Any]) -> Any:
    return values[-1]


def _category(labels: list[Any]) -> Callable[[list[Any]], pd.Categorical]:
    return lambda values: pd.Categorical(values, categories=labels)


_GAPS = (None, NAN, pd.NA, pd.NaT, Decimal("NaN"), SNAN, np.float64("nan"), np.datetime64("NaT"))
_GAPS += (np.ma.masked,)
_ONES = (1, 0, 1)
_BINARY = (
    Kind(SCALAR, _scalar, (1,), (0, 0.0, True, False, np.int64(0), np.float32(1), np.bool_(True)), _GAPS),
    Kind("list", list, _ONES, (0, 0.0, True, np.int8(0)), _GAPS),
    Kind("tuple", tuple, _ONES, (0, 0.0, True), _GAPS),
    Kind("objects", objects, _ONES, (0, 0.0, True, np.int8(0)), _GAPS),
    *(Kind(dtype, array(dtype), _ONES, (0,)) for dtype in ("?", "i1", "u8", ">i4", "i8")),
    *(Kind(dtype, array(dtype), _ONES, (0,), (NAN,)) for dtype in ("f2", "f4", ">f8", "f8", "g")),
    Kind("square", lambda v: array("f8")([*v, 1]).reshape(2, 2), _ONES, (0,), (NAN,)),
    Kind("Series", series("f8"), _ONES, (0,), (NAN,)),
    Kind("Series of objects", series(object), _ONES, (0, True, 0.0), _GAPS),
    Kind("Int64", series("Int64"), _ONES, (0,), (pd.NA,)),
    Kind("boolean", series("boolean"), (True, False, True), (False,), (pd.NA,)),
    Kind("Float32", series("Float32"), _ONES, (0,), (pd.NA,)),
    Kind("index", lambda v: pd.Index(v, dtype="f8"), _ONES, (0,), (NAN,)),
    Kind("Categorical", _category([0, 1]), _ONES, (0,), (None,)),
    Kind("Series of categories", lambda v: pd.Series(_category([1, 0])(v)), _ONES, (0,), (None,)),
    Kind("masked", masked("i8", 1, 0), _ONES, (0,), (MASKED,)),
    Kind("masked floats", masked("f8", 1, 0), _ONES, (0,), (MASKED, NAN)),
    Kind("masked objects", masked(object, 1, 0), _ONES, (0, True), (MASKED, None)),
)
_WORDS = ("no", "yes", "maybe")
_TEXTS = (
    Kind(SCALAR, _scalar, ("no",), ("yes", np.str_("maybe")), _GAPS),
    Kind("list", list, _WORDS, ("no", np.str_("yes")), _GAPS),
    Kind("objects", objects, _WORDS, ("no", np.str_("yes")), _GAPS),
    Kind("texts", array("U5"), _WORDS, ("no", "yes")),
    Kind("Series of objects", series(object), _WORDS, ("no",), _GAPS),
    Kind("string", series("string"), _WORDS, ("no",), (pd.NA,)),
    Kind("Categorical", _category(["maybe", "no", "yes"]), _WORDS, ("no",), (None,)),
    Kind("masked", masked("U5", "no", "yes"), _WORDS, ("no",), (MASKED,)),
)
_PLACES = (2, 0, 1)
_THREE = (
    Kind(SCALAR, _scalar, (2,), (0, 1.0, np.int64(1), np.float64(0)), _GAPS),
    Kind("list", list, _PLACES, (0, 2.0, np.int8(2)), _GAPS),
    Kind("i1", array("i1"), _PLACES, (0, 2)),
    Kind("f8", array("f8"), _PLACES, (0, 2), (NAN,)),
    Kind("objects", objects, _PLACES, (0, 2.0), _GAPS),
    Kind("Int64", series("Int64"), _PLACES, (0,), (pd.NA,)),
    Kind("masked", masked("i8", 1, 2), _PLACES, (0, 2), (MASKED,)),
)
_MIXED = (
    Kind(SCALAR, _scalar, ("no",), (1, 1.0, np.int64(1), 2.5, np.float64(2.5)), _GAPS),
    Kind("list", list, ("no", 1, 2.5), (1, 2.5, 1.0), _GAPS),
    Kind("objects", objects, ("no", 1, 2.5), (1, 2.5, 1.0), _GAPS),
)


def _response(categories: Any, fill: Any) -> Callable[[bool], Any]:
    return lambda fills: RandomizedResponse(1.0, categories, fill if fills else "error")


SURVEYS = (
    Survey("two", _response(2, 0), _BINARY),
    Survey("truth values", _response([False, True], True), _BINARY[:12]),
    Survey("coins", lambda fills: RandomizedResponseCoins(), _BINARY),
    Survey("words", _response(list(_WORDS), "maybe"), _TEXTS),
    Survey("three", _response(3, 2), _THREE),
    Survey("mixed", _response(["no", 1, 2.5], "no"), _MIXED),
)
ACCESSES = (LaplaceAccess(1.0, bounds=(0.0, 10.0)), GaussianAccess(0.5, 1e-3, bounds=(0.0, 10.0)))
# one variable
MEASURED = tuple(kind for kind in NUMBERS if not kind.name.startswith(("frame", "matrix")))


def surveyed(survey: Survey, kind: Kind) -> Iterator[Case]:
    """Return the cases of a design and a container, asked at once and as nodes."""
    fills = survey.name != "coins"
    for odd, gap in [(each, False) for each in kind.odd] + [(each, True) for each in kind.gaps if fills]:
        for federated in (False, True)[: 1 if kind.name in (SCALAR, "square") else 2]:
            design = survey.design(gap or federated and fills)
            yield _case(f"{survey.name}, {kind.name}, {_shown(odd)}", kind, odd, design, federated)


def veiled(survey: Survey, kind: Kind) -> Iterator[Case]:
    """Return cases of missing values that look different, and of others under a mask."""
    design = survey.design(True)
    for gap, other in zip(kind.gaps, [*kind.gaps[1:], *kind.gaps[:1]]):
        case = _case(f"{survey.name}, {kind.name}, {_shown(gap)}, the same", kind, gap, design, False)
        second = partial(kind.twin, [*kind.base[:-1], gap])
        yield replace(case, first=_case("", kind, other, design, False).second, same=True)
        yield replace(case, first=case.second, second=second, same=True)


def measured(access: Any, kind: Kind) -> Iterator[Case]:
    """Return the cases of an access by noise and a container of numbers."""
    for odd in kind.odd:
        for federated in (False, True):
            yield _case(f"{access!r}, {kind.name}, {_shown(odd)}", kind, odd, access, federated)


def _shown(odd: Any) -> str:
    return f"{type(odd).__name__} {odd!r}"[:40]


def _case(name: str, kind: Kind, odd: Any, design: Any, federated: bool) -> Case:
    def call(data: Any, budget: Any) -> Answered:
        if not federated:
            return Answered(design.respond(data), design.guarantee)
        nodes = federate_array(data)
        nodes.configure_data_access(design, budget=budget)
        return Answered([nodes.query(), nodes[0].query()], nodes.guarantee)

    return Case(
        name + ", as nodes" * federated,
        call,
        lambda: kind.make(list(kind.base)),
        lambda: kind.make([*kind.base[:-1], odd]),
    )
