"""What is known of the value of a function whose arguments' values are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydpstat.porting import _functions as functions
from pydpstat.porting._forms import Place
from pydpstat.porting._values import (
    NOISY,
    NOTHING,
    PRIVATE,
    PUBLIC,
    UNKNOWN,
    WRITTEN,
    Made,
    Source,
    Value,
    calculated,
    joined,
    records_of,
)

Given = Sequence[tuple[str | None, Value]]
# the mark of records in groups of which each person is in one
GROUPED = -1


def read_in(name: str, place: Place) -> Value | None:
    """Return records from elsewhere, if that is what a function gives."""
    if name in functions.NO_DATA or not name.startswith(functions.READS):
        return None
    return records(Source(place.text, place.line))


def records(source: Source) -> Value:
    """Return records."""
    return Value(PRIVATE, sources=frozenset({source}), why=str(source))


def drawn(name: str, place: Place, given: Given) -> Value:
    """Return random numbers; they may turn out to be the data of an example."""
    values = [value for _, value in given]
    first = values[0].constant if values else None
    kind = "sign" if isinstance(first, list) and sorted(map(str, first)) == ["-1.0", "1.0"] else name
    # what geometric noise is made with
    chance = next(
        (v.constant for n, v in given if n == "prob"), values[1].constant if values[1:] else UNKNOWN
    )
    made = Made(f"noise {kind}", {"chance": Value(constant=chance)}, place)
    if any(value.private for value in values):
        return replace(joined(values), made=made)
    origin = f"{place.line}:{place.column}:{place.text}"
    return Value(origins=frozenset({origin}), made=made, marks=joined(values).marks)


def value_of(name: str, given: Given, place: Place, r: bool) -> Value:
    """Return what is known of the value of a function that is none of the script's."""
    values = [value for _, value in given]
    if name in functions.DRAWS and (r or any(each.made or each.seeded for each in values[:1])):
        return drawn(name, place, given)
    # the names of a table are its levels
    if name in functions.PUBLIC_OF and not (name == "names" and joined(values).summary):
        return Value(constant=calculated(name, [each.constant for each in values if each.known]))
    if noise := _noise(name, values):
        return noise
    if name in functions.FRAMES or name == "c":
        return _container(name, given, place)
    both = joined(values)
    if not both.private:
        return _public(name, values, both)
    if name in ("factor", "cut", "Categorical", "set_categories", "as.factor"):
        return _factor(name, given, place, both)
    if name in functions.SUMMARIES:
        return replace(_plain(both), summary=True, mixed="", why=str(place))
    if name in functions.MIXERS:
        return replace(_plain(both), summary=False, mixed=str(place))
    if name in functions.RECORDWISE:
        return _recordwise(name, given, place)
    return replace(_plain(both), summary=False)


def _plain(value: Value) -> Value:
    return replace(value, constant=UNKNOWN, parts={}, levels="", items=(), made=None, function=None)


def _public(name: str, values: Sequence[Value], both: Value) -> Value:
    constant: object = UNKNOWN
    if values and all(each.known for each in values):
        constant = calculated(name, [each.constant for each in values])
    # the first argument is what the function is of
    origins = values[0].origins if values and name not in ("+", "-", "*", "/", "^") else both.origins
    kept = values[0] if len(values) == 1 and name in functions.RECORDWISE else _plain(both)
    return replace(
        kept, constant=constant, origins=origins, unknown="" if constant is UNKNOWN else both.unknown
    )


def _noise(name: str, values: Sequence[Value]) -> Value | None:
    """Return what noise that a script makes by itself gives; a product of a sign stays what it is."""
    kinds = [each.made.function if each.made else "" for each in values]
    if name == "*" and "noise sign" in kinds and "noise rgeom" in kinds:
        geometric = values[kinds.index("noise rgeom")].made
        return Value(made=replace(geometric, function="noise sign * rgeom") if geometric else None)
    if name in ("*", "/", "-") and not any(each.private for each in values):
        made = next((each.made for each in values if each.made and each.made.function[:5] == "noise"), None)
        return replace(joined(values), made=made) if made and len(values) > 1 else None
    return None


def is_noisy(name: str, values: Sequence[Value]) -> Made | None:
    """Return the noise that a sum of it and data has in it."""
    if name not in ("+", "-") or not any(each.private for each in values):
        return None
    made = [each.made for each in values if each.made and not each.private]
    kinds = {f"noise {each}" for each in (*functions.NOISE, "sign * rgeom")}
    return next((each for each in made if each.function in kinds), None)


def _container(name: str, given: Given, place: Place) -> Value:
    values = [value for _, value in given]
    parts = {word: value for word, value in given if word and word not in ("stringsAsFactors", "index")}
    if not _is_named(name, parts) and len(values) == 1 and name != "c":
        return _recordwise(name, given, place) if values[0].private else values[0]
    both = records_of(values, place)
    constant: object = UNKNOWN
    if name == "c" and all(each.known for each in values):
        constant = calculated("c", [each.constant for each in values])
    origins = both.origins
    if len(values) > 1 or name != "c":
        origins = origins | {f"{place.line}:{place.column}:{place.text}"}
    several = [item for each in values for item in (each.items if name == "c" and each.items else (each,))]
    if (
        name == "c"
        and any(each.private for each in values)
        and all(each.summary for each in values if each.private)
    ):
        both = replace(both, summary=True)
    return replace(
        both, constant=constant, origins=origins, parts=parts, items=tuple(several), made=None, function=None
    )


def _is_named(name: str, parts: Mapping[str, Value]) -> bool:
    """Return whether a container has named parts, or is a list."""
    return bool(parts) or name == "list"


def _recordwise(name: str, given: Given, place: Place) -> Value:
    values = [value for _, value in given]
    both = records_of(values, place)
    first = values[0]
    parts = dict(first.parts) if len(values) == 1 or first.private else {}
    if name in functions.CHANGES:
        parts |= {word: value for word, value in given if word}
    levels = first.levels if name not in ("droplevels", "ifelse", "+", "-", "*", "/", "c") else ""
    words = ("filter", "subset", "slice", "query", "na.omit", "dropna", "drop_na", "drop_nulls")
    selected = both.selected or (str(place) if name in words else "")
    split, marks = both.split, frozenset[int]()
    if name in functions.GROUPS:
        split = split | {GROUPED}
    if name in words[:4]:
        split = split | frozenset().union(*(each.marks for each in values[1:] if each.private))
    else:
        marks = both.marks
    return replace(
        both,
        parts=parts,
        levels=levels if first.private else "",
        selected=selected,
        split=split,
        marks=marks,
        constant=UNKNOWN,
        items=(),
    )


def _factor(name: str, given: Given, place: Place, both: Value) -> Value:
    """Return categories, with where their levels come from."""
    words = {
        "factor": ("levels", 1),
        "Categorical": ("categories", 1),
        "set_categories": ("new_categories", 1),
        "cut": ("breaks", 1),
    }
    first = given[0][1]
    kept = replace(_plain(both), summary=False, why=first.why or both.why)
    if name not in words:
        return replace(kept, levels=first.levels)
    word, position = words[name]
    short = {word, "bins"} if name == "cut" else {word}
    free = [value for each, value in given if each is None]
    found = next((value for each, value in given if each in short or (each and word.startswith(each))), None)
    found = found or (free[position] if len(free) > position else None)
    if found is None:
        return kept
    if found.private:
        return replace(kept, levels=found.why, mixed="", summary=False)
    number = isinstance(found.constant, float)
    return replace(kept, levels="" if number and name == "cut" else WRITTEN)


def part_of(of: Value, name: str, keys: Sequence[Value], place: Place, r: bool) -> Value:
    """Return what is known of a part of a value."""
    if name in functions.PUBLIC_OF and not keys and not r:
        return Value()
    if name in of.parts:
        part = of.parts[name]
        if of.private and part.private:
            part = replace(part, mixed=part.mixed or of.mixed, selected=part.selected or of.selected)
            part = replace(part, split=part.split | of.split)
        return part
    if not of.private:
        private = [each for each in keys if each.private]
        if private:
            return replace(_plain(joined([of, *keys])), summary=all(each.summary for each in private))
        if of.level == NOISY:
            return replace(of, parts={})
        return _element(of, keys, r)
    if name:
        of = replace(of, levels="", parts={})
    private = [each for each in keys if each.private]
    if not private:
        return replace(of, marks=frozenset())
    result = records_of([of, *private], place)
    split = of.split.union(*(each.marks for each in private))
    return replace(
        result,
        levels=of.levels,
        parts=of.parts,
        selected=result.selected or str(place),
        split=split,
        marks=frozenset(),
        summary=of.summary,
    )


def _element(of: Value, keys: Sequence[Value], r: bool) -> Value:
    constant: object = UNKNOWN
    item = NOTHING
    if len(keys) == 1 and isinstance(keys[0].constant, float):
        place = int(keys[0].constant) - r
        if isinstance(of.constant, list) and 0 <= place < len(of.constant):
            constant = of.constant[place]
        if 0 <= place < len(of.items):
            item = of.items[place]
    if item is not NOTHING:
        return item
    return replace(_plain(of), constant=constant, level=of.level if of.level else PUBLIC)


def element_of(over: Value, loop: int) -> Value:
    """Return what is known of one of the values that a loop goes through."""
    split = frozenset({loop if each == GROUPED else each for each in over.split})
    if over.private:
        return replace(over, split=split, parts={} if GROUPED not in over.split else over.parts)
    kept = joined(over.items) if over.items else _plain(over)
    return replace(kept, constant=UNKNOWN, marks=kept.marks | {loop}, unknown="")
