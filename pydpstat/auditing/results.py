"""What an audit found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydpstat.auditing._picture import Picture
from pydpstat.privacy import Guarantee
from pydpstat.results._stated import plain_guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary


@dataclass(frozen=True, slots=True)
class AuditedEvent:
    """An event that was counted on fresh draws.

    Parameters
    ----------
    words : str
        The event in words.
    likelier_under : {"data", "neighbour"}
        The data set under which it was more likely in the search.
    p, q : float
        Its share there, and under the other data set.
    p_lower, q_upper : float
        Lower bound of the first, upper bound of the second.
    epsilon_lower : float
        What they imply.
    """

    words: str
    likelier_under: str
    p: float
    p_lower: float
    q: float
    q_upper: float
    epsilon_lower: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AuditResults:
    """A lower bound on the epsilon of a release, with the event that witnesses it.

    `audit` makes it. It describes the data sets that were given: it is no release.

    Parameters
    ----------
    release : str
        Name of the callable.
    claim : Guarantee or None
        What was claimed.
    confidence : float
        Probability that `epsilon_lower` is right.
    draws : tuple of int
        Draws under the data and under the neighbour.
    events : tuple of AuditedEvent
        What was counted, the strongest first.
    picture : Picture
        Both samples for `plot`.

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

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on epsilon, at the claim's delta (0 without a claim)."""
        return self.events[0].epsilon_lower

    @property
    def delta(self) -> float:
        """The delta that `epsilon_lower` allows for."""
        return 0.0 if self.claim is None else self.claim.delta

    @property
    def violates(self) -> bool | None:
        """Whether the claim is broken (at the confidence given); None without a claim."""
        return None if self.claim is None else bool(self.epsilon_lower > self.claim.epsilon)

    @property
    def witness(self) -> str:
        """The strongest event in words."""
        return self.events[0].words

    @property
    def likelier_under(self) -> str:
        """The data set under which the witness is likelier: "data" or "neighbour"."""
        return self.events[0].likelier_under

    @property
    def p(self) -> float:
        """The witness's share of the draws where it is likelier."""
        return self.events[0].p

    @property
    def p_lower(self) -> float:
        """Lower bound of the witness's probability where it is likelier."""
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
        """Whether the witness occurred under one of the two data sets only."""
        return self.q == 0.0 and self.p > 0.0

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        if self.violates is None:
            return "no claim"
        return "claim broken" if self.violates else "no violation found"

    def summary(self) -> Summary:
        """Return the audit as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> import numpy as np
        >>> from pydpstat import audit
        >>> laplace = np.random.default_rng(1).laplace
        >>> r = audit(lambda count, size: laplace(count, 1.0, size), 5, 6, claim=1.0, samples=1_000, rng=1)
        >>> "Epsilon at least:" in r.summary().as_text()
        True
        """
        from pydpstat.auditing._summary import summary

        return summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the histograms of both samples with the witness's share filled; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure's by default.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        MissingExtraError
            Where matplotlib is not installed; the message has the command.

        Examples
        --------
        >>> from pydpstat import audit
        >>> r = audit(lambda x: x, 5, 6, samples=500)
        >>> ax = r.plot()  # doctest: +SKIP
        """
        from pydpstat.auditing._picture import plot

        return plot(self, ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the picture in plain JSON types.

        Examples
        --------
        >>> from pydpstat import audit
        >>> audit(lambda x: x, 5, 6, claim=1, samples=500).to_dict()["violates"]
        True
        """
        claim = self.claim
        return {
            "release": self.release,
            "claim": None if claim is None else plain_guarantee(claim),
            "epsilon_lower": self.epsilon_lower,
            "violates": self.violates,
            "confidence": self.confidence,
            "draws": list(self.draws),
            "events": [asdict(each) for each in self.events],
        }

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def __repr__(self) -> str:
        claimed = "" if self.claim is None else f", claim {self.claim.epsilon:.6g}"
        if self.delta:
            claimed += f" (delta {self.delta:.6g})"
        return f"<AuditResults {self.release}: epsilon >= {self.epsilon_lower:.4g}{claimed}, {self.verdict}>"
