"""A simulated data set of loan applications, in the size and shape of a bank's, without real persons."""

from __future__ import annotations

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat._lazy import pd
from pydpstat.anonymity import _frames as frames
from pydpstat.r_arithmetic.elementary import exp

ROWS = 307_511
# the income of the outlier, and the code for "not employed" in the column of days
OUTLIER, NOT_EMPLOYED = 1.17e8, 365_243


@explain_wrong_calls
def simulate_loans(rows: int = ROWS, seed: int = 40) -> pd.DataFrame:
    """Simulate loan applications.

    Parameters
    ----------
    rows : int, default 307511
        Number of applications; at least 1.
    seed : int, default 40
        Seed of NumPy's generator.

    Returns
    -------
    DataFrame of shape (rows, 6)
        ``SK_ID_CURR`` (a different number for each row), ``TARGET`` (1 if a payment was late, otherwise
        0), ``AMT_INCOME_TOTAL`` and ``AMT_CREDIT`` (log-normal amounts; one income is 117 million),
        ``DAYS_BIRTH`` and ``DAYS_EMPLOYED`` (days before the application, hence negative; 365243 is the
        code for those who are not employed).

    Raises
    ------
    PydpstatError
        If `rows` is not an integer of at least 1, or `seed` is not an integer of at least 0.

    See Also
    --------
    evaluate_anonymization : used with these data in examples.

    Examples
    --------
    >>> from pydpstat.anonymity import simulate_loans
    >>> simulate_loans(3).shape
    (3, 6)
    """
    rows = frames.integer(rows, "rows", 1, 2**31)
    rng = np.random.default_rng(frames.integer(seed, "seed", 0, 2**63 - 1))
    wealth = rng.normal(size=(3, rows))
    income = exp(11.91 + 0.48 * wealth[0])
    credit = exp(13.07 + 0.70 * (0.4 * wealth[0] + np.sqrt(1 - 0.4**2) * wealth[1]))
    # incomes are stated in round numbers, credits follow from monthly payments
    income = np.rint(income / 4500.0).clip(6) * 4500.0
    credit = (np.rint(credit / 4.5) * 4.5).clip(45_000.0, 4_050_000.0)
    income[rng.integers(rows)] = OUTLIER
    age = 7489 + np.rint(17_700 * rng.beta(1.6, 2.0, rows))
    employed = np.rint((age - 6500) * rng.beta(0.9, 3.2, rows))
    share = age / age.mean()
    cubes = share * share * share
    retired = rng.random(rows) < 0.18 * cubes / cubes.mean()
    target = rng.random(rows) < 0.08
    return pd.DataFrame(
        {
            "SK_ID_CURR": 100_002 + np.arange(rows),
            "TARGET": target.astype(np.int64),
            "AMT_INCOME_TOTAL": income,
            "AMT_CREDIT": credit,
            "DAYS_BIRTH": -age.astype(np.int64),
            "DAYS_EMPLOYED": np.where(retired, NOT_EMPLOYED, -employed).astype(np.int64),
        }
    )
