"""Base of budgets and reservations: charges, labels and blocks within a part of a ledger, or all of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self
from weakref import WeakValueDictionary

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat.budget._blocks import (
    CallText,
    close_block,
    drop_block,
    get_block_label,
    label_charges,
    open_block,
    register_block,
)
from pydpstat.budget._entry import Entry
from pydpstat.budget._ledger import Ledger
from pydpstat.budget.amounts import Accountant, Amount, BudgetExceeded, Cost, compute_shortfall
from pydpstat.errors import AttributeNameError, PydpstatError
from pydpstat.privacy._units import describe_unit
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.results._words import describe_noise


class BudgetBase(HelpfulErrors):
    """A part of a ledger, or all of it, from which releases spend within the limits of an accountant."""

    _ledger: Ledger
    _accountant: Accountant
    _epsilon: float
    _delta: float
    _neighbors: str
    _unit: str | None
    # the accountant's name
    _name: str
    # the limit of the ledger
    _limit: Cost
    # results that were charged, by identity: two calls with equal arguments are two releases
    _charged_records: WeakValueDictionary[int, object]
    # the reservation from which it spends, and the default label of its entries
    _key: str | None = None
    _default_label: str | None = None

    # hidden from type checkers, which would otherwise accept the assignment of any name
    if not TYPE_CHECKING:

        def __setattr__(self, name, value):
            if not name.startswith("_"):
                raise AttributeNameError(
                    f"{name} of {type(self).__name__} cannot be set; got {checks.describe_value(value)}. Its limits "
                    "are given when it is created, and what is spent stays spent: create another."
                )
            super().__setattr__(name, value)

    @property
    def epsilon(self) -> float:
        """Limit of epsilon; infinite for an odometer."""
        return self._epsilon

    @property
    def delta(self) -> float:
        """Limit of delta."""
        return self._delta

    @property
    def accountant(self) -> str:
        """The accountant's name."""
        return self._name

    @property
    def neighbors(self) -> str:
        """The neighbors for which the budget holds."""
        return self._neighbors

    @property
    def unit(self) -> str | None:
        """The unit for which the budget holds, by its column's name; None for a single record."""
        return self._unit

    def spend(self, guarantee: Guarantee, call: str, label: str | None = None) -> None:
        """Record the cost of a release in the ledger, just before its noise is drawn.

        Parameters
        ----------
        guarantee : Guarantee
            Guarantee of the release.
        call : str
            The call as a string, without data, for the ledger.
        label : str, optional
            Label in the ledger; by default that of the enclosing `labeled` block.

        Raises
        ------
        BudgetExceeded
            If the budget does not cover it; nothing is spent then.
        PydpstatError
            If the guarantee is infinite, for other neighbors or another unit, or cannot be counted, or the
            ledger cannot be written; nothing is spent then. If a connection to PostgreSQL is lost while the
            spend is confirmed, it may be in the ledger; the error says so.

        See Also
        --------
        Budget.charge : charge a result of a function with R's name.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)", label="income tables")
        >>> budget.remaining.epsilon
        0.5
        """
        self._spend_guarantee(guarantee, call, label, "Nothing was released.")

    def charge(self, result: object, label: str | None = None) -> None:
        """Spend the true guarantee of a finished release: a mirror's result, a pair of them, or a model.

        A release inside ``with budget:`` has already been charged.

        Parameters
        ----------
        result : DPResults, DPResultsPair, ModelResults or another result
            Its true `guarantee` is charged, not the claimed one.
        label : str, optional
            As for `spend`.

        Raises
        ------
        BudgetExceeded
            If the budget does not cover it. The result has already been drawn: do not publish it.
        PydpstatError
            If the result guarantees nothing (an infinite epsilon), this budget was charged with it before, or as
            for `spend`.

        See Also
        --------
        Budget.spend : charge a given guarantee.

        Examples
        --------
        >>> import pydpstat
        >>> budget = pydpstat.Budget(1.0)
        >>> budget.charge(pydpstat.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=pydpstat.RRandom(1)))
        >>> budget.spent.epsilon
        0.5
        """
        guarantee = getattr(result, "guarantee", None)
        if not isinstance(guarantee, Guarantee):
            hint = "Give a release; other costs: spend(pydpstat.Guarantee(0.5), 'mean of age')."
            hint = "Use spend(guarantee, call)." if isinstance(result, Guarantee) else hint
            raise PydpstatError(f"result must have a guarantee; got {checks.describe_value(result)}. {hint}")
        release = getattr(result, "Bounded", result)
        record = getattr(release, "record", None)
        call = type(result).__name__ if record is None else record.format_python()
        perturbed = f"{release.perturbation} perturbation" if hasattr(release, "perturbation") else ""
        mechanism = describe_noise(str(getattr(release, "mechanism", None) or perturbed))
        subject = "" if record is None else record.describe_release()
        if record is not None and self._charged_records.get(id(record)) is record:
            raise PydpstatError(
                f"result must not be charged twice; got that of {checks.format_public_value(call)}, which this budget "
                "has been charged with already. Nothing was spent. A release in its block, or with budget=, is charged "
                "when it is made."
            )
        text = CallText(call, subject, mechanism, record)
        self._spend_guarantee(guarantee, text, label, "Do not publish the result.")

    def _spend_guarantee(self, guarantee: Guarantee, call: str, label: str | None, consequence: str) -> None:
        cost = self._compute_cost(guarantee, consequence)
        if not isinstance(call, str):
            raise PydpstatError(f"call must be a string; got {type(call).__name__}. Give result.call.")
        described = call if isinstance(call, CallText) else CallText(call)
        name = get_block_label(self) if label is None else _check_label(label)
        name = (self._default_label or described.subject) if name is None else name
        entry = Entry.from_guarantee(guarantee, call, name, described.mechanism)
        remaining = self._ledger.record_spend(self._limit, cost, entry, self._key)
        if remaining is None:
            if described.record is not None:
                self._charged_records[id(described.record)] = described.record
            return
        costs = cost, remaining, compute_shortfall(cost, remaining)
        requested, available, difference = map(self._accountant.to_amount, costs)
        # with rho there is one number, which epsilon determines
        wanting = [parameter for parameter in ("epsilon", "delta") if getattr(difference, parameter)]
        only_delta = difference.rho is None and wanting == ["delta"]
        advice = f"Use a smaller {'delta' if only_delta else 'epsilon'}, or stop here."
        if self._delta == 0.0 and guarantee.delta > 0.0:
            hint = "Gaussian noise needs a budget with a delta, for example pydpstat.Budget(2.0, delta=1e-5)."
            advice = hint if only_delta else f"{advice} {hint}"
        excess = f"delta {difference.delta:.6g}" if only_delta else str(difference)
        advice = " ".join(filter(None, (advice, self._describe_ways())))
        text = (
            f"{self._describe_budget()} does not cover this release: it needs {requested}, and {available} is left "
            f"({excess} too much). {consequence} {advice}"
        )
        raise BudgetExceeded(text, requested, available, difference)

    def _compute_cost(self, guarantee: Guarantee, consequence: str) -> Cost:
        if not isinstance(guarantee, Guarantee):
            raise PydpstatError(
                f"guarantee must be a Guarantee; got {type(guarantee).__name__}. Give result.guarantee."
            )
        if guarantee.epsilon == math.inf or guarantee.delta == 1.0:
            condition_text = "".join(f" Stated of it: {line}." for line in guarantee.conditions)
            raise PydpstatError(
                f"guarantee must be finite to be charged; got {guarantee}, and no budget covers a "
                f"release that guarantees nothing. {consequence} If there was a warning, as from "
                f"functions with R's names, it says why.{condition_text}"
            )
        if guarantee.unit != self._unit:
            hint = (
                f"Make it a budget for units, pydpstat.Budget(..., neighbors={guarantee.neighbors!r}, "
                f"unit={guarantee.unit!r}), or release without a unit."
            )
            if self._unit is not None:
                hint = (
                    f"Release with unit={checks.format_public_value(self._unit)}: a guarantee for one record does "
                    "not cover all records of a unit."
                )
                if guarantee.unit is not None:
                    hint = f"Release with unit={checks.format_public_value(self._unit)}, or use a budget for the other."
            raise PydpstatError(
                f"guarantee must be for {describe_unit(self._unit)}, as the budget is; got {guarantee}, which is "
                f"for {describe_unit(guarantee.unit)}. {hint} {consequence}"
            )
        if guarantee.neighbors != self._neighbors:
            hint = "It implies nothing for unbounded neighbors: release with neighbors='unbounded'."
            if self._neighbors == "bounded":
                hint = (
                    "Release with neighbors='bounded', or charge its guarantee for one replaced "
                    "record: budget.spend(guarantee.as_bounded(), call). For private numbers of "
                    "records use pydpstat.Budget(..., neighbors='unbounded')."
                )
            raise PydpstatError(
                f"guarantee must be for {self._neighbors} neighbors, as the budget is; got {guarantee}. "
                f"{hint} {consequence}"
            )
        return self._accountant.compute_cost(guarantee)

    @contextmanager
    def labeled(self, label: str) -> Iterator[None]:
        """Label all charges to this budget within a block.

        Releases have no argument for a label, since one label usually applies to many of them; a block also
        applies to the mirrors, which have R's arguments only.

        Parameters
        ----------
        label : str
            Label of the releases in the ledger. Of nested blocks the innermost applies.

        Raises
        ------
        PydpstatError
            If `label` is not a string.

        See Also
        --------
        Budget.to_frame : the entries with their labels.

        Notes
        -----
        The block has the scope of `with budget:`: it does not apply to threads started inside.

        Examples
        --------
        >>> from pydpstat import Budget, count
        >>> budget = Budget(1.0)
        >>> with budget.labeled("age tables"):
        ...     r = count([True, False, True], 0.25, budget=budget)
        >>> budget.entries[0].label
        'age tables'
        """
        with label_charges(self, _check_label(label)):
            yield

    def __enter__(self) -> Self:
        """Charge every release in the block that names no other budget."""
        open_block(self)
        register_block(self)
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the block; exceptions are propagated."""
        close_block(self)
        drop_block(self)

    @property
    def remaining(self) -> Amount:
        """Amount left: with "zcdp" rho, and the largest epsilon of a pure release that it covers."""
        return self._accountant.to_amount(self._compute_remaining())

    def _compute_remaining(self) -> Cost:
        return self._ledger.read_state().compute_remaining(self._limit, self._key)

    def _describe_budget(self) -> str:
        """Return what pays, for an error."""
        return "the budget"

    def _describe_ways(self) -> str:
        """Return a sentence on other amounts in the ledger, for an error; empty if there are none."""
        return ""


def _check_label(label: object) -> str:
    if isinstance(label, str):
        return label
    raise PydpstatError(f"label must be a string; got {type(label).__name__}. Give for example 'income tables'.")
