"""Outputs of a script: releases, and values of data that it displays or writes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydpstat.porting import _functions as functions
from pydpstat.porting import _releases as releases
from pydpstat.porting._effects import ArgumentValues
from pydpstat.porting._forms import Apply, Lambda, Place
from pydpstat.porting._values import EMPTY_SET, GROUPED_MARK, NOISY, NULL_VALUE, CreatedObject, Value, merge_values

# names of numbers that may be the total epsilon of several releases
TOTAL_NAME = re.compile(r"eps|budget", re.IGNORECASE)
# with more digits, a noisy number reveals the numbers that its noise was generated from
_MAX_SAFE_DIGITS = 9


@dataclass(slots=True)
class ScriptFacts:
    """Facts of a script that matter for privacy.

    `outputs` are values of the data that are displayed, written or plotted, with the way; `noises` are noise
    added by the script's own code, with the sums; `declared` are public arguments of designs; `digits` are
    the positions where noisy numbers are displayed with too many digits, and `masked` those where functions
    used by R's models are redefined. `stated` are the totals of epsilon that the releases' epsilons are
    shares of, or are compared with.
    """

    releases: list[releases.Release] = field(default_factory=list)
    outputs: list[tuple[Place, str, Value]] = field(default_factory=list)
    noises: list[tuple[Place, CreatedObject, Value]] = field(default_factory=list)
    closures: list[Place] = field(default_factory=list)
    declared: list[tuple[Place, str, Value]] = field(default_factory=list)
    digits: list[tuple[Place, str]] = field(default_factory=list)
    masked: dict[str, Place] = field(default_factory=dict)
    not_followed: dict[tuple[int, str], Place] = field(default_factory=dict)
    stated: set[float] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)


class PublicationRecorder:
    """Recorder of a script's outputs, in which `data` are the origins of the values found to be data."""

    def __init__(self, is_r: bool, data: frozenset[str], steps: float = math.inf) -> None:
        self.facts, self.steps = ScriptFacts(), steps
        self._r, self._data = is_r, data
        self._scopes: list[dict[str, Value]] = [{}]
        self._columns: list[Value] = []
        self._loaded: Value | None = None
        self._returned_values: list[list[Value]] = []
        self._loops: list[tuple[int, float]] = []
        # the private conditions around a statement, and those that end a loop
        self._tests: list[tuple[Place, Value]] = []
        self._breaks: list[tuple[Place, str, Value]] = []
        self._seed: Place | None = None
        self._active_functions: list[Lambda] = []
        self._called_ids: set[int] = set()
        self._defined_functions: dict[int, Lambda] = {}
        self._n_budgets = self._calls = self._marks = 0
        self._is_silent = False
        self._n_digits = 7.0

    def _evaluate_mirror(self, place: Place, name: str, given: ArgumentValues) -> Value:
        model = given[0][1].made if name == "fit" else None
        owner, given = (model.function, given[1:]) if model else ("", given)
        found = self._match_arguments(place, name, owner, given, self._r)
        if name in releases.OBJECT_CLASSES:
            return Value(made=CreatedObject(name, found, place))
        if name in releases.SAMPLERS:
            return self._evaluate_sampler(found)
        return self._note_release(place, name, found, model, is_own=False)

    def _match_arguments(
        self, place: Place, name: str, owner: str, given: ArgumentValues, is_r: bool
    ) -> dict[str, Value]:
        found, wrong = releases.match_to_formals(releases.get_formals(name, owner), given, is_r)
        for each in wrong:
            self._note_not_followed(place, f"{name} has no argument {each}")
        return found

    def _evaluate_sampler(self, found: dict[str, Value]) -> Value:
        made, gamma = found.get("object", NULL_VALUE).made, found.get("gamma", NULL_VALUE)
        if made is None:
            return NULL_VALUE
        share = gamma if isinstance(gamma.constant, float) else Value(constant=0.1)
        more = {"gammaSensitivity": share, "sensitivity": Value(constant=1.0)}
        return Value(made=made._replace(arguments={**made.arguments, **more}))

    def _evaluate_own_call(self, form: Apply, name: str, given: ArgumentValues) -> Value | None:
        """Return the value of a call of one of pydpstat's functions, or None."""
        place, imported = form.place, form.package == "pydpstat"
        owner = given[0][1].made if form.receiver is not None else None
        if imported and name == "design":
            found = self._match_arguments(place, name, "", given, False)
            declared = [word for word in ("bounds", "levels") if word in found]
            self.facts.declared += [(place, word, found[word]) for word in declared]
            return Value(made=CreatedObject(name, found, place))
        if imported and name in ("Budget", "open", "odometer"):
            found, _ = releases.match_to_formals(releases.get_formals("Budget"), given, is_r=False)
            return Value(made=CreatedObject("Budget", found, place))
        if name in ("RRandom", "default_rng", "Generator", "RandomState"):
            fixed = any(value.is_known and value != NULL_VALUE or value.seeded for _, value in given)
            return Value(made=CreatedObject("generator", {}, place), seeded=place if fixed else None)
        own = releases.get_own_releases() | releases.INTEGER_NOISE
        if owner is not None and owner.function == "design":
            if name in own:
                return self._release_from_design(place, name, owner, given[1:])
            return given[0][1] if name in ("subset", "assign") else None
        if imported and name in own:
            found = self._match_arguments(place, name, "", given, False)
            return self._note_release(place, name, found, None, is_own=name not in releases.INTEGER_NOISE)
        return None

    def _release_from_design(self, place: Place, name: str, owner: CreatedObject, given: ArgumentValues) -> Value:
        found, _ = releases.match_to_formals(releases.get_formals(name, "design"), given, is_r=False)
        found |= dict.fromkeys(releases.get_data_names(name, is_own=True), owner.arguments.get("data", NULL_VALUE))
        declared = ("neighbors", "budget", "rng", "missing")
        found = {word: each for word, each in owner.arguments.items() if word in declared} | found
        return self._note_release(place, name, found, None, is_own=True)

    def _note_release(
        self, place: Place, name: str, found: dict[str, Value], model: CreatedObject | None, is_own: bool
    ) -> Value:
        given, budget = found.get("rng", NULL_VALUE), found.get("budget", NULL_VALUE)
        seed = given.seeded or (place if isinstance(given.constant, float) else self._seed)
        paid = self._n_budgets > 0 or (budget != NULL_VALUE and not is_unlimited_budget(budget))
        release = releases.Release(place, name, found, model, is_own, 1.0, seed, paid)
        data = merge_values(release.get_data().values())
        times = 2.0 if GROUPED_MARK in data.split else 1.0
        drawn = [each.drawn or EMPTY_SET for each in data.sources]
        redrawn = frozenset.intersection(*drawn) if drawn else EMPTY_SET
        for loop, count in self._loops:
            # data that are drawn in a loop differ in each round
            times *= 1.0 if loop in redrawn else min(2.0, count) if loop in data.split else count
        self._note_decisions()
        self.facts.releases += self._split_by_round(replace(release, times=times))
        for word, value in release.get_public().items():
            self.facts.stated |= value.stated if word in ("eps", "epsilon") else set()
        for value in release.get_data().values():
            if not value.is_private and value.level != NOISY:
                self.facts.origins |= value.origins
        made = found.get("mechanism", NULL_VALUE).made if name == "releaseResponse" else None
        return Value(NOISY, marks=data.marks, made=made, why=str(place) if name in releases.REAL_VALUED else "")

    def _split_by_round(self, release: releases.Release) -> list[releases.Release]:
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
            # a record is in at most two groups
            rounds.sort(key=lambda each: -_get_epsilon({**found, **each}))
            rounds, times = rounds[: int(release.times)], 1.0
        return [replace(release, arguments={**found, **each}, times=times) for each in rounds]

    def _note_output(self, place: Place, channel: str, values: list[Value]) -> Value:
        if channel == "save.image":
            values = list(self._scopes[0].values())
        closure = any(each.made and each.made.function == "DPMechBernstein" and each.level == NOISY for each in values)
        if closure and self._r and channel in functions.WRITES:
            self.facts.closures.append(place)
        self._publish_values(place, channel, values)
        return values[0] if values and channel == "print" else NULL_VALUE

    def _publish_values(self, place: Place, channel: str, values: Sequence[Value]) -> None:
        value = merge_values(values)
        if value.is_private:
            self.facts.outputs.append((place, channel, value))
        elif value != NULL_VALUE:
            self._note_decisions()
        if self._n_digits > _MAX_SAFE_DIGITS and channel in functions.PRINTS | {"shown"}:
            self._note_precise_output(place, [value])

    def _note_decisions(self) -> None:
        """Record that an output reveals the conditions around it."""
        self.facts.outputs += [(place, functions.DECISION, value) for place, value in self._tests]

    def _check_digits(self, place: Place, name: str, given: ArgumentValues) -> None:
        """Record outputs with more digits than noise from 32 bits should show."""
        texts = " ".join(str(value.constant) for _, value in given if isinstance(value.constant, str))
        asked = [float(each) for each in re.findall(r"%[-+ 0#]*\d*\.(\d+)[efgEG]", texts)]
        rounds = name in ("round", "signif")
        words = [each for word, each in given[rounds:] if rounds or word in ("digits", "nsmall")]
        asked += [each.constant for each in words if isinstance(each.constant, float)]
        if name == "options":
            self._n_digits = max([*asked, 7.0])
        elif max(asked, default=0.0) > _MAX_SAFE_DIGITS:
            self._note_precise_output(place, [value for _, value in given])

    def _note_precise_output(self, place: Place, values: Sequence[Value]) -> None:
        noisy = next((each.why for each in values if each.level == NOISY and each.why), "")
        if noisy and self._r:
            self.facts.digits.append((place, noisy))

    def _note_added_noise(self, place: Place, made: CreatedObject, values: Sequence[Value]) -> None:
        self._note_not_followed(place, "what noise that is added by hand keeps")
        self.facts.noises.append((place, made, merge_values(values)))

    def _note_not_followed(self, place: Place, reason: str) -> None:
        self.facts.not_followed.setdefault((place.line, reason), place)


def _get_epsilon(arguments: Mapping[str, Value]) -> float:
    constants = (arguments[name].constant for name in ("eps", "epsilon") if name in arguments)
    return next((each for each in constants if isinstance(each, float)), 0.0)


def is_unlimited_budget(value: Value) -> bool:
    """Return whether a budget has no limit."""
    limit = value.made.arguments.get("epsilon", NULL_VALUE) if value.made else NULL_VALUE
    return limit.constant == math.inf
