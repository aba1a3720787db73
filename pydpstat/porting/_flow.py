"""A script followed from its first statement to its last: what each variable holds, and what is published."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pydpstat
from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._effects import (
    GROUPED,
    Given,
    element_of,
    is_noisy,
    part_of,
    read_in,
    records,
    value_of,
)
from pydpstat.porting._facts import Facts
from pydpstat.porting._forms import (
    Apply,
    Assign,
    Block,
    Branch,
    Form,
    Lambda,
    Literal,
    Loop,
    Part,
    Place,
    Variable,
    Within,
)
from pydpstat.porting._publishing import Publishing
from pydpstat.porting._values import NOISY, NOTHING, UNKNOWN, Source, Value, either, joined

_DEEPEST, _MOST_CALLS = 12, 50_000


def followed(script: Block, r: bool) -> Facts:
    """Follow a script; vectors that are written in it are data if they are released."""
    data: frozenset[str] = frozenset()
    for _ in range(4):
        facts = Flow(r, data).run(script)
        if facts.origins <= data:
            break
        data |= facts.origins
    return facts


class Flow(Publishing):
    """One run through a script, in which `data` are the origins of what was found to be data."""

    def run(self, script: Block) -> Facts:
        """Follow all statements, then the functions that were never called."""
        for each in script.body:
            try:
                value = self.value(each)
                if script.shown and self._is_shown(each) and value.private:
                    self._publish(each.place, "shown", [value])
            except RecursionError:
                self._give_up(each.place, "it is nested too deeply")
        for key, (_, made) in list(self._defined.items()):
            if key not in self._called:
                self._invoke(made, [], made.place)
        for name, value in self._scopes[0].items():
            if isinstance(value.constant, float) and not value.private:
                self.facts.budgets[name] = value.constant
        return self.facts

    def value(self, form: Form) -> Value:
        """Return what is known of a form's value, after what it does."""
        match form:
            case Literal(value=constant):
                number = isinstance(constant, int) and not isinstance(constant, bool)
                return Value(constant=float(constant) if number else constant)  # type: ignore[arg-type]
            case Variable():
                return self._variable(form)
            case Apply():
                return self._apply(form)
            case Part():
                of = self.value(form.of)
                keys = self._in(of, form.keys)
                return self._data_or(part_of(of, form.name, keys, form.place, self._r))
            case Lambda():
                return Value(function=form)
            case Assign():
                return self._assign(form)
            case Block():
                values = [self.value(each) for each in form.body]
                return values[-1] if values else NOTHING
            case Branch():
                return self._branch(form)
            case Loop():
                return self._loop(form)
            case Within():
                return self._within(form)

    # variables

    def _variable(self, form: Variable) -> Value:
        name = form.name
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if self._columns:
            return part_of(self._columns[-1], name, (), form.place, self._r)
        if self._r and name in functions.BUILT_IN:
            return records(Source(f"R's data set {name}", form.place.line))
        word = name.replace(".", "_")
        if word in releases.NAMES:
            return Value(constant=getattr(pydpstat, word))
        if self._loaded is not None:
            return self._loaded
        if name in self._data:
            return records(Source(name, form.place.line))
        return Value(origins=frozenset({name}), unknown=f"{name} is not assigned in the script")

    def _data_or(self, value: Value) -> Value:
        """Return a value, as records if it was found to be data."""
        if value.private or not value.origins & self._data:
            return value
        origin = min(value.origins & self._data)
        line, _, rest = origin.partition(":")
        source = Source(rest.partition(":")[2], int(line)) if line.isdigit() else Source(origin, 1)
        found = records(source)
        parts = {name: replace(found, levels=each.levels) for name, each in value.parts.items()}
        return replace(found, parts=parts, levels=value.levels, marks=value.marks)

    def _assign(self, form: Assign) -> Value:
        value = self.value(form.value)
        for target in form.targets:
            self._set(target, value, form)
        return value

    def _set(self, target: Variable | Part, value: Value, form: Assign) -> None:
        scope = self._scopes[0 if form.everywhere else -1]
        if isinstance(target, Variable):
            if value.function:
                self._defined[id(value.function)] = (target.name, value.function)
            scope[target.name] = value
            return
        root: Form = target.of
        while isinstance(root, Part):
            root = root.of
        if not isinstance(root, Variable):
            return
        old = self._variable(root)
        keys = [self.value(each) for each in target.keys]
        if target.name and len(keys) < 2 and isinstance(target.of, Variable):
            level = max(old.level, value.level)
            base = old if old.level == level else replace(joined([old, value]), summary=False, mixed="")
            scope[root.name] = replace(base, parts={**old.parts, target.name: value}, constant=UNKNOWN)
            return
        private = [each for each in keys if each.private]
        part = old.parts.get(target.name, old)
        changed = value_of(
            "replace", [(None, part), *((None, each) for each in (*private, value))], form.place, True
        )
        changed = replace(changed, selected=part.selected, split=part.split, levels=part.levels)
        if target.name in old.parts:
            changed = replace(old, parts={**old.parts, target.name: changed})
        scope[root.name] = replace(changed, constant=UNKNOWN)

    # statements

    def _branch(self, form: Branch) -> Value:
        self.value(form.test)
        before, results, after = dict(self._scopes[-1]), [], []
        for way in form.ways:
            self._scopes[-1] = dict(before)
            results.append(self.value(way))
            after.append(self._scopes[-1])
        if len(after) == 1:
            after.append(before)
        first, second = after
        self._scopes[-1] = {
            name: either(
                first.get(name, second.get(name, NOTHING)), second.get(name, first.get(name, NOTHING))
            )
            for name in {**first, **second}
        }
        return either(*results) if len(results) == 2 else results[0] if results else NOTHING

    def _loop(self, form: Loop) -> Value:
        over = self.value(form.over) if form.over else None
        with self._round(math.inf if over is None else self._count(over)) as loop:
            element = element_of(over, loop) if over is not None else NOTHING
            for name in form.names:
                self._scopes[-1][name] = element
            if not self._silent:
                # what a round changes is there in the next one
                self._silent += 1
                self.value(form.body)
                self._silent -= 1
                for name in form.names:
                    self._scopes[-1][name] = element
            return self.value(form.body)

    def _count(self, over: Value) -> float:
        if isinstance(over.constant, list):
            return float(len(over.constant))
        return float(len(over.items)) if over.items else math.inf

    @contextmanager
    def _round(self, count: float) -> Iterator[int]:
        self._marks += 1
        self._loops.append((self._marks, count))
        try:
            yield self._marks
        finally:
            self._loops.pop()

    def _within(self, form: Within) -> Value:
        contexts = [self.value(each) for each in form.contexts]
        budget = any(each.made is not None and each.made.function == "Budget" for each in contexts)
        self._budget += budget
        value = self.value(form.body)
        self._budget -= budget
        return value

    def _is_shown(self, form: Form) -> bool:
        if isinstance(form, Apply):
            return form.function not in functions.SILENT and form.function[-2:] != "<-"
        if isinstance(form, Branch):
            return any(map(self._is_shown, form.ways))
        if isinstance(form, Block):
            return bool(form.body) and self._is_shown(form.body[-1])
        return isinstance(form, (Variable, Part))

    # calls

    def _in(self, data: Value, forms: Sequence[Form]) -> list[Value]:
        """Return values where names that are not assigned may be columns of data."""
        if not data.private:
            return [self.value(each) for each in forms]
        self._columns.append(data)
        values = [self.value(each) for each in forms]
        self._columns.pop()
        return values

    def _apply(self, form: Apply) -> Value:
        name, forms = form.function, [each for _, each in form.arguments]
        names = [each for each, _ in form.arguments]
        if self._r and name == "function":
            return NOTHING
        if form.receiver is not None:
            forms, names = [form.receiver, *forms], [None, *names]
        plain = form.receiver is None and not form.package
        made = self._function(name) if plain else None
        if made is None and name in functions.APPLIES and (self._r or form.receiver is not None):
            found = self._mapped(form, names, forms)
            if found is not None:
                return found
        if name == "replicate" and len(forms) > 1:
            times = self.value(forms[0]).constant
            with self._round(times if isinstance(times, float) else math.inf):
                return self.value(forms[1])
        values = [self.value(forms[0])] if forms else []
        # a release has no columns of its data as arguments
        of = NOTHING if self._is_mirror(form) or made else joined(values)
        values += self._in(of, forms[1:])
        given = list(zip(names, values))
        if made is not None:
            return self._invoke(made, given, form.place)
        return self._data_or(self._known(form, name, given))

    def _is_mirror(self, form: Apply) -> bool:
        word = form.function.replace(".", "_")
        return word in releases.MIRRORS and (self._r or form.package == "pydpstat")

    def _function(self, name: str) -> Lambda | None:
        return next((scope[name].function for scope in reversed(self._scopes) if name in scope), None)

    def _known(self, form: Apply, name: str, given: list[tuple[str | None, Value]]) -> Value:
        """Return the value of a function that is not the script's, after what it publishes."""
        place, values = form.place, [value for _, value in given]
        word = name.replace(".", "_")
        mirrored = self._is_mirror(form)
        if name == "return" and self._returned:
            self._returned[-1].append(values[0] if values else NOTHING)
            return NOTHING
        if mirrored or (
            name == "fit" and values and values[0].made and values[0].made.function in releases.MODELS
        ):
            return self._mirror(place, word, given)
        if not self._r and (found := self._own(form, name, given)):
            return found
        if name == "set.seed":
            fixed = bool(values) and values[0] != NOTHING
            self._seed = place if fixed else None
            return NOTHING
        if name in ("load", "attach") and self._r:
            self._loaded = values[0] if name == "attach" else records(Source(place.text, place.line))
            return NOTHING
        if name in functions.OPAQUE and not (name == "assign" and form.receiver is not None):
            self._give_up(place, functions.OPAQUE[name])
        if name in functions.PRINTS | functions.WRITES | functions.PLOTS:
            return self._output(place, name, values)
        if name.endswith("DataAccess") and word in releases.NAMES:
            return Value(parts={"True.Values": value_of("mean", given, place, self._r)})
        if made := is_noisy(name, values):
            self._noise(place, made, values)
            return Value(NOISY, marks=joined(values).marks)
        for each in values[1:]:
            if each.function and id(each.function) not in self._called:
                # what calls it is not known, nor how often
                with self._round(math.inf):
                    self._invoke(each.function, [(None, v) for v in values if not v.function], place)
        if name in functions.SUMMARISES and values and values[0].private:
            return (
                replace(joined(values[1:]), parts={w: v for w, v in given if w}) if values[1:] else values[0]
            )
        read = read_in(name, place) if form.receiver is None else None
        return read or value_of(name, given, place, self._r)

    def _invoke(self, made: Lambda, given: Given, place: Place) -> Value:
        """Return the value of one of the script's functions, whose body is followed at each call."""
        self._called.add(id(made))
        self._calls += 1
        if made in self._running or len(self._running) >= _DEEPEST or self._calls > _MOST_CALLS:
            self._give_up(place, "the function calls itself, or too many are called")
            return joined(value for _, value in given)
        names = [name for name, _ in made.formals]
        unknown = Value(unknown="it is an argument of a function that is not called")
        scope = {name: unknown if default is None else NOTHING for name, default in made.formals}
        rest = []
        for name, value in given:
            near = [each for each in names if name and each.startswith(name)]
            if name in names or (self._r and len(near) == 1):
                word = name if name in names else near[0]
                scope[str(word)] = value
                names.remove(str(word))
            else:
                rest.append(value)
        for name, value in zip([each for each in names if each not in ("self", "...")], rest):
            scope[name] = value
            names.remove(name)
        if "..." in names:
            scope["..."] = joined(rest)
        self._scopes.append(scope)
        self._returned.append([])
        self._running.append(made)
        columns, self._columns = self._columns, []
        for name, default in made.formals:
            if name in names and default is not None:
                scope[name] = self.value(default)
        last = self.value(made.body)
        self._columns = columns
        self._running.pop()
        self._scopes.pop()
        returned = self._returned.pop()
        values = [*returned, *([last] if made.last and last != NOTHING else [])]
        return joined(values) if len(values) > 1 else values[0] if values else NOTHING

    def _mapped(self, form: Apply, names: list[str | None], forms: list[Form]) -> Value | None:
        """Return what a function gives for each part of some values; None where none is given."""
        place = next((k for k, each in enumerate(forms) if self._is_function(names[k], each)), None)
        if place is None:
            return None
        function = forms[place]
        others = [(name, self.value(each)) for k, (name, each) in enumerate(zip(names, forms)) if k != place]
        if not others:
            return NOTHING
        over, extra = others[0][1], others[1:]
        if form.function in functions.BY_GROUP:
            over, extra = replace(over, split=over.split | {GROUPED}), extra[1:]
        with self._round(self._count(over)) as loop:
            element = (None, element_of(over, loop))
            given = [element, *extra]
            if isinstance(function, Lambda):
                if function.formals and len(function.formals) > 1 and not self._r:
                    given = [element] * len(function.formals)
                return self._invoke(function, given, form.place)
            name = function.name if isinstance(function, Variable) else ""
            made = self._function(name)
            if made is not None:
                return self._invoke(made, given, form.place)
            call = Apply(form.place, name, (), "pydpstat" if name in releases.NAMES and not self._r else "")
            return self._data_or(self._known(call, name, given))

    def _is_function(self, name: str | None, form: Form) -> bool:
        if isinstance(form, Lambda) or name in ("FUN", "f", ".f", "func"):
            return True
        if not isinstance(form, Variable) or any(form.name in scope for scope in self._scopes):
            return isinstance(form, Variable) and self._function(form.name) is not None
        known = form.name.replace(".", "_") in releases.MIRRORS
        return known or form.name in functions.SUMMARIES | functions.RECORDWISE
