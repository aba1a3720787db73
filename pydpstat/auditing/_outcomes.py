"""What one call of a release shows: its form (all that is not a number) and its numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results.model_results import ModelResults
from pydpstat.results.results import DPResults

# a form is a tuple of facts; what each fact is called, by the form's first entry
FACTS = {
    "result": (
        "the result's kind",
        "the shape",
        "the statistic",
        "the labels",
        "the noise scale",
        "the sensitivity",
        "the bounds",
        "nobs",
        "the grid",
        "the post-processing",
        "the guarantee",
        "the call",
        "the choice",
    ),
    "array": ("the result's kind", "the shape", "the type"),
    "pandas": ("the result's kind", "the shape", "the labels", "the type"),
    "value": ("the result's kind", "the result"),
    "error": ("the result's kind", "the error's type", "the error"),
    "parts": ("the result's kind", "the shape", "the parts"),
}
Form = tuple[Hashable, ...]
Numbers = float | npt.NDArray[np.float64]
NONE = frozen(np.empty(0))


def outcome(value: object) -> tuple[Form, Numbers]:
    """Return the form and the numbers (a float or a one-dimensional array) of what was returned."""
    if isinstance(value, DPResults):
        return _result(value)
    if isinstance(value, (float, int, np.number, bool, np.bool_)) and not isinstance(
        value, np.complexfloating
    ):
        return ("array", (), "number"), float(value)
    if value is None or isinstance(value, (str, bytes)):
        return ("value", value), NONE
    return _composed(value)


def failure(error: Exception) -> tuple[Form, Numbers]:
    """Return the form of an error."""
    return ("error", type(error).__name__, f"{type(error).__name__}: {error}"), NONE


def size_of(form: Form) -> int:
    """Return how many of the numbers are elements of the result; what follows are its noise's."""
    if form[0] not in ("result", "array", "pandas", "parts"):
        return 0
    shape = form[1]
    return math.prod(shape) if isinstance(shape, tuple) else 0


def _result(value: DPResults) -> tuple[Form, Numbers]:
    choice: Hashable = None
    numbers: Numbers = NONE
    if value.value.dtype.kind not in "fiub":
        choice = repr(value.value.tolist())
    elif value.value.ndim == 0:
        numbers = float(value.value)
    else:
        numbers = np.ravel(value.value, order="F")
    if value.noise is not None and type(value.post) is not AsDrawn:
        # such a standard error is computed from noisy parts, of which the estimate shows one side only
        errors = np.ravel(value.post.standard_error(value.noise, value.value), order="F")
        numbers = np.concatenate([np.atleast_1d(numbers), errors])
    form = (
        "result",
        value.value.shape if choice is None else (0,),
        value.statistic,
        value.labels,
        _plain(value.noise_scale),
        _plain(value.sensitivity),
        _plain(value.bounds),
        value.nobs,
        value.grid,
        value.postprocessing,
        value.guarantee,
        value.record,
        choice,
    )
    return _hashable(form), numbers


def _composed(value: Any) -> tuple[Form, Numbers]:
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        array = value.to_numpy()
        labels = tuple(repr(getattr(value, name, None)) for name in ("index", "columns", "name"))
        if array.dtype.kind in "fiub":
            return ("pandas", array.shape, labels, type(value).__name__), _flat(array)
        return ("value", f"{array.tolist()!r} {labels!r}"), NONE
    if isinstance(value, ModelResults):
        facts = (value.model, value.names, value.claim, value.guarantee, value.nobs, value.bounds)
        return _hashable(("parts", value.coeff.shape, (*facts, value.facts))), _flat(value.coeff)
    if isinstance(value, Mapping):
        return _parts(value, map(str, value), value.values())
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return _parts(value, names, [getattr(value, name) for name in names])
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "fiub":
        return ("array", array.shape, "numbers"), _flat(array)
    if isinstance(value, (list, tuple)):
        return _parts(value, map(str, range(len(value))), value)
    return ("value", repr(value)), NONE


def _parts(value: object, names: Iterable[str], parts: Collection[object]) -> tuple[Form, Numbers]:
    """Join the outcomes of a mapping's, a dataclass's or a list's parts."""
    forms, numbers = zip(*map(outcome, parts)) if parts else ((), (NONE,))
    joined = np.concatenate([np.atleast_1d(each) for each in numbers])
    return ("parts", joined.shape, (type(value).__name__, *zip(names, forms))), joined


def _flat(array: np.ndarray) -> np.ndarray:
    return np.ravel(array, order="F").astype(np.float64)


def _plain(value: object) -> Hashable:
    return tuple(np.ravel(value).tolist()) if isinstance(value, (np.ndarray, list)) else value


def _hashable(form: tuple[object, ...]) -> Form:
    if _can_hash(form):
        return form
    return tuple(each if isinstance(each, (str, tuple)) and _can_hash(each) else repr(each) for each in form)


def _can_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
