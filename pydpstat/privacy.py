"""What a release guarantees: a pair (epsilon, delta), the neighbors it speaks of, and its conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydpstat import checks
from pydpstat.errors import PydpstatError

NEIGHBORS = ("bounded", "unbounded")


@dataclass(frozen=True)
class Guarantee:
    """An (epsilon, delta) guarantee of differential privacy.

    Parameters
    ----------
    epsilon : float
        At least 0. Infinity says that nothing is guaranteed.
    delta : float, default 0.0
        Between 0 and 1. With 0 the guarantee is pure.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        ``"bounded"``: one record replaced by another, the number of records public.
        ``"unbounded"``: one record added or removed, the number of records private.
    conditions : tuple of str, default ()
        Short sentences on what the guarantee rests on or does not cover.

    Raises
    ------
    PydpstatError
        If `epsilon` is negative or NaN, `delta` is outside [0, 1], `neighbors` is another word, or
        `conditions` is no tuple of texts.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy.
    Foundations and Trends in Theoretical Computer Science 9, Definition 2.4.

    Examples
    --------
    >>> print(Guarantee(1, 1e-6))
    (epsilon 1, delta 1e-06), bounded neighbors
    >>> print(Guarantee(float("inf")))
    none (epsilon infinite)
    """

    epsilon: float
    delta: float = 0.0
    neighbors: str = "bounded"
    conditions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self._is_plain():
            return
        epsilon, delta = checks.scalar(self.epsilon, "epsilon"), checks.scalar(self.delta, "delta")
        if epsilon < 0.0:
            raise PydpstatError(
                f"epsilon must be at least 0; got {epsilon!r}. Give infinity where nothing is guaranteed."
            )
        if not 0.0 <= delta <= 1.0:
            raise PydpstatError(f"delta must be between 0 and 1; got {delta!r}. Give 0 for a pure guarantee.")
        checks.one_of(self.neighbors, "neighbors", NEIGHBORS)
        lines = self.conditions
        if not isinstance(lines, tuple) or not all(isinstance(line, str) for line in lines):
            raise PydpstatError(
                f"conditions must be a tuple of texts; got {checks.shown(lines)}. Write (text,) for one."
            )
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)

    def _is_plain(self) -> bool:
        # most guarantees are made by the package from checked floats, a few for each release
        return (
            type(self.epsilon) is float
            and type(self.delta) is float
            and self.epsilon >= 0.0
            and 0.0 <= self.delta <= 1.0
            and self.neighbors in NEIGHBORS
            and type(self.conditions) is tuple
            and all(type(line) is str for line in self.conditions)
        )

    def __str__(self) -> str:
        if math.isinf(self.epsilon):
            return "none (epsilon infinite)"
        if self.delta == 1.0:
            return "none (delta 1)"
        return f"(epsilon {self.epsilon:.6g}, delta {self.delta:.6g}), {self.neighbors} neighbors"


def compose_basic(*guarantees: Guarantee) -> Guarantee:
    """Guarantee of several releases together, by basic composition.

    The epsilons add up and so do the deltas. This holds for any mechanisms, also when a later one
    was chosen after seeing the earlier results, as long as the budgets were fixed beforehand.

    Parameters
    ----------
    *guarantees : Guarantee
        At least one, all for the same neighbors.

    Returns
    -------
    Guarantee
        With the sums (`delta` at most 1) and every condition once, in order.

    Raises
    ------
    PydpstatError
        If none is given, or if the neighbors differ.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy.
    Foundations and Trends in Theoretical Computer Science 9, Theorem 3.16 and Appendix B.

    Examples
    --------
    >>> print(compose_basic(Guarantee(1, 1e-6), Guarantee(0.5)))
    (epsilon 1.5, delta 1e-06), bounded neighbors
    """
    kinds = {guarantee.neighbors for guarantee in guarantees}
    if len(kinds) != 1:
        got = f"neighbors {', '.join(sorted(kinds))}" if kinds else "nothing"
        raise PydpstatError(
            f"guarantees must be at least one Guarantee, all for the same neighbors; got {got}. "
            "State every release for the same neighbors first."
        )
    # fsum rounds once, so the order of the releases does not change the sum
    return Guarantee(
        epsilon=math.fsum(guarantee.epsilon for guarantee in guarantees),
        delta=min(1.0, math.fsum(guarantee.delta for guarantee in guarantees)),
        neighbors=kinds.pop(),
        conditions=tuple(dict.fromkeys(line for guarantee in guarantees for line in guarantee.conditions)),
    )
