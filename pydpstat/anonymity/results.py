"""The outcome of an evaluation: sizes of groups and errors of columns, none of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydpstat._frozen import Frozen, frozen
from pydpstat.results._export import plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AnonymizationResults(Frozen):
    """How well an anonymized table hides its rows, and how far it is from the original.

    `evaluate_anonymization` makes it. Its figures are computed from the original without any noise: they
    are for whoever holds the data, and no release.

    Parameters
    ----------
    group_sizes : Series of int
        How many groups there are of each size; the index has the sizes, increasing.
    errors : Series of float
        Mean squared error of each column, or its root; NaN where it has no numbers.
    relative_errors : Series of float
        Root mean squared error of each column in standard deviations of the original.
    squared_error : bool
        Whether `errors` are mean squares.
    loss : float
        Sum of squared changes over the sum of squared distances from the mean; NaN where all is constant.
    columns : tuple
        Names of the quasi-identifiers.
    nobs : int
        Number of rows.

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
    columns: tuple[Any, ...]
    nobs: int

    def __post_init__(self) -> None:
        for name in ("group_sizes", "errors", "relative_errors"):
            object.__setattr__(self, name, _kept(getattr(self, name)))

    @property
    def k(self) -> int:
        """Size of the smallest group."""
        return int(self.group_sizes.index[0])

    @property
    def groups(self) -> int:
        """Number of groups of rows that cannot be told apart."""
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
        """Mean of the columns' errors; NaN where no column has numbers."""
        return float(self.errors.mean())

    def summary(self) -> Summary:
        """Return the evaluation as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> import pandas as pd
        >>> from pydpstat.anonymity import evaluate_anonymization
        >>> df = pd.DataFrame({"age": [20, 22, 60]})
        >>> "not differentially private" in evaluate_anonymization(df, df).summary().as_text()
        True
        """
        from pydpstat.anonymity._summary import summary

        return summary(self)

    def plot(self, kind: str = "errors", ax: Axes | None = None) -> Axes:
        """Draw the columns' errors or the groups' sizes; needs matplotlib.

        Parameters
        ----------
        kind : {"errors", "sizes"}, default "errors"
            Errors in standard deviations of the original, a bar for each column; or how many groups
            there are of each size.
        ax : matplotlib Axes, optional
            Where to draw; a new figure's by default.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        PydpstatError
            Where `kind` is something else, or there are no errors to draw.
        MissingExtraError
            Where matplotlib is not installed; the message has the command.

        Examples
        --------
        >>> import pandas as pd
        >>> from pydpstat.anonymity import evaluate_anonymization
        >>> df = pd.DataFrame({"age": [20, 22, 60]})
        >>> ax = evaluate_anonymization(df, df).plot()  # doctest: +SKIP
        """
        from pydpstat.anonymity._picture import plot

        return plot(self, kind, ax)

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
        return {
            "k": self.k,
            "groups": self.groups,
            "unique_rows": self.unique_rows,
            "risk": self.risk,
            "squared_error": self.squared_error,
            "errors": [plain(each) for each in self.errors],
            "relative_errors": [plain(each) for each in self.relative_errors],
            "mean_error": plain(self.mean_error),
            "loss": plain(self.loss),
            "names": [str(name) for name in self.errors.index],
            "columns": [str(name) for name in self.columns],
            "group_sizes": {str(size): int(count) for size, count in self.group_sizes.items()},
            "nobs": self.nobs,
        }

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def __repr__(self) -> str:
        return (
            f"<AnonymizationResults k = {self.k:,}: {self.groups:,} groups of {self.nobs:,} rows, "
            f"loss {self.loss:.4g}>"
        )


def _kept(series: pd.Series) -> pd.Series:
    """Return a Series of numbers that cannot be made writable, nor an index of numbers."""
    import pandas as pd

    index = series.index
    if getattr(index.dtype, "kind", "O") in "iuf":
        index = pd.Index(frozen(index.to_numpy()), name=index.name, copy=False)
    return pd.Series(frozen(series.to_numpy()), index=index, name=series.name, copy=False)
