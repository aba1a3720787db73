"""Sampling from a release: the form of an outcome (everything that is not a number) and its numbers, as arrays."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.progress import Progress
from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results.model_results import ModelResults
from pydpstat.results.results import DPResults

# a form is a tuple of facts; the names of the facts, by the form's first entry
FACT_NAMES = {
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
NO_NUMBERS = freeze_array(np.empty(0))


def read_outcome(value: object) -> tuple[Form, Numbers]:
    """Return the form and the numbers (a float or a one-dimensional array) of a returned value."""
    if isinstance(value, DPResults):
        return _read_result(value)
    if isinstance(value, (float, int, np.number, bool, np.bool_)) and not isinstance(value, np.complexfloating):
        return ("array", (), "number"), float(value)
    if value is None or isinstance(value, (str, bytes)):
        return ("value", value), NO_NUMBERS
    return _read_composite(value)


def read_failure(error: Exception) -> tuple[Form, Numbers]:
    """Return the form of an error."""
    return ("error", type(error).__name__, f"{type(error).__name__}: {error}"), NO_NUMBERS


def get_result_size(form: Form) -> int:
    """Return the number of elements of the result among the numbers; the others are those of its noise."""
    if form[0] not in ("result", "array", "pandas", "parts"):
        return 0
    shape = form[1]
    return math.prod(shape) if isinstance(shape, tuple) else 0


def _read_result(value: DPResults) -> tuple[Form, Numbers]:
    choice: Hashable = None
    numbers: Numbers = NO_NUMBERS
    if value.value.dtype.kind not in "fiub":
        choice = repr(value.value.tolist())
    elif value.value.ndim == 0:
        numbers = float(value.value)
    else:
        numbers = np.ravel(value.value, order="F")
    if value.noise is not None and type(value.post) is not NoisyValue:
        # a standard error computed from noisy values carries further information about them
        errors = np.ravel(value.post.compute_standard_error(value.noise, value.value), order="F")
        numbers = np.concatenate([np.atleast_1d(numbers), errors])
    form = (
        "result",
        value.value.shape if choice is None else (0,),
        value.statistic,
        value.labels,
        _to_hashable(value.noise_scale),
        _to_hashable(value.sensitivity),
        _to_hashable(value.bounds),
        value.nobs,
        value.grid,
        value.postprocessing,
        value.guarantee,
        value.record,
        choice,
    )
    return _to_hashable_form(form), numbers


def _read_composite(value: object) -> tuple[Form, Numbers]:
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        array = value.to_numpy()
        labels = tuple(repr(getattr(value, name, None)) for name in ("index", "columns", "name"))
        if array.dtype.kind in "fiub":
            return ("pandas", array.shape, labels, type(value).__name__), _to_flat_array(array)
        return ("value", f"{array.tolist()!r} {labels!r}"), NO_NUMBERS
    if isinstance(value, ModelResults):
        facts = (value.model, value.names, value.claim, value.guarantee, value.nobs, value.bounds)
        return _to_hashable_form(("parts", value.coeff.shape, (*facts, value.facts))), _to_flat_array(value.coeff)
    if isinstance(value, Mapping):
        return _read_parts(value, map(str, value), value.values())
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return _read_parts(value, names, [getattr(value, name) for name in names])
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "fiub":
        return ("array", array.shape, "numbers"), _to_flat_array(array)
    if isinstance(value, (list, tuple)):
        return _read_parts(value, map(str, range(len(value))), value)
    return ("value", repr(value)), NO_NUMBERS


def _read_parts(value: object, names: Iterable[str], parts: Collection[object]) -> tuple[Form, Numbers]:
    """Return the joint outcome of the parts of a mapping, a dataclass or a list."""
    forms, numbers = zip(*map(read_outcome, parts)) if parts else ((), (NO_NUMBERS,))
    joined = np.concatenate([np.atleast_1d(number) for number in numbers])
    return ("parts", joined.shape, (type(value).__name__, *zip(names, forms))), joined


def _to_flat_array(array: np.ndarray) -> np.ndarray:
    return np.ravel(array, order="F").astype(np.float64)


def _to_hashable(value: object) -> Hashable:
    return tuple(np.ravel(value).tolist()) if isinstance(value, (np.ndarray, list)) else value


def _to_hashable_form(form: tuple[object, ...]) -> Form:
    if _can_hash(form):
        return form
    return tuple(
        element if isinstance(element, (str, tuple)) and _can_hash(element) else repr(element) for element in form
    )


def _can_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# sizes of batches: small at first, larger while they are fast, so that arrays stay below 100 megabytes
FIRST_BATCH, MAX_BATCH, QUICK_SECONDS = 16_384, 262_144, 0.25
# single calls between two checks of the time limit
CALLS_PER_TURN = 200
# if a batch raises an error, calls are made one by one, and this many show the outcome
MAX_SINGLE_CALLS = 2_000
# above this number, further forms count as one
MAX_FORMS = 2_000
OTHER_FORM: Form = ("value", "one of many other outcomes")
# codes of the forms, and the numbers of each outcome or a matrix of them
Part = tuple[np.ndarray, list[Numbers] | np.ndarray]


@dataclass(frozen=True)
class Draws:
    """Outcomes under one data set: n codes of forms, and an array of shape (n, d) of their numbers.

    Outcomes with fewer than d numbers are padded with NaN.
    """

    codes: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return self.codes.size


class Sampler:
    """Sampler of a release, for both data sets in turn."""

    def __init__(self, release: Callable[..., object], data: object, neighbor: object) -> None:
        self.release, self.inputs = release, (data, neighbor)
        self.is_batched = checks.has_parameter(release, "size")
        self.forms: list[Form] = []
        self.first: object = None
        self._codes: dict[Hashable, int] = {}
        self._parts: tuple[list[Part], list[Part]] = ([], [])
        self._single = [False, False]
        self._batch = FIRST_BATCH

    def draw_samples(self, samples: int, seconds: float | None) -> tuple[Draws, Draws]:
        """Draw from both data sets, until there are enough draws or the time is up."""
        start = time.perf_counter()
        done = [0, 0]
        with warnings.catch_warnings(), Progress(lambda: samples, "draws") as progress:
            warnings.simplefilter("ignore")
            while min(done) < samples:
                for side in (0, 1):
                    done[side] += self._run_turn(side, samples - done[side])
                    if self._single[side] and done[side] >= min(MAX_SINGLE_CALLS, samples):
                        done[side] = samples
                self._raise_if_only_errors()
                progress.done = min(done)
                if seconds is not None and time.perf_counter() - start > seconds:
                    break
        width = max(_get_width(numbers) for batches in self._parts for _, numbers in batches)
        draws, neighbor_draws = (_join_parts(batches, width) for batches in self._parts)
        return draws, neighbor_draws

    def _run_turn(self, side: int, left: int) -> int:
        if left <= 0:
            return 0
        if self.is_batched and not self._single[side]:
            size = min(self._batch, left)
            start = time.perf_counter()
            try:
                outcomes = self.release(self.inputs[side], size=size)
            except Exception:
                # the error of one call is one outcome, not `size` of them
                self._single[side] = True
            else:
                self._parts[side].append(self._encode_batch(outcomes, size))
                if side == 1 and time.perf_counter() - start < QUICK_SECONDS:
                    self._batch = min(4 * self._batch, MAX_BATCH)
                return size
        size = min(CALLS_PER_TURN, left)
        self._parts[side].append(self._encode_outcomes([self._call_release(self.inputs[side]) for _ in range(size)]))
        return size

    def _call_release(self, data: object) -> tuple[Form, Numbers]:
        try:
            value = _get_single(self.release(data, size=1)) if self.is_batched else self.release(data)
        except Exception as error:
            return read_failure(error)
        if self.first is None:
            self.first = value
        return read_outcome(value)

    def _encode_outcomes(self, outcomes: Iterable[tuple[Form, Numbers]]) -> Part:
        forms, numbers = zip(*outcomes)
        return np.array([self._get_form_code(form) for form in forms], dtype=np.int32), list(numbers)

    def _encode_batch(self, many: object, size: int) -> Part:
        """Encode the value returned by a release with `size`: an array, or a list of results."""
        if isinstance(many, list) and len(many) == size and size and not isinstance(many[0], (int, float)):
            self.first = many[0] if self.first is None else self.first
            return self._encode_outcomes(map(read_outcome, many))
        array = np.asarray(many)
        if array.ndim == 0 or array.shape[0] != size:
            raise PydpstatError(
                f"release(data, size={size}) must return {size} results along the first axis; got an "
                f"array of shape {array.shape}. Return an np.array of results, or remove the argument "
                "size."
            )
        if array.dtype.kind in "fiub":
            form: Form = ("array", array.shape[1:], "numbers" if array.ndim > 1 else "number")
            flat = array.astype(np.float64, copy=False).reshape(size, -1)
            return np.full(size, self._get_form_code(form), dtype=np.int32), flat
        texts, indices = np.unique([repr(outcome) for outcome in array.tolist()], return_inverse=True)
        codes = np.array([self._get_form_code(("value", str(text))) for text in texts], dtype=np.int32)
        return codes[indices], np.empty((size, 0))

    def _get_form_code(self, form: Form) -> int:
        code = self._codes.get(form)
        if code is None:
            if len(self.forms) >= MAX_FORMS and form != OTHER_FORM:
                return self._get_form_code(OTHER_FORM)
            code = self._codes[form] = len(self.forms)
            self.forms.append(form)
        return code

    def _raise_if_only_errors(self) -> None:
        if len(self.forms) == 1 and self.forms[0][0] == "error":
            message = str(self.forms[0][2]).rstrip(".")
            raise PydpstatError(
                f"release raises the same error on both data sets: {message}. There is "
                "nothing to audit: give a callable of the data that returns a result."
            )


def _get_single(value: object) -> object:
    if isinstance(value, list):
        return value[0]
    array = np.asarray(value)
    return array[0] if array.ndim else value


def _get_width(numbers: list[Numbers] | np.ndarray) -> int:
    if isinstance(numbers, np.ndarray):
        return int(numbers.shape[1])
    return max((1 if isinstance(number, float) else number.size for number in numbers), default=0)


def _join_parts(parts: list[Part], width: int) -> Draws:
    codes = parts[0][0] if len(parts) == 1 else np.concatenate([code for code, _ in parts])
    blocks = [_make_block(numbers, width) for _, numbers in parts]
    return Draws(codes, blocks[0] if len(blocks) == 1 else np.concatenate(blocks))


def _make_block(numbers: list[Numbers] | np.ndarray, width: int) -> np.ndarray:
    if isinstance(numbers, np.ndarray) and numbers.shape[1] == width:
        return numbers
    if width == 1 and all(type(number) is float for number in numbers):
        return np.array(numbers, dtype=np.float64).reshape(-1, 1)
    block = np.full((len(numbers), width), np.nan)
    for row, number in zip(block, numbers):
        several = np.atleast_1d(number)
        row[: several.size] = several
    return block
