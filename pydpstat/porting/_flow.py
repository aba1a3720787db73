"""A script followed from its first statement to its last: what each variable holds, and what is published."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pydpstat
from pydpstat.porting import _effects as effects
from pydpstat.porting import _forms as forms
from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._calling import Calling
from pydpstat.porting._effects import records
from pydpstat.porting._forms import Apply, Block, Form, Lambda, Variable
from pydpstat.porting._publishing import TOTAL, Facts, is_endless
from pydpstat.porting._values import NONE, NOTHING, UNKNOWN, Source, Value, either, joined

# limits on followed forms: per form of the script, and at least
_STEPS, _LEAST_STEPS = 6, 150_000
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


class Flow(Calling):
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
                    self._invoke(Value(function=made), [], made.place)
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
                return Value(function=form, around=tuple(self._scopes[1:]))
            case forms.Spread():
                return self.value(form.value)
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
        if self._columns and name in self._columns[-1].parts:
            return self._columns[-1].parts[name]
        for scope in reversed(self._scopes):
            if name in scope:
                value = scope[name]
                if isinstance(value.constant, float) and TOTAL.search(name):
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
        drawn = value.made is not None and value.made.function.startswith("noise")
        loops = frozenset(loop for loop, _ in self._loops) if drawn else None
        name, at = (rest.partition(":")[2], int(line)) if line.isdigit() else (origin, 1)
        found = records(Source(name, at, loops))
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
            before = old.parts.get(target.name)
            items = tuple(value if each is before else each for each in old.items)
            items += (value,) * bool(before is None and items)
            parts = {**old.parts, target.name: value}
            return replace(base, parts=parts, items=items, constant=UNKNOWN, rounds=())
        part = effects.part_of(old, target.name, (), target.place, self._r) if target.name else old
        given = [part, *(each for each in keys if each.private), value]
        changed = effects.value_of("replace", [(None, each) for each in given], target.place, self._r)
        changed = replace(changed, selected=part.selected, split=part.split, levels=part.levels)
        if target.name:
            changed = replace(old, parts={**old.parts, target.name: changed})
        return replace(changed, constant=UNKNOWN, rounds=())

    # statements

    def _branch(self, form: forms.Branch) -> Value:
        test = self.value(form.test)
        scope, results, after = self._scopes[-1], [], []
        self._tests += [(form.test.place, test)] * test.private
        for way in form.ways:
            # a function that is defined before keeps its variables
            self._scopes[-1] = dict(scope)
            results.append(self.value(way))
            after.append(self._scopes[-1])
        self._scopes[-1] = scope
        del self._tests[len(self._tests) - test.private :]
        first, second = after[0], after[1] if len(after) > 1 else scope.copy()
        for name in second.keys() - first.keys():
            scope[name] = effects.decided(second[name], test)
        for name, a in first.items():
            b = second.get(name)
            # most are the same on both branches
            if a is not b:
                scope[name] = effects.decided(a if b is None else either(a, b), test)
            elif len(after) > 1:
                scope[name] = a
        return effects.decided(either(results[0], results[-1]), test)

    def _loop(self, form: forms.Loop) -> Value:
        over = self.value(form.over) if form.over else None
        with self._round(math.inf if over is None else over.count) as loop:
            element = NOTHING if over is None else effects.element_of(over, loop)
            self._scopes[-1].update(dict.fromkeys(form.names, element))
            releases, breaks = len(self.facts.releases), len(self._breaks)
            if not self._silent:
                # what a round changes is there in the next one, and said there
                facts, self.facts, self._silent = self.facts, Facts(), True
                try:
                    self.value(form.body)
                finally:
                    self.facts, self._silent = facts, False
                self._scopes[-1].update(dict.fromkeys(form.names, element))
            value = self.value(form.body)
        ends = self._breaks[breaks:]
        # raw values that decide how often something is released
        self.facts.outputs += ends if len(self.facts.releases) > releases else []
        del self._breaks[breaks:]
        return value

    def _within(self, contexts: Sequence[Form], body: Form) -> Value:
        made = [self.value(each) for each in contexts]
        budget = any(each.made and each.made.function == "Budget" and not is_endless(each) for each in made)
        self._budget += budget
        value = self.value(body)
        self._budget -= budget
        return value

    def _is_shown(self, form: Form) -> bool:
        if isinstance(form, Apply):
            made = None if form.package or form.receiver else self._function(form.function)
            if made is not None and made.function and made.function not in self._running:
                return self._is_shown(made.function.body)
            if form.function == "return" and form.arguments:
                return self._is_shown(form.arguments[0][1])
            return form.function not in functions.SILENT and form.function[-2:] != "<-"
        if isinstance(form, forms.Branch):
            return any(map(self._is_shown, form.ways))
        if isinstance(form, Block):
            return bool(form.body) and self._is_shown(form.body[-1])
        return isinstance(form, (Variable, forms.Part))
