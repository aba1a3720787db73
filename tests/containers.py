"""Every function that takes data, with the same records in other containers: what each call gives.

The calls are those of `own_base_calls`. A container is one line in a table of makers, which make it of a
NumPy array; `tests/engines` has those of Arrow, Polars and DuckDB.
"""

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.consistency import Hierarchy, release_hierarchy
from pydpstat.local import RandomizedResponse
from tests.named_call import LABELS, X
from tests.own_base_calls import own_calls

# arguments that hold records, where a call has an array or a list in them
_DATA = {"data", "x", "y", "a", "b", "condition", "condition1", "condition2", "weights", "scores", "value"}
_DATA |= {"first", "second", "sample1", "sample2", "formula", "by"}
# they take a summary's arguments, or a function of the caller's own
_WITHOUT_RECORDS = {"plan", "compose", "audit"}


class Container(NamedTuple):
    """What makes a container of an array, and its form: a column, a frame, a table, read once, or a query."""

    make: Callable[[np.ndarray], Any]
    form: str = "column"


HELD = {"column", "frame", "table"}
ORDERED = {*HELD, "once"}
EVERY = {*ORDERED, "query"}
# forms that are taken, where they are not all: records in pairs need an order, blocks the records themselves
TAKEN = dict.fromkeys(
    ("cov corr weighted_mean weighted_proportion weighted_quantile weighted_total ttest_rel wilcoxon").split()
    + ["kendalltau", "ols", "logit", "choose"],
    ORDERED,
)
TAKEN |= {"any_test": HELD, "any_interval": HELD}
TAKEN |= dict.fromkeys(["chi2_contingency", "nunique"], {"column", "frame"})
TAKEN["symmetric_geometric"] = ORDERED
TAKEN |= dict.fromkeys(["respond", "estimate"], {"column"})

ANSWERS = RandomizedResponse(1.0, ["a", "b"])


def mean_of(block: Any) -> float:
    """Return a block's mean, added up in one way whatever library holds it."""
    return float(np.mean(np.asarray(block, dtype=np.float64)))


def calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]]:
    """Return each function that takes records, its arguments, and which of them are records."""
    found = {}
    for name, base in own_calls().items():
        own = {**base.arguments, **({"rng": 1} if "rng" in base.arguments else {})}
        if name == "logit":
            # a variable, as the others have
            own |= {"formula": LABELS == 1, "data": X}
        # a column that has a name gives it to its coefficient
        own.pop("coefficients", None)
        if name == "any_interval":
            own["estimator"] = mean_of
        records = tuple(key for key in own if key in _DATA and isinstance(own[key], (np.ndarray, list)))
        if records and name not in _WITHOUT_RECORDS:
            found[name] = base.call, {**own, **{key: np.asarray(own[key]) for key in records}}, records
    texts = {"data": np.array(["a", "b", "b", "a"])}
    found["respond"] = lambda data: ANSWERS.respond(data, rng=1), texts, ("data",)
    found["estimate"] = ANSWERS.estimate, {"answers": texts["data"]}, ("answers",)
    return found


CALLS = calls()
# columns of a frame, each with a missing value
FRAME = {
    "x": [1.5, None, 4.0, 2.5, 3.0, 1.0],
    "i": [1, 2, None, 3, 1, 2],
    "b": [True, False, True, None, True, False],
    "t": ["u", "v", None, "w", "u", "v"],
}
_HOW = {"epsilon": 1.0, "rng": 1}
_FILLED = {"bounds": (0, 5), "missing": 1.0, **_HOW}
_LEVELS = {"t": ["u", "v"]}
_BY, _CROSSED = {"by": "t", "levels": _LEVELS}, [["u", "v"], [1, 3]]
_TREE = {"hierarchy": Hierarchy(["u", "v"]), "missing": "drop", "neighbors": "unbounded"}
# what is released of a frame's columns
OF_FRAMES = {
    "mean": ("x i t", lambda data: pydpstat.mean(data, **_BY, **_FILLED)),
    "corr": ("x i", lambda data: pydpstat.corr(data, **_FILLED)),
    "moments": ("x i", lambda data: pydpstat.moments(data, **_FILLED)),
    "quantiles": ("x t", lambda data: pydpstat.quantiles(data, [0.2, 0.7], **_BY, **_FILLED)),
    "proportion": ("b t", lambda data: pydpstat.proportion(data, **_BY, missing=True, **_HOW)),
    "crosstab": ("t i", lambda data: pydpstat.crosstab(data, levels=_CROSSED, missing="none", **_HOW)),
    "chisquare": ("t", lambda data: pydpstat.chisquare(data, levels=["u", "v"], missing="other", **_HOW)),
    "ols": ("x i t", lambda data: pydpstat.ols("x ~ i + C(t)", data, levels=_LEVELS, **_FILLED)),
    "logit": ("b x i", lambda data: pydpstat.logit("b ~ x + i", data, **_FILLED)),
    "release_hierarchy": ("t", lambda data: release_hierarchy(data, **_TREE, **_HOW)),
}


def check_frame(name: str, make: Callable[[dict[str, list[Any]]], Any]) -> None:
    """Check that a call gives with a frame of another library what it gives with pandas'."""
    columns, call = OF_FRAMES[name]
    chosen = {column: FRAME[column] for column in columns.split()}
    found, wanted = (call(each(chosen)).to_dict() for each in (make, pd.DataFrame))
    assert found == wanted


def with_gap(values: np.ndarray) -> np.ndarray:
    """Return numbers of which one is missing; other values as they are."""
    return np.where(np.arange(len(values)) == 1, np.nan, values) if values.dtype.kind == "f" else values


def plain(values: np.ndarray) -> list[Any]:
    """Return values as Python's own, None for a missing one."""
    return [None if value != value else value for value in values.tolist()]


@functools.cache
def expected(name: str, gap: bool) -> Any:
    """Return what a call gives with arrays."""
    return outcome(name, np.asarray, gap)


def outcome(name: str, make: Callable[[np.ndarray], Any], gap: bool = False, first: bool = False) -> Any:
    """Return all numbers that a call gives with its records in a container, or the error's text.

    With `first` only the first argument that holds records is in the container.
    """
    call, arguments, records = CALLS[name]
    given = {key: with_gap(arguments[key]) if gap else arguments[key] for key in records}
    made = {key: make(value) for key, value in list(given.items())[: 1 if first else None]}
    if name in ("ols", "logit") and "formula" in made:
        made["formula"] = renamed(made["formula"], given["formula"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", ".*Levels must be spelled exactly as in the data")
            result = call(**{**arguments, **given, **made})
    except pydpstat.PydpstatError as error:
        return str(error)
    return list(_numbers(result.to_dict() if hasattr(result, "to_dict") else np.asarray(result).tolist()))


def renamed(response: Any, plainly: np.ndarray) -> Any:
    """Return a response whose name is not the predictors'; as an array where a container's name is fixed."""
    if isinstance(response, pd.Series):
        return response.rename("response")
    if isinstance(response, pd.DataFrame):
        return response.set_axis(["response"], axis=1)
    return response if isinstance(response, (list, np.ndarray, pd.Index)) else plainly


def _numbers(value: Any) -> Iterator[str]:
    """Yield every number within, to the last bit; what has one element is as good as that element."""
    if isinstance(value, dict):
        for key, each in value.items():
            # how a result is laid out depends on whether columns have names
            if key not in ("shape", "dim"):
                yield from _numbers(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, (bool, int, float)):
        yield float(value).hex()


def check(name: str, container: Container, gap: bool = False, first: bool = False) -> None:
    """Check that a call gives with a container what it gives with arrays, or says what to give instead."""
    found = outcome(name, container.make, gap, first)
    if container.form in TAKEN.get(name, EVERY):
        assert found == expected(name, gap), (name, found)
    else:
        assert isinstance(found, str) and any(f". {word} " in found for word in ("Give", "Read")), found


def nullable(values: np.ndarray) -> pd.Series:
    """Return a series of pandas' type that can be missing, or of texts."""
    dtype = {"f": "Float64", "i": "Int64", "b": "boolean", "U": "string"}[values.dtype.kind]
    return pd.Series(plain(values), dtype=dtype, name="v")


def in_two(values: np.ndarray) -> list[np.ndarray]:
    """Return the records in two pieces."""
    return [values[:1], values[1:]]
