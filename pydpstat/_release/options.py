"""How a statistic is to be protected: the options that all of them have, checked."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.calibration import REAL_MECHANISMS, VECTOR_MECHANISMS, check_delta, resolve_mechanism
from pydpstat._release.charging import Chargeable, check_budget, get_budget_defaults
from pydpstat._release.declared_facts import format_fact_conditions, get_comparison_conditions, get_type_conditions
from pydpstat._release.scope import EMPTY_SCOPE, Scope
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.privacy.losses import PrivacyLoss
from pydpstat.random.source import SYSTEM, Source, source_from

# the value that replaces missing ones, or how they are treated
Missing = str | float | np.generic
COMPLETENESS_CONDITION = "whether values are missing is treated as public"
# no value may take a missing one's place
NO_FILL = type(None)


class Options(NamedTuple):
    """How a statistic is to be protected, checked.

    `is_default_mechanism` and `is_mechanism_named`: whether the mechanism is the function's default, and was
    given by name. `has_private_group_sizes`: records are counted in groups or by units, so that nobody knows
    how many are counted where. At most `contribution_bound` records of a `unit` count. `sampling_rate` is the
    sample's share of the records. `can_be_unbounded`: the function has unbounded neighbors, too. `facts` are
    the declared facts of a design that the release rests on, in words; `type_conditions` are those on the types
    of columns if records are compared. `scope` has the groups and units, and may have private columns. Noise
    is drawn from the `source`; the `budget` is charged, or else that of the enclosing block.
    """

    epsilon: float
    delta: float
    mechanism: Mechanism
    neighbors: str
    missing: Missing
    is_default_mechanism: bool
    is_mechanism_named: bool
    has_private_group_sizes: bool = False
    unit: str | None = None
    contribution_bound: int = 1
    sampling_rate: Fraction | None = None
    can_be_unbounded: bool = True
    facts: tuple[str, ...] = ()
    type_conditions: tuple[str, ...] = ()
    scope: Scope = EMPTY_SCOPE
    source: Source = SYSTEM
    budget: Chargeable | None = None

    def __repr__(self) -> str:
        # the scope may have columns
        return f"Options(epsilon={self.epsilon!r}, neighbors={self.neighbors!r})"

    def add_scope(
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
        scope = Scope.from_arguments(by, levels, other, unit, max_records, max_groups, sample, self.budget)
        if scope is EMPTY_SCOPE:
            return self
        plain = by is None and unit is None and scope.budget_unit is None
        return (self if plain else self.add_type_conditions())._replace(scope=scope)

    def add_table_scope(
        self, unit: object, max_records: int | None, max_groups: int | None, sample: float | None
    ) -> Options:
        """Return the options of a table, whose variables' levels make the groups."""
        scope = Scope.from_arguments(None, None, None, unit, max_records, max_groups, sample, self.budget)
        return self.add_type_conditions()._replace(scope=scope._replace(is_table=True))

    def add_type_conditions(self) -> Options:
        """Return the options of a release that compares records with levels, or by their ids."""
        return self._replace(type_conditions=get_type_conditions())

    def use_one_record_per_unit(self, unit: object) -> Options:
        """Return the options of a release in which one record of each unit counts."""
        scope = Scope.from_one_record_per_unit(unit, self.budget)
        return self if scope is EMPTY_SCOPE else self.add_type_conditions()._replace(scope=scope)

    def use_independent_records(self) -> Options:
        """Return the options for intervals of the population, for which one record of each unit may count."""
        return self._replace(scope=self.scope.use_independent_records())

    @property
    def has_public_size(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors == "bounded" and not self.has_private_group_sizes

    @property
    def n_changed_groups(self) -> int:
        """How many groups a neighbor changes: a record that is replaced may leave one and enter another."""
        return 2 if self.has_private_group_sizes and self.neighbors == "bounded" else 1

    @property
    def norm(self) -> float:
        """Which norm of a change the noise answers to: 2 for Gaussian noise, inf for cubes, else 1."""
        return self.mechanism.norm

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        found = (
            *self.facts,
            *self.type_conditions,
            *((COMPLETENESS_CONDITION,) if self.missing == "error" else ()),
        )
        # a design and a function may state the same condition
        return tuple(dict.fromkeys(found))

    def make_guarantees(
        self, privacy_loss: PrivacyLoss | None = None, conditions: tuple[str, ...] = ()
    ) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee of a release with this loss, on a sample where there is one.

        The claim is what was asked for, and on a sample what follows for all records.
        """
        claim = Guarantee(self.epsilon, self.delta, self.neighbors, unit=self.unit)
        held = replace(claim, conditions=(*self.conditions, *conditions), loss=privacy_loss)
        if self.sampling_rate is None:
            return claim, held
        sampling = "without replacement" if self.neighbors == "bounded" else "poisson"
        held = held.subsampled(self.sampling_rate, sampling)
        return replace(held, conditions=(), loss=None), held


class BoundedOnly(NamedTuple):
    """Why a function has bounded neighbors only, and what to use where the number of records is private."""

    reason: str
    hint: str


def options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str | None,
    missing: Missing,
    *,
    mechanisms: tuple[Mechanism, ...] = REAL_MECHANISMS,
    allow_objects: bool = True,
    fill_type: type = float,
    rng: object = None,
    budget: Chargeable | None = None,
    bounded_only: BoundedOnly | None = None,
) -> Options:
    """Check how a statistic is to be protected.

    The mechanisms are those that have a name in the function, its default first; with `allow_objects` an
    object may be given, too. Without any, of `VECTOR_MECHANISMS`, `choose_column_mechanism` chooses.
    `fill_type` is what may take a missing value's place: a number (float), a truth value (bool), a level (str:
    any plain value), or none. Without neighbors they are those of the budget that pays; `bounded_only` refuses
    unbounded ones. `rng` and `budget` are as a user gives them.
    """
    budget = check_budget(budget)
    # before what is remembered: the same call means something else in another block
    if neighbors is None:
        neighbors = get_budget_defaults(budget).neighbors
    given = (
        epsilon,
        delta,
        mechanism,
        neighbors,
        missing,
        mechanisms,
        allow_objects,
        fill_type,
        bounded_only is None,
    )
    try:
        how = _check_options(*given)
    except TypeError:
        # what cannot be hashed is checked all the same
        how = _check_options.__wrapped__(*given)
    if bounded_only is not None and neighbors != "bounded":
        raise PydpstatError(
            f"neighbors must be 'bounded' {bounded_only.reason}; got {neighbors!r}. {bounded_only.hint}"
        )
    return how._replace(
        facts=format_fact_conditions(),
        type_conditions=get_comparison_conditions(),
        source=source_from(rng),
        budget=budget,
    )


# all of it is public; typed, as True and 1.0 are other answers than 1
@lru_cache(maxsize=256, typed=True)
def _check_options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism | None,
    neighbors: str,
    missing: Missing,
    mechanisms: tuple[Mechanism, ...],
    allow_objects: bool,
    fill_type: type,
    can_be_unbounded: bool,
) -> Options:
    eps = checks.check_epsilon(epsilon)
    chosen = resolve_mechanism(mechanism, mechanisms, allow_objects)
    checks.check_choice(neighbors, "neighbors", NEIGHBORS)
    return Options(
        eps,
        check_delta(delta, chosen),
        chosen,
        neighbors,
        check_missing_rule(missing, neighbors, fill_type, can_be_unbounded),
        # a default is not shown in calls
        mechanism is None if mechanisms is VECTOR_MECHANISMS else chosen is mechanisms[0],
        isinstance(mechanism, str),
        can_be_unbounded=can_be_unbounded,
    )


def choose_column_mechanism(options: Options, n_columns: int) -> Options:
    """Return the options with the default mechanism for so many numbers that a record changes together.

    Of one number all that have a pure epsilon are Laplace noise; of several a cube's has less variance.
    """
    return (
        options._replace(mechanism=VECTOR_MECHANISMS[-1]) if options.is_default_mechanism and n_columns > 1 else options
    )


def check_missing_rule(
    missing: Missing, neighbors: str, fill_type: type = float, can_be_unbounded: bool = True
) -> Missing:
    """Check what is to be done with missing values: "error", "drop", or a public value."""
    if type(missing) is str and missing == "error":
        return missing
    if isinstance(missing, str) and missing == "drop":
        if neighbors == "unbounded":
            return missing
        ways = ["give a public value instead"] if fill_type is not NO_FILL else []
        ways += ["use neighbors='unbounded'"] if can_be_unbounded else []
        way = ", or ".join(ways) or "fill the missing values first, by a rule that uses each record alone"
        raise PydpstatError(
            "missing must not be 'drop' with neighbors 'bounded': the number of remaining records "
            f"would be private. {way[0].upper()}{way[1:]}."
        )
    if fill_type is bool and isinstance(missing, (bool, np.bool_)):
        return bool(missing)
    if fill_type is float and checks.is_number(missing) and not math.isnan(checks.as_float(missing)):
        return checks.as_float(missing)
    if fill_type is str and isinstance(missing, (str, bool, int, float, np.generic)) and missing == missing:
        return missing
    place = {float: "a number", bool: "True or False", str: "a level"}[fill_type]
    hint = checks.suggest_choice(missing, "missing", ("error", "drop"))
    raise PydpstatError(
        f"missing must be 'error', 'drop' or {place} that replaces missing values; got "
        f"{checks.describe_option(missing)}. {hint}"
    )


def check_min_records(
    options: Options, n_records: int, min_records: int, statistic: str, argument: str = "data"
) -> None:
    """Check the public number of records."""
    if n_records < min_records:
        way = (
            "If the number is private, use neighbors='unbounded'." if options.can_be_unbounded else "Give more records."
        )
        raise PydpstatError(
            f"{argument} must have at least {min_records} record{'s' * (min_records > 1)} for a {statistic} under "
            f"bounded neighbors; got {n_records}. {way}"
        )
