"""Which kind of interval is asked for: of the records, or of the population that they are a sample of."""

from __future__ import annotations

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError

# the last two are one: a confidence interval is for the population
KINDS = ("noise", "population", "confidence")
CONFIDENCE = "confidence"
NOISE = "noise"
_COVERS = {
    NOISE: "its intervals cover the privacy noise only (kind='noise')",
    CONFIDENCE: "its intervals cover sampling and noise together (kind='confidence' or 'population')",
}


def kind_of(kind: object) -> str:
    """Return the kind that is asked for: "noise" where nothing is said, or "confidence".

    Examples
    --------
    >>> kind_of(None), kind_of("population")
    ('noise', 'confidence')
    """
    found = NOISE if kind is None else checks.one_of(kind, "kind", KINDS)
    return NOISE if found == NOISE else CONFIDENCE


def check_only(kind: object, there: str, what: str) -> None:
    """Refuse another kind than the one that there is; what is left out is that one.

    Parameters
    ----------
    kind : str or None
        What is asked for.
    there : {"noise", "confidence"}
        The kind that there is.
    what : str
        What has the intervals, in words.
    """
    if kind is not None and kind_of(kind) != there:
        raise PydpstatError(
            f"{what} has no interval of kind {checks.shown_option(kind)}: {_COVERS[there]}. Leave kind out."
        )
