"""Facts known of a function's value, given those of its arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from pydpstat.porting import _functions as functions
from pydpstat.porting import _values as values_of
from pydpstat.porting._forms import Place
from pydpstat.porting._values import (
    EMPTY_SET,
    GROUPED_MARK,
    NULL_VALUE,
    PRIVATE,
    UNKNOWN,
    CreatedObject,
    Source,
    Value,
    merge_values,
)

ArgumentValues = Sequence[tuple[str | None, Value]]


def make_records(source: Source, missing: str = "") -> Value:
    """Return the value of records from a source."""
    return Value(PRIVATE, sources=frozenset({source}), why=str(source), missing=missing)


def make_read_records(name: str, place: Place, given: ArgumentValues) -> Value | None:
    """Return records read from outside the script, or None if the function reads none."""
    if name in functions.SETTINGS_READERS or not name.startswith(functions.READER_PREFIXES):
        return None
    coded = any(word in ("na.strings", "na", "na_values", "null_values") for word, _ in given)
    return make_records(Source(place.text, place.line), str(place) if coded else "")


def make_draws(name: str, place: Place, given: ArgumentValues) -> Value:
    """Return random numbers, which may turn out to be the data of an example."""
    values = [value for _, value in given]
    free = [(f"#{k}", each) for k, each in enumerate(value for word, value in given if word is None)]
    arguments = dict([*((str(word), value) for word, value in given if word), *free])
    size = arguments.get("size", arguments.get("#1", NULL_VALUE)).constant
    sign = any(each.constant in ([-1.0, 1.0], [1.0, -1.0]) for each in values)
    sign = sign or (name == "rbinom" and size == 1.0)
    made = CreatedObject("noise sign" if sign else f"noise {name}", arguments, place)
    both = merge_values(values)
    if both.is_private:
        return replace(both, made=made)
    origin = f"{place.line}:{place.column}:{place.text}"
    return Value(origins=frozenset({origin}), made=made, marks=both.marks, stated=both.stated)


def evaluate_function(name: str, given: ArgumentValues, place: Place, draws: bool) -> Value:
    """Return the facts known of the value of a function from outside the script.

    `draws` is whether the function is known to be one of R or NumPy, so that its name can mean random numbers.
    """
    values = [value for _, value in given]
    both = merge_values(values)
    if name in functions.DRAWS and (draws or any(each.made or each.seeded for each in values[:1])):
        return make_draws(name, place, given)
    if name in functions.SIZE_FUNCTIONS and any(each.labels or each.chosen for each in values[:1] if each.is_private):
        return replace(_clear_details(both), summary=True, labels="", mixed="", missing="", why=str(place))
    if name in ("levels", "nlevels") and values and values[0].levels == values_of.WRITTEN_LEVELS:
        return Value()
    # the names of a table are the levels of its factor
    if name in functions.PUBLIC_PROPERTIES and not (name == "names" and both.summary):
        known = [each.constant if each.is_known else [*each.items] for each in values if each.is_known or each.items]
        text = name == "len" and isinstance(values[0].constant, str) if values else True
        if name in ("length", "len") and len(values) == 1 and not text and math.isfinite(values[0].count):
            return Value(constant=values[0].count)
        names = [*values[0].parts] if name == "names" and values else []
        return Value(constant=names or values_of.calculate_constant(name, known))
    if name in functions.CONTAINER_FUNCTIONS or name == "c":
        return _make_container(name, given, place)
    if name == "unlist" and len(values) == 1 and values[0].items:
        found = _make_container("c", values_of.get_named_values(values[0]), place)
        single = isinstance(found.constant, list) and len(found.constant) == 1
        return replace(found, constant=_get_constant_at(found.constant, 1.0, True)) if single else found
    if not both.is_private:
        return _evaluate_public(name, given, both)
    plain = replace(_clear_details(both), summary=False)
    if name == "pull" and len(values) > 1:
        word = str(values[1].constant)
        return values[1] if values[1].is_private else evaluate_part(values[0], word, (), place, True)
    if name in functions.TABLES:
        plain = replace(plain, split=both.split | {values_of.TABLED_MARK})
    if name in ("factor", "cut", "Categorical", "set_categories", "as.factor"):
        return _make_factor(name, given, plain)
    if name in functions.SUMMARIES:
        skipped = not draws or any(word == "na.rm" for word, _ in given)
        missing = "" if skipped else both.missing
        labels = str(place) if name in functions.LABEL_FUNCTIONS else both.labels if name == "sorted" else ""
        return replace(plain, summary=True, mixed="", missing=missing, why=str(place), labels=labels)
    if name == "names":
        return replace(plain, labels=str(place))
    if name == "which":
        return replace(plain, chosen=_has_private_selection(values))
    if name in functions.MIXERS:
        return replace(plain, mixed=str(place))
    return _evaluate_recordwise(name, given, place) if name in functions.RECORDWISE else plain


_CLEARED_FIELDS: dict[str, Any] = {
    **{"constant": UNKNOWN, "parts": {}, "levels": "", "items": (), "rounds": (), "present": False},
    **{"made": None, "function": None, "closure_scopes": ()},
}


def _clear_details(value: Value) -> Value:
    return replace(value, **_CLEARED_FIELDS)


def _evaluate_public(name: str, given: ArgumentValues, both: Value) -> Value:
    values = [value for _, value in given]
    spaced = name == "seq" and any((word or "").startswith("len") for word, _ in given)
    function = "linspace" if spaced else name
    constant = _evaluate_constant(function, values)
    rounds = values_of.calculate_rounds(lambda each: values_of.calculate_constant(function, each), values)
    # the first argument is the object that the function is applied to
    origins = values[0].origins if values and name not in ("+", "-", "*", "/", "^") else both.origins
    same = (len(values) == 1 and name in functions.RECORDWISE) or name == "zip"
    kept, plain = (values[0], {}) if same and values else (both, _CLEARED_FIELDS)
    unknown = "" if constant == UNKNOWN else both.unknown
    rounds = rounds if constant == UNKNOWN else ()
    made = _find_script_noise(name, values) or (None if plain else kept.made)
    why = "" if name in functions.ROUNDINGS else kept.why
    new = {"constant": constant, "rounds": rounds, "why": why, "origins": origins, "unknown": unknown}
    return replace(kept, **{**plain, **new, "made": made})


def _evaluate_constant(name: str, values: Sequence[Value]) -> object:
    known = values and all(each.is_known for each in values)
    return values_of.calculate_constant(name, [each.constant for each in values]) if known else UNKNOWN


def _find_script_noise(name: str, values: Sequence[Value]) -> CreatedObject | None:
    """Return the noise that a function of the script's own random numbers yields, or None."""
    all_ = [each.made for each in values if each.made and each.made.function.startswith("noise")]
    kinds = {each.function: each for each in all_}
    geometric = kinds.get("noise rgeom") or kinds.get("noise geometric")
    written = {each.constant for each in values if isinstance(each.constant, float)}
    if not all_ or (name not in functions.RECORDWISE and name not in functions.NOISE_TRANSFORMS):
        return None
    if geometric and name == "*" and "noise sign" in kinds:
        return geometric._replace(function=functions.SIGN_GEOMETRIC)
    if name in functions.NOISE_TRANSFORMS:
        return all_[0]._replace(function="noise laplace")
    if name == "sign" or (name == "ifelse" and written == {-1.0, 1.0}):
        return all_[0]._replace(function="noise sign")
    return min(all_, key=lambda each: each.function not in functions.NOISE_KINDS)


def find_added_noise(name: str, given: ArgumentValues, place: Place, draws: bool) -> CreatedObject | None:
    """Return the noise in a sum of noise and data, or in a draw centered at a statistic of the data."""
    values = [value for _, value in given]
    if not any(each.is_private for each in values):
        return None
    if draws and f"noise {name}" in functions.NOISE_KINDS:
        centers = [each for word, each in given if word in ("mean", "location", "loc", "m", "mu")]
        around = [*centers, *values[1:2]][:1]
        return CreatedObject(f"noise {name}", {}, place) if around and around[0].is_private else None
    if name not in ("+", "-"):
        return None
    made = (each.made for each in values if each.made and not each.is_private)
    return next((each for each in made if each.function in functions.NOISE_KINDS), None)


def _make_container(name: str, given: ArgumentValues, place: Place) -> Value:
    values = [value for _, value in given]
    parts = {word: value for word, value in given if word and word not in ("stringsAsFactors", "index")}
    if not parts and len(values) == 1 and name not in ("c", "list"):
        return _evaluate_recordwise(name, given, place) if values[0].is_private else values[0]
    both = values_of.combine_records(values, place)
    constant = _evaluate_constant("c", values) if name == "c" else UNKNOWN
    new = {f"{place.line}:{place.column}:{place.text}"} if len(values) > 1 or name != "c" else EMPTY_SET
    several = [each.items if name == "c" and each.items else (each,) for each in values]
    few = sum(map(len, several)) <= values_of.MAX_CONSTANTS
    items = tuple(item for each in several for item in each) if few else ()
    made, origins = _find_script_noise(name, values), both.origins | new
    if name == "c":
        # concatenated lists retain their names
        parts = {word: part for each in values if each.items for word, part in each.parts.items()} | parts
    kept = replace(both, constant=constant, origins=origins, made=made, function=None, closure_scopes=())
    return replace(kept, parts=parts, items=items)


def _evaluate_recordwise(name: str, given: ArgumentValues, place: Place) -> Value:
    values = [value for _, value in given]
    first = values[0]
    labelled = [each for each in values if each.is_private and each.labels]
    if name in functions.LABEL_SELECTIONS and 0 < len(labelled) < len(values):
        # records with a label that occurs in the data, rather than records changed by a statistic
        marks = EMPTY_SET.union(*(each.marks for each in labelled))
        both = values_of.combine_records([each for each in values if not each.labels], place)
        both = replace(both, marks=both.marks | marks, groups=labelled[0].labels)
    else:
        both = values_of.combine_records(values, place)
    parts = dict(first.parts) if len(values) == 1 or first.is_private else {}
    if name in functions.COLUMN_CHANGES:
        parts |= {word: value for word, value in given if word}
    missing = str(place) if name == "na_if" else both.missing
    if name in functions.MISSINGNESS_REMOVERS:
        missing = next((each.missing for each in values if not each.is_private and each.missing), "")
        parts = {word: replace(each, missing=missing and each.missing) for word, each in parts.items()}
    kept = first.is_private and name not in ("droplevels", "ifelse", "+", "-", "*", "/", "c")
    selected = both.selected or (str(place) if name in functions.ROW_SELECTIONS else "")
    if name in functions.GROUPINGS:
        both = replace(group_records(given, place), mixed=both.mixed)
    present = [each.present for each in values if each.is_private]
    both = replace(both, present=name in functions.MISSINGNESS_TESTS or (name in ("!", "&", "|") and all(present)))
    if name in functions.FILTERS:
        split = both.split.union(*(each.marks for each in values[1:] if each.is_private))
        both = replace(both, split=split, marks=EMPTY_SET, chosen=_has_private_selection(values) or both.chosen)
    both = replace(both, levels=first.levels if kept else "", selected=selected, missing=missing)
    return replace(both, parts=parts, constant=UNKNOWN, items=(), rounds=())


def _has_private_selection(keys: Sequence[Value]) -> bool:
    """Return whether records are selected by a private value other than missingness."""
    return any(each.is_private and not each.present for each in keys)


def group_records(given: ArgumentValues, place: Place) -> Value:
    """Return records in groups, with the origin of the group labels in the data."""
    values = [value for _, value in given]
    first, *by = [each for each in values if each.is_private] or [NULL_VALUE]
    texts = (part.constant for each in values for part in (each, *each.items))
    names = [text for text in texts if isinstance(text, str)]
    by += [evaluate_part(first, name, (), place, True) for name in names]
    made = next((each for each in by if each.is_private and each.levels != values_of.WRITTEN_LEVELS), None)
    both = merge_values(values)
    how = "" if made is None else made.levels or str(place)
    return replace(both, split=both.split | {GROUPED_MARK}, groups=both.groups or how)


def apply_condition(value: Value, test: Value) -> Value:
    """Return the facts known of a value that is selected by a condition."""
    if value.is_private or not test.is_private or value == NULL_VALUE or value.function:
        return value
    sources, how = value.sources | test.sources, test.why
    return replace(value, level=PRIVATE, sources=sources, why=how, summary=True, constant=UNKNOWN, items=())


def _make_factor(name: str, given: ArgumentValues, factor: Value) -> Value:
    """Return a factor with the origin of its levels."""
    words = dict(factor="levels", Categorical="categories", set_categories="new_categories", cut="breaks")
    first = given[0][1]
    factor = replace(factor, why=first.why or factor.why)
    if name not in words:
        return replace(factor, levels=first.levels)
    free = [value for each, value in given if each is None]
    named = [value for each, value in given if each and (words[name].startswith(each) or each == "bins")]
    found = [*named, *free[1:2]][:1]
    if found and found[0].is_private:
        return replace(factor, levels=found[0].why, mixed="")
    # for a number of intervals, the data determine the breaks
    written = found and not (name == "cut" and isinstance(found[0].constant, float))
    return replace(factor, levels=values_of.WRITTEN_LEVELS) if written else factor


def evaluate_part(owner: Value, name: str, keys: Sequence[Value], place: Place, is_r: bool) -> Value:
    """Return the facts known of a part of a value."""
    if name in functions.PUBLIC_PROPERTIES and not keys and not is_r:
        return Value()
    private = [each for each in keys if each.is_private]
    if name in functions.ACCESSORS and not is_r:
        return owner
    if name in owner.parts:
        part = owner.parts[name]
        if owner.is_private and part.is_private:
            mixed, selected = part.mixed or owner.mixed, part.selected or owner.selected
            part = replace(part, mixed=mixed, selected=selected, split=part.split | owner.split)
        if not private:
            return part
        owner, name = part, ""
    if (
        owner.is_private
        and len(keys) == 1
        and all(each.summary or each.labels or each.is_known for each in owner.items)
    ):
        at = keys[0].constant
        if isinstance(at, float) and 0 <= at - is_r < len(owner.items):
            return owner.items[int(at) - is_r]
    if not owner.is_private:
        if private:
            return replace(_clear_details(merge_values([owner, *keys])), summary=all(each.summary for each in private))
        return replace(owner, parts={}) if owner.level else _get_public_element(owner, keys, is_r)
    if name:
        owner = replace(owner, levels="", parts={})
    if not private:
        return replace(owner, marks=EMPTY_SET)
    result = values_of.combine_records([owner, *private], place)
    result = replace(result, levels=owner.levels, parts=owner.parts, summary=owner.summary, missing="", marks=EMPTY_SET)
    split = owner.split.union(*(each.marks for each in private))
    chosen = owner.chosen or _has_private_selection(private)
    return replace(result, selected=result.selected or str(place), split=split, chosen=chosen, labels="")


def _get_public_element(owner: Value, keys: Sequence[Value], is_r: bool) -> Value:
    if len(keys) != 1:
        return _clear_details(owner)
    if isinstance(keys[0].constant, float):
        place = int(keys[0].constant) - is_r
        if 0 <= place < len(owner.items):
            return owner.items[place]
    names = [each for each in keys[0].rounds if isinstance(each, str) and each in owner.parts]
    if names and len(names) == len(keys[0].rounds):
        found = [owner.parts[name] for name in names]
        constants = () if any(not each.is_known for each in found) else tuple(each.constant for each in found)
        return replace(merge_values(found), constant=UNKNOWN, rounds=constants)
    constant = _get_constant_at(owner.constant, keys[0].constant, is_r)
    rounds = values_of.calculate_rounds(lambda each: _get_constant_at(each[0], each[1], is_r), [owner, keys[0]])
    return replace(
        _clear_details(owner),
        constant=constant,
        made=owner.made,
        rounds=rounds if constant == UNKNOWN else (),
    )


def collect_rounds(function: str, value: Value, count: float) -> Value:
    """Return the result of an apply function, given the function's value in each round."""
    if value.is_private or value == NULL_VALUE or count > values_of.MAX_ROUNDS:
        return replace(value, rounds=())
    constants = value.rounds or (value.constant,) * int(count)
    if function in functions.LIST_APPLIES:
        items = tuple(replace(value, constant=each, rounds=()) for each in constants)
        return replace(value, constant=UNKNOWN, rounds=(), items=items)
    if len(constants) == 1:
        return replace(value, constant=constants[0], rounds=())
    plain = all(isinstance(each, (float, str)) for each in constants)
    return replace(value, constant=[*constants] if plain else UNKNOWN, rounds=())


def _get_constant_at(values: object, key: object, is_r: bool) -> object:
    """Return the constant at a known position, or `UNKNOWN`."""
    if isinstance(values, float) and key == 1.0 and is_r:
        return values
    if not isinstance(values, list) or not isinstance(key, float) or not math.isfinite(key):
        return UNKNOWN
    place = int(key) - is_r
    return values[place] if 0 <= place < len(values) else UNKNOWN


def get_loop_element(iterable: Value, loop: int) -> Value:
    """Return the facts known of an element of the values that a loop iterates over."""
    if iterable.is_private and iterable.labels:
        return replace(iterable, marks=iterable.marks | {loop}, parts={})
    if iterable.is_private and not (iterable.items and all(each.parts for each in iterable.items)):
        split = frozenset({loop if each == GROUPED_MARK else each for each in iterable.split})
        return replace(iterable, split=split, parts=iterable.parts if GROUPED_MARK in iterable.split else {})
    few = len(iterable.items) <= values_of.MAX_ROUNDS
    several = iterable.items or (iterable,)
    kept = (
        reduce(values_of.merge_alternatives, iterable.items)
        if iterable.items and few
        else _clear_details(merge_values(several))
    )
    listed = iterable.constant if isinstance(iterable.constant, list) else [each.constant for each in iterable.items]
    known = few and len(listed) <= values_of.MAX_ROUNDS and UNKNOWN not in listed
    rounds = tuple(listed) if known else ()
    return replace(kept, constant=UNKNOWN, items=(), rounds=rounds, marks=kept.marks | {loop}, unknown="")
