"""Objective of the models, and R's two minimizers: optim's variable metric, and NLopt within a domain.

Operations, their order and the stopping rules are R's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat.dppack._models.formulas import Mask, compute_dot_product, sum_rows
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.r_arithmetic.elementary import Floats

GradientFunction = Callable[[Floats, npt.ArrayLike], Floats]

# the square root of the machine epsilon, which R documents as about 1e-8
R_RELTOL = 2.0**-26
_STEP_REDUCTION, _ACCEPT_TOLERANCE, _RELATIVE_TEST = 0.2, 1e-4, 10.0


class RowProducts:
    """Products X' r of one matrix X and many vectors r, summing multiples of the rows from first to last.

    X, of shape (n, d), is not copied if it is row-major.

    >>> RowProducts(np.array([[1.0, 2.0], [3.0, 4.0]]))(np.array([1.0, 10.0]))
    array([31., 42.])
    """

    def __init__(self, X: Floats) -> None:
        from scipy.sparse import bsr_matrix

        n, d = X.shape
        # one block per record: SciPy adds blocks in order, several times faster than NumPy adds rows
        blocks = np.ascontiguousarray(X).reshape(n, d, 1)
        block_indices = np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)
        self._blocks = bsr_matrix((blocks, *block_indices), shape=(d, n))

    def __call__(self, r: Floats) -> Floats:
        """Return X' r, shape (d,), for `r` of shape (n,)."""
        product: Floats = self._blocks @ r
        return product


@dataclass
class Objective:
    """Mean loss plus penalty plus noise: (sum(loss) + gamma penalty + b'w) / n + extra w'w / 2.

    `predict` maps coefficients to predictions, and `losses` predictions to losses, shape (n,). `loss_gradient` is
    the gradient of the summed loss, shape (d,), as a function of coefficients and predictions. `b` is the noise
    vector, shape (d,), zeros without noise. If `has_divided_extra`, the added regularization is divided by n as
    well, and added before the noise.
    """

    n: int
    predict: Callable[[Floats], npt.ArrayLike]
    losses: Callable[[npt.ArrayLike], npt.ArrayLike]
    loss_gradient: GradientFunction | None
    penalty: Callable[[Floats], npt.ArrayLike]
    penalty_gradient: Callable[[Floats], npt.ArrayLike] | None
    gamma: float
    extra: float
    b: Floats
    has_divided_extra: bool = False

    def __post_init__(self) -> None:
        self._last_coeff: Floats | None = None
        self._last_prediction: npt.ArrayLike = self.b

    def compute_value(self, w: Floats) -> float:
        """Return the value of the objective."""
        total = float(r.sum(self.losses(self._predict_cached(w)))) / self.n
        penalty = float(np.asarray(self.penalty(w), dtype=np.float64).reshape(()))
        total += self.gamma * penalty / self.n
        # operations in R's order
        if self.has_divided_extra:
            total += self.extra * compute_dot_product(w, w) / (2.0 * self.n)
            return total + compute_dot_product(self.b, w) / self.n
        total += compute_dot_product(self.b, w) / self.n
        return total + self.extra * compute_dot_product(w, w) / 2.0

    @property
    def gradient(self) -> Callable[[Floats], Floats] | None:
        """Gradient as a function; None if a part of it is not given."""
        if self.loss_gradient is None or self.penalty_gradient is None:
            return None
        loss_slope, penalty_slope = self.loss_gradient, self.penalty_gradient

        def compute_gradient(w: Floats) -> Floats:
            slopes = loss_slope(w, self._predict_cached(w)) / self.n
            slopes = slopes + self.gamma * np.asarray(penalty_slope(w), dtype=np.float64) / self.n
            added = self.extra * w
            return slopes + self.b / self.n + (added / self.n if self.has_divided_extra else added)

        return compute_gradient

    def _predict_cached(self, w: Floats) -> npt.ArrayLike:
        # the minimizer evaluates value and gradient at the same array, while numeric gradients modify theirs
        if self.loss_gradient is None or self.penalty_gradient is None:
            return self.predict(w)
        if self._last_coeff is not w:
            self._last_coeff, self._last_prediction = w, self.predict(w)
        return self._last_prediction


def make_summed_gradient(
    X: Floats,
    derivatives: Callable[[Floats], npt.ArrayLike] | None,
    loss_derivatives: Callable[[npt.ArrayLike], Floats],
    strict: bool = False,
) -> GradientFunction:
    """Return the gradient of the summed loss as a function of coefficients and predictions.

    `derivatives` maps coefficients to the derivatives of the predictions, shape (d, n), and is None if these are X
    transposed; `loss_derivatives` maps predictions to the derivatives of the losses, shape (n,). If `strict`, the
    returned function raises an error for a wrong shape.
    """
    products = RowProducts(X) if derivatives is None else None

    def compute_gradient(coeff: Floats, y_hat: npt.ArrayLike) -> Floats:
        by_record = loss_derivatives(y_hat)
        matrix = X.T if derivatives is None else np.asarray(derivatives(coeff), dtype=np.float64)
        if strict and (matrix.shape != X.shape[::-1] or by_record.size != X.shape[0]):
            raise PydpstatError(
                f"mapXy_gr must return an array of shape {X.shape[::-1]} and loss_gr {X.shape[0]} numbers; "
                f"got {matrix.shape} and {by_record.size}."
            )
        return (products or RowProducts(matrix.T))(by_record)

    return compute_gradient


class Minimum(NamedTuple):
    """Last accepted point, the objective there, and the numbers of evaluations of the objective and its gradient.

    `convergence` is 0 if the search converged, 1 at `maxit`.
    """

    par: Floats
    value: float
    counts: tuple[int, int]
    convergence: int


def make_numeric_gradient(fn: Callable[[Floats], float], step: float = 1e-3) -> Callable[[Floats], Floats]:
    """Return the central differences of a function with step `step`, as in R's optim.

    >>> make_numeric_gradient(lambda x: float(x[0] ** 2))(np.array([1.0])).round(9)
    array([2.])
    """

    def compute_gradient(par: Floats) -> Floats:
        point, slopes = par.copy(), np.empty(par.size)
        for i in range(par.size):
            point[i] = par[i] + step
            above = fn(point)
            point[i] = par[i] - step
            below = fn(point)
            slopes[i] = (above - below) / (2.0 * step)
            if not math.isfinite(slopes[i]):
                raise PydpstatError(
                    f"the numeric gradient of the objective is not finite (element {i + 1}); "
                    "give gradients, or a loss that is finite near the optimum."
                )
            point[i] = par[i]
        return slopes

    return compute_gradient


def minimize_variable_metric(
    start: Floats,
    fn: Callable[[Floats], float],
    gradient: Callable[[Floats], Floats] | None = None,
    maxit: int = 100,
    reltol: float = R_RELTOL,
) -> Minimum:
    """Minimize a function as R's ``optim(start, fn, gradient, method = "BFGS")``.

    Without a gradient, central differences with step 1e-3 are used. At most `maxit` gradients are evaluated,
    and a relative change of the objective by at most `reltol` is regarded as none. An error is raised if the
    objective is not finite at the start, or a numeric gradient is not finite.

    Nash, J. C. (1990). Compact numerical methods for computers, 2nd edition, Algorithm 21.

    >>> minimize_variable_metric(np.array([3.0]), lambda x: float((x[0] - 1) ** 2)).par.round(6)
    array([1.])
    """
    slope = make_numeric_gradient(fn) if gradient is None else gradient
    point = np.array(start, dtype=np.float64)
    size = point.size
    value = fn(point)
    if not math.isfinite(value):
        raise PydpstatError(
            "the objective is not finite at the start; remove missing or infinite values, and check bounds."
        )
    best, evaluations, gradients = value, 1, 1
    g = _check_gradient_size(slope(point), size)
    restarted = gradients
    lower = np.tri(size, dtype=bool)
    while True:
        if restarted == gradients:
            inverse = np.eye(size)
        origin, last_g = point.copy(), g
        step = -sum_rows(inverse * g)
        projection = compute_dot_product(step, g)
        if projection < 0.0:
            length, accepted = 1.0, False
            while True:
                point = origin + length * step
                unchanged = int(np.count_nonzero(_RELATIVE_TEST + origin == _RELATIVE_TEST + point))
                if unchanged < size:
                    value = fn(point)
                    evaluations += 1
                    accepted = math.isfinite(value) and value <= best + projection * length * _ACCEPT_TOLERANCE
                    if not accepted:
                        length *= _STEP_REDUCTION
                if unchanged == size or accepted:
                    break
            if not (value > -math.inf and abs(value - best) > reltol * (abs(best) + reltol)):
                unchanged, best = size, value
            if unchanged < size:
                best = value
                g = _check_gradient_size(slope(point), size)
                gradients += 1
                displacement, change = length * step, g - last_g
                curvature = compute_dot_product(displacement, change)
                if curvature > 0.0:
                    inverse = _update_inverse_hessian(inverse, displacement, change, curvature, lower)
                else:
                    restarted = gradients
            elif restarted < gradients:
                unchanged, restarted = 0, gradients
        else:
            unchanged = size if restarted == gradients else 0
            restarted = gradients
        if gradients >= maxit:
            break
        if gradients - restarted > 2 * size:
            restarted = gradients
        if unchanged == size and restarted == gradients:
            break
    return Minimum(point, best, (evaluations, gradients), int(gradients >= maxit))


def _update_inverse_hessian(inverse: Floats, taken: Floats, change: Floats, curvature: float, lower: Mask) -> Floats:
    """Return an updated inverse Hessian that maps the gradient's change to the step taken."""
    image = sum_rows(inverse * change)
    factor = 1.0 + compute_dot_product(image, change) / curvature
    column = taken[:, None]
    grown = inverse + (factor * column * taken - image[:, None] * taken - column * image) / curvature
    # use one triangle, as the original stores only one
    return np.where(lower, grown, grown.T)


def _check_gradient_size(slopes: Floats, size: int) -> Floats:
    slopes = np.asarray(slopes, dtype=np.float64).ravel()
    if slopes.size != size:
        raise PydpstatError(
            f"the gradient must have one element for each of the {size} coefficients; got {slopes.size}."
        )
    return slopes


# stopping rules of nloptr: the first is DPpack's, the others are nloptr's defaults
XTOL_REL = 1e-4
MAXEVAL = 100
CONSTRAINT_TOLERANCE = 1e-8

Function = Callable[[Floats], npt.ArrayLike]


def require_nlopt(feature: str) -> ModuleType:
    """Return the module nlopt; if it is missing, the error names the feature and the command to install it.

    >>> require_nlopt("LinearRegressionDP").__name__
    'nlopt'
    """
    try:
        import nlopt
    except ImportError as error:
        raise MissingExtraError(feature, "nlopt", "models") from error
    return nlopt


def minimize_constrained(
    objective: Function,
    constraints: Function,
    size: int,
    gradient: Function | None = None,
    jacobian: Function | None = None,
) -> Floats:
    """Minimize a function subject to constraints of at most 0, starting from zeros, as R's nloptr does.

    With a gradient the algorithm is MMA (the method of moving asymptotes), without one COBYLA.
    It stops at a relative step of 1e-4 or after 100 evaluations, without a check whether the
    minimum was reached: the result can differ from it by some thousandths.

    The constraints are one or m numbers. `jacobian` returns their gradients, m by `size` numbers, and is
    needed with `gradient`. An error is raised if a function is NaN at the start, or not finite later so
    that R would never return, if one returns a wrong number of values, and if NLopt fails.

    Svanberg, K. (2002). A class of globally convergent optimization methods based on conservative
    convex separable approximations. SIAM Journal on Optimization, 12, 555-573.
    Powell, M. J. D. (1994). A direct search optimization method that models the objective and
    constraint functions by linear interpolation. Advances in Optimization and Numerical Analysis, 51-67.

    >>> import numpy as np
    >>> def far(w):
    ...     return ((w - 1.0) ** 2).sum()
    >>> w = minimize_constrained(far, lambda w: w @ w - 1.0, 2, lambda w: 2 * w - 2, lambda w: 2 * w)
    >>> w.round(3)
    array([0.707, 0.707])
    """
    nlopt = require_nlopt("LinearRegressionDP")
    if gradient is None or jacobian is None:
        gradient = jacobian = None
    start = np.zeros(size)
    count = _check_start(objective, constraints, start, gradient, jacobian)

    def evaluate_objective(w: Floats, slope: Floats) -> float:
        # NLopt reuses its array, so a stored reference would change
        w = w.copy()
        if slope.size and gradient is not None:
            slope[:] = _to_flat_array(gradient(w))
        value = _check_objective_value(objective(w))
        if gradient is None and not math.isfinite(value):
            raise PydpstatError(
                "the objective is not finite during the search, and R never returns. Give loss.gr, "
                "mapXy.gr and regularizer.gr, or functions that are finite everywhere."
            )
        return value

    def evaluate_constraints(result: Floats, w: Floats, slopes: Floats) -> None:
        w = w.copy()
        if slopes.size and jacobian is not None:
            slopes[:] = _to_flat_array(jacobian(w)).reshape(slopes.shape)
        result[:] = _to_flat_array(constraints(w))

    problem = nlopt.opt(nlopt.LN_COBYLA if gradient is None else nlopt.LD_MMA, size)
    problem.set_min_objective(evaluate_objective)
    problem.add_inequality_mconstraint(evaluate_constraints, np.full(count, CONSTRAINT_TOLERANCE))
    problem.set_xtol_rel(XTOL_REL)
    problem.set_maxeval(MAXEVAL)
    try:
        return np.array(problem.optimize(start))
    except (nlopt.RoundoffLimited, RuntimeError) as error:
        raise PydpstatError(
            "NLopt failed: the objective is too large or too flat. Scale X, y and the bounds."
        ) from error


def _check_start(
    objective: Function, constraints: Function, start: Floats, gradient: Function | None, jacobian: Function | None
) -> int:
    """Check the functions at the start as nloptr does, and return the number of constraints."""
    limits = _to_flat_array(constraints(start))
    finite = {"objective": _to_flat_array(_check_objective_value(objective(start))), "constraints": limits}
    size = start.size
    for name, function, length in (("gradient", gradient, size), ("jacobian", jacobian, limits.size * size)):
        if function is not None:
            finite[name] = _to_flat_array(function(start))
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


def _check_objective_value(value: npt.ArrayLike) -> float:
    values = _to_flat_array(value)
    if values.size != 1:
        raise PydpstatError(f"the objective must be one number; got {values.size}. Check the regularizer.")
    return float(values[0])


def _to_flat_array(value: npt.ArrayLike) -> Floats:
    return np.asarray(value, dtype=np.float64).reshape(-1)
