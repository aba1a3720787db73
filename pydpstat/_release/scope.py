"""Groups, units and samples of a release, as given."""

from __future__ import annotations

from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._release.charging import Chargeable, get_budget_defaults
from pydpstat.errors import PydpstatError


class Scope(NamedTuple):
    """Groups, unit and sample of a release, as given; `budget_unit` is the unit of the budget.

    `is_table` tells that the levels of the variables make the groups, and `has_one_record_per_unit` that one
    record of each unit contributes.
    """

    by: object = None
    levels: object = None
    other: str | None = "other"
    unit: object = None
    max_records: int | None = None
    max_groups: int | None = None
    sample: float | None = None
    budget_unit: str | None = None
    is_table: bool = False
    has_one_record_per_unit: bool = False

    @classmethod
    def from_one_record_per_unit(cls, unit: object, budget: Chargeable | None) -> Scope:
        """Return the scope with one contributing record of each unit, so that records are independent if units are."""
        paid_for = get_budget_defaults(budget).unit if unit is None else None
        return (
            EMPTY_SCOPE
            if unit is None and paid_for is None
            else cls(unit=unit, budget_unit=paid_for, has_one_record_per_unit=True)
        )

    @classmethod
    def from_arguments(
        cls,
        by: object,
        levels: object,
        other: str | None,
        unit: object,
        max_records: int | None,
        max_groups: int | None,
        sample: float | None,
        budget: Chargeable | None,
    ) -> Scope:
        """Return the scope of the arguments, with the unit of the budget that will be charged."""
        budget_unit = get_budget_defaults(budget).unit if unit is None else None
        is_given = by is not None or levels is not None or unit is not None or sample is not None
        if by is None and isinstance(other, str) and other != "other":
            raise PydpstatError(
                f"other must be left out without by; got {checks.describe_option(other)}. It is the name "
                "of the group of records that are in none of the levels."
            )
        if not (is_given or budget_unit is not None or max_records is not None or max_groups is not None):
            return EMPTY_SCOPE
        return cls(by, levels, other, unit, max_records, max_groups, sample, budget_unit)

    def use_independent_records(self) -> Scope:
        """Return the scope for population intervals, for which one record of each unit contributes."""
        if self.unit is None and self.budget_unit is None:
            return self
        max_records = 1 if self.max_records is None else checks.unwrap_scalar(self.max_records)
        if max_records == 1 and self.max_groups is None:
            return self._replace(max_records=None, has_one_record_per_unit=True)
        raise PydpstatError(
            f"max_records must be 1 with population=True; got {checks.describe_value(self.max_records)}. "
            "Confidence intervals need independent records, one of each unit: leave out max_records "
            "and max_groups."
        )

    @property
    def is_empty(self) -> bool:
        """Whether no argument was given."""
        if self is EMPTY_SCOPE:
            return True
        arguments = (self.by, self.levels, self.unit, self.max_records, self.max_groups)
        return all([argument is None for argument in (*arguments, self.sample, self.budget_unit)])


EMPTY_SCOPE = Scope()
