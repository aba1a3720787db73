"""What a script publishes: releases, and what it shows or writes of data."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._effects import Given
from pydpstat.porting._forms import Apply, Lambda, Place
from pydpstat.porting._values import GROUPED, NOISY, NONE, NOTHING, Made, Value, joined

# the numbers that may be a total of what releases spend
TOTAL = re.compile(r"eps|budget", re.IGNORECASE)
# so many digits of a noisy number show which numbers its noise is made from
_DIGITS = 9


@dataclass(slots=True)
class Facts:
    """What a script does.

    `outputs` are values of the data that are shown, written or drawn, and how; `noises` is noise that the
    script adds by itself, with the sum; `declared` are public arguments of designs; `digits` is where
    noisy numbers are shown with all their digits, and `masked` where R's functions of models are defined.
    `stated` are the totals of epsilon that the releases' epsilons are shares of, or are compared with.
    """

    releases: list[releases.Release] = field(default_factory=list)
    outputs: list[tuple[Place, str, Value]] = field(default_factory=list)
    noises: list[tuple[Place, Made, Value]] = field(default_factory=list)
    closures: list[Place] = field(default_factory=list)
    declared: list[tuple[Place, str, Value]] = field(default_factory=list)
    digits: list[tuple[Place, str]] = field(default_factory=list)
    masked: dict[str, Place] = field(default_factory=dict)
    not_followed: dict[tuple[int, str], Place] = field(default_factory=dict)
    stated: set[float] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)


class Publishing:
    """A run through a script, in which `data` are the origins of what was found to be data."""

    def __init__(self, r: bool, data: frozenset[str], steps: float = math.inf) -> None:
        self.facts, self.steps = Facts(), steps
        self._r, self._data = r, data
        self._scopes: list[dict[str, Value]] = [{}]
        self._columns: list[Value] = []
        self._loaded: Value | None = None
        self._returned: list[list[Value]] = []
        self._loops: list[tuple[int, float]] = []
        # the conditions with raw values around a statement, and those that end a loop
        self._tests: list[tuple[Place, Value]] = []
        self._breaks: list[tuple[Place, str, Value]] = []
        self._seed: Place | None = None
        self._running: list[Lambda] = []
        self._called: set[int] = set()
        self._defined: dict[int, Lambda] = {}
        self._budget = self._calls = self._marks = 0
        self._silent = False
        self._shown = 7.0

    def _mirror(self, place: Place, name: str, given: Given) -> Value:
        model = given[0][1].made if name == "fit" else None
        owner, given = (model.function, given[1:]) if model else ("", given)
        found = self._matched(place, name, owner, given, self._r)
        if name in releases.MADE:
            return Value(made=Made(name, found, place))
        if name in releases.SAMPLERS:
            return self._sampled(found)
        return self._release(place, name, found, model, own=False)

    def _matched(self, place: Place, name: str, owner: str, given: Given, r: bool) -> dict[str, Value]:
        found, wrong = releases.matched(releases.formals(name, owner), given, r)
        for each in wrong:
            self._give_up(place, f"{name} has no argument {each}")
        return found

    def _sampled(self, found: dict[str, Value]) -> Value:
        made, gamma = found.get("object", NOTHING).made, found.get("gamma", NOTHING)
        if made is None:
            return NOTHING
        share = gamma if isinstance(gamma.constant, float) else Value(constant=0.1)
        more = {"gammaSensitivity": share, "sensitivity": Value(constant=1.0)}
        return Value(made=made._replace(arguments={**made.arguments, **more}))

    def _own(self, form: Apply, name: str, given: Given) -> Value | None:
        """Return what pydpstat's functions give."""
        place, imported = form.place, form.package == "pydpstat"
        owner = given[0][1].made if form.receiver is not None else None
        if imported and name == "design":
            found = self._matched(place, name, "", given, False)
            declared = [word for word in ("bounds", "levels") if word in found]
            self.facts.declared += [(place, word, found[word]) for word in declared]
            return Value(made=Made(name, found, place))
        if imported and name in ("Budget", "open", "odometer"):
            found, _ = releases.matched(releases.formals("Budget"), given, r=False)
            return Value(made=Made("Budget", found, place))
        if name in ("RRandom", "default_rng", "Generator", "RandomState"):
            fixed = any(value.known and value != NOTHING or value.seeded for _, value in given)
            return Value(made=Made("generator", {}, place), seeded=place if fixed else None)
        own = releases.own_releases() | releases.NOISE
        if owner is not None and owner.function == "design":
            if name in own:
                return self._of_design(place, name, owner, given[1:])
            return given[0][1] if name in ("subset", "assign") else None
        if imported and name in own:
            found = self._matched(place, name, "", given, False)
            return self._release(place, name, found, None, own=name not in releases.NOISE)
        return None

    def _of_design(self, place: Place, name: str, owner: Made, given: Given) -> Value:
        found, _ = releases.matched(releases.formals(name, "design"), given, r=False)
        found |= dict.fromkeys(releases.data_names(name, own=True), owner.arguments.get("data", NOTHING))
        declared = ("neighbors", "budget", "rng", "missing")
        found = {word: each for word, each in owner.arguments.items() if word in declared} | found
        return self._release(place, name, found, None, own=True)

    def _release(
        self, place: Place, name: str, found: dict[str, Value], model: Made | None, own: bool
    ) -> Value:
        given, budget = found.get("rng", NOTHING), found.get("budget", NOTHING)
        seed = given.seeded or (place if isinstance(given.constant, float) else self._seed)
        paid = self._budget > 0 or (budget != NOTHING and not is_endless(budget))
        release = releases.Release(place, name, found, model, own, 1.0, seed, paid)
        data = joined(release.data().values())
        times = 2.0 if GROUPED in data.split else 1.0
        drawn = [each.drawn or NONE for each in data.sources]
        redrawn = frozenset.intersection(*drawn) if drawn else NONE
        for loop, count in self._loops:
            # what is drawn in a loop is other data in each round
            times *= 1.0 if loop in redrawn else min(2.0, count) if loop in data.split else count
        self._decide()
        self.facts.releases += self._by_round(replace(release, times=times))
        for word, value in release.public().items():
            self.facts.stated |= value.stated if word in ("eps", "epsilon") else set()
        for value in release.data().values():
            if not value.private and value.level != NOISY:
                self.facts.origins |= value.origins
        made = found.get("mechanism", NOTHING).made if name == "releaseResponse" else None
        return Value(NOISY, marks=data.marks, made=made, why=str(place) if name in releases.REAL else "")

    def _by_round(self, release: releases.Release) -> list[releases.Release]:
        """Return the releases of a loop one by one where a public number of each round is known."""
        found = release.arguments
        several = {name: value.rounds for name, value in found.items() if value.rounds}
        sizes = {*map(len, several.values())}
        if len(sizes) != 1 or not math.isfinite(release.times):
            return [release]
        [size] = sizes
        rounds = [
            {name: replace(found[name], constant=each[k], rounds=()) for name, each in several.items()}
            for k in range(size)
        ]
        times, left = divmod(release.times, size)
        if left:
            # of groups, one record is in two of them at most
            rounds.sort(key=lambda each: -_epsilon({**found, **each}))
            rounds, times = rounds[: int(release.times)], 1.0
        return [replace(release, arguments={**found, **each}, times=times) for each in rounds]

    def _output(self, place: Place, how: str, values: list[Value]) -> Value:
        if how == "save.image":
            values = list(self._scopes[0].values())
        closure = any(
            each.made and each.made.function == "DPMechBernstein" and each.level == NOISY for each in values
        )
        if closure and self._r and how in functions.WRITES:
            self.facts.closures.append(place)
        self._publish(place, how, values)
        return values[0] if values and how == "print" else NOTHING

    def _publish(self, place: Place, how: str, values: Sequence[Value]) -> None:
        value = joined(values)
        if value.private:
            self.facts.outputs.append((place, how, value))
        elif value != NOTHING:
            self._decide()
        if self._shown > _DIGITS and how in functions.PRINTS | {"shown"}:
            self._precise(place, [value])

    def _decide(self) -> None:
        """Note that what happens here tells of the conditions around it."""
        self.facts.outputs += [(place, functions.DECIDES, value) for place, value in self._tests]

    def _digits(self, place: Place, name: str, given: Given) -> None:
        """Note that R, or a format, is asked for more digits than noise from 32 bits should show."""
        texts = " ".join(str(value.constant) for _, value in given if isinstance(value.constant, str))
        asked = [float(each) for each in re.findall(r"%[-+ 0#]*\d*\.(\d+)[efgEG]", texts)]
        rounds = name in ("round", "signif")
        words = [each for word, each in given[rounds:] if rounds or word in ("digits", "nsmall")]
        asked += [each.constant for each in words if isinstance(each.constant, float)]
        if name == "options":
            self._shown = max([*asked, 7.0])
        elif max(asked, default=0.0) > _DIGITS:
            self._precise(place, [value for _, value in given])

    def _precise(self, place: Place, values: Sequence[Value]) -> None:
        noisy = next((each.why for each in values if each.level == NOISY and each.why), "")
        if noisy and self._r:
            self.facts.digits.append((place, noisy))

    def _noise(self, place: Place, made: Made, values: Sequence[Value]) -> None:
        self._give_up(place, "what noise that is added by hand keeps")
        self.facts.noises.append((place, made, joined(values)))

    def _give_up(self, place: Place, reason: str) -> None:
        self.facts.not_followed.setdefault((place.line, reason), place)


def _epsilon(arguments: Mapping[str, Value]) -> float:
    constants = (arguments[name].constant for name in ("eps", "epsilon") if name in arguments)
    return next((each for each in constants if isinstance(each, float)), 0.0)


def is_endless(value: Value) -> bool:
    """Return whether a budget has no limit."""
    limit = value.made.arguments.get("epsilon", NOTHING) if value.made else NOTHING
    return limit.constant == math.inf
