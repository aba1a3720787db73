"""Composition: the joint guarantee of several releases."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._grid import round_up_total
from pydpstat.errors import PydpstatError
from pydpstat.privacy._units import describe_unit
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.privacy.losses import ConcentratedLoss, GaussianLoss, PrivacyLoss, ResponseLoss

COMPOSITION_METHODS = ("basic", "zcdp", "exact", "pld")


@explain_wrong_calls
def compose(guarantees: Iterable[Guarantee], method: str = "basic", *, delta: float | None = None) -> Guarantee:
    """Return the guarantee of a list of releases that was fixed in advance.

    Parameters
    ----------
    guarantees : iterable of Guarantee
        At least one, all for the same neighbors and the same unit.
    method : {"basic", "zcdp", "exact", "pld"}, default "basic"
        ``"basic"`` adds epsilons and deltas. ``"zcdp"`` adds the zero-concentrated privacy `rho`,
        which pure, Gaussian and discrete Gaussian releases have. ``"exact"`` is the optimal bound,
        for Gaussian releases or guarantees with equal epsilons (deltas may differ).
        ``"pld"`` composes any list numerically, with the package dp-accounting.
    delta : float, optional, keyword only
        The delta at which the result's epsilon is stated, between 0 and 1; by default the sum of
        the deltas. ``"zcdp"`` requires one above 0.

    Returns
    -------
    Guarantee
        With the pair (epsilon, delta), the curve behind it (``delta_at``, ``epsilon_at``) and every
        condition once, in order.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the neighbors or the units differ, or the method is not available for the list.
    MissingExtraError
        For ``"pld"`` if dp-accounting is not installed; the message has the command.

    See Also
    --------
    Budget : one limit for many releases.
    pydpstat.privacy.compose_basic : the sum of the epsilons.

    Notes
    -----
    The number of releases and their epsilons must not depend on results; the queries may. For adaptively
    chosen epsilons use a `Budget`. Releases on random samples each require their own sample;
    several releases on one sample are composed first, see `Guarantee.subsampled`.

    References
    ----------
    zcdp: Bun, M. and Steinke, T. (2016). TCC 2016-B; Canonne, C., Kamath, G. and Steinke, T. (2020).
    The discrete Gaussian for differential privacy. NeurIPS 2020, Corollary 13 (the conversion).
    exact: Kairouz, P., Oh, S. and Viswanath, P. (2017). The composition theorem for differential
    privacy. IEEE Transactions on Information Theory 63; Dong, J., Roth, A. and Su, W. J. (2022).
    Gaussian differential privacy. Journal of the Royal Statistical Society B 84 (Gaussian).
    pld: Sommer, D., Meiser, S. and Mohammadi, E. (2019). Privacy loss classes. PoPETs 2019.

    Examples
    --------
    >>> from pydpstat import Guarantee, compose
    >>> ten = [Guarantee(0.1)] * 100
    >>> print(compose(ten))
    (epsilon 10, delta 0), bounded neighbors
    >>> print(compose(ten, "zcdp", delta=1e-6))
    (epsilon 5.21908, delta 1e-06), bounded neighbors
    >>> print(compose(ten, "exact", delta=1e-6))
    (epsilon 4.77457, delta 1e-06), bounded neighbors
    """
    each = _check_guarantees(guarantees)
    checks.check_choice(method, "method", COMPOSITION_METHODS)
    basic = compose_basic(*each)
    goal = basic.delta if delta is None else _check_target_delta(delta, method)
    if method == "basic" or any(math.isinf(item.epsilon) and item.loss is None for item in each):
        return basic
    loss = {"zcdp": _compose_concentrated, "exact": _compose_exact, "pld": _compose_distributions}[method](each)
    # basic composition remains valid next to the curve, which is rounded up
    epsilon = replace(basic, loss=loss).epsilon_at(goal)
    if math.isinf(epsilon):
        raise PydpstatError(
            f"delta must be larger for these guarantees and method {method!r}; got {goal!r}. Give the "
            "delta at which epsilon is to be stated, for example delta=1e-6."
        )
    return replace(basic, epsilon=epsilon, delta=goal, loss=loss)


@explain_wrong_calls
def compose_basic(*guarantees: Guarantee) -> Guarantee:
    """Return the guarantee of several releases, by basic composition.

    The epsilons add up and so do the deltas. This is valid for any mechanisms, even if a later one is
    chosen after seeing earlier results, as long as the privacy parameters were fixed in advance.

    Parameters
    ----------
    *guarantees : Guarantee
        At least one, all for the same neighbors and the same unit.

    Returns
    -------
    Guarantee
        With the sums, rounded up (`delta` at most 1), and every condition once, in order.

    Raises
    ------
    PydpstatError
        If none is given, or if the neighbors or the units differ.

    See Also
    --------
    compose : tighter bounds.

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
        received = f"neighbors {', '.join(sorted(kinds))}" if kinds else "nothing"
        raise PydpstatError(
            f"guarantees must be at least one Guarantee, all for the same neighbors; got {received}. "
            "State every release for the same neighbors first."
        )
    # in the given order, because None cannot be sorted
    units = tuple(dict.fromkeys(guarantee.unit for guarantee in guarantees))
    if len(units) != 1:
        raise PydpstatError(
            f"guarantees must all be for the same unit; got {' and '.join(map(describe_unit, units))}. "
            "Guarantees for different units cannot be added: make all releases for the same unit."
        )
    return Guarantee(
        epsilon=round_up_total(guarantee.epsilon for guarantee in guarantees),
        delta=min(1.0, round_up_total(guarantee.delta for guarantee in guarantees)),
        neighbors=kinds.pop(),
        conditions=tuple(dict.fromkeys(line for guarantee in guarantees for line in guarantee.conditions)),
        unit=units[0],
    )


def _check_guarantees(guarantees: Iterable[Guarantee]) -> tuple[Guarantee, ...]:
    try:
        # iterating over a release would yield its numbers
        alone = hasattr(guarantees, "guarantee")
        each: tuple[Guarantee, ...] = tuple(() if alone else guarantees)
    except TypeError:
        alone = True
    if alone:
        raise PydpstatError(
            f"guarantees must be a list of Guarantee objects; got {checks.describe_value(guarantees)}. Write "
            "compose([first.guarantee, second.guarantee])."
        ) from None
    for item in each:
        if not isinstance(item, Guarantee):
            hint = "Use result.guarantee." if hasattr(item, "guarantee") else "Give a list of them."
            raise PydpstatError(f"guarantees must be Guarantee objects; got {type(item).__name__}. {hint}")
    return each


def _check_target_delta(delta: float, method: str) -> float:
    goal = checks.check_scalar(delta, "delta")
    if method == "basic":
        raise PydpstatError(
            f"delta must be None for method 'basic', which adds the deltas; got {goal!r}. Leave it out."
        )
    if not 0.0 <= goal < 1.0:
        raise PydpstatError(
            f"delta must be at least 0 and below 1; got {checks.describe_value(delta)}. Give for example 1e-6."
        )
    return goal


def _compose_concentrated(each: tuple[Guarantee, ...]) -> PrivacyLoss:
    rhos = [guarantee.rho for guarantee in each]
    if None in rhos:
        number = rhos.index(None) + 1
        unsuited = each[number - 1]
        raise PydpstatError(
            f"guarantees must all have a rho for method 'zcdp'; number {number}, {unsuited}, "
            f"has none: {unsuited.without_rho}. Use method='basic', or 'pld'."
        )
    pure = round_up_total(guarantee._get_loss().pure for guarantee in each)
    return ConcentratedLoss(round_up_total(rho for rho in rhos if rho is not None), pure)


def _get_best_parameters(guarantee: Guarantee) -> tuple[float, float]:
    """Return the pair (epsilon, delta) of a guarantee, or the pure epsilon of its loss if that is not larger."""
    pure = guarantee._get_loss().pure
    return (pure, 0.0) if pure <= guarantee.epsilon else (guarantee.epsilon, guarantee.delta)


def _compose_exact(each: tuple[Guarantee, ...]) -> PrivacyLoss:
    if all(isinstance(item.loss, GaussianLoss) for item in each):
        # the squares of the means add up, and the error of hypot is below one unit in the last place
        mu = math.hypot(*(item.loss.mu for item in each))  # type: ignore[union-attr]
        return GaussianLoss(mu if len(each) == 1 else math.nextafter(mu, math.inf))
    pairs = [_get_best_parameters(guarantee) for guarantee in each]
    epsilons = {epsilon for epsilon, _ in pairs}
    if len(epsilons) > 1 or math.inf in epsilons:
        raise PydpstatError(
            "guarantees must have equal and finite epsilons, or all a GaussianLoss, for method 'exact'; got "
            f"epsilons from {min(epsilons):.6g} to {max(epsilons):.6g}. Use method='zcdp', or 'pld'."
        )
    deltas = [delta for _, delta in pairs]
    # 1 - product of (1 - delta), rounded up; it is at most the sum
    leak = -math.expm1(math.fsum(map(math.log1p, (-delta for delta in deltas)))) if max(deltas) < 1.0 else 1.0
    leak = min(1.0, leak * (1.0 + 2.0**-50), round_up_total(deltas))
    return ResponseLoss(epsilons.pop(), len(each), leak)


def _compose_distributions(each: tuple[Guarantee, ...]) -> PrivacyLoss:
    from pydpstat.privacy._pld import LOSS_TYPES, DistributionLoss, import_pld

    import_pld()
    losses: list[PrivacyLoss] = []
    for number, item in enumerate(each, 1):
        if isinstance(item.loss, LOSS_TYPES):
            losses.append(item.loss)
            continue
        epsilon, delta = _get_best_parameters(item)
        if math.isinf(epsilon):
            raise PydpstatError(
                "guarantees must have a finite epsilon, or a loss with a distribution, for method 'pld'; "
                f"number {number} has {type(item.loss).__name__}. Use method='zcdp'."
            )
        losses.append(ResponseLoss(epsilon, 1, delta))
    return DistributionLoss(tuple(losses))
