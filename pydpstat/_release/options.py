"""How a statistic is to be protected: the options that all of them have, checked."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.calibration import REAL, VECTOR, checked_delta, chosen_mechanism
from pydpstat._release.declared import stated, types_compared, types_given
from pydpstat._release.payment import Spender, check_budget, defaults
from pydpstat._release.scope import NOTHING, Scope
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.privacy.losses import PrivacyLoss
from pydpstat.random.source import SYSTEM, Source, source_from

# the value that replaces missing ones, or how they are treated
Missing = str | float | np.generic
COMPLETE = "whether values are missing is treated as public"
# no value may take a missing one's place
NO_VALUE = type(None)


class Options(NamedTuple):
    """How a statistic is to be protected, checked.

    `default` and `named`: whether the mechanism is the function's default, and was given by name.
    `scattered`: records are counted in groups or by units, so that nobody knows how many are counted where.
    At most `most` records of a `unit` count. `sampled` is the sample's share of the records. `either`: the
    function has unbounded neighbors, too. `facts` are the declared facts of a design that the release rests
    on, in words; `types` is the condition on the types of columns if records are compared. `scope` has the
    groups and units, and may have private columns. Noise is drawn from the `source`; the `budget` is charged,
    or else that of the enclosing block.
    """

    epsilon: float
    delta: float
    mechanism: Mechanism
    neighbors: str
    missing: Missing
    default: bool
    named: bool
    scattered: bool = False
    unit: str | None = None
    most: int = 1
    sampled: Fraction | None = None
    either: bool = True
    facts: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    scope: Scope = NOTHING
    source: Source = SYSTEM
    budget: Spender | None = None

    def __repr__(self) -> str:
        # the scope may have columns
        return f"Options(epsilon={self.epsilon!r}, neighbors={self.neighbors!r})"

    def by_groups(
        self,
        by: object = None,
        levels: object = None,
        other: str | None = "other",
        unit: object = None,
        max_records: int | None = None,
        max_groups: int | None = None,
        sample: float | None = None,
    ) -> Options:
        """Return the options of a release by these groups, of these units, on such a sample."""
        scope = Scope.of(by, levels, other, unit, max_records, max_groups, sample, self.budget)
        if scope is NOTHING:
            return self
        plain = by is None and unit is None and scope.paid_for is None
        return (self if plain else self.comparing())._replace(scope=scope)

    def crossed(
        self, unit: object, max_records: int | None, max_groups: int | None, sample: float | None
    ) -> Options:
        """Return the options of a table, whose variables' levels make the groups."""
        scope = Scope.of(None, None, None, unit, max_records, max_groups, sample, self.budget)
        return self.comparing()._replace(scope=scope._replace(crossed=True))

    def comparing(self) -> Options:
        """Return the options of a release that compares records with levels, or by their ids."""
        return self._replace(types=types_given())

    def one_record(self, unit: object) -> Options:
        """Return the options of a release in which one record of each unit counts."""
        scope = Scope.one(unit, self.budget)
        return self if scope is NOTHING else self.comparing()._replace(scope=scope)

    def independent(self) -> Options:
        """Return the options for intervals of the population, for which one record of each unit may count."""
        return self._replace(scope=self.scope.independent())

    @property
    def bounded(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors == "bounded" and not self.scattered

    @property
    def ends(self) -> int:
        """How many groups a neighbor changes: a record that is replaced may leave one and enter another."""
        return 2 if self.scattered and self.neighbors == "bounded" else 1

    @property
    def norm(self) -> float:
        """Which norm of a change the noise answers to: 2 for Gaussian noise, inf for cubes, else 1."""
        return self.mechanism.norm

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        found = (*self.facts, *self.types, *((COMPLETE,) if self.missing == "error" else ()))
        # a design and a function may state the same condition
        return tuple(dict.fromkeys(found))

    def promise(
        self, loss: PrivacyLoss | None = None, conditions: tuple[str, ...] = ()
    ) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee of a release with this loss, on a sample where there is one.

        The claim is what was asked for, and on a sample what follows for all records.
        """
        claim = Guarantee(self.epsilon, self.delta, self.neighbors, unit=self.unit)
        held = replace(claim, conditions=(*self.conditions, *conditions), loss=loss)
        if self.sampled is None:
            return claim, held
        sampling = "without replacement" if self.neighbors == "bounded" else "poisson"
        held = held.subsampled(self.sampled, sampling)
        return replace(held, conditions=(), loss=None), held


class OnlyBounded(NamedTuple):
    """Why a function has bounded neighbors only, and what to use where the number of records is private."""

    reason: str
    instead: str


def options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str | None,
    missing: Missing,
    *,
    mechanisms: tuple[Mechanism, ...] = REAL,
    others: bool = True,
    fill: type = float,
    rng: object = None,
    budget: Spender | None = None,
    only: OnlyBounded | None = None,
) -> Options:
    """Check how a statistic is to be protected.

    The mechanisms are those that have a name in the function, its default first; with `others` an object
    may be given, too. Without any, of `VECTOR`, `for_columns` chooses. `fill` is what may take a missing
    value's place: a number (float), a truth value (bool), a level (str: any plain value), or none. Without
    neighbors they are those of the budget that pays; `only` refuses unbounded ones. `rng` and `budget` are
    as a user gives them.
    """
    budget = check_budget(budget)
    # before what is remembered: the same call means something else in another block
    if neighbors is None:
        neighbors = defaults(budget).neighbors
    given = (epsilon, delta, mechanism, neighbors, missing, mechanisms, others, fill, only is None)
    try:
        how = _options(*given)
    except TypeError:
        # what cannot be hashed is checked all the same
        how = _options.__wrapped__(*given)
    if only is not None and neighbors != "bounded":
        raise PydpstatError(f"neighbors must be 'bounded' {only.reason}; got {neighbors!r}. {only.instead}")
    return how._replace(facts=stated(), types=types_compared(), source=source_from(rng), budget=budget)


# all of it is public; typed, as True and 1.0 are other answers than 1
@lru_cache(maxsize=256, typed=True)
def _options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str,
    missing: Missing,
    mechanisms: tuple[Mechanism, ...],
    others: bool,
    fill: type,
    either: bool,
) -> Options:
    eps = checks.epsilon(epsilon)
    chosen = chosen_mechanism(mechanism, mechanisms, others)
    checks.one_of(neighbors, "neighbors", NEIGHBORS)
    return Options(
        eps,
        checked_delta(delta, chosen),
        chosen,
        neighbors,
        missing_rule(missing, neighbors, fill, either),
        # a default is not shown in calls
        mechanism is None if mechanisms is VECTOR else chosen is mechanisms[0],
        isinstance(mechanism, str),
        either=either,
    )


def for_columns(how: Options, columns: int) -> Options:
    """Return the options with the default mechanism for so many numbers that a record changes together.

    Of one number all that have a pure epsilon are Laplace noise; of several a cube's has less variance.
    """
    return how._replace(mechanism=VECTOR[-1]) if how.default and columns > 1 else how


def missing_rule(missing: Missing, neighbors: str, fill: type = float, either: bool = True) -> Missing:
    """Check what is to be done with missing values: "error", "drop", or a public value."""
    if type(missing) is str and missing == "error":
        return missing
    if isinstance(missing, str) and missing == "drop":
        if neighbors == "unbounded":
            return missing
        ways = ["give a public value instead"] if fill is not NO_VALUE else []
        ways += ["use neighbors='unbounded'"] if either else []
        way = ", or ".join(ways) or "fill the missing values first, by a rule that uses each record alone"
        raise PydpstatError(
            "missing must not be 'drop' with neighbors 'bounded': the number of remaining records "
            f"would be private. {way[0].upper()}{way[1:]}."
        )
    if fill is bool and isinstance(missing, (bool, np.bool_)):
        return bool(missing)
    if fill is float and checks.is_number(missing) and not math.isnan(checks.as_float(missing)):
        return checks.as_float(missing)
    if fill is str and isinstance(missing, (str, bool, int, float, np.generic)) and missing == missing:
        return missing
    place = {float: "a number", bool: "True or False", str: "a level"}[fill]
    hint = checks.meant(missing, "missing", ("error", "drop"))
    raise PydpstatError(
        f"missing must be 'error', 'drop' or {place} that replaces missing values; got "
        f"{checks.shown_option(missing)}. {hint}"
    )


def check_records(how: Options, size: int, least: int, statistic: str, argument: str = "data") -> None:
    """Check the public number of records."""
    if size < least:
        way = "If the number is private, use neighbors='unbounded'." if how.either else "Give more records."
        raise PydpstatError(
            f"{argument} must have at least {least} record{'s' * (least > 1)} for a {statistic} under "
            f"bounded neighbors; got {size}. {way}"
        )
