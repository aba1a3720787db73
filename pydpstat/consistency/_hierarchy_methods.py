"""The ways to make a hierarchy's noisy values add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pydpstat._checks import flag, one_of
from pydpstat.consistency._hierarchy_least_squares import two_pass, up
from pydpstat.consistency._hierarchy_ratio import scaled, top_down
from pydpstat.consistency._hierarchy_rounding import rounded_tree
from pydpstat.consistency._tree import Levels, Tree
from pydpstat.errors import PydpstatError

METHODS = ("least squares", "ratio", "top-down")


class Way(NamedTuple):
    """How values are made consistent, checked.

    Parameters
    ----------
    method : str
    nonnegative, integer : bool
    """

    method: str
    nonnegative: bool
    integer: bool

    @property
    def steps(self) -> tuple[str, ...]:
        """What is done, in words."""
        first = {
            "least squares": "weighted least squares",
            "ratio": "children scaled to their parent",
            "top-down": "weighted least squares from the top down, none negative",
        }[self.method]
        cut = ("negative values set to 0",) if self.method == "ratio" and self.nonnegative else ()
        rounding = ("rounded to whole numbers that add up",) if self.integer else ()
        return (*cut, first, *rounding)

    @property
    def reason(self) -> str:
        """Why there are no standard errors; empty where there are."""
        if self.method == "ratio":
            return "a ratio of noisy values has none that does not depend on the true ones"
        if self.method == "top-down":
            return "what is cut at 0 depends on the true values"
        return ""


def way(method: Any, nonnegative: Any, integer: Any, whole: bool) -> Way:
    """Check how values are to be made consistent; `whole` says whether the noisy ones are whole numbers."""
    one_of(method, "method", METHODS)
    sign = method == "top-down" if nonnegative is None else flag(nonnegative, "nonnegative")
    if sign and method == "least squares":
        raise PydpstatError(
            "nonnegative must be False for method 'least squares', which may leave negative values; got "
            "True. Use method='top-down'."
        )
    if not sign and method == "top-down":
        raise PydpstatError("nonnegative must be True for method 'top-down'; got False. Use 'least squares'.")
    rounding = method == "top-down" and whole if integer is None else flag(integer, "integer")
    return Way(method, sign, rounding)


def apply(tree: Tree, values: Levels, variances: Levels, how: Way) -> tuple[Levels, Levels | None]:
    """Return consistent values, and their variances where these are known.

    Parameters
    ----------
    tree : Tree
    values, variances : list of ndarray of float64
        What was measured (NaN where nothing was) and the noise's variances (infinite there).
    how : Way

    Returns
    -------
    estimates : list of ndarray of float64 or int64
    variances : list of ndarray of float64, or None
        Before rounding.
    """
    spreads: Levels | None = None
    if how.method == "ratio":
        estimates = scaled(tree, values, how.nonnegative)
    else:
        # what was not measured has no weight
        measured = [np.where(np.isnan(each), 0.0, each) for each in values]
        if how.method == "top-down":
            estimates = top_down(tree, up(tree, measured, variances))
        else:
            estimates, spreads = two_pass(tree, measured, variances)
    return (rounded_tree(tree, estimates) if how.integer else estimates), spreads
