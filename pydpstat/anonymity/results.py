"""Result of an evaluation: sizes of groups and errors of columns, without rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._checks import check_choice
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    Report,
    Rows,
    format_significant,
    make_omission_note,
    to_json_types,
    trim_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_PRIVATE = (
    "A k-anonymous table is not differentially private: it does not protect against background "
    "knowledge beyond the quasi-identifiers, and all rows of a group may share a secret "
    "(l_diversity)."
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AnonymizationResults(Report, ReadOnlyArrays):
    """Protection and information loss of an anonymized table.

    `evaluate_anonymization` returns it. Its numbers are computed from the original data without noise: they
    are for the data holder, and are not private.

    Parameters
    ----------
    group_sizes : Series of int
        Number of groups of each size; the index has the sizes, increasing.
    errors : Series of float
        Mean squared error of each column, or its root; NaN for a column without numbers.
    relative_errors : Series of float
        Root mean squared error of each column in standard deviations of the original.
    squared_error : bool
        Whether `errors` are mean squares.
    loss : float
        Sum of squared changes over the sum of squared distances from the mean; NaN if all columns are constant.
    columns : tuple
        Names of the quasi-identifiers.
    nobs : int
        Number of rows.

    See Also
    --------
    evaluate_anonymization : creates it.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import evaluate_anonymization
    >>> df = pd.DataFrame({"age": [20, 22, 60]})
    >>> evaluate_anonymization(df, df)
    <AnonymizationResults k = 1: 3 groups of 3 rows, loss 0>
    """

    group_sizes: pd.Series
    errors: pd.Series
    relative_errors: pd.Series
    squared_error: bool
    loss: float
    columns: tuple[Hashable, ...]
    nobs: int

    _title = "Anonymization of a table"

    def __post_init__(self) -> None:
        for name in ("group_sizes", "errors", "relative_errors"):
            object.__setattr__(self, name, _freeze_series(getattr(self, name)))

    @property
    def k(self) -> int:
        """Size of the smallest group."""
        return int(self.group_sizes.index[0])

    @property
    def groups(self) -> int:
        """Number of groups of indistinguishable rows."""
        return int(self.group_sizes.sum())

    @property
    def unique_rows(self) -> int:
        """Number of rows that are alone in their group."""
        return int(self.group_sizes.iloc[0]) if self.k == 1 else 0

    @property
    def risk(self) -> float:
        """1/k, the re-identification risk in the smallest group."""
        return 1.0 / self.k

    @property
    def mean_error(self) -> float:
        """Mean of the columns' errors; NaN if no column is numeric."""
        return float(self.errors.mean())

    def _collect_facts(self) -> Facts:
        return [
            ("k:", f"{self.k:,}"),
            ("No. Groups:", f"{self.groups:,}"),
            ("No. Rows alone:", f"{self.unique_rows:,}"),
            ("Risk 1/k:", f"{100.0 * self.risk:.4g} %"),
            ("No. Observations:", f"{self.nobs:,}"),
            ("Quasi-identifiers:", str(len(self.columns))),
            (f"Mean {self._measure}:", format_significant(self.mean_error)),
            ("Loss (SSE/SST):", f"{self.loss:.6g}"),
        ]

    @property
    def _measure(self) -> str:
        return "MSE" if self.squared_error else "RMSE"

    def _make_rows(self) -> Rows:
        columns = list(zip(self.errors.index, self.errors, self.relative_errors))[:MAX_PAGE_ROWS]
        cells = [[format_significant(error), f"{relative:.4f}"] for _, error, relative in columns]
        names = [trim_name(str(label)) for label, _, _ in columns]
        return Rows((self._measure, "RMSE / sd"), names, cells)

    def _collect_notes(self) -> list[str]:
        names, n_more = ", ".join(trim_name(str(name)) for name in self.columns[:12]), len(self.columns) - 12
        notes = [f"k refers to the columns {names}{f' and {n_more} more' if n_more > 0 else ''}."]
        if np.isnan(self.errors.to_numpy()).any():
            notes.append("nan: not numeric in one of the tables, so without error and not part of the loss.")
        notes += make_omission_note(len(self.errors), "columns", "errors")
        figures = "The numbers are computed from the original data without noise: they are not private."
        return [*notes, NOT_PRIVATE, figures]

    def plot(self, ax: Axes | None = None, title: str | None = None, *, kind: str = "errors", **style: object) -> Axes:
        """Plot the errors of the columns or the sizes of the groups; matplotlib is required.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default those of a new figure.
        title : str, optional
            The title; by default k, the number of groups and the loss. ``""`` draws none.
        kind : {"errors", "sizes"}, default "errors"
            Errors in standard deviations of the original, a bar for each column; or the number of groups
            of each size.
        **style
            Matplotlib's `color`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        PydpstatError
            If `kind` is something else, or there are no errors to draw.
        MissingExtraError
            If matplotlib is not installed; the message has the command.

        Examples
        --------
        >>> import pandas as pd
        >>> from pydpstat.anonymity import evaluate_anonymization
        >>> df = pd.DataFrame({"age": [20, 22, 60]})
        >>> ax = evaluate_anonymization(df, df).plot()  # doctest: +SKIP
        """
        check_choice(kind, "kind", ("errors", "sizes"))
        if kind == "errors" and not np.isfinite(self.relative_errors.to_numpy()).any():
            raise PydpstatError(
                "kind must be 'sizes' where no column has numbers in both tables; got 'errors'. "
                "There is no error to draw."
            )
        from pydpstat.plots._draw import draw_picture

        return draw_picture(self._describe_picture(kind), ax, title, style)

    def _describe_picture(self, kind: str) -> object:
        from pydpstat.plots._pictures import AmountPicture, GroupSizePicture, PictureHead

        loss = "" if np.isnan(self.loss) else f", loss {self.loss:.3g}"
        head = PictureHead(f"k = {self.k:,}, {self.groups:,} groups of {self.nobs:,} rows{loss}")
        if kind == "sizes":
            return GroupSizePicture(head, self.group_sizes.index.to_numpy(), self.group_sizes.to_numpy())
        finite = self.relative_errors[np.isfinite(self.relative_errors.to_numpy())]
        axis = "root mean squared error, in standard deviations of the column"
        return AmountPicture(head, [str(name) for name in finite.index], finite.to_numpy(), axis)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types.

        Examples
        --------
        >>> import pandas as pd
        >>> from pydpstat.anonymity import evaluate_anonymization
        >>> df = pd.DataFrame({"age": [20, 22, 60]})
        >>> evaluate_anonymization(df, df).to_dict()["k"]
        1
        """
        content = {
            "k": self.k,
            "groups": self.groups,
            "unique_rows": self.unique_rows,
            "risk": self.risk,
            "squared_error": self.squared_error,
            "errors": self.errors.to_numpy(),
            "relative_errors": self.relative_errors.to_numpy(),
            "mean_error": self.mean_error,
            "loss": self.loss,
            "names": [str(name) for name in self.errors.index],
            "columns": [str(name) for name in self.columns],
            "group_sizes": {str(size): int(count) for size, count in self.group_sizes.items()},
            "nobs": self.nobs,
        }
        return {name: to_json_types(value) for name, value in content.items()}

    def __repr__(self) -> str:
        return (
            f"<AnonymizationResults k = {self.k:,}: {self.groups:,} groups of {self.nobs:,} rows, loss {self.loss:.4g}>"
        )


def _freeze_series(series: pd.Series) -> pd.Series:
    """Return a read-only Series of numbers, with a read-only index if it is numeric."""
    index = series.index
    if getattr(index.dtype, "kind", "O") in "iuf":
        index = pd.Index(freeze_array(index.to_numpy()), name=index.name, copy=False)
    return pd.Series(freeze_array(series.to_numpy()), index=index, name=series.name, copy=False)
