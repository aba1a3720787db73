"""A script followed from its first statement to its last: what each variable holds, and what is published."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pydpstat
from pydpstat.porting import _effects as effects
from pydpstat.porting import _forms as forms
from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._effects import Given, records
from pydpstat.porting._forms import Apply, Block, Form, Lambda, Place, Variable
from pydpstat.porting._publishing import Facts, Publishing, is_endless
from pydpstat.porting._values import GROUPED, NOISY, NONE, NOTHING, UNKNOWN, Source, Value, either, joined

_DEEPEST, _MOST_CALLS = 12, 50_000
# limits on followed forms: per form of the script, and at least
_STEPS, _LEAST_STEPS = 6, 150_000
# the numbers that may be a total of what releases spend
_TOTAL = re.compile(r"eps|budget", re.IGNORECASE)
_ENDLESS = {"inf": math.inf, "nan": math.nan}


# sets of this size take as long as a form
_SET = 32


class _TooManySteps(Exception):
    """A script that would take too long to follow."""


def followed(script: Block, r: bool) -> Facts:
    """Follow a script; vectors that are written in it are data if they are released."""
    data: frozenset[str] = NONE
    steps: float = _STEPS * forms.size(script) + _LEAST_STEPS
    for _ in range(4):
        flow = Flow(r, data, steps)
        facts = flow.run(script)
        if facts.origins <= data or flow.steps <= 0:
            break
        # the walks together take no longer than that
        steps, data = flow.steps, data | facts.origins
    return facts


class Flow(Publishing):
    """One run through a script, in which `data` are the origins of what was found to be data."""

    def run(self, script: Block) -> Facts:
        """Follow all statements, then the functions that were never called."""
        for each in script.body:
            try:
                value = self.value(each)
                if script.shown and self._is_shown(each):
                    self._publish(each.place, "shown", [value])
            except RecursionError:
                self._give_up(each.place, "it is nested too deeply")
            except _TooManySteps:
                self._give_up(each.place, "the script takes too many steps; from here on it is not followed")
                return self.facts
        for key, made in list(self._defined.items()):
            if key not in self._called:
                try:
                    self._invoke(made, [], made.place)
                except _TooManySteps:
                    self._give_up(made.place, "the script takes too many steps; the function is not followed")
        return self.facts

    def value(self, form: Form) -> Value:
        """Return what is known of a form's value, after what it does."""
        value = self._value(form)
        self.steps -= 1 + (len(value.origins) + len(value.sources) + len(value.items)) // _SET
        if self.steps <= 0:
            raise _TooManySteps
        return value

    def _value(self, form: Form) -> Value:
        match form:
            case forms.Literal(place=place, value=constant):
                if isinstance(constant, int) and not isinstance(constant, bool):
                    constant = float(constant)
                return Value(constant=constant, missing=str(place) if constant != constant else "")
            case Variable():
                return self._variable(form)
            case Apply():
                return self._apply(form)
            case forms.Part():
                of = self.value(form.of)
                keys = self._in(of, form.keys)
                return self._data_or(effects.part_of(of, form.name, keys, form.place, self._r))
            case Lambda():
                return Value(function=form)
            case forms.Assign():
                value = self.value(form.value)
                for target in form.targets:
                    self._set(target, value, form.everywhere)
                return value
            case Block():
                values = [self.value(each) for each in form.body]
                return values[-1] if values else NOTHING
            case forms.Branch():
                return self._branch(form)
            case forms.Loop():
                return self._loop(form)

    # variables

    def _variable(self, form: Variable) -> Value:
        name, source = form.name, Source(form.name, form.place.line)
        for scope in reversed(self._scopes):
            if name in scope:
                value = scope[name]
                if isinstance(value.constant, float) and _TOTAL.search(name):
                    return replace(value, stated=value.stated | {value.constant})
                return value
        if name in _ENDLESS and not self._r:
            return self.value(forms.Literal(form.place, _ENDLESS[name]))
        if self._columns:
            return effects.part_of(self._columns[-1], name, (), form.place, self._r)
        if self._r and name in functions.BUILT_IN:
            return records(source._replace(name=f"R's data set {name}"))
        if (word := name.replace(".", "_")) in releases.NAMES:
            return Value(constant=getattr(pydpstat, word))
        if self._loaded is not None:
            return self._loaded
        if name in self._data:
            return records(source)
        return Value(origins=frozenset({name}), unknown=f"{name} is not assigned in the script")

    def _data_or(self, value: Value) -> Value:
        """Return a value, as records if it was found to be data."""
        if value.private or not value.origins & self._data:
            return value
        origin = min(value.origins & self._data)
        line, _, rest = origin.partition(":")
        found = records(Source(rest.partition(":")[2], int(line)) if line.isdigit() else Source(origin, 1))
        parts = {word: replace(found, levels=v.levels, missing=v.missing) for word, v in value.parts.items()}
        return replace(found, parts=parts, levels=value.levels, marks=value.marks, missing=value.missing)

    def _set(self, target: Form, value: Value, everywhere: bool = False) -> None:
        if isinstance(target, forms.Part):
            if target.name in functions.ACCESSORS and not self._r:
                return self._set(target.of, value, everywhere)
            return self._set(target.of, self._changed(target, value), everywhere)
        if not isinstance(target, Variable):
            return None
        if value.function:
            self._defined[id(value.function)] = value.function
        if self._r and len(self._scopes) == 1 and target.name in functions.MASKED and not value.known:
            self.facts.masked[target.name] = target.place
        self._scopes[0 if everywhere else -1][target.name] = value

    def _changed(self, target: forms.Part, value: Value) -> Value:
        """Return what something is after one of its parts got a value."""
        old = self.value(target.of)
        keys = [self.value(each) for each in target.keys]
        if target.name and len(keys) < 2:
            level = max(old.level, value.level)
            base = old if old.level == level else replace(joined([old, value]), summary=False, mixed="")
            return replace(base, parts={**old.parts, target.name: value}, constant=UNKNOWN)
        part = effects.part_of(old, target.name, (), target.place, self._r) if target.name else old
        given = [part, *(each for each in keys if each.private), value]
        changed = effects.value_of("replace", [(None, each) for each in given], target.place, self._r)
        changed = replace(changed, selected=part.selected, split=part.split, levels=part.levels)
        if target.name:
            changed = replace(old, parts={**old.parts, target.name: changed})
        return replace(changed, constant=UNKNOWN)

    # statements

    def _branch(self, form: forms.Branch) -> Value:
        self.value(form.test)
        before, results, after = self._scopes[-1], [], []
        for way in form.ways:
            self._scopes[-1] = dict(before)
            results.append(self.value(way))
            after.append(self._scopes[-1])
        first, second = [*after, before][:2]
        found = self._scopes[-1] = dict(first)
        for name, b in second.items():
            a = found.get(name)
            # most are the same on both branches
            if a is not b:
                found[name] = b if a is None else either(a, b)
        return either(results[0], results[-1])

    def _loop(self, form: forms.Loop) -> Value:
        over = self.value(form.over) if form.over else None
        with self._round(math.inf if over is None else over.count) as loop:
            element = NOTHING if over is None else effects.element_of(over, loop)
            self._scopes[-1].update(dict.fromkeys(form.names, element))
            if not self._silent:
                # what a round changes is there in the next one, and said there
                facts, self.facts, self._silent = self.facts, Facts(), True
                try:
                    self.value(form.body)
                finally:
                    self.facts, self._silent = facts, False
                self._scopes[-1].update(dict.fromkeys(form.names, element))
            return self.value(form.body)

    @contextmanager
    def _round(self, count: float) -> Iterator[int]:
        self._marks += 1
        self._loops.append((self._marks, count))
        try:
            yield self._marks
        finally:
            self._loops.pop()

    def _within(self, contexts: Sequence[Form], body: Form) -> Value:
        made = [self.value(each) for each in contexts]
        budget = any(each.made and each.made.function == "Budget" and not is_endless(each) for each in made)
        self._budget += budget
        value = self.value(body)
        self._budget -= budget
        return value

    def _is_shown(self, form: Form) -> bool:
        if isinstance(form, Apply):
            return form.function not in functions.SILENT and form.function[-2:] != "<-"
        if isinstance(form, forms.Branch):
            return any(map(self._is_shown, form.ways))
        if isinstance(form, Block):
            return bool(form.body) and self._is_shown(form.body[-1])
        return isinstance(form, (Variable, forms.Part))

    # calls

    def _in(self, data: Value, values: Sequence[Form]) -> list[Value]:
        """Return values where names that are not assigned may be columns of data."""
        if not data.private:
            return [self.value(each) for each in values]
        self._columns.append(data)
        found = [self.value(each) for each in values]
        self._columns.pop()
        return found

    def _apply(self, form: Apply) -> Value:
        name = form.function
        receiver = () if form.receiver is None else ((None, form.receiver),)
        names, inside = zip(*(*receiver, *form.arguments)) if receiver or form.arguments else ((), ())
        if self._r and name == "function":
            return NOTHING
        if name == "with" and not self._r:
            return self._within(inside[:-1], inside[-1])
        made = None if receiver or form.package else self._function(name)
        if made is None and name in functions.APPLIES and (self._r or receiver or name in ("sapply", "map")):
            found = self._mapped(form, names, inside)
            if found is not None:
                return found
        if name == "replicate" and len(inside) > 1:
            times = self.value(inside[0]).constant
            with self._round(times if isinstance(times, float) else math.inf):
                return self.value(inside[1])
        values = [self.value(each) for each in inside[:1]]
        # a release has no columns of its data as arguments
        of = NOTHING if self._is_mirror(form) or made else joined(values)
        given = list(zip(names, values + self._in(of, inside[1:])))
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
        first = values[0] if values else NOTHING
        word = name.replace(".", "_")
        draws = self._r or form.package in ("numpy", "scipy", "random")
        if name == "return" and self._returned:
            self._returned[-1].append(first)
            return NOTHING
        if self._is_mirror(form) or (name == "fit" and first.made and first.made.function in releases.MODELS):
            return self._mirror(place, word, given)
        if not self._r and (found := self._own(form, name, given)):
            return found
        if name == "set.seed":
            self._seed = place if first != NOTHING else None
            return NOTHING
        if name in ("load", "attach") and self._r:
            self._loaded = first if name == "attach" else records(Source(place.text, place.line))
            return NOTHING
        if name in functions.OPAQUE and not (name == "assign" and form.receiver is not None):
            self._give_up(place, functions.OPAQUE[name])
        if name in functions.COMPARES:
            self.facts.stated |= joined(values).stated
        self._digits(place, name, given)
        drawn = not any(word == "plot" and value.constant is False for word, value in given)
        if name in functions.PRINTS | functions.WRITES or (name in functions.PLOTS and drawn):
            return self._output(place, name, values)
        if name.endswith("DataAccess") and word in releases.NAMES:
            return Value(parts={"True.Values": effects.value_of("mean", given, place, self._r)})
        if made := effects.noise_in(name, given, place, draws):
            self._noise(place, made, values)
            return Value(NOISY, marks=joined(values).marks, why=str(place))
        for each in values[1:]:
            if each.function and id(each.function) not in self._called:
                # what calls it is not known, nor how often
                with self._round(math.inf):
                    self._invoke(each.function, [(None, v) for v in values if not v.function], place)
        if name in functions.SUMMARISES and first.private:
            named = {word: value for word, value in given if word}
            return replace(joined(values[1:]), parts=named) if values[1:] else first
        read = effects.read_in(name, place, given) if form.receiver is None else None
        return read or effects.value_of(name, given, place, draws)

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
                word = str(name if name in names else near[0])
                scope[word] = value
                names.remove(word)
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
        values = [*self._returned.pop(), *([last] if made.last and last != NOTHING else [])]
        return joined(values) if len(values) > 1 else values[0] if values else NOTHING

    def _mapped(self, form: Apply, names: Sequence[str | None], inside: Sequence[Form]) -> Value | None:
        """Return what a function gives for each part of some values; None where none is given."""
        at = next((k for k, each in enumerate(inside) if self._is_function(names[k], each)), None)
        if at is None:
            return None
        function = inside[at]
        others = [(name, self.value(each)) for k, (name, each) in enumerate(zip(names, inside)) if k != at]
        if not others:
            return NOTHING
        over, extra = others[0][1], others[1:]
        if form.function in functions.BY_GROUP:
            over, extra = joined(value for _, value in others), []
            over = replace(over, split=over.split | {GROUPED})
        with self._round(over.count) as loop:
            element = (None, effects.element_of(over, loop))
            given = [element, *extra]
            name = function.name if isinstance(function, Variable) else ""
            made = function if isinstance(function, Lambda) else self._function(name)
            if made is not None:
                several = isinstance(function, Lambda) and not self._r and len(made.formals) > 1
                return self._invoke(made, [element] * len(made.formals) if several else given, form.place)
            package = "pydpstat" if name in releases.NAMES and not self._r else ""
            return self._data_or(self._known(Apply(form.place, name, (), package), name, given))

    def _is_function(self, name: str | None, form: Form) -> bool:
        if isinstance(form, Lambda) or name in ("FUN", "f", ".f", "func"):
            return True
        if not isinstance(form, Variable) or any(form.name in scope for scope in self._scopes):
            return isinstance(form, Variable) and self._function(form.name) is not None
        known = form.name.replace(".", "_") in releases.MIRRORS
        return known or form.name in functions.SUMMARIES | functions.RECORDWISE
