"""Evaluation of a script from its first to its last statement: values of variables, and what is released."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pydpstat
from pydpstat.porting import _effects as effects
from pydpstat.porting import _forms as forms
from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._calling import CallEvaluator
from pydpstat.porting._effects import make_records
from pydpstat.porting._forms import Apply, Block, Form, Lambda, Variable
from pydpstat.porting._publishing import TOTAL_NAME, ScriptFacts, is_unlimited_budget
from pydpstat.porting._values import EMPTY_SET, NULL_VALUE, UNKNOWN, Source, Value, merge_alternatives, merge_values

# limits on the number of evaluated forms: per form of the script, and at least
_STEPS_PER_FORM, _MIN_STEPS = 6, 150_000
_FLOAT_NAMES = {"inf": math.inf, "nan": math.nan}


# sets of this size take as long as one form
_VALUES_PER_STEP = 32


class _StepLimitError(Exception):
    """A script whose evaluation would take too many steps."""


def follow_script(script: Block, is_r: bool) -> ScriptFacts:
    """Evaluate a script; vector literals are data if they are released."""
    data: frozenset[str] = EMPTY_SET
    steps: float = _STEPS_PER_FORM * forms.count_forms(script) + _MIN_STEPS
    for _ in range(4):
        flow = ScriptEvaluator(is_r, data, steps)
        facts = flow.follow_statements(script)
        if facts.origins <= data or flow.steps <= 0:
            break
        # the runs share one limit
        steps, data = flow.steps, data | facts.origins
    return facts


class ScriptEvaluator(CallEvaluator):
    """One run through a script, in which `data` are the origins of the values found to be data."""

    def follow_statements(self, script: Block) -> ScriptFacts:
        """Evaluate all statements, then the functions that were never called."""
        for each in script.body:
            try:
                value = self.evaluate_form(each)
                if script.is_displayed and self._is_displayed(each):
                    self._publish_values(each.place, "shown", [value])
            except RecursionError:
                self._note_not_followed(each.place, "it is nested too deeply")
            except _StepLimitError:
                self._note_not_followed(each.place, "the script takes too many steps; from here on it is not followed")
                return self.facts
        for key, made in list(self._defined_functions.items()):
            if key not in self._called_ids:
                try:
                    self._call_script_function(Value(function=made), [], made.place)
                except _StepLimitError:
                    self._note_not_followed(made.place, "the script takes too many steps; the function is not followed")
        return self.facts

    def evaluate_form(self, form: Form) -> Value:
        """Evaluate a form with its effects, and return the facts known of its value."""
        value = self._evaluate_by_kind(form)
        self.steps -= 1 + (len(value.origins) + len(value.sources) + len(value.items)) // _VALUES_PER_STEP
        if self.steps <= 0:
            raise _StepLimitError
        return value

    def _evaluate_by_kind(self, form: Form) -> Value:
        match form:
            case forms.Literal(place=place, value=constant):
                if isinstance(constant, int) and not isinstance(constant, bool):
                    constant = float(constant)
                return Value(constant=constant, missing=str(place) if constant != constant else "")
            case Variable():
                return self._evaluate_variable(form)
            case Apply():
                return self._evaluate_call(form)
            case forms.ElementAccess():
                of = self.evaluate_form(form.owner)
                keys = self._evaluate_in_data(of, form.keys)
                return self._resolve_records(effects.evaluate_part(of, form.name, keys, form.place, self._r))
            case Lambda():
                return Value(function=form, closure_scopes=tuple(self._scopes[1:]))
            case forms.Spread():
                return self.evaluate_form(form.value)
            case forms.Assign():
                value = self.evaluate_form(form.value)
                for target in form.targets:
                    self._assign_target(target, value, form.is_nonlocal)
                return value
            case Block():
                values = [self.evaluate_form(each) for each in form.body]
                return values[-1] if values else NULL_VALUE
            case forms.Branch():
                return self._evaluate_branch(form)
            case forms.Loop():
                return self._evaluate_loop(form)

    # variables

    def _evaluate_variable(self, form: Variable) -> Value:
        name, source = form.name, Source(form.name, form.place.line)
        if self._columns and name in self._columns[-1].parts:
            return self._columns[-1].parts[name]
        for scope in reversed(self._scopes):
            if name in scope:
                value = scope[name]
                if isinstance(value.constant, float) and TOTAL_NAME.search(name):
                    return replace(value, stated=value.stated | {value.constant})
                return value
        if name in _FLOAT_NAMES and not self._r:
            return self.evaluate_form(forms.Literal(form.place, _FLOAT_NAMES[name]))
        if self._columns:
            return effects.evaluate_part(self._columns[-1], name, (), form.place, self._r)
        if self._r and name in functions.BUILT_IN_DATA:
            return make_records(source._replace(name=f"R's data set {name}"))
        if (word := name.replace(".", "_")) in releases.PUBLIC_NAMES:
            return Value(constant=getattr(pydpstat, word))
        if self._loaded is not None:
            return self._loaded
        if name in self._data:
            return make_records(source)
        return Value(origins=frozenset({name}), unknown=f"{name} is not assigned in the script")

    def _resolve_records(self, value: Value) -> Value:
        """Return a value, as records if its origin was found to be data."""
        if value.is_private or not value.origins & self._data:
            return value
        origin = min(value.origins & self._data)
        line, _, rest = origin.partition(":")
        drawn = value.made is not None and value.made.function.startswith("noise")
        loops = frozenset(loop for loop, _ in self._loops) if drawn else None
        name, at = (rest.partition(":")[2], int(line)) if line.isdigit() else (origin, 1)
        found = make_records(Source(name, at, loops))
        parts = {word: replace(found, levels=v.levels, missing=v.missing) for word, v in value.parts.items()}
        return replace(found, parts=parts, levels=value.levels, marks=value.marks, missing=value.missing)

    def _assign_target(self, target: Form, value: Value, everywhere: bool = False) -> None:
        if isinstance(target, forms.ElementAccess):
            if target.name in functions.ACCESSORS and not self._r:
                self._assign_target(target.owner, value, everywhere)
            else:
                self._assign_target(target.owner, self._replace_part(target, value), everywhere)
            return
        if not isinstance(target, Variable):
            return
        if value.function:
            self._defined_functions[id(value.function)] = value.function
        if self._r and len(self._scopes) == 1 and target.name in functions.MODEL_FUNCTIONS and not value.is_known:
            self.facts.masked[target.name] = target.place
        self._scopes[0 if everywhere else -1][target.name] = value

    def _replace_part(self, target: forms.ElementAccess, value: Value) -> Value:
        """Return the value of an object after the assignment of one of its parts."""
        old = self.evaluate_form(target.owner)
        keys = [self.evaluate_form(each) for each in target.keys]
        if target.name and len(keys) < 2:
            level = max(old.level, value.level)
            base = old if old.level == level else replace(merge_values([old, value]), summary=False, mixed="")
            before = old.parts.get(target.name)
            items = tuple(value if each is before else each for each in old.items)
            items += (value,) * bool(before is None and items)
            parts = {**old.parts, target.name: value}
            return replace(base, parts=parts, items=items, constant=UNKNOWN, rounds=())
        part = effects.evaluate_part(old, target.name, (), target.place, self._r) if target.name else old
        given = [part, *(each for each in keys if each.is_private), value]
        changed = effects.evaluate_function("replace", [(None, each) for each in given], target.place, self._r)
        changed = replace(changed, selected=part.selected, split=part.split, levels=part.levels)
        if target.name:
            changed = replace(old, parts={**old.parts, target.name: changed})
        return replace(changed, constant=UNKNOWN, rounds=())

    # statements

    def _evaluate_branch(self, form: forms.Branch) -> Value:
        test = self.evaluate_form(form.test)
        scope, results, after = self._scopes[-1], [], []
        self._tests += [(form.test.place, test)] * test.is_private
        for way in form.branches:
            # a function retains the variables defined around it
            self._scopes[-1] = dict(scope)
            results.append(self.evaluate_form(way))
            after.append(self._scopes[-1])
        self._scopes[-1] = scope
        del self._tests[len(self._tests) - test.is_private :]
        first, second = after[0], after[1] if len(after) > 1 else scope.copy()
        for name in second.keys() - first.keys():
            scope[name] = effects.apply_condition(second[name], test)
        for name, a in first.items():
            b = second.get(name)
            # most variables are the same on both branches
            if a is not b:
                scope[name] = effects.apply_condition(a if b is None else merge_alternatives(a, b), test)
            elif len(after) > 1:
                scope[name] = a
        return effects.apply_condition(merge_alternatives(results[0], results[-1]), test)

    def _evaluate_loop(self, form: forms.Loop) -> Value:
        over = self.evaluate_form(form.iterable) if form.iterable else None
        with self._open_round(math.inf if over is None else over.count) as loop:
            element = NULL_VALUE if over is None else effects.get_loop_element(over, loop)
            self._scopes[-1].update(dict.fromkeys(form.names, element))
            releases, breaks = len(self.facts.releases), len(self._breaks)
            if not self._is_silent:
                # a change in one round is visible in the next, and reported there
                facts, self.facts, self._is_silent = self.facts, ScriptFacts(), True
                try:
                    self.evaluate_form(form.body)
                finally:
                    self.facts, self._is_silent = facts, False
                self._scopes[-1].update(dict.fromkeys(form.names, element))
            value = self.evaluate_form(form.body)
        ends = self._breaks[breaks:]
        # raw values that determine the number of releases
        self.facts.outputs += ends if len(self.facts.releases) > releases else []
        del self._breaks[breaks:]
        return value

    def _evaluate_in_contexts(self, contexts: Sequence[Form], body: Form) -> Value:
        made = [self.evaluate_form(each) for each in contexts]
        budget = any(each.made and each.made.function == "Budget" and not is_unlimited_budget(each) for each in made)
        self._n_budgets += budget
        value = self.evaluate_form(body)
        self._n_budgets -= budget
        return value

    def _is_displayed(self, form: Form) -> bool:
        if isinstance(form, Apply):
            made = None if form.package or form.receiver else self._find_script_function(form.function)
            if made is not None and made.function and made.function not in self._active_functions:
                return self._is_displayed(made.function.body)
            if form.function == "return" and form.arguments:
                return self._is_displayed(form.arguments[0][1])
            return form.function not in functions.INVISIBLE_RESULTS and form.function[-2:] != "<-"
        if isinstance(form, forms.Branch):
            return any(map(self._is_displayed, form.branches))
        if isinstance(form, Block):
            return bool(form.body) and self._is_displayed(form.body[-1])
        return isinstance(form, (Variable, forms.ElementAccess))
