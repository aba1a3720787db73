"""What a script publishes: releases, and what it shows or writes of data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._effects import GROUPED
from pydpstat.porting._facts import Facts, Noise, Output
from pydpstat.porting._forms import Apply, Lambda, Place
from pydpstat.porting._values import NOISY, NOTHING, Made, Value, joined


class Publishing:
    """A run through a script, in which `data` are the origins of what was found to be data."""

    def __init__(self, r: bool, data: frozenset[str]) -> None:
        self.facts = Facts()
        self._r, self._data = r, data
        self._scopes: list[dict[str, Value]] = [{}]
        self._columns: list[Value] = []
        self._loaded: Value | None = None
        self._returned: list[list[Value]] = []
        self._loops: list[tuple[int, float]] = []
        self._budget = 0
        self._seed: Place | None = None
        self._silent = 0
        self._running: list[Lambda] = []
        self._called: set[int] = set()
        self._defined: dict[int, tuple[str, Lambda]] = {}
        self._calls = self._marks = 0

    def _mirror(self, place: Place, name: str, given: list[tuple[str | None, Value]]) -> Value:
        model = given[0][1].made if name == "fit" else None
        known = releases.formals(name, model.function if model else "")
        found, wrong = releases.matched(known, given[1:] if model else given, self._r)
        for each in wrong:
            self._give_up(place, f"{name} has no argument {each}")
        if name in releases.MADE:
            return Value(made=Made(name, found, place))
        if name in releases.SAMPLERS:
            return self._sampled(found)
        return self._release(place, name, found, model, own=False)

    def _sampled(self, found: dict[str, Value]) -> Value:
        made = found.get("object", NOTHING).made
        if made is None:
            return NOTHING
        gamma = found.get("gamma", NOTHING)
        share = gamma if isinstance(gamma.constant, float) else Value(constant=0.1)
        more = {"gammaSensitivity": share, "sensitivity": Value(constant=1.0)}
        return Value(made=replace(made, arguments={**made.arguments, **more}))

    def _own(self, form: Apply, name: str, given: list[tuple[str | None, Value]]) -> Value | None:
        """Return what pydpstat's functions give."""
        place = form.place
        owner = given[0][1].made if form.receiver is not None else None
        if form.package == "pydpstat" and name == "design":
            found, _ = releases.matched(releases.formals("design"), given, r=False)
            for word in ("bounds", "levels"):
                if word in found:
                    self.facts.declared.append((place, word, found[word]))
            return Value(made=Made("design", found, place))
        if form.package == "pydpstat" and name in ("Budget", "open", "odometer"):
            return Value(made=Made("Budget", {}, place))
        if name in ("RRandom", "default_rng", "Generator", "RandomState"):
            fixed = any(value.known and value != NOTHING or value.seeded for _, value in given)
            return Value(made=Made("generator", {}, place), seeded=place if fixed else None)
        own = releases.own_releases() | releases.NOISE
        if owner is not None and owner.function == "design":
            if name in own:
                return self._of_design(place, name, owner, given)
            return given[0][1] if name in ("subset", "assign") else None
        if form.package == "pydpstat" and name in own:
            found, wrong = releases.matched(releases.formals(name), given, r=False)
            for each in wrong:
                self._give_up(place, f"{name} has no argument {each}")
            return self._release(place, name, found, None, own=name not in releases.NOISE)
        return None

    def _of_design(
        self, place: Place, name: str, owner: Made, given: list[tuple[str | None, Value]]
    ) -> Value:
        found, _ = releases.matched(releases.formals(name, "design"), given[1:], r=False)
        table = owner.arguments.get("data", NOTHING)
        data = releases.data_names(name, own=True)
        found = {word: value for word, value in found.items() if word not in data}
        found |= dict.fromkeys(data, table)
        declared = {
            word: owner.arguments[word] for word in ("neighbors", "budget", "rng") if word in owner.arguments
        }
        return self._release(place, name, {**declared, **found}, None, own=True)

    def _release(
        self, place: Place, name: str, found: dict[str, Value], model: Made | None, own: bool
    ) -> Value:
        budget = self._budget > 0 or found.get("budget", NOTHING) != NOTHING
        given = found.get("rng", NOTHING)
        seed = given.seeded or (place if isinstance(given.constant, float) else self._seed)
        release = releases.Release(place, name, found, model, own, 1.0, seed, budget)
        data = joined(release.data().values())
        times = 2.0 if GROUPED in data.split else 1.0
        for loop, count in self._loops:
            times *= min(2.0, count) if loop in data.split else count
        if not self._silent:
            self.facts.releases.append(replace(release, times=times))
        for value in release.data().values():
            if not value.private and value.level != NOISY:
                self.facts.origins |= value.origins
        made = found.get("mechanism", NOTHING).made if name == "releaseResponse" else None
        return Value(NOISY, marks=data.marks, made=made)

    def _output(self, place: Place, how: str, values: list[Value]) -> Value:
        if how in ("save.image",):
            values = list(self._scopes[0].values())
        closure = any(
            each.made and each.made.function == "DPMechBernstein" and each.level == NOISY for each in values
        )
        if closure and self._r and how in functions.WRITES and not self._silent:
            self.facts.closures.append(place)
        self._publish(place, how, values)
        return values[0] if values and how == "print" else NOTHING

    def _publish(self, place: Place, how: str, values: Sequence[Value]) -> None:
        value = joined(values)
        if value.private and not self._silent:
            self.facts.outputs.append(Output(place, how, value))

    def _noise(self, place: Place, made: Made, values: Sequence[Value]) -> None:
        self._give_up(place, "what noise that is added by hand keeps")
        if not self._silent:
            self.facts.noises.append(Noise(place, made, joined(values)))

    def _give_up(self, place: Place, reason: str) -> None:
        if not self._silent:
            self.facts.not_followed.setdefault((place.line, reason), place)
