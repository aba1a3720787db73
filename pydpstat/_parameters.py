"""Parameters of many functions, described once: a line ``{epsilon, rng}`` of a docstring stands for them."""

from __future__ import annotations

import re

# a word in parentheses tells the same parameter of other functions: {rng (mirror)}
TEXTS = {
    "data": """\
data : array_like of shape (n,) or (n, d)
    Numbers; values outside the bounds are clipped to them. A frame or a matrix is treated column
    by column.""",
    "x": """\
x : array_like of shape (n,)
    The data; values outside the bounds are clipped to them.""",
    "epsilon": """\
epsilon : float
    Privacy parameter; above 0 and finite.""",
    "epsilon (whole)": """\
epsilon : float
    Privacy parameter of the whole release; above 0 and finite.""",
    "eps": """\
eps : float
    Privacy parameter epsilon; above 0 and finite.""",
    "eps (mirror)": """\
eps : float
    Privacy parameter epsilon, above 0. Infinity adds no noise and keeps nothing.""",
    "delta": """\
delta : float, default 0
    Above 0 and below 1 for ``"gaussian"``; 0 otherwise.""",
    "delta (mirror)": """\
delta : float, default 0
    Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.""",
    "bounds": """\
bounds : (float, float)
    Public bounds of the data, chosen without looking at them. For a frame one pair for all
    columns, one for each, or a dict of them by column.""",
    "bounds (mirror)": """\
lower_bound, upper_bound : float
    Public bounds of the data, chosen without looking at them.""",
    "mechanism": """\
mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
    The noise: by default Laplace noise of one column, and of several ``"linf"``, the K-norm mechanism of
    the cube, which has less. Gaussian noise has the analytic calibration.""",
    "mechanism (counts)": """\
mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
    Symmetric geometric noise, or discrete Gaussian noise. Both are integers.""",
    "mechanism (mirror)": """\
mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
    The noise; ``"analytic"`` is Gaussian with the analytic calibration.""",
    "which_sensitivity": """\
which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
    Neighbors: one record replaced, or one added or removed. The noise is the same.""",
    "type_DP": """\
type_DP : {"aDP", "pDP"}, default "aDP"
    Approximate or probabilistic privacy, for ``"Gaussian"`` only.""",
    "neighbors": """\
neighbors : {"bounded", "unbounded"}, optional
    By default the budget's, else bounded: one record replaced (the number of records public).
    Unbounded: one added or removed (the number private).""",
    "missing": """\
missing : {"error", "drop"} or float, default "error"
    What to do with missing values: raise an error, leave them out (unbounded only), or put a
    public number within the bounds in their place.""",
    "missing (truth)": """\
missing : {"error", "drop", True, False}, default "error"
    What to do with missing values: raise an error, leave them out (unbounded only), or count
    them as true or false.""",
    "missing (bounded)": """\
missing : "error" or float, default "error"
    An error, or a public number that replaces missing values.""",
    "by": """\
by : str, list of str, or columns, optional
    Release by group: columns of the data, or a separate column (or a dict or tuple of them) with a
    value for each record. One release has all groups, also empty ones.""",
    "levels": """\
levels : list, dict, list of lists or "declared", optional
    The public levels of the keys, as in `crosstab`; needed with `by`. ``"declared"``: the keys are
    Categoricals whose categories are public.""",
    "other": """\
other : str or None, default "other"
    The group of values that are in no level, as in `crosstab`, and of missing ones if a number replaces
    missing values. None leaves such records out.""",
    "unit": """\
unit : str or column, optional
    Whose data a record is, such as a person's id: what is protected is then all records of a unit, and
    `neighbors` speak of units. It needs `max_records`.""",
    "unit (one record)": """\
unit : str or column, optional
    Whose data a record is, such as a person's id: a column of the data, or an id for each record. At
    most one record of each unit counts, drawn at random, and what is protected is a unit. By default the
    budget's.""",
    "unit (samples)": """\
unit : str, or list of columns, optional
    Whose data a record is, such as a person's id: a column of each sample's frame, or ids for each
    sample. At most one record of each unit counts, in one of the groups. By default the budget's.""",
    "max_records": """\
max_records : int, optional
    How many records of a unit count; which ones is drawn at random for each release.""",
    "max_groups": """\
max_groups : int, optional
    How many groups a unit's records may be in, with `by`; by default up to `max_records`.""",
    "sample": """\
sample : float or int, optional
    Release on a random sample, drawn for this release: a share of the records, or under bounded
    neighbors a number of them. `epsilon` and `delta` are then of the release on the sample, and the
    result's are those that follow for all records, which are smaller.""",
    "rng": """\
rng : None, int, numpy.random.Generator or RRandom, keyword only
    Source of the noise. None (default) is the operating system; an int seeds NumPy.""",
    "choice": """\
rng : None, int, numpy.random.Generator or RRandom, keyword only
    Source of the choice. None (default) is the operating system; an int seeds NumPy.""",
    "rng (mirror)": """\
rng : None, int, numpy.random.Generator or RRandom, keyword only
    Source of the noise. None (default) is the operating system; an int seeds R's stream.""",
    "choice (mirror)": """\
rng : None, int, numpy.random.Generator or RRandom, keyword only
    Source of the choice. None (default) is the operating system; an int seeds R's stream.""",
    "PydpstatError (mirror)": """\
PydpstatError
    Where an argument is not allowed, or where R would return NA, NaN or an infinite value.""",
    "PydpstatError (NaN)": """\
PydpstatError
    Where R returns NaN.""",
    "n (draws)": """\
n : int
    How many.""",
    "Chaudhuri (2011)": """\
Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
minimization. Journal of Machine Learning Research 12, 1069-1109.""",
    "Kifer (2012)": """\
Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory.""",
    "budget": """\
budget : Budget, optional
    Where the release is to be charged.""",
    "path": """\
path : str, path-like or writable text file, optional
    Where to write it; a file of that name is replaced. By default the text is returned.""",
    "ax": """\
ax : matplotlib Axes, optional
    Where to draw; a new figure's by default.""",
    "X (new)": """\
X : DataFrame or array_like of shape (m, n_features)
    New records, which are clipped to the bounds.""",
    "X (predictors)": """\
X : DataFrame or array_like of shape (n, p)
    Predictors; values outside their bounds are clipped to them.""",
    "add_bias (fit)": """\
add_bias : bool, default False
    Whether to put a column "bias" of ones in front; for a DataFrame only, as in R.""",
    "add_bias": """\
add_bias : bool, default False
    Whether to put a column of ones in front; True where the model was fitted so.""",
    "gamma": """\
gamma : float
    Regularization constant: the objective has gamma / n times the regularizer.""",
    "regularizer": """\
regularizer : {"l2"} or callable
    ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.""",
    "kind": """\
kind : {"confidence", "population"}, optional
    The one that there is, by either name.""",
    "alpha": """\
alpha : float, default 0.05
    Probability that an interval misses, of each one by itself.""",
    "gammaSensitivity": """\
gammaSensitivity : float, optional
    Where the sensitivity was sampled: the share of data sets for which it may be too small.""",
}
_PLACE = re.compile(r"^( *)\{([A-Za-z][\w (),]*)\}$", re.MULTILINE)


def described(text: str) -> str:
    """Return a docstring with the descriptions of the parameters that a line of it names.

    Raises
    ------
    KeyError
        If there is no such description.

    Examples
    --------
    >>> print(described("Release.\\n\\n    {eps, budget}"))
    Release.
    <BLANKLINE>
        eps : float
            Privacy parameter epsilon; above 0 and finite.
        budget : Budget, optional
            Where the release is to be charged.
    """

    def filled(found: re.Match[str]) -> str:
        indent, keys = found.groups()
        lines = [line for key in keys.split(", ") for line in TEXTS[key].split("\n")]
        return "\n".join(f"{indent}{line}" for line in lines)

    return _PLACE.sub(filled, text)
