"""What is known of the value of a function whose arguments' values are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from pydpstat.porting import _functions as functions
from pydpstat.porting import _values as values_of
from pydpstat.porting._forms import Place
from pydpstat.porting._values import GROUPED, NONE, NOTHING, PRIVATE, UNKNOWN, Made, Source, Value, joined

Given = Sequence[tuple[str | None, Value]]


def records(source: Source, missing: str = "") -> Value:
    """Return records."""
    return Value(PRIVATE, sources=frozenset({source}), why=str(source), missing=missing)


def read_in(name: str, place: Place, given: Given) -> Value | None:
    """Return records from elsewhere, if that is what a function gives."""
    if name in functions.NO_DATA or not name.startswith(functions.READS):
        return None
    coded = any(word in ("na.strings", "na", "na_values", "null_values") for word, _ in given)
    return records(Source(place.text, place.line), str(place) if coded else "")


def drawn(name: str, place: Place, given: Given) -> Value:
    """Return random numbers; they may turn out to be the data of an example."""
    values = [value for _, value in given]
    free = [(f"#{k}", each) for k, each in enumerate(value for word, value in given if word is None)]
    arguments = dict([*((str(word), value) for word, value in given if word), *free])
    size = arguments.get("size", arguments.get("#1", NOTHING)).constant
    sign = any(each.constant in ([-1.0, 1.0], [1.0, -1.0]) for each in values)
    sign = sign or (name == "rbinom" and size == 1.0)
    made = Made("noise sign" if sign else f"noise {name}", arguments, place)
    both = joined(values)
    if both.private:
        return replace(both, made=made)
    origin = f"{place.line}:{place.column}:{place.text}"
    return Value(origins=frozenset({origin}), made=made, marks=both.marks, stated=both.stated)


def value_of(name: str, given: Given, place: Place, draws: bool) -> Value:
    """Return what is known of the value of a function that is none of the script's.

    `draws` says that it is known to be one of R or NumPy, whose names are those of random numbers.
    """
    values = [value for _, value in given]
    both = joined(values)
    if name in functions.DRAWS and (draws or any(each.made or each.seeded for each in values[:1])):
        return drawn(name, place, given)
    if name in functions.NUMBERS and any(each.labels or each.chosen for each in values[:1] if each.private):
        return replace(_plain(both), summary=True, labels="", mixed="", missing="", why=str(place))
    if name in ("levels", "nlevels") and values and values[0].levels == values_of.WRITTEN:
        return Value()
    # the names of a table are its levels
    if name in functions.PUBLIC_OF and not (name == "names" and both.summary):
        known = [
            each.constant if each.known else [*each.items] for each in values if each.known or each.items
        ]
        text = name == "len" and isinstance(values[0].constant, str) if values else True
        if name in ("length", "len") and len(values) == 1 and not text and math.isfinite(values[0].count):
            return Value(constant=values[0].count)
        names = [*values[0].parts] if name == "names" and values else []
        return Value(constant=names or values_of.calculated(name, known))
    if name in functions.FRAMES or name == "c":
        return _container(name, given, place)
    if name == "unlist" and len(values) == 1 and values[0].items:
        found = _container("c", values_of.pairs_of(values[0]), place)
        single = isinstance(found.constant, list) and len(found.constant) == 1
        return replace(found, constant=_at(found.constant, 1.0, True)) if single else found
    if not both.private:
        return _public(name, given, both)
    plain = replace(_plain(both), summary=False)
    if name == "pull" and len(values) > 1:
        word = str(values[1].constant)
        return values[1] if values[1].private else part_of(values[0], word, (), place, True)
    if name in functions.TABLES:
        plain = replace(plain, split=both.split | {values_of.TABLED})
    if name in ("factor", "cut", "Categorical", "set_categories", "as.factor"):
        return _factor(name, given, plain)
    if name in functions.SUMMARIES:
        skipped = not draws or any(word == "na.rm" for word, _ in given)
        missing = "" if skipped else both.missing
        labels = str(place) if name in functions.LABELS else both.labels if name == "sorted" else ""
        return replace(plain, summary=True, mixed="", missing=missing, why=str(place), labels=labels)
    if name == "names":
        return replace(plain, labels=str(place))
    if name == "which":
        return replace(plain, chosen=_is_chosen(values))
    if name in functions.MIXERS:
        return replace(plain, mixed=str(place))
    return _recordwise(name, given, place) if name in functions.RECORDWISE else plain


_PLAIN: dict[str, Any] = {
    **{"constant": UNKNOWN, "parts": {}, "levels": "", "items": (), "rounds": (), "present": False},
    **{"made": None, "function": None, "around": ()},
}


def _plain(value: Value) -> Value:
    return replace(value, **_PLAIN)


def _public(name: str, given: Given, both: Value) -> Value:
    values = [value for _, value in given]
    spaced = name == "seq" and any((word or "").startswith("len") for word, _ in given)
    function = "linspace" if spaced else name
    constant = _constant(function, values)
    rounds = values_of.round_by_round(lambda each: values_of.calculated(function, each), values)
    # the first argument is what the function is of
    origins = values[0].origins if values and name not in ("+", "-", "*", "/", "^") else both.origins
    same = (len(values) == 1 and name in functions.RECORDWISE) or name == "zip"
    kept, plain = (values[0], {}) if same and values else (both, _PLAIN)
    unknown = "" if constant == UNKNOWN else both.unknown
    rounds = rounds if constant == UNKNOWN else ()
    made = _noise(name, values) or (None if plain else kept.made)
    why = "" if name in functions.COARSE else kept.why
    new = {"constant": constant, "rounds": rounds, "why": why, "origins": origins, "unknown": unknown}
    return replace(kept, **{**plain, **new, "made": made})


def _constant(name: str, values: Sequence[Value]) -> object:
    known = values and all(each.known for each in values)
    return values_of.calculated(name, [each.constant for each in values]) if known else UNKNOWN


def _noise(name: str, values: Sequence[Value]) -> Made | None:
    """Return the noise that a function of a script's random numbers gives."""
    all_ = [each.made for each in values if each.made and each.made.function.startswith("noise")]
    kinds = {each.function: each for each in all_}
    geometric = kinds.get("noise rgeom") or kinds.get("noise geometric")
    written = {each.constant for each in values if isinstance(each.constant, float)}
    if not all_ or (name not in functions.RECORDWISE and name not in functions.INVERSES):
        return None
    if geometric and name == "*" and "noise sign" in kinds:
        return geometric._replace(function=functions.SIGN_GEOMETRIC)
    if name in functions.INVERSES:
        return all_[0]._replace(function="noise laplace")
    if name == "sign" or (name == "ifelse" and written == {-1.0, 1.0}):
        return all_[0]._replace(function="noise sign")
    return min(all_, key=lambda each: each.function not in functions.NOISE)


def noise_in(name: str, given: Given, place: Place, draws: bool) -> Made | None:
    """Return the noise that a sum of it and data has in it, or a draw around a figure of the data."""
    values = [value for _, value in given]
    if not any(each.private for each in values):
        return None
    if draws and f"noise {name}" in functions.NOISE:
        centers = [each for word, each in given if word in ("mean", "location", "loc", "m", "mu")]
        around = [*centers, *values[1:2]][:1]
        return Made(f"noise {name}", {}, place) if around and around[0].private else None
    if name not in ("+", "-"):
        return None
    made = (each.made for each in values if each.made and not each.private)
    return next((each for each in made if each.function in functions.NOISE), None)


def _container(name: str, given: Given, place: Place) -> Value:
    values = [value for _, value in given]
    parts = {word: value for word, value in given if word and word not in ("stringsAsFactors", "index")}
    if not parts and len(values) == 1 and name not in ("c", "list"):
        return _recordwise(name, given, place) if values[0].private else values[0]
    both = values_of.records_of(values, place)
    constant = _constant("c", values) if name == "c" else UNKNOWN
    new = {f"{place.line}:{place.column}:{place.text}"} if len(values) > 1 or name != "c" else NONE
    several = [each.items if name == "c" and each.items else (each,) for each in values]
    few = sum(map(len, several)) <= values_of.MOST
    items = tuple(item for each in several for item in each) if few else ()
    made, origins = _noise(name, values), both.origins | new
    if name == "c":
        # lists that are joined keep their names
        parts = {word: part for each in values if each.items for word, part in each.parts.items()} | parts
    kept = replace(both, constant=constant, origins=origins, made=made, function=None, around=())
    return replace(kept, parts=parts, items=items)


def _recordwise(name: str, given: Given, place: Place) -> Value:
    values = [value for _, value in given]
    first = values[0]
    labelled = [each for each in values if each.private and each.labels]
    if name in functions.SELECTIONS and 0 < len(labelled) < len(values):
        # records with a label that occurs in the data, and not records that are changed by a figure
        marks = NONE.union(*(each.marks for each in labelled))
        both = values_of.records_of([each for each in values if not each.labels], place)
        both = replace(both, marks=both.marks | marks, groups=labelled[0].labels)
    else:
        both = values_of.records_of(values, place)
    parts = dict(first.parts) if len(values) == 1 or first.private else {}
    if name in functions.CHANGES:
        parts |= {word: value for word, value in given if word}
    missing = str(place) if name == "na_if" else both.missing
    if name in functions.FILLS:
        missing = next((each.missing for each in values if not each.private and each.missing), "")
        parts = {word: replace(each, missing=missing and each.missing) for word, each in parts.items()}
    kept = first.private and name not in ("droplevels", "ifelse", "+", "-", "*", "/", "c")
    selected = both.selected or (str(place) if name in functions.SELECTS else "")
    if name in functions.GROUPS:
        both = replace(grouped(given, place), mixed=both.mixed)
    present = [each.present for each in values if each.private]
    both = replace(both, present=name in functions.PRESENT or (name in ("!", "&", "|") and all(present)))
    if name in functions.FILTERS:
        split = both.split.union(*(each.marks for each in values[1:] if each.private))
        both = replace(both, split=split, marks=NONE, chosen=_is_chosen(values) or both.chosen)
    both = replace(both, levels=first.levels if kept else "", selected=selected, missing=missing)
    return replace(both, parts=parts, constant=UNKNOWN, items=(), rounds=())


def _is_chosen(keys: Sequence[Value]) -> bool:
    """Return whether records are selected by more than that they are there."""
    return any(each.private and not each.present for each in keys)


def grouped(given: Given, place: Place) -> Value:
    """Return records in groups, with how the groups' labels come from the data."""
    values = [value for _, value in given]
    first, *by = [each for each in values if each.private] or [NOTHING]
    texts = (part.constant for each in values for part in (each, *each.items))
    names = [text for text in texts if isinstance(text, str)]
    by += [part_of(first, name, (), place, True) for name in names]
    made = next((each for each in by if each.private and each.levels != values_of.WRITTEN), None)
    both = joined(values)
    how = "" if made is None else made.levels or str(place)
    return replace(both, split=both.split | {GROUPED}, groups=both.groups or how)


def decided(value: Value, test: Value) -> Value:
    """Return what is known of a value that a condition decides on."""
    if value.private or not test.private or value == NOTHING or value.function:
        return value
    sources, how = value.sources | test.sources, test.why
    return replace(value, level=PRIVATE, sources=sources, why=how, summary=True, constant=UNKNOWN, items=())


def _factor(name: str, given: Given, kept: Value) -> Value:
    """Return categories, with where their levels come from."""
    words = dict(factor="levels", Categorical="categories", set_categories="new_categories", cut="breaks")
    first = given[0][1]
    kept = replace(kept, why=first.why or kept.why)
    if name not in words:
        return replace(kept, levels=first.levels)
    free = [value for each, value in given if each is None]
    named = [value for each, value in given if each and (words[name].startswith(each) or each == "bins")]
    found = [*named, *free[1:2]][:1]
    if found and found[0].private:
        return replace(kept, levels=found[0].why, mixed="")
    # a number of intervals leaves their ends to the data
    written = found and not (name == "cut" and isinstance(found[0].constant, float))
    return replace(kept, levels=values_of.WRITTEN) if written else kept


def part_of(of: Value, name: str, keys: Sequence[Value], place: Place, r: bool) -> Value:
    """Return what is known of a part of a value."""
    if name in functions.PUBLIC_OF and not keys and not r:
        return Value()
    private = [each for each in keys if each.private]
    if name in functions.ACCESSORS and not r:
        return of
    if name in of.parts:
        part = of.parts[name]
        if of.private and part.private:
            mixed, selected = part.mixed or of.mixed, part.selected or of.selected
            part = replace(part, mixed=mixed, selected=selected, split=part.split | of.split)
        if not private:
            return part
        of, name = part, ""
    if of.private and len(keys) == 1 and all(each.summary or each.labels or each.known for each in of.items):
        at = keys[0].constant
        if isinstance(at, float) and 0 <= at - r < len(of.items):
            return of.items[int(at) - r]
    if not of.private:
        if private:
            return replace(_plain(joined([of, *keys])), summary=all(each.summary for each in private))
        return replace(of, parts={}) if of.level else _element(of, keys, r)
    if name:
        of = replace(of, levels="", parts={})
    if not private:
        return replace(of, marks=NONE)
    result = values_of.records_of([of, *private], place)
    result = replace(result, levels=of.levels, parts=of.parts, summary=of.summary, missing="", marks=NONE)
    split = of.split.union(*(each.marks for each in private))
    chosen = of.chosen or _is_chosen(private)
    return replace(result, selected=result.selected or str(place), split=split, chosen=chosen, labels="")


def _element(of: Value, keys: Sequence[Value], r: bool) -> Value:
    if len(keys) != 1:
        return _plain(of)
    if isinstance(keys[0].constant, float):
        place = int(keys[0].constant) - r
        if 0 <= place < len(of.items):
            return of.items[place]
    names = [each for each in keys[0].rounds if isinstance(each, str) and each in of.parts]
    if names and len(names) == len(keys[0].rounds):
        found = [of.parts[name] for name in names]
        constants = () if any(not each.known for each in found) else tuple(each.constant for each in found)
        return replace(joined(found), constant=UNKNOWN, rounds=constants)
    constant = _at(of.constant, keys[0].constant, r)
    rounds = values_of.round_by_round(lambda each: _at(each[0], each[1], r), [of, keys[0]])
    return replace(_plain(of), constant=constant, made=of.made, rounds=rounds if constant == UNKNOWN else ())


def collected(function: str, value: Value, count: float) -> Value:
    """Return what an apply function makes of the value in each round."""
    if value.private or value == NOTHING or count > values_of.MOST_ROUNDS:
        return replace(value, rounds=())
    constants = value.rounds or (value.constant,) * int(count)
    if function in functions.LISTS:
        items = tuple(replace(value, constant=each, rounds=()) for each in constants)
        return replace(value, constant=UNKNOWN, rounds=(), items=items)
    if len(constants) == 1:
        return replace(value, constant=constants[0], rounds=())
    plain = all(isinstance(each, (float, str)) for each in constants)
    return replace(value, constant=[*constants] if plain else UNKNOWN, rounds=())


def _at(values: object, key: object, r: bool) -> object:
    """Return the value at a place that is known; `UNKNOWN` elsewhere."""
    if isinstance(values, float) and key == 1.0 and r:
        return values
    if not isinstance(values, list) or not isinstance(key, float) or not math.isfinite(key):
        return UNKNOWN
    place = int(key) - r
    return values[place] if 0 <= place < len(values) else UNKNOWN


def element_of(over: Value, loop: int) -> Value:
    """Return what is known of one of the values that a loop goes through."""
    if over.private and over.labels:
        return replace(over, marks=over.marks | {loop}, parts={})
    if over.private and not (over.items and all(each.parts for each in over.items)):
        split = frozenset({loop if each == GROUPED else each for each in over.split})
        return replace(over, split=split, parts=over.parts if GROUPED in over.split else {})
    few = len(over.items) <= values_of.MOST_ROUNDS
    several = over.items or (over,)
    kept = reduce(values_of.either, over.items) if over.items and few else _plain(joined(several))
    listed = over.constant if isinstance(over.constant, list) else [each.constant for each in over.items]
    known = few and len(listed) <= values_of.MOST_ROUNDS and UNKNOWN not in listed
    rounds = tuple(listed) if known else ()
    return replace(kept, constant=UNKNOWN, items=(), rounds=rounds, marks=kept.marks | {loop}, unknown="")
