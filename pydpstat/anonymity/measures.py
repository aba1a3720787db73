"""Measures of anonymity and information loss of a table, single and combined."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import is_numeric
from pydpstat._lazy import pd
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import ColumnNames, check_same_shape, compute_mean_squared_error, label_equal_rows
from pydpstat.anonymity.results import AnonymizationResults
from pydpstat.errors import PydpstatError


@explain_wrong_calls
def k_anonymity(df: pd.DataFrame, return_sizes: bool = False, columns: ColumnNames = None) -> int | np.ndarray:
    """Return the size of the smallest group of indistinguishable rows.

    Parameters
    ----------
    df : DataFrame
        The table.
    return_sizes : bool, default False
        Whether the sizes of all groups are returned.
    columns : name or sequence of names, optional
        The quasi-identifiers: attributes that an attacker may know. All columns by default.

    Returns
    -------
    int, or ndarray of int
        k; or the groups' sizes, decreasing.

    Raises
    ------
    PydpstatError
        If `df` is not a frame or has no rows, or a column is not there.

    See Also
    --------
    l_diversity : the number of sensitive values in each group.
    reidentification_risk : its reciprocal.

    Notes
    -----
    A missing value is a separate value: two rows in which it is missing are equal, and differ from rows in
    which it is not. k is a property of the given columns: other columns may still distinguish rows. A
    k-anonymous table is not differentially private: an attacker may know other attributes, and all rows of
    a group may have the same sensitive value (`l_diversity`).

    References
    ----------
    Samarati, P. and Sweeney, L. (1998). Protecting privacy when disclosing information: k-anonymity and
    its enforcement through generalization and suppression. SRI International.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import k_anonymity
    >>> df = pd.DataFrame({"age": [30, 30, None, None, None], "city": list("aabbb")})
    >>> k_anonymity(df), k_anonymity(df, return_sizes=True)
    (2, array([3, 2]))
    """
    everything = checks.check_boolean(return_sizes, "return_sizes")
    sizes = np.bincount(label_equal_rows(df, frames.find_column_positions(df, columns)))
    return np.sort(sizes)[::-1] if everything else int(sizes.min())


@explain_wrong_calls
def l_diversity(df: pd.DataFrame, quasi_identifiers: ColumnNames, sensitive: Hashable) -> int:
    """Return the smallest number of sensitive values in a group of equal rows.

    Parameters
    ----------
    df : DataFrame
        The table.
    quasi_identifiers : name or sequence of names
        Attributes that an attacker may know.
    sensitive : name
        The attribute to protect.

    Returns
    -------
    int
        1 if all rows of some group have the same value, which anyone who identifies the group learns.

    Raises
    ------
    PydpstatError
        If `df` is not a frame or has no rows, a column is not there, or `sensitive` is several columns
        or one of the quasi-identifiers.

    See Also
    --------
    k_anonymity : the groups' sizes.

    Notes
    -----
    This is distinct l-diversity. A missing value is a separate value.

    References
    ----------
    Machanavajjhala, A., Kifer, D., Gehrke, J. and Venkitasubramaniam, M. (2007). l-diversity: privacy
    beyond k-anonymity. ACM Transactions on Knowledge Discovery from Data 1(1).

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import l_diversity
    >>> df = pd.DataFrame({"age": [30, 30, 40, 40], "ill": ["flu", "cold", "flu", "flu"]})
    >>> l_diversity(df, "age", "ill")
    1
    """
    quasi_positions = frames.find_column_positions(df, quasi_identifiers, "quasi_identifiers")
    secret = frames.find_column_positions(df, [sensitive] if isinstance(sensitive, str) else sensitive, "sensitive")
    if len(secret) != 1 or sensitive is None:
        raise PydpstatError(f"sensitive must name one column; got {checks.describe_value(sensitive)}.")
    if secret[0] in quasi_positions:
        raise PydpstatError(
            f"sensitive must not be one of the quasi_identifiers; got {checks.describe_value(sensitive)}."
        )
    groups, values = label_equal_rows(df, quasi_positions), label_equal_rows(df, secret)
    levels = int(values.max()) + 1
    combinations = np.unique(groups * levels + values)
    return int(np.bincount(combinations // levels).min())


@explain_wrong_calls
def reidentification_risk(data: pd.DataFrame | int, columns: ColumnNames = None) -> float:
    """Return 1/k, the probability of finding a person by quasi-identifiers.

    Parameters
    ----------
    data : DataFrame or int
        The table, or k itself.
    columns : name or sequence of names, optional
        The quasi-identifiers, if a table is given; all columns by default.

    Returns
    -------
    float
        Above 0 and at most 1. It applies to the rows of the smallest group, and is the largest risk in the table.

    Raises
    ------
    PydpstatError
        If k is not an integer of at least 1, or as for `k_anonymity`.

    See Also
    --------
    k_anonymity : its reciprocal.
    find_isolated : which rows are at risk.

    Examples
    --------
    >>> from pydpstat.anonymity import reidentification_risk
    >>> f"{reidentification_risk(1603):.4%}"
    '0.0624%'
    """
    if not checks.is_number(data):
        return 1.0 / int(k_anonymity(data, columns=columns))
    return 1.0 / frames.integer(data, "data", 1, 2**63 - 1)


@explain_wrong_calls
def mse_by_col(df1: pd.DataFrame, df2: pd.DataFrame, squared: bool = True) -> pd.Series:
    """Return the mean squared difference of two tables, column by column.

    Parameters
    ----------
    df1, df2 : DataFrame
        The original and the changed table: the same rows and columns, in the same order.
    squared : bool, default True
        False for the root of the mean squared difference, in the column's unit.

    Returns
    -------
    Series
        One number per column.

    Raises
    ------
    PydpstatError
        If shape, columns or index differ, a column has no numbers, or a value is missing in one of the
        tables only.

    See Also
    --------
    evaluate_anonymization : information loss and protection.

    Notes
    -----
    Two missing values count as equal.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import mse_by_col
    >>> mse_by_col(pd.DataFrame({"age": [30, 40]}), pd.DataFrame({"age": [35, 35]}))
    age    25.0
    dtype: float64
    """
    mean_square = checks.check_boolean(squared, "squared")
    check_same_shape(df1, df2)
    errors = [compute_mean_squared_error(df1, df2, position) for position in range(df1.shape[1])]
    return pd.Series(errors if mean_square else np.sqrt(errors), index=df1.columns)


@explain_wrong_calls
def evaluate_anonymization(
    df: pd.DataFrame, df_anonym: pd.DataFrame, squared_error: bool = True, columns: ColumnNames = None
) -> AnonymizationResults:
    """Compare an anonymized table with the original: k, groups, risk, errors.

    Parameters
    ----------
    df, df_anonym : DataFrame
        The original and the anonymized table: the same rows and columns, in the same order.
    squared_error : bool, default True
        Whether errors are mean squares; otherwise their roots, in the columns' units.
    columns : name or sequence of names, optional
        The quasi-identifiers for k; all columns by default.

    Returns
    -------
    AnonymizationResults
        With `summary()` and `plot()`.

    Raises
    ------
    PydpstatError
        If shape, columns or index differ, a column is not there, or a value is missing in one of
        the tables only.

    See Also
    --------
    AnonymizationResults : the result.
    k_anonymity, mse_by_col : parts of it.

    Notes
    -----
    A column without numbers in one of the tables has the error NaN, and is excluded from means and from
    the loss. The loss is the sum of squared changes divided by the sum of squared distances from the
    columns' means, over all columns with numbers, in raw units: 0 if nothing changed, 1 if every
    row was replaced by the mean row.

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
    square = checks.check_boolean(squared_error, "squared_error")
    check_same_shape(df, df_anonym, ("df", "df_anonym"))
    positions = frames.find_column_positions(df, columns)
    errors, variances = _compute_column_errors(df, df_anonym)
    sizes = np.bincount(label_equal_rows(df_anonym, positions))
    size, groups = np.unique(sizes, return_counts=True)
    is_known = ~np.isnan(errors)
    total = variances[is_known].sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(errors == 0.0, 0.0, np.sqrt(errors / variances))
    return AnonymizationResults(
        group_sizes=pd.Series(groups, index=pd.Index(size, name="size"), name="groups"),
        errors=pd.Series(errors if square else np.sqrt(errors), index=df.columns),
        relative_errors=pd.Series(np.where(is_known, relative, np.nan), index=df.columns),
        squared_error=square,
        loss=float(errors[is_known].sum() / total) if total > 0.0 else float("nan"),
        columns=tuple(df.columns[positions]),
        nobs=len(df),
    )


def _compute_column_errors(df: pd.DataFrame, anonymized: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each column's mean squared change, and its variance; NaN if it is not numeric."""
    errors = np.full(df.shape[1], np.nan)
    variances = errors.copy()
    for position in range(df.shape[1]):
        if is_numeric(df.iloc[:, position]) and is_numeric(anonymized.iloc[:, position]):
            errors[position] = compute_mean_squared_error(df, anonymized, position)
            values = frames.read_float_column(df, position)
            present = values[~np.isnan(values)]
            # per row of the table, as the error
            variances[position] = ((present - present.mean()) ** 2).sum() / len(df) if present.size else 0.0
    return errors, variances
