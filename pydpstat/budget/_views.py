"""Views and exports of a budget's ledger: summary, frame, dictionary and files."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

from pydpstat._files import return_or_write
from pydpstat.budget._account import Account
from pydpstat.budget._entry import convert_entries, format_entries_csv, make_entry_frame
from pydpstat.budget._report import LedgerReport
from pydpstat.budget.amounts import Amount
from pydpstat.results._report import Report, Rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary

    from pydpstat.results.statements import Statement


class LedgerViews(Account, Report):
    """An account that can be displayed and exported, with complete entries."""

    def summary(self) -> Summary:
        """Return the ledger as a table in statsmodels' form.

        A row shows the label, or the call if there is none, shortened; `entries` has the full strings.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the table.

        See Also
        --------
        Budget.to_frame : the entries as a frame.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> "mean(income)" in budget.summary().as_text()
        True
        """
        return self._make_report().summary()

    def _make_report(self) -> LedgerReport:
        limits = self.epsilon, self.delta, self.accountant, self.neighbors, self.unit, self._ledger.place
        return LedgerReport(*limits, self.entries, self.spent, self.remaining, self.reserved)

    def _make_page(self, rows: Rows) -> Summary:
        return self._make_report()._make_page(rows)

    def _make_rows(self) -> Rows:
        return self._make_report()._make_rows()

    def _make_all_rows(self) -> Rows:
        return self._make_report()._make_all_rows()

    def statement(self) -> Statement:
        """Return the paragraph and the table for a methods section or a privacy office.

        ``pydpstat.statement(releases, budget=budget)`` has more details of each release, from the results.

        Returns
        -------
        Statement
            With ``text``, ``paragraph`` and ``to_frame()``; ``to_text(path)``, ``to_markdown(path)``,
            ``to_latex(path)`` and ``to_html(path)`` write files.

        See Also
        --------
        statement : a statement on releases without a budget.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> print(budget.statement().sentences[0])
        The mean was released with differential privacy, at a privacy loss of epsilon = 0.5.
        """
        from pydpstat.results.statements import statement

        return statement(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the ledger as a frame with one row per entry, in the order of charging.

        Returns
        -------
        DataFrame
            Columns ``call``, ``label``, ``loss``, ``conditions``, ``host`` and ``mechanism`` (strings),
            ``unit`` (strings, NA for a single record), ``epsilon``, ``delta`` and ``rho`` (floats, NaN where
            no rho is known), ``neighbors`` (categories), ``time`` (with time zone UTC) and ``process``
            (integers).

        See Also
        --------
        Budget.to_csv, Budget.to_json : the entries in a file.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)", label="income")
        >>> budget.to_frame()[["call", "label", "epsilon"]]
                   call   label  epsilon
        0  mean(income)  income      0.5
        """
        return make_entry_frame(self.entries)

    # no decimals argument because numbers are exported exactly
    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:  # type: ignore[override]
        """Return the ledger as CSV, one line per entry, or write it to a file.

        Parameters
        ----------
        path : str or path-like, optional
            File to write, replaced atomically. By default the string is returned.

        Returns
        -------
        str or None
            A line with the names of `to_frame`'s columns, then the entries; numbers in full precision,
            empty cells if no rho is known or the unit is a single record. A string that a spreadsheet would run
            as a formula is prefixed with an apostrophe.

        Raises
        ------
        PydpstatError
            If `path` is not a file name, or cannot be written.

        See Also
        --------
        Budget.to_json : the entries with limits and amounts.

        Notes
        -----
        A string counts as a formula if it begins with ``=``, ``+``, ``-``, ``@``, their full-width forms, a tab or
        a line break and is not a number, also after apostrophes. A program that reads the file removes one
        apostrophe from each such string. `to_frame` and `to_json` leave strings unchanged.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> Budget(1.0).to_csv()
        'call,label,epsilon,delta,neighbors,unit,rho,loss,conditions,time,process,host,mechanism\\n'
        """
        return return_or_write(format_entries_csv(self.entries), path, "budget.csv")

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return limits, amounts and entries as one JSON object, or write it to a file.

        Parameters
        ----------
        path : str or path-like, optional
            File to write, replaced atomically. By default the string is returned.

        Returns
        -------
        str or None
            An object with ``epsilon``, ``delta``, ``accountant``, ``neighbors``, ``unit``, ``spent``,
            ``reserved``, ``remaining``, ``reservations`` and ``entries``, which have the names of `to_frame`'s
            columns. A reservation has its name, the epsilon of its call, the amount left, and who made it.
            Infinite values, such as the limit of an odometer, and unknown ones are null, as is the unit of a
            single record.

        Raises
        ------
        PydpstatError
            If `path` is not a file name, or cannot be written.

        See Also
        --------
        Budget.to_csv : the entries alone.

        Examples
        --------
        >>> import json
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> found = json.loads(budget.to_json())
        >>> found["remaining"]["epsilon"], found["entries"][0]["call"]
        (0.5, 'mean(income)')
        """
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        return return_or_write(f"{text}\n", path, "budget.json")

    def to_dict(self) -> dict[str, Any]:
        """Return limits, amounts and entries in plain JSON types, as in `to_json`.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> budget.to_dict()["spent"]["epsilon"]
        0.5
        """
        return {
            "epsilon": _to_finite(self.epsilon),
            "delta": self.delta,
            "accountant": self.accountant,
            "neighbors": self.neighbors,
            "unit": self.unit,
            "spent": _to_json_numbers(self.spent),
            "reserved": _to_json_numbers(self.reserved),
            "remaining": _to_json_numbers(self.remaining),
            "reservations": [each._describe() for each in self.reservations.values()],
            "entries": convert_entries(self.entries),
        }

    def __str__(self) -> str:
        return self._make_report().format_by_label()

    def plot(self, ax: Axes | None = None, title: str | None = None, **style: object) -> Axes:
        """Draw the amounts spent by label, and the amount left; matplotlib is required.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default those of a new figure.
        title : str, optional
            The title; by default the limits and the accountant. ``""`` draws none.
        **style
            `color` and `figsize`, as matplotlib has them.

        Returns
        -------
        matplotlib Axes
            A bar for each label, or for the calls of a function without one: the sum of the releases'
            epsilon, or of their rho with the accountant "zcdp". The last bar is the remaining amount.

        Raises
        ------
        PydpstatError
            If an argument is invalid.
        MissingExtraError
            If matplotlib is not installed; the message has the command.

        See Also
        --------
        Budget.to_frame : the entries as a frame.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> ax = budget.plot()  # doctest: +SKIP
        """
        from pydpstat.plots._draw import draw_picture

        return draw_picture(self._make_report().make_picture(), ax, title, style)

    def _repr_html_(self) -> str:
        return self._make_report().format_html_by_label()


def _to_json_numbers(amount: Amount) -> dict[str, float | None]:
    return {name: _to_finite(value) for name, value in amount._asdict().items()}


def _to_finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) else value
