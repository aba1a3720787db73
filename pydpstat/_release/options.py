"""Checked options common to all releases of statistics."""

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
from pydpstat._release.declared_facts import (
    format_fact_conditions,
    get_comparison_conditions,
    get_type_conditions,
    warn_call_epsilon,
)
from pydpstat._release.scope import EMPTY_SCOPE, Scope
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.privacy.losses import PrivacyLoss
from pydpstat.random.source import SYSTEM, Source, source_from

# the value that replaces missing ones, or how they are treated
Missing = str | float | np.generic
COMPLETENESS_CONDITION = "whether values are missing is treated as public"
# type of `fill_type` if missing values must not be replaced
NO_FILL = type(None)


class Options(NamedTuple):
    """Checked options of a release.

    Attributes
    ----------
    is_default_mechanism, is_mechanism_named : bool
        Whether the mechanism is the function's default, and whether it was given by name.
    has_private_group_sizes : bool
        Whether records are counted by group or unit, so that the counts are private.
    unit, contribution_bound
        Privacy unit, and the largest number of its records that contribute.
    sampling_rate : Fraction or None
        Fraction of the records in the sample; None without sampling.
    can_be_unbounded : bool
        Whether the function is also available for unbounded neighbors.
    facts, type_conditions : tuple of str
        Declared facts of a design, and conditions on the types of columns if records are compared.
    scope, source, budget
        Groups, unit and sample as given (may hold private columns); random source; budget to charge, None for
        that of the enclosing block.
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
        """Return the options with groups, unit and sample."""
        scope = Scope.from_arguments(by, levels, other, unit, max_records, max_groups, sample, self.budget)
        if scope is EMPTY_SCOPE:
            return self
        plain = by is None and unit is None and scope.budget_unit is None
        return (self if plain else self.add_type_conditions())._replace(scope=scope)

    def add_table_scope(
        self, unit: object, max_records: int | None, max_groups: int | None, sample: float | None
    ) -> Options:
        """Return the options of a table, in which the levels of the variables make the groups."""
        scope = Scope.from_arguments(None, None, None, unit, max_records, max_groups, sample, self.budget)
        return self.add_type_conditions()._replace(scope=scope._replace(is_table=True))

    def add_type_conditions(self) -> Options:
        """Return the options with the conditions of comparing records with levels or by ids."""
        return self._replace(type_conditions=get_type_conditions())

    def use_one_record_per_unit(self, unit: object) -> Options:
        """Return the options of a release in which one record of each unit contributes."""
        scope = Scope.from_one_record_per_unit(unit, self.budget)
        return self if scope is EMPTY_SCOPE else self.add_type_conditions()._replace(scope=scope)

    def use_independent_records(self) -> Options:
        """Return the options for population intervals, for which one record of each unit contributes."""
        return self._replace(scope=self.scope.use_independent_records())

    @property
    def has_public_size(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors == "bounded" and not self.has_private_group_sizes

    @property
    def n_changed_groups(self) -> int:
        """Number of groups that a neighbor changes: 2 if a replaced record may change groups, else 1."""
        return 2 if self.has_private_group_sizes and self.neighbors == "bounded" else 1

    @property
    def norm(self) -> float:
        """Norm in which the mechanism measures changes: 2 for Gaussian noise, inf for maximum-norm noise, else 1."""
        return self.mechanism.norm

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions of the guarantee that come from the options."""
        option_conditions = (
            *self.facts,
            *self.type_conditions,
            *((COMPLETENESS_CONDITION,) if self.missing == "error" else ()),
        )
        # a design and a function may state the same condition
        return tuple(dict.fromkeys(option_conditions))

    def make_guarantees(
        self, privacy_loss: PrivacyLoss | None = None, conditions: tuple[str, ...] = ()
    ) -> tuple[Guarantee, Guarantee]:
        """Return the claimed and the actual guarantee for a privacy loss.

        On a random sample, both are the amplified guarantee for all records.
        """
        claim = Guarantee(self.epsilon, self.delta, self.neighbors, unit=self.unit)
        guarantee = replace(claim, conditions=(*self.conditions, *conditions), loss=privacy_loss)
        if self.sampling_rate is None:
            return claim, guarantee
        sampling = "without replacement" if self.neighbors == "bounded" else "poisson"
        guarantee = guarantee.subsampled(self.sampling_rate, sampling)
        return replace(guarantee, conditions=(), loss=None), guarantee


class BoundedOnly(NamedTuple):
    """Reason why a function has bounded neighbors only, and a hint for a private number of records."""

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
    """Check the options common to all statistics.

    `mechanisms` are those that the function accepts by name, its default first; with `allow_objects` it accepts
    objects, too. The default of `VECTOR_MECHANISMS` is chosen by `choose_column_mechanism`. `fill_type` is the type
    that may replace missing values: a number (float), a Boolean (bool), a level (str: any scalar), or `NO_FILL`.
    The default neighbors are those of the budget to be charged; `bounded_only` excludes unbounded neighbors. `rng`
    and `budget` are the user's arguments.
    """
    budget = check_budget(budget)
    # resolve neighbors before the cached part: the default depends on the enclosing block
    if neighbors is None:
        neighbors = get_budget_defaults(budget).neighbors
    public_arguments = (
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
        checked_options = _check_options(*public_arguments)
    except TypeError:
        # do not cache unhashable arguments
        checked_options = _check_options.__wrapped__(*public_arguments)
    if bounded_only is not None and neighbors != "bounded":
        raise PydpstatError(
            f"neighbors must be 'bounded' {bounded_only.reason}; got {neighbors!r}. {bounded_only.hint}"
        )
    warn_call_epsilon(checked_options.epsilon)
    return checked_options._replace(
        facts=format_fact_conditions(),
        type_conditions=get_comparison_conditions(),
        source=source_from(rng),
        budget=budget,
    )


# all arguments are public; typed=True distinguishes True, 1 and 1.0
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
        # defaults are left out of call records
        mechanism is None if mechanisms is VECTOR_MECHANISMS else chosen is mechanisms[0],
        isinstance(mechanism, str),
        can_be_unbounded=can_be_unbounded,
    )


def choose_column_mechanism(options: Options, n_columns: int) -> Options:
    """Return the options with the default mechanism for `n_columns` numbers that a record changes jointly.

    For one number this is the Laplace mechanism; for several, maximum-norm noise has a smaller variance.
    """
    return (
        options._replace(mechanism=VECTOR_MECHANISMS[-1]) if options.is_default_mechanism and n_columns > 1 else options
    )


def check_missing_rule(
    missing: Missing, neighbors: str, fill_type: type = float, can_be_unbounded: bool = True
) -> Missing:
    """Check the treatment of missing values: "error", "drop", or a public value that replaces them."""
    if type(missing) is str and missing == "error":
        return missing
    if isinstance(missing, str) and missing == "drop":
        if neighbors == "unbounded":
            return missing
        hints = ["give a public value instead"] if fill_type is not NO_FILL else []
        hints += ["use neighbors='unbounded'"] if can_be_unbounded else []
        hint_text = ", or ".join(hints) or "fill the missing values first, by a rule that uses each record alone"
        raise PydpstatError(
            "missing must not be 'drop' with neighbors 'bounded': the number of remaining records "
            f"would be private. {hint_text[0].upper()}{hint_text[1:]}."
        )
    if fill_type is bool and isinstance(missing, (bool, np.bool_)):
        return bool(missing)
    if fill_type is float and checks.is_number(missing) and not math.isnan(checks.as_float(missing)):
        return checks.as_float(missing)
    if fill_type is str and isinstance(missing, (str, bool, int, float, np.generic)) and missing == missing:
        return missing
    replacement = {float: "a number", bool: "True or False", str: "a level"}[fill_type]
    hint = checks.suggest_choice(missing, "missing", ("error", "drop"))
    raise PydpstatError(
        f"missing must be 'error', 'drop' or {replacement} that replaces missing values; got "
        f"{checks.describe_option(missing)}. {hint}"
    )


def check_min_records(
    options: Options, n_records: int, min_records: int, statistic: str, argument: str = "data"
) -> None:
    """Check that the public number of records is at least `min_records`."""
    if n_records < min_records:
        hint = (
            "If the number is private, use neighbors='unbounded'." if options.can_be_unbounded else "Give more records."
        )
        raise PydpstatError(
            f"{argument} must have at least {min_records} record{'s' * (min_records > 1)} for a {statistic} under "
            f"bounded neighbors; got {n_records}. {hint}"
        )
