"""Accounts: an accountant with a ledger, the amounts spent and left, labels, and blocks that charge releases."""

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
from pydpstat.budget._ledger import Limits, MemoryLedger, SharedLedger
from pydpstat.budget.amounts import ACCOUNTANTS, Accountant, Amount, BudgetExceeded, Cost, Share, compute_shortfall
from pydpstat.errors import AttributeNameError, PydpstatError
from pydpstat.privacy._units import check_unit, describe_unit
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.results._words import describe_noise


class Account(HelpfulErrors):
    """A ledger from which releases spend within the limits of an accountant."""

    _ledger: MemoryLedger | SharedLedger

    # hidden from type checkers, which would otherwise accept the assignment of any name
    if not TYPE_CHECKING:

        def __setattr__(self, name, value):
            if not name.startswith("_"):
                raise AttributeNameError(
                    f"{name} of {type(self).__name__} cannot be set; got {checks.describe_value(value)}. Its limits "
                    "are given when it is created, and what is spent stays spent: create another."
                )
            super().__setattr__(name, value)

    def _set_limits(self, epsilon: float, delta: float, accountant: str, neighbors: str, unit: str | None) -> None:
        self._epsilon, self._delta = epsilon, delta
        self._neighbors = checks.check_choice(neighbors, "neighbors", NEIGHBORS)
        self._unit = check_unit(unit)
        self._name = accountant
        self._accountant: Accountant = ACCOUNTANTS[accountant](epsilon, delta)
        self._limit = self._accountant.limit
        # by identity: two calls with equal arguments are two releases
        self._charged_records: WeakValueDictionary[int, object] = WeakValueDictionary()

    def _get_limits(self) -> Limits:
        return repr(self._epsilon), repr(self._delta), self._name, self._neighbors, self._unit

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
        name = described.subject if name is None else name
        entry = Entry.from_guarantee(guarantee, call, name, described.mechanism)
        remaining = self._ledger.record_spend(self._limit, cost, entry)
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
        text = (
            f"the budget does not cover this release: it needs {requested}, and {available} is left "
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
    def spent(self) -> Amount:
        """Amount spent: with "basic" the sums; with "zcdp" rho, and its epsilon at the budget's delta."""
        return self._accountant.convert_spent(self._ledger.read_total())

    @property
    def remaining(self) -> Amount:
        """Amount left: with "zcdp" rho, and the largest epsilon of a pure release that it covers."""
        return self._accountant.to_amount(compute_shortfall(self._limit, self._ledger.read_total()))

    def plan(self, releases: int) -> Share:
        """Compute the amount for each of several equal releases that together use the remaining amount.

        Parameters
        ----------
        releases : int
            Number of releases, at least 1.

        Returns
        -------
        Share
            Its ``epsilon`` is for pure releases, its ``gaussian`` for Gaussian ones. These are the largest amounts
            with which all releases fit.

        Raises
        ------
        PydpstatError
            If `releases` is not an integer of at least 1, or the budget is an odometer.

        See Also
        --------
        Budget.remaining : the total amount left.

        Notes
        -----
        Nothing is spent or reserved. With "basic", epsilon and delta are divided: a delta of 0 leaves no
        Gaussian release. With "zcdp", rho is divided, and a pure release may use more than its share
        of epsilon; a Gaussian one may have ``gaussian.epsilon`` with ``gaussian.delta``, the whole
        budget's, as the deltas of several releases do not add up there.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> budget = Budget(1.0, 1e-6)
        >>> budget.plan(8).epsilon
        0.125
        >>> many = Budget(1.0, 1e-6, accountant="zcdp").plan(1000)
        >>> round(many.epsilon, 5), round(many.gaussian.epsilon, 5)
        (0.00698, 0.02283)
        """
        count = checks.check_positive_integer(releases, "releases")
        if self._epsilon == math.inf:
            raise PydpstatError("an odometer has no limit, so it cannot plan. Use a Budget with an epsilon.")
        return self._accountant.compute_share(compute_shortfall(self._limit, self._ledger.read_total()), count)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in the order of charging: call, label, guarantee, time, process and host."""
        return self._ledger.read_entries()


def _check_label(label: object) -> str:
    if isinstance(label, str):
        return label
    raise PydpstatError(f"label must be a string; got {type(label).__name__}. Give for example 'income tables'.")
