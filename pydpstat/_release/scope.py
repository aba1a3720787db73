"""By what groups, units and samples to release, as it was given."""

from __future__ import annotations

from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._release.payment import Spender, defaults
from pydpstat.errors import PydpstatError


class Scope(NamedTuple):
    """By what groups and units to release, as it was given; `paid_for` is the unit of the budget.

    `crossed` tells that the variables' levels make the groups, and `alone` that one record of each unit
    counts.
    """

    by: object = None
    levels: object = None
    other: str | None = "other"
    unit: object = None
    max_records: int | None = None
    max_groups: int | None = None
    sample: float | None = None
    paid_for: str | None = None
    crossed: bool = False
    alone: bool = False

    @classmethod
    def one(cls, unit: object, budget: Spender | None) -> Scope:
        """Return that one record of each unit counts, so that records are as independent as units are."""
        paid_for = defaults(budget).unit if unit is None else None
        return NOTHING if unit is None and paid_for is None else cls(unit=unit, paid_for=paid_for, alone=True)

    @classmethod
    def of(
        cls,
        by: object,
        levels: object,
        other: str | None,
        unit: object,
        max_records: int | None,
        max_groups: int | None,
        sample: float | None,
        budget: Spender | None,
    ) -> Scope:
        """Return what was given, with the unit of the budget that will pay."""
        paid_for = defaults(budget).unit if unit is None else None
        given = by is not None or levels is not None or unit is not None or sample is not None
        if by is None and isinstance(other, str) and other != "other":
            raise PydpstatError(
                f"other must be left out without by; got {checks.shown_option(other)}. It is the name "
                "of the group of records that are in none of the levels."
            )
        if not (given or paid_for is not None or max_records is not None or max_groups is not None):
            return NOTHING
        return cls(by, levels, other, unit, max_records, max_groups, sample, paid_for)

    def independent(self) -> Scope:
        """Return the scope for intervals of the population, for which one record of each unit may count."""
        if self.unit is None and self.paid_for is None:
            return self
        most = 1 if self.max_records is None else checks.unwrap(self.max_records)
        if most == 1 and self.max_groups is None:
            return self._replace(max_records=None, alone=True)
        raise PydpstatError(
            f"max_records must be 1 with population=True; got {checks.shown(self.max_records)}. "
            "Confidence intervals need independent records, one of each unit: leave out max_records "
            "and max_groups."
        )

    @property
    def plain(self) -> bool:
        """Whether nothing was given."""
        if self is NOTHING:
            return True
        given = (self.by, self.levels, self.unit, self.max_records, self.max_groups)
        return all([each is None for each in (*given, self.sample, self.paid_for)])


NOTHING = Scope()
