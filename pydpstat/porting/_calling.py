"""Calls of functions, of a script's own and of others: what they are given, release and return."""

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
from pydpstat.porting._effects import records
from pydpstat.porting._forms import Apply, Form, Lambda, Literal, Place, Spread, Variable
from pydpstat.porting._publishing import TOTAL, Publishing
from pydpstat.porting._values import (
    GROUPED,
    NOISY,
    NONE,
    NOTHING,
    Pairs,
    Source,
    Value,
    joined,
    listed,
    pairs_of,
)

_DEEPEST, _MOST_CALLS = 12, 50_000
# functions that return the function of a name
_LOOKUPS = {"match.fun", "get", "get0", "getExportedValue", "getFromNamespace"}


class Calling(Publishing):
    """The calls of a script."""

    @abstractmethod
    def value(self, form: Form) -> Value:
        """Return what is known of a form's value, after what it does."""

    @abstractmethod
    def _within(self, contexts: Sequence[Form], body: Form) -> Value:
        """Return the value of a body in contexts such as a budget."""

    @abstractmethod
    def _data_or(self, value: Value) -> Value:
        """Return a value, as records if it was found to be data."""

    @contextmanager
    def _round(self, count: float) -> Iterator[int]:
        self._marks += 1
        self._loops.append((self._marks, count))
        try:
            yield self._marks
        finally:
            self._loops.pop()

    def _apply(self, form: Apply) -> Value:
        form = self._resolved(form)
        name = form.function
        receiver = () if form.receiver is None else ((None, form.receiver),)
        names, inside = zip(*(*receiver, *form.arguments)) if receiver or form.arguments else ((), ())
        if self._r and name == "function":
            return NOTHING
        if name == "with" and not self._r:
            return self._within(inside[:-1], inside[-1])
        made = None if receiver or form.package else self._function(name)
        if name == "partial" and made is None and inside:
            return self._partial(form)
        if name in _LOOKUPS and self._r and inside and isinstance(inside[0], Literal):
            return self.value(Variable(form.place, str(inside[0].value)))
        if made is None and name in functions.APPLIES and (self._r or receiver or name in ("sapply", "map")):
            found = self._mapped(form, names, inside)
            if found is not None:
                return found
        if name == "replicate" and len(inside) > 1:
            times = self.value(inside[0]).constant
            with self._round(times if isinstance(times, float) else math.inf):
                return self.value(inside[1])
        first = self._given(names[:1], inside[:1], NOTHING)
        method = first[0][1].parts.get(name) if receiver and first else None
        if method is None and not name and first:
            # what is called is the value of the first form
            method = first[0][1]
        if method is not None and method.function:
            return self._invoke(method, self._given(names[1:], inside[1:], NOTHING), form.place)
        # a release has no columns of its data as arguments
        of = NOTHING if self._is_mirror(form) or made else joined(value for _, value in first)
        if labels := [form for word, form in zip(names, inside) if word in (".by", "keyby")]:
            of = effects.grouped([*first, *((None, each) for each in self._in(of, labels))], form.place)
        given = first + self._given(names[1:], inside[1:], of)
        if made is not None:
            return self._invoke(made, given, form.place)
        return self._data_or(self._known(form, name, given))

    # what is called, and with what

    def _resolved(self, form: Apply) -> Apply:
        """Return a call of the function that is meant by a variable, or by ``do.call``."""
        place, name = form.place, form.function
        if name in ("do.call", "invoke", "exec") and self._r and form.arguments:
            (_, called), *rest = [each for each in form.arguments if each[0] not in ("quote", "envir")]
            listed = name != "exec"
            given = [(None, Spread(place, each)) for _, each in rest[:listed]] + rest[listed:]
            return self._resolved(self._call_of(called, tuple(given), place))
        if form.receiver is not None or form.package:
            return form
        if not name and form.arguments:
            found = self._call_of(form.arguments[0][1], form.arguments[1:], place)
            return self._resolved(found) if found.function else form
        scope = next((each for each in reversed(self._scopes) if name in each), None)
        meant = _name_in(scope[name]) if scope else ""
        return form._replace(function=meant, package="" if self._r else "pydpstat") if meant else form

    def _call_of(self, called: Form, given: tuple[tuple[str | None, Form], ...], place: Place) -> Apply:
        """Return a call of what a form means."""
        if isinstance(called, Apply) and called.function in _LOOKUPS and called.arguments:
            called = called.arguments[0][1]
        if isinstance(called, Literal) and isinstance(called.value, str):
            return Apply(place, called.value, given)
        if isinstance(called, Variable):
            return Apply(place, called.name, given)
        return Apply(place, "", ((None, called), *given))

    def _given(self, names: Sequence[str | None], inside: Sequence[Form], of: Value) -> Pairs:
        """Return the values of arguments, where names that are not assigned may be columns of data."""
        found: Pairs = []
        if of.private:
            self._columns.append(of)
        for name, form in zip(names, inside):
            value = self.value(form.value if isinstance(form, Spread) else form)
            found += pairs_of(value) if isinstance(form, Spread) else [(name, value)]
        if of.private:
            self._columns.pop()
        return found

    def _pairs(self, arguments: Sequence[tuple[str | None, Form]]) -> Pairs:
        return self._given([name for name, _ in arguments], [form for _, form in arguments], NOTHING)

    def _in(self, data: Value, values: Sequence[Form]) -> list[Value]:
        """Return values where names that are not assigned may be columns of data."""
        return [value for _, value in self._given([None] * len(values), values, data)]

    def _partial(self, form: Apply) -> Value:
        """Return a function some of whose arguments are given."""
        place = form.place
        rest = (None, Spread(place, Variable(place, "...")))
        (_, called), *given = form.arguments
        body = self._call_of(called, (*given, rest), place)
        body = body._replace(package="" if self._r else "pydpstat")
        made = Lambda(place, (("...", None),), body, last=True)
        return Value(function=made, around=tuple(self._scopes[1:]))

    def _is_mirror(self, form: Apply) -> bool:
        word = form.function.replace(".", "_")
        return word in releases.MIRRORS and (self._r or form.package == "pydpstat")

    def _function(self, name: str) -> Value | None:
        """Return the variable of a name if it is a function of the script."""
        found = next((scope[name] for scope in reversed(self._scopes) if name in scope), NOTHING)
        return found if found.function else None

    def _invoke(self, called: Value, given: Pairs, place: Place) -> Value:
        """Return the value of one of the script's functions, whose body is followed at each call."""
        made = called.function
        assert made is not None
        self._called.add(id(made))
        self._calls += 1
        if made in self._running or len(self._running) >= _DEEPEST or self._calls > _MOST_CALLS:
            self._give_up(place, "the function calls itself, or too many are called")
            return joined(value for _, value in given)
        scope, missing = _bound(made, given, self._r)
        before, columns = self._scopes, self._columns
        # a function that was returned by another one has its variables
        outer = [each for each in called.around if not any(each is one for one in before)]
        self._scopes, self._columns = [*before, *outer, scope], []
        self._returned.append([])
        self._running.append(made)
        for name, default in made.formals:
            if name in missing and default is not None:
                scope[name] = self.value(default)
        last = self.value(made.body)
        self._scopes, self._columns = before, columns
        self._running.pop()
        values = [*self._returned.pop(), *([last] if made.last and last != NOTHING else [])]
        return joined(values) if len(values) > 1 else values[0] if values else NOTHING

    # functions that call another one for each part of some values

    def _mapped(self, form: Apply, names: Sequence[str | None], inside: Sequence[Form]) -> Value | None:
        """Return what a function gives for each part of some values; None where none is given."""
        at = next((k for k, each in enumerate(inside) if self._is_function(names[k], each)), None)
        if at is None:
            return None
        others = [(name, each) for k, (name, each) in enumerate(zip(names, inside)) if k != at]
        by_group, several = form.function in functions.BY_GROUP, form.function in functions.OVER_SEVERAL
        values = self._pairs(others)
        more = next((value for name, value in values if name == "MoreArgs"), NOTHING)
        left = [each for each in values if each[0] not in functions.OF_APPLIES]
        skipped = functions.SKIPPED.get(form.function, 0) if len(left) == len(values) else 0
        values = left[form.function.startswith("par") :]
        if not values:
            return NOTHING
        free = [k for k, (name, _) in enumerate(values) if name is None or name in functions.OVER]
        first = values[free[0] if free else 0][1]
        extra: Pairs = []
        if by_group:
            # the labels of groups in a formula are names of columns
            formulas = (each for _, each in others if isinstance(each, Apply) and each.function == "~")
            labels = [pair for each in formulas for pair in self._pairs(each.arguments)]
            first = effects.grouped([*values, *labels], form.place)
        else:
            dropped = {*free[:1], *free[1 : 1 + skipped]}
            extra = [each for k, each in enumerate(values) if k not in dropped]
        with self._round(first.count) as loop:
            element = effects.element_of(first, loop)
            if form.function in functions.OVER_LIST and first.items:
                given = [(name, effects.element_of(value, loop)) for name, value in pairs_of(first)]
            elif several:
                given = [(name, effects.element_of(value, loop)) for name, value in values]
            else:
                before = [(None, Value())] * (form.function in functions.FOLDS)
                given = [*before, (None, element), *extra]
            value = self._called_with(inside[at], given + pairs_of(more), form.place)
            return value if by_group else effects.collected(form.function, value, first.count)

    def _called_with(self, function: Form, given: Pairs, place: Place) -> Value:
        """Return the value of a call of what a form means."""
        call = self._resolved(self._call_of(function, (), place))
        made = self._function(call.function) if call.function else self.value(function)
        if made is not None and made.function:
            several = isinstance(function, Lambda) and not self._r and len(function.formals) > len(given)
            return self._invoke(made, given * (len(made.function.formals) if several else 1), place)
        package = call.package or ("pydpstat" if call.function in releases.NAMES and not self._r else "")
        return self._data_or(self._known(call._replace(package=package), call.function, given))

    def _is_function(self, name: str | None, form: Form) -> bool:
        if isinstance(form, Lambda) or name in ("FUN", "fun", "f", ".f", ".fns", "func"):
            return True
        if isinstance(form, Apply):
            return form.function == "partial" or form.function in _LOOKUPS
        if not isinstance(form, Variable):
            return False
        held = next((scope[form.name] for scope in reversed(self._scopes) if form.name in scope), None)
        if held is not None:
            return held.function is not None or bool(_name_in(held))
        known = form.name.replace(".", "_") in releases.MIRRORS
        return known or form.name in functions.SUMMARIES | functions.RECORDWISE

    # functions that are not the script's

    def _known(self, form: Apply, name: str, given: Pairs) -> Value:
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
        if name in functions.SAME and self._r and values:
            return first
        if name in ("break", "next"):
            self._breaks += [(test, functions.DECIDES, value) for test, value in self._tests]
            return NOTHING
        if name in ("stop", "stopifnot", "warning"):
            # data may be checked, but not compared with what is released
            tests = [*self._tests, *((place, each) for each in values if each.private)]
            self.facts.outputs += [(test, functions.DECIDES, each) for test, each in tests if each.compared]
            self.facts.stated |= joined(values).stated if name == "stopifnot" else NONE
            return NOTHING
        if name == "set.seed":
            self._seed = place if first != NOTHING else None
            return NOTHING
        if name in ("load", "attach") and self._r:
            self._loaded = first if name == "attach" else records(Source(place.text, place.line))
            return NOTHING
        if name in functions.COUNTS and not values and self._columns and GROUPED in self._columns[-1].split:
            return effects.value_of("sum", [(None, self._columns[-1])], place, self._r)
        if name in functions.OPAQUE and not (name == "assign" and form.receiver is not None):
            self._give_up(place, functions.OPAQUE[name])
        if name in functions.COMPARES:
            self.facts.stated |= joined(values).stated
            if TOTAL.search(place.text):
                # a sum of several epsilons that is compared, as in sum(eps) <= 1
                self.facts.stated |= {each.constant for each in values if isinstance(each.constant, float)}
        self._digits(place, name, given)
        drawn = not any(word == "plot" and value.constant is False for word, value in given)
        if name in functions.PRINTS | functions.WRITES or (name in functions.PLOTS and drawn):
            shown = self._output(place, name, values)
            return shown if name not in functions.FIGURES else effects.value_of(name, given, place, draws)
        if name.endswith("DataAccess") and word in releases.NAMES:
            return Value(parts={"True.Values": effects.value_of("mean", given, place, self._r)})
        if made := effects.noise_in(name, given, place, draws):
            self._noise(place, made, values)
            return Value(NOISY, marks=joined(values).marks, why=str(place))
        for each in values[1:]:
            if each.function and id(each.function) not in self._called:
                # what calls it is not known, nor how often
                with self._round(math.inf):
                    self._invoke(each, [(None, v) for v in values if not v.function], place)
        if name in functions.SUMMARISES and first.private:
            named = {word: value for word, value in given if word and word != ".by"}
            return replace(joined(values[1:]), parts=named) if values[1:] else first
        read = effects.read_in(name, place, given) if form.receiver is None else None
        return read or effects.value_of(name, given, place, draws)


def _name_in(value: Value) -> str:
    """Return the name of another function that a variable holds; the empty text if it holds none."""
    name = getattr(value.constant, "__name__", "") if callable(value.constant) else ""
    if name in releases.NAMES:
        return str(name)
    alias = min(value.origins) if value.unknown and len(value.origins) == 1 else ""
    return alias if alias in functions.SUMMARIES | functions.RECORDWISE else ""


def _bound(made: Lambda, given: Pairs, r: bool) -> tuple[dict[str, Value], set[str]]:
    """Return the variables that a function's arguments make, and the names that got none."""
    names = dict.fromkeys(name for name, _ in made.formals if not _is_rest(name))
    before = [name for name, _ in takewhile(lambda each: not _is_rest(each[0]), made.formals)]
    unknown = Value(unknown="it is an argument of a function that is not called")
    scope = {name: unknown if default is None else NOTHING for name, default in made.formals}
    exact: dict[str, Value] = {}
    rest: Pairs = []
    for formal, (name, value) in zip(_formals_of(made, before, [name for name, _ in given], r), given):
        if formal is None:
            rest.append((name, value))
        else:
            exact[formal] = value
    scope |= exact
    for name in filter(_is_rest, scope.copy()):
        kind = {"...": rest, "**": [each for each in rest if each[0]]}
        taken = kind.get(name[: 3 if name == "..." else 2], [each for each in rest if not each[0]])
        scope[name.lstrip("*")] = listed(taken)
    return scope, {*names} - exact.keys()


def _formals_of(
    made: Lambda, before: list[str], given: Sequence[str | None], r: bool
) -> Sequence[str | None]:
    """Return the formal argument that each argument of a call goes to, None for those in the rest."""
    names = [name for name, _ in made.formals]
    if r:
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
