"""Evaluation of calls of a script's own and of other functions: arguments, releases and results."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile

from pydpstat.porting import _effects as effects
from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._effects import make_records
from pydpstat.porting._forms import Apply, Form, Lambda, Literal, Place, Spread, Variable
from pydpstat.porting._publishing import TOTAL_NAME, PublicationRecorder
from pydpstat.porting._values import (
    EMPTY_SET,
    GROUPED_MARK,
    NOISY,
    NULL_VALUE,
    NamedValues,
    Source,
    Value,
    get_named_values,
    make_list_value,
    merge_values,
)

_MAX_CALL_DEPTH, _MAX_CALLS = 12, 25_000
# functions that return the function with a given name
_FUNCTION_LOOKUPS = {"match.fun", "get", "get0", "getExportedValue", "getFromNamespace"}


class CallEvaluator(PublicationRecorder):
    """Evaluator of the calls of a script."""

    @abstractmethod
    def evaluate_form(self, form: Form) -> Value:
        """Evaluate a form with its effects, and return the facts known of its value."""

    @abstractmethod
    def _evaluate_in_contexts(self, contexts: Sequence[Form], body: Form) -> Value:
        """Return the value of a body inside context managers such as a budget."""

    @abstractmethod
    def _resolve_records(self, value: Value) -> Value:
        """Return a value, as records if its origin was found to be data."""

    @contextmanager
    def _open_round(self, count: float) -> Iterator[int]:
        self._marks += 1
        self._loops.append((self._marks, count))
        try:
            yield self._marks
        finally:
            self._loops.pop()

    def _evaluate_call(self, form: Apply) -> Value:
        form = self._resolve_call(form)
        name = form.function
        receiver = () if form.receiver is None else ((None, form.receiver),)
        names, inside = zip(*(*receiver, *form.arguments)) if receiver or form.arguments else ((), ())
        if self._r and name == "function":
            return NULL_VALUE
        if self._r and name in functions.CLASS_DEFINITIONS and name not in self._scopes[0]:
            self._note_not_followed(form.place, "what the methods of its objects release is not read")
            return NULL_VALUE
        if name == "with" and not self._r:
            return self._evaluate_in_contexts(inside[:-1], inside[-1])
        made = None if receiver or form.package else self._find_script_function(name)
        if name == "partial" and made is None and inside:
            return self._make_partial_function(form)
        if name in _FUNCTION_LOOKUPS and self._r and inside and isinstance(inside[0], Literal):
            return self.evaluate_form(Variable(form.place, str(inside[0].value)))
        if made is None and name in functions.APPLY_FUNCTIONS and (self._r or receiver or name in ("sapply", "map")):
            found = self._evaluate_apply_function(form, names, inside)
            if found is not None:
                return found
        if name == "replicate" and len(inside) > 1:
            times = self.evaluate_form(inside[0]).constant
            with self._open_round(times if isinstance(times, float) else math.inf):
                return self.evaluate_form(inside[1])
        first = self._evaluate_arguments(names[:1], inside[:1], NULL_VALUE)
        method = first[0][1].parts.get(name) if receiver and first else None
        if method is None and not name and first:
            # the value of the first form is called
            method = first[0][1]
        if method is not None and method.function:
            return self._call_script_function(
                method, self._evaluate_arguments(names[1:], inside[1:], NULL_VALUE), form.place
            )
        # the arguments of a release are not evaluated as columns of its data
        of = NULL_VALUE if self._is_mirror(form) or made else merge_values(value for _, value in first)
        if labels := [form for word, form in zip(names, inside) if word in (".by", "keyby")]:
            of = effects.group_records(
                [*first, *((None, each) for each in self._evaluate_in_data(of, labels))], form.place
            )
        given = first + self._evaluate_arguments(names[1:], inside[1:], of)
        if made is not None:
            return self._call_script_function(made, given, form.place)
        return self._resolve_records(self._evaluate_known_call(form, name, given))

    # the called function with its arguments

    def _resolve_call(self, form: Apply) -> Apply:
        """Return a call of the function that a variable or ``do.call`` refers to."""
        place, name = form.place, form.function
        if name in ("do.call", "invoke", "exec") and self._r and form.arguments:
            (_, called), *rest = [each for each in form.arguments if each[0] not in ("quote", "envir")]
            listed = name != "exec"
            given = [(None, Spread(place, each)) for _, each in rest[:listed]] + rest[listed:]
            return self._resolve_call(self._make_call(called, tuple(given), place))
        if form.receiver is not None or form.package:
            return form
        if not name and form.arguments:
            found = self._make_call(form.arguments[0][1], form.arguments[1:], place)
            return self._resolve_call(found) if found.function else form
        scope = next((each for each in reversed(self._scopes) if name in each), None)
        meant = _find_function_alias(scope[name]) if scope else ""
        return form._replace(function=meant, package="" if self._r else "pydpstat") if meant else form

    def _make_call(self, called: Form, given: tuple[tuple[str | None, Form], ...], place: Place) -> Apply:
        """Return a call of the function that a form refers to."""
        if isinstance(called, Apply) and called.function in _FUNCTION_LOOKUPS and called.arguments:
            called = called.arguments[0][1]
        if isinstance(called, Literal) and isinstance(called.value, str):
            return Apply(place, called.value, given)
        if isinstance(called, Variable):
            return Apply(place, called.name, given)
        return Apply(place, "", ((None, called), *given))

    def _evaluate_arguments(self, names: Sequence[str | None], inside: Sequence[Form], data: Value) -> NamedValues:
        """Return the values of arguments; unassigned names may be columns of the data."""
        found: NamedValues = []
        if data.is_private:
            self._columns.append(data)
        for name, form in zip(names, inside):
            value = self.evaluate_form(form.value if isinstance(form, Spread) else form)
            found += get_named_values(value) if isinstance(form, Spread) else [(name, value)]
        if data.is_private:
            self._columns.pop()
        return found

    def _evaluate_pairs(self, arguments: Sequence[tuple[str | None, Form]]) -> NamedValues:
        return self._evaluate_arguments([name for name, _ in arguments], [form for _, form in arguments], NULL_VALUE)

    def _evaluate_in_data(self, data: Value, values: Sequence[Form]) -> list[Value]:
        """Return the values of forms; unassigned names may be columns of the data."""
        return [value for _, value in self._evaluate_arguments([None] * len(values), values, data)]

    def _make_partial_function(self, form: Apply) -> Value:
        """Return a function with some arguments already bound."""
        place = form.place
        rest = (None, Spread(place, Variable(place, "...")))
        (_, called), *given = form.arguments
        body = self._make_call(called, (*given, rest), place)
        body = body._replace(package="" if self._r else "pydpstat")
        made = Lambda(place, (("...", None),), body, has_implicit_return=True)
        return Value(function=made, closure_scopes=tuple(self._scopes[1:]))

    def _is_mirror(self, form: Apply) -> bool:
        word = form.function.replace(".", "_")
        return word in releases.MIRRORS and (self._r or form.package == "pydpstat")

    def _find_script_function(self, name: str) -> Value | None:
        """Return the variable of this name if it is a function of the script."""
        found = next((scope[name] for scope in reversed(self._scopes) if name in scope), NULL_VALUE)
        return found if found.function else None

    def _call_script_function(self, called: Value, given: NamedValues, place: Place) -> Value:
        """Return the value of a call of a script's function, whose body is evaluated at each call."""
        made = called.function
        assert made is not None
        self._called_ids.add(id(made))
        self._calls += 1
        if made in self._active_functions or len(self._active_functions) >= _MAX_CALL_DEPTH or self._calls > _MAX_CALLS:
            self._note_not_followed(place, "the function calls itself, or too many are called")
            return merge_values(value for _, value in given)
        scope, missing = _bind_formals(made, given, self._r)
        before, columns = self._scopes, self._columns
        # a function that another function returned has the variables of its closure
        outer = [each for each in called.closure_scopes if not any(each is one for one in before)]
        self._scopes, self._columns = [*before, *outer, scope], []
        self._returned_values.append([])
        self._active_functions.append(made)
        for name, default in made.formals:
            if name in missing and default is not None:
                scope[name] = self.evaluate_form(default)
        last = self.evaluate_form(made.body)
        self._scopes, self._columns = before, columns
        self._active_functions.pop()
        values = [*self._returned_values.pop(), *([last] if made.has_implicit_return and last != NULL_VALUE else [])]
        return merge_values(values) if len(values) > 1 else values[0] if values else NULL_VALUE

    # apply functions, which call another function for each element

    def _evaluate_apply_function(
        self, form: Apply, names: Sequence[str | None], inside: Sequence[Form]
    ) -> Value | None:
        """Return the value of an apply function, or None where no function is given."""
        at = next((k for k, each in enumerate(inside) if self._is_function(names[k], each)), None)
        if at is None:
            return None
        others = [(name, each) for k, (name, each) in enumerate(zip(names, inside)) if k != at]
        by_group, several = (form.function in functions.GROUP_APPLIES, form.function in functions.APPLIES_TO_SEVERAL)
        values = self._evaluate_pairs(others)
        more = next((value for name, value in values if name == "MoreArgs"), NULL_VALUE)
        left = [each for each in values if each[0] not in functions.APPLY_ARGUMENTS]
        skipped = functions.N_SKIPPED.get(form.function, 0) if len(left) == len(values) else 0
        values = left[form.function.startswith("par") :]
        if not values:
            return NULL_VALUE
        free = [k for k, (name, _) in enumerate(values) if name is None or name in functions.ITERABLE_ARGUMENTS]
        first = values[free[0] if free else 0][1]
        extra: NamedValues = []
        if by_group:
            # the group labels in a formula are column names
            formulas = (each for _, each in others if isinstance(each, Apply) and each.function == "~")
            labels = [pair for each in formulas for pair in self._evaluate_pairs(each.arguments)]
            first = effects.group_records([*values, *labels], form.place)
        else:
            dropped = {*free[:1], *free[1 : 1 + skipped]}
            extra = [each for k, each in enumerate(values) if k not in dropped]
        with self._open_round(first.count) as loop:
            element = effects.get_loop_element(first, loop)
            if form.function in functions.APPLIES_TO_LIST and first.items:
                given = [(name, effects.get_loop_element(value, loop)) for name, value in get_named_values(first)]
            elif several:
                given = [(name, effects.get_loop_element(value, loop)) for name, value in values]
            else:
                before = [(None, Value())] * (form.function in functions.FOLDS)
                given = [*before, (None, element), *extra]
            value = self._call_with_values(inside[at], given + get_named_values(more), form.place)
            return value if by_group else effects.collect_rounds(form.function, value, first.count)

    def _call_with_values(self, function: Form, given: NamedValues, place: Place) -> Value:
        """Return the value of a call of the function that a form refers to."""
        call = self._resolve_call(self._make_call(function, (), place))
        made = self._find_script_function(call.function) if call.function else self.evaluate_form(function)
        if made is not None and made.function:
            several = isinstance(function, Lambda) and not self._r and len(function.formals) > len(given)
            return self._call_script_function(made, given * (len(made.function.formals) if several else 1), place)
        package = call.package or ("pydpstat" if call.function in releases.PUBLIC_NAMES and not self._r else "")
        return self._resolve_records(self._evaluate_known_call(call._replace(package=package), call.function, given))

    def _is_function(self, name: str | None, form: Form) -> bool:
        if isinstance(form, Lambda) or name in ("FUN", "fun", "f", ".f", ".fns", "func"):
            return True
        if isinstance(form, Apply):
            return form.function == "partial" or form.function in _FUNCTION_LOOKUPS
        if not isinstance(form, Variable):
            return False
        held = next((scope[form.name] for scope in reversed(self._scopes) if form.name in scope), None)
        if held is not None:
            return held.function is not None or bool(_find_function_alias(held))
        known = form.name.replace(".", "_") in releases.MIRRORS
        return known or form.name in functions.SUMMARIES | functions.RECORDWISE

    # functions from outside the script

    def _evaluate_known_call(self, form: Apply, name: str, given: NamedValues) -> Value:
        """Return the value of a function from outside the script, and record its releases and outputs."""
        place, values = form.place, [value for _, value in given]
        first = values[0] if values else NULL_VALUE
        word = name.replace(".", "_")
        draws = self._r or form.package in ("numpy", "scipy", "random")
        if name == "return" and self._returned_values:
            self._returned_values[-1].append(first)
            return NULL_VALUE
        if self._is_mirror(form) or (name == "fit" and first.made and first.made.function in releases.MODELS):
            return self._evaluate_mirror(place, word, given)
        if not self._r and (found := self._evaluate_own_call(form, name, given)):
            return found
        if name in functions.IDENTITY_FUNCTIONS and self._r and values:
            return first
        if name in ("break", "next"):
            self._breaks += [(test, functions.DECISION, value) for test, value in self._tests]
            return NULL_VALUE
        if name in ("stop", "stopifnot", "warning"):
            # data may be checked, but not compared with a release
            tests = [*self._tests, *((place, each) for each in values if each.is_private)]
            self.facts.outputs += [(test, functions.DECISION, each) for test, each in tests if each.compared]
            self.facts.stated |= merge_values(values).stated if name == "stopifnot" else EMPTY_SET
            return NULL_VALUE
        if name == "set.seed":
            self._seed = place if first != NULL_VALUE else None
            return NULL_VALUE
        if name in ("load", "attach") and self._r:
            self._loaded = first if name == "attach" else make_records(Source(place.text, place.line))
            return NULL_VALUE
        if (
            name in functions.GROUP_SIZE_FUNCTIONS
            and not values
            and self._columns
            and GROUPED_MARK in self._columns[-1].split
        ):
            return effects.evaluate_function("sum", [(None, self._columns[-1])], place, self._r)
        if name in functions.UNFOLLOWED_REASONS and not (name == "assign" and form.receiver is not None):
            self._note_not_followed(place, functions.UNFOLLOWED_REASONS[name])
        if name in functions.COMPARISONS:
            self.facts.stated |= merge_values(values).stated
            if TOTAL_NAME.search(place.text):
                # a compared sum of several epsilons, as in sum(eps) <= 1
                self.facts.stated |= {each.constant for each in values if isinstance(each.constant, float)}
        self._check_digits(place, name, given)
        drawn = not any(word == "plot" and value.constant is False for word, value in given)
        if name in functions.PRINTS | functions.WRITES or (name in functions.PLOTS and drawn):
            shown = self._note_output(place, name, values)
            return (
                shown
                if name not in functions.PLOTS_WITH_FIGURES
                else effects.evaluate_function(name, given, place, draws)
            )
        if name.endswith("DataAccess") and word in releases.PUBLIC_NAMES:
            return Value(parts={"True.Values": effects.evaluate_function("mean", given, place, self._r)})
        if made := effects.find_added_noise(name, given, place, draws):
            self._note_added_noise(place, made, values)
            return Value(NOISY, marks=merge_values(values).marks, why=str(place))
        for each in values[1:]:
            if each.function and id(each.function) not in self._called_ids:
                # the caller and the number of calls are unknown
                with self._open_round(math.inf):
                    self._call_script_function(each, [(None, v) for v in values if not v.function], place)
        if name in functions.SUMMARIZERS and first.is_private:
            named = {word: value for word, value in given if word and word != ".by"}
            return replace(merge_values(values[1:]), parts=named) if values[1:] else first
        read = effects.make_read_records(name, place, given) if form.receiver is None else None
        return read or effects.evaluate_function(name, given, place, draws)


def _find_function_alias(value: Value) -> str:
    """Return the name of the other function that a variable refers to, or an empty string."""
    name = getattr(value.constant, "__name__", "") if callable(value.constant) else ""
    if name in releases.PUBLIC_NAMES:
        return str(name)
    alias = min(value.origins) if value.unknown and len(value.origins) == 1 else ""
    return alias if alias in functions.SUMMARIES | functions.RECORDWISE else ""


def _bind_formals(function: Lambda, given: NamedValues, is_r: bool) -> tuple[dict[str, Value], set[str]]:
    """Return the variables that a function's arguments define, and the names without a value."""
    names = dict.fromkeys(name for name, _ in function.formals if not _is_rest(name))
    before = [name for name, _ in takewhile(lambda each: not _is_rest(each[0]), function.formals)]
    unknown = Value(unknown="it is an argument of a function that is not called")
    scope = {name: unknown if default is None else NULL_VALUE for name, default in function.formals}
    exact: dict[str, Value] = {}
    rest: NamedValues = []
    for formal, (name, value) in zip(_match_formals(function, before, [name for name, _ in given], is_r), given):
        if formal is None:
            rest.append((name, value))
        else:
            exact[formal] = value
    scope |= exact
    for name in filter(_is_rest, scope.copy()):
        kind = {"...": rest, "**": [each for each in rest if each[0]]}
        taken = kind.get(name[: 3 if name == "..." else 2], [each for each in rest if not each[0]])
        scope[name.lstrip("*")] = make_list_value(taken)
    return scope, {*names} - exact.keys()


def _match_formals(
    function: Lambda, before: list[str], given: Sequence[str | None], is_r: bool
) -> Sequence[str | None]:
    """Return the formal argument of each argument of a call, with None for those in the rest."""
    names = [name for name, _ in function.formals]
    if is_r:
        try:
            return [each if each != DOTS else None for each in match_arguments(names, given)]
        except AmbiguousArguments:
            return [None] * len(given)
    takes_rest = any(map(_is_rest, names))
    free = [name for name in before if name not in given and name != "self"]
    found: list[str | None] = []
    for name in given:
        known = name in names
        found.append(name if known else free.pop(0) if free and (name is None or not takes_rest) else None)
    return found


def _is_rest(name: str) -> bool:
    return name == "..." or name.startswith("*")
