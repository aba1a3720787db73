"""Minimization inside a domain by NLopt, with the algorithms and the stops of R's nloptr."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import numpy.typing as npt

from pydpstat.dppack._models.formulas import Floats
from pydpstat.errors import MissingExtraError, PydpstatError

# nloptr's stops: the first is DPpack's, the others are nloptr's defaults
XTOL_REL = 1e-4
MAXEVAL = 100
CONSTRAINT_TOLERANCE = 1e-8

Function = Callable[[Floats], npt.ArrayLike]


def require_nlopt(feature: str) -> ModuleType:
    """Return the module nlopt; where it is missing, the message names the feature and has the command.

    >>> require_nlopt("LinearRegressionDP").__name__
    'nlopt'
    """
    try:
        import nlopt
    except ImportError as error:
        raise MissingExtraError(feature, "nlopt", "models") from error
    return nlopt


def minimize(
    objective: Function,
    constraints: Function,
    size: int,
    gradient: Function | None = None,
    jacobian: Function | None = None,
) -> Floats:
    """Minimize a function where constraints are at most 0, starting from zeros, as R's nloptr does.

    With a gradient the algorithm is MMA (the method of moving asymptotes), without one COBYLA.
    It stops at a relative step of 1e-4 or after 100 evaluations, and nothing tells whether the
    minimum was reached: the answer can be some thousandths away from it.

    The constraints are one or m numbers. `jacobian` has their gradients, m by `size` numbers, and is
    needed with `gradient`. It is an error where a function is not finite at the start, or later where R
    would never return; where one returns a wrong number of values; where NLopt gives up.

    Svanberg, K. (2002). A class of globally convergent optimization methods based on conservative
    convex separable approximations. SIAM Journal on Optimization, 12, 555-573.
    Powell, M. J. D. (1994). A direct search optimization method that models the objective and
    constraint functions by linear interpolation. Advances in Optimization and Numerical Analysis, 51-67.

    >>> import numpy as np
    >>> def far(w):
    ...     return ((w - 1.0) ** 2).sum()
    >>> w = minimize(far, lambda w: w @ w - 1.0, 2, lambda w: 2 * w - 2, lambda w: 2 * w)
    >>> w.round(3)
    array([0.707, 0.707])
    """
    nlopt = require_nlopt("LinearRegressionDP")
    if gradient is None or jacobian is None:
        gradient = jacobian = None
    start = np.zeros(size)
    count = _check_start(objective, constraints, start, gradient, jacobian)

    def value(w: Floats, slope: Floats) -> float:
        # NLopt's array changes under the hands of whoever keeps it
        w = w.copy()
        if slope.size and gradient is not None:
            slope[:] = _flat(gradient(w))
        found = _number(objective(w))
        if gradient is None and not math.isfinite(found):
            raise PydpstatError(
                "the objective is not finite during the search, and R never returns. Give loss.gr, "
                "mapXy.gr and regularizer.gr, or functions that are finite everywhere."
            )
        return found

    def limits(result: Floats, w: Floats, slopes: Floats) -> None:
        w = w.copy()
        if slopes.size and jacobian is not None:
            slopes[:] = _flat(jacobian(w)).reshape(slopes.shape)
        result[:] = _flat(constraints(w))

    problem = nlopt.opt(nlopt.LN_COBYLA if gradient is None else nlopt.LD_MMA, size)
    problem.set_min_objective(value)
    problem.add_inequality_mconstraint(limits, np.full(count, CONSTRAINT_TOLERANCE))
    problem.set_xtol_rel(XTOL_REL)
    problem.set_maxeval(MAXEVAL)
    try:
        return np.array(problem.optimize(start))
    except (nlopt.RoundoffLimited, RuntimeError) as error:
        raise PydpstatError(
            "NLopt failed: the objective is too large or too flat. Scale X, y and the bounds."
        ) from error


def _check_start(
    objective: Function,
    constraints: Function,
    start: Floats,
    gradient: Function | None,
    jacobian: Function | None,
) -> int:
    """Check the functions at the start as nloptr does; return the number of constraints."""
    limits = _flat(constraints(start))
    finite = {"objective": _flat(_number(objective(start))), "constraints": limits}
    size = start.size
    for name, function, length in (("gradient", gradient, size), ("jacobian", jacobian, limits.size * size)):
        if function is not None:
            finite[name] = _flat(function(start))
            if finite[name].size != length:
                raise PydpstatError(
                    f"the {name} must have {length} values; got {finite[name].size}. "
                    "Check the functions that end in gr, and the domain's jacobian."
                )
    for name, values in finite.items():
        if np.isnan(values).any():
            raise PydpstatError(
                f"the {name} is not a number at the start (all coefficients 0). "
                "Remove missing values, and give bounds that are finite and not both 0."
            )
    return limits.size


def _number(value: npt.ArrayLike) -> float:
    values = _flat(value)
    if values.size != 1:
        raise PydpstatError(f"the objective must be one number; got {values.size}. Check the regularizer.")
    return float(values[0])


def _flat(value: npt.ArrayLike) -> Floats:
    return np.asarray(value, dtype=np.float64).reshape(-1)
