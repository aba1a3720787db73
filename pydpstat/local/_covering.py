"""One guarantee for persons in different places, of whom different answers were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydpstat.privacy import GaussianLoss, Guarantee, LaplaceLoss, PrivacyLoss, compose


def covering(places: Iterable[Sequence[Guarantee]]) -> Guarantee:
    """Return a guarantee that holds in each of several places.

    Parameters
    ----------
    places : iterable of sequences of Guarantee
        Of each place, what its answers keep, one or more; at least one place. If not all are for the
        same neighbors, the result is for bounded ones.

    Returns
    -------
    Guarantee
        With the largest epsilon and the largest delta of any place, where they add up; with a curve
        where all have one of the same kind of noise. It has every condition once, in order.

    Notes
    -----
    Each person's data are in one place, so guarantees of different places do not add up: what follows
    from each of them holds for all. One place may have the largest epsilon, and another the largest
    delta.

    References
    ----------
    McSherry, F. (2009). Privacy integrated queries. SIGMOD 2009, Theorem 4 (parallel composition).

    Examples
    --------
    >>> print(covering([[Guarantee(1, 1e-2)], [Guarantee(0.5), Guarantee(0.501)]]))
    (epsilon 1.001, delta 0.01), bounded neighbors
    """
    lists = [list(place) for place in places]
    if len({one.neighbors for place in lists for one in place}) > 1:
        lists = [[one.as_bounded() for one in place] for place in lists]
    # a single guarantee keeps its curve
    each = [place[0] if len(place) == 1 else compose(place) for place in lists]
    return Guarantee(
        max(one.epsilon for one in each),
        max(one.delta for one in each),
        each[0].neighbors,
        tuple(dict.fromkeys(line for one in each for line in one.conditions)),
        _largest([one.loss for one in each]),
    )


def _largest(losses: list[PrivacyLoss | None]) -> PrivacyLoss | None:
    """Return the largest loss where all are in one order; else None."""
    gaussian = [loss for loss in losses if isinstance(loss, GaussianLoss)]
    laplace = [loss for loss in losses if isinstance(loss, LaplaceLoss)]
    if len(gaussian) == len(losses):
        return max(gaussian, key=lambda loss: loss.mu)
    if len(laplace) == len(losses):
        return max(laplace, key=lambda loss: loss.epsilon)
    return losses[0] if len(losses) == 1 else None
