"""Results of an audit, and their picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.auditing._events import Event
from pydpstat.auditing._sampling import Draws
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._report import Facts, NoTruthValue, Plottable, Report, Rows, to_json_guarantee, trim_name

BINS = 80
# draws of each sample in the picture
MAX_DRAWN = 50_000
# with more values than this they are drawn in bins, otherwise as bars
MAX_BAR_VALUES = 40


@dataclass(frozen=True, eq=False)
class Picture(ReadOnlyArrays):
    """Shares of both samples in bins, or by name if there are no edges, and the name of the axis.

    The shares of all draws and of those in the event have the shape (2, bins), the data's first.
    """

    name: str
    edges: Floats | None
    names: tuple[str, ...]
    shares: Floats
    marked: Floats


def make_picture(event: Event, first: Draws, second: Draws) -> Picture:
    """Return the picture of an event's projection, or of the event itself if it has none."""
    first, second = (Draws(each.codes[:MAX_DRAWN], each.values[:MAX_DRAWN]) for each in (first, second))
    inside = [event.select_outcomes(draws) for draws in (first, second)]
    if event.projection is None:
        share = np.array([[each.mean(), 1.0 - each.mean()] for each in inside])
        return Picture("", None, ("in the event", "not in it"), share, share * [1.0, 0.0])
    z = [event.projection.compute(draws) for draws in (first, second)]
    finite = [np.isfinite(each) for each in z]
    pooled = np.concatenate([each[keep][:20_000] for each, keep in zip(z, finite)])
    if pooled.size == 0:
        share = np.array([[each.mean()] for each in inside])
        return Picture(event.projection.name, None, ("missing",), share, share)
    low, high = np.quantile(pooled, [0.002, 0.998])
    values = np.unique(pooled)
    if values.size <= MAX_BAR_VALUES and (values == np.rint(values)).all():
        edges = np.arange(values[0] - 0.5, min(values[-1], values[0] + 500) + 1.0)
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    shares = np.array([_compute_shares(each[keep], edges, each.size) for each, keep in zip(z, finite)])
    marked = np.array(
        [_compute_shares(each[keep & mark], edges, each.size) for each, keep, mark in zip(z, finite, inside)]
    )
    return Picture(event.projection.name, edges, (), shares, marked)


def _compute_shares(z: Floats, edges: Floats, total: int) -> Floats:
    # equal bins, so that a multiplication finds the bin
    bins = ((z - edges[0]) * ((edges.size - 1) / (edges[-1] - edges[0]))).astype(np.int64)
    bins = bins[(z >= edges[0]) & (z < edges[-1])]
    return np.bincount(np.minimum(bins, edges.size - 2), minlength=edges.size - 1) / total


@dataclass(frozen=True, slots=True)
class AuditedEvent:
    """Event counted on separate draws.

    Parameters
    ----------
    words : str
        The event in words.
    likelier_under : {"data", "neighbor"}
        The data set under which it was more likely in the search.
    p, q : float
        Its relative frequency there, and under the other data set.
    p_lower, q_upper : float
        Lower bound of the first, upper bound of the second.
    epsilon_lower : float
        The lower bound of epsilon that these imply.
    """

    words: str
    likelier_under: str
    p: float
    p_lower: float
    q: float
    q_upper: float
    epsilon_lower: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AuditResults(Plottable, NoTruthValue, Report):
    """A lower bound on a release's epsilon, with the event that shows it.

    `audit` returns it. It describes the given data sets and is not private.

    Parameters
    ----------
    release : str
        Name of the callable.
    claim : Guarantee or None
        The claim tested; None if there is none.
    confidence : float
        Probability that `epsilon_lower` is a valid bound.
    draws : tuple of int
        Draws under the data and under the neighbor.
    events : tuple of AuditedEvent
        The counted events, the strongest first.
    picture : Picture
        Both samples for `plot`.

    See Also
    --------
    audit : creates it.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat import audit
    >>> laplace = np.random.default_rng(1).laplace
    >>> r = audit(lambda count, size: laplace(count, 1.0, size), 5, 6, claim=1.0, samples=10_000, rng=1)
    >>> r.violates
    False
    >>> bool(0.5 < r.epsilon_lower < 1.0)
    True
    """

    release: str
    claim: Guarantee | None
    confidence: float
    draws: tuple[int, int]
    events: tuple[AuditedEvent, ...]
    picture: Picture

    _title = "Audit of a release"
    _condition = "result.violates"

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on epsilon, at the claim's delta (0 without a claim)."""
        return self.events[0].epsilon_lower

    @property
    def delta(self) -> float:
        """The delta at which `epsilon_lower` holds."""
        return 0.0 if self.claim is None else self.claim.delta

    @property
    def violates(self) -> bool | None:
        """Whether the claim is violated (at the given confidence); None without a claim."""
        return None if self.claim is None else bool(self.epsilon_lower > self.claim.epsilon)

    @property
    def witness(self) -> str:
        """The strongest event in words."""
        return self.events[0].words

    @property
    def likelier_under(self) -> str:
        """The data set under which the witness is more likely: "data" or "neighbor"."""
        return self.events[0].likelier_under

    @property
    def p(self) -> float:
        """The witness's share of the draws where it is more likely."""
        return self.events[0].p

    @property
    def p_lower(self) -> float:
        """Lower bound of the witness's probability where it is more likely."""
        return self.events[0].p_lower

    @property
    def q(self) -> float:
        """The witness's share of the draws under the other data set."""
        return self.events[0].q

    @property
    def q_upper(self) -> float:
        """Upper bound of the witness's probability under the other data set."""
        return self.events[0].q_upper

    @property
    def only_under_one(self) -> bool:
        """Whether the witness occurred under only one of the two data sets."""
        return self.q == 0.0 and self.p > 0.0

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        if self.violates is None:
            return "no claim"
        return "claim broken" if self.violates else "no violation found"

    def _collect_facts(self) -> Facts:
        claim = self.claim
        return [
            ("Release:", self.release),
            ("Claimed epsilon:", "-" if claim is None else f"{claim.epsilon:.6g}"),
            ("Claimed delta:", "-" if claim is None else f"{claim.delta:.6g}"),
            ("Epsilon at least:", f"{self.epsilon_lower:.4f}"),
            ("Verdict:", self.verdict),
            ("Confidence:", f"{self.confidence:.6g}"),
            ("Draws (data):", f"{self.draws[0]:,}"),
            ("Draws (neighbor):", f"{self.draws[1]:,}"),
        ]

    def _make_rows(self) -> Rows:
        headers = ("epsilon >=", "p", "p >=", "q", "q <=")
        names = [f"event {number}" for number in range(1, len(self.events) + 1)]
        cells = [
            [f"{event.epsilon_lower:.4f}"] + [f"{x:.4g}" for x in (event.p, event.p_lower, event.q, event.q_upper)]
            for event in self.events
        ]
        return Rows(headers, names, cells)

    def _collect_notes(self) -> list[str]:
        head, *notes = [
            f"Event {number}, more likely under the {event.likelier_under}: {event.words}."
            for number, event in enumerate(self.events, start=1)
        ]
        alone = ["It occurred under only one of the two data sets."] if self.only_under_one else []
        return [
            head,
            *alone,
            *notes,
            ("p: probability under the data set that makes the event more likely; q: under the other data set."),
            f"All bounds hold simultaneously with probability {self.confidence:.6g}: a release that "
            "satisfies its claim is reported as a violation with probability "
            f"{1.0 - self.confidence:.2g} at most.",
            ("Finding no violation is not a proof. This page describes the given data: audit with made-up data."),
        ]

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.plots._pictures import PictureHead, SamplePicture

        title = f"epsilon at least {self.epsilon_lower:.3g}: {trim_name(self.witness, 80)}"
        picture = self.picture
        return SamplePicture(
            PictureHead(title), picture.name, picture.edges, picture.names, picture.shares, picture.marked
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the counted events as a frame, the strongest first.

        Returns
        -------
        DataFrame
            Columns ``epsilon lower``, ``p``, ``p lower``, ``q``, ``q upper``, ``likelier under`` and
            ``event``, which is in words.

        See Also
        --------
        AuditResults.to_dict : the whole result as plain types.

        Examples
        --------
        >>> from pydpstat import audit
        >>> audit(lambda x: x, 5, 6, claim=1, samples=500).to_frame()["event"].iloc[0]
        'the result is at most 5'
        """
        names = [f"event {number}" for number in range(1, len(self.events) + 1)]
        rows = [
            (event.epsilon_lower, event.p, event.p_lower, event.q, event.q_upper, event.likelier_under, event.words)
            for event in self.events
        ]
        columns = ["epsilon lower", "p", "p lower", "q", "q upper", "likelier under", "event"]
        return pd.DataFrame(rows, index=names, columns=columns)

    def __str__(self) -> str:
        return f"{self.summary().tables[0].as_text()}\n{repr(self)[1:-1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the picture in plain JSON types.

        Examples
        --------
        >>> from pydpstat import audit
        >>> audit(lambda x: x, 5, 6, claim=1, samples=500).to_dict()["violates"]
        True
        """
        claim = self.claim
        return {
            "release": self.release,
            "claim": None if claim is None else to_json_guarantee(claim),
            "epsilon_lower": self.epsilon_lower,
            "violates": self.violates,
            "confidence": self.confidence,
            "draws": list(self.draws),
            "events": [asdict(event) for event in self.events],
        }

    def __repr__(self) -> str:
        claimed = "" if self.claim is None else f", claim {self.claim.epsilon:.6g}"
        if self.delta:
            claimed += f" (delta {self.delta:.6g})"
        return f"<AuditResults {self.release}: epsilon >= {self.epsilon_lower:.4g}{claimed}, {self.verdict}>"
