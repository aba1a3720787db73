"""What an anonymized table hides, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import is_numeric
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._comparison import equal_rows, mean_squared_error, same_shape
from pydpstat.anonymity._frames import Names
from pydpstat.anonymity.results import AnonymizationResults

if TYPE_CHECKING:
    import pandas as pd


def evaluate_anonymization(
    df: pd.DataFrame, df_anonym: pd.DataFrame, squared_error: bool = True, columns: Names = None
) -> AnonymizationResults:
    """Compare an anonymized table with the original: k, groups, risk, errors.

    Parameters
    ----------
    df, df_anonym : DataFrame
        The original and the anonymized table: the same rows and columns, in the same order.
    squared_error : bool, default True
        Whether errors are mean squares; otherwise their roots, in the columns' units.
    columns : name or sequence of names, optional
        The quasi-identifiers, which k is about; all columns by default.

    Returns
    -------
    AnonymizationResults
        With `summary()` and `plot()`.

    Raises
    ------
    PydpstatError
        Where shape, columns or index differ, a column is not there, or a value is missing in one of
        the tables only.

    Notes
    -----
    A column that has no numbers in one of the tables has the error NaN, and is left out of means and of
    the loss. The loss is the sum of squared changes divided by the sum of squared distances from the
    columns' means, over all columns with numbers, in raw units: 0 where nothing changed, 1 where every
    row became the mean row.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import evaluate_anonymization, microaggregation
    >>> df = pd.DataFrame({"age": [20, 22, 60, 64], "pay": [1, 2, 5, 6]})
    >>> r = evaluate_anonymization(df, microaggregation(df, 2))
    >>> r.k, r.groups, r.unique_rows, r.risk
    (2, 2, 0, 0.5)
    >>> r.errors
    age    2.50
    pay    0.25
    dtype: float64
    """
    import pandas as pd

    square = checks.flag(squared_error, "squared_error")
    same_shape(df, df_anonym, ("df", "df_anonym"))
    chosen = frames.places(df, columns)
    errors, variances = _errors(df, df_anonym)
    sizes = np.bincount(equal_rows(df_anonym, chosen))
    size, groups = np.unique(sizes, return_counts=True)
    known = ~np.isnan(errors)
    total = variances[known].sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(errors == 0.0, 0.0, np.sqrt(errors / variances))
    return AnonymizationResults(
        group_sizes=pd.Series(groups, index=pd.Index(size, name="size"), name="groups"),
        errors=pd.Series(errors if square else np.sqrt(errors), index=df.columns),
        relative_errors=pd.Series(np.where(known, relative, np.nan), index=df.columns),
        squared_error=square,
        loss=float(errors[known].sum() / total) if total > 0.0 else float("nan"),
        columns=tuple(df.columns[chosen]),
        nobs=len(df),
    )


def _errors(df: pd.DataFrame, other: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each column's mean squared change, and its variance; NaN where there are no numbers."""
    errors = np.full(df.shape[1], np.nan)
    variances = errors.copy()
    for place in range(df.shape[1]):
        if is_numeric(df.iloc[:, place]) and is_numeric(other.iloc[:, place]):
            errors[place] = mean_squared_error(df, other, place)
            values = frames.floats(df, place)
            known = values[~np.isnan(values)]
            # per row of the table, as the error is
            variances[place] = ((known - known.mean()) ** 2).sum() / len(df) if known.size else 0.0
    return errors, variances
