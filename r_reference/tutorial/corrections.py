"""Where the text of the tutorial is wrong about privacy, and what holds."""

from __future__ import annotations

import textwrap

from pydpstat.mechanisms import SignGeometricNoise

# scale of the Laplace noise for the country, a state, a municipality; and the sensitivity declared
SCALES = (10, 5, 2)
DECLARED = 10


def corrections(width: int = 100) -> list[str]:
    """Return what the tutorial gets wrong, with the figures that hold.

    Parameters
    ----------
    width : int, default 100
        Longest line.

    Returns
    -------
    list of str
        A title, then the corrections, indented.

    Notes
    -----
    Rows 10 to 12: one record added moves one count at each level; one that moves to another state
    changes two states and two municipalities by 1, and not the country.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009. Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential
    privacy, sections 3.3 and 3.5.

    Examples
    --------
    >>> from r_reference.tutorial.corrections import corrections
    >>> print("\\n".join(corrections()[:2]))
    What the tutorial gets wrong
        Row 5       Levels taken from the data make epsilon infinite: declare them (a Categorical).
    """
    sign = SignGeometricNoise(1.0)
    _, state, municipality = SCALES
    added = sum(1 / scale for scale in SCALES)
    moved = 2 / state + 2 / municipality
    declared = sum(DECLARED / scale for scale in SCALES)
    wrong = (
        ("Row 5", "Levels taken from the data make epsilon infinite: declare them (a Categorical)."),
        ("Row 5", 'type.DP = "pDP" does nothing with Laplace noise, which satisfies pure epsilon.'),
        (
            "Row 7",
            f"A sign times rgeom has epsilon {sign.epsilon_kept:.4f}, not 1 (or, at 1, delta "
            f"{sign.delta(1.0):.4f}): symmetric_geometric() has less noise at the same true epsilon.",
        ),
        ("Row 9", "Breaks and bounds from the data make epsilon infinite: fix both without the data."),
        (
            "Rows 10-12",
            f"The three levels add up: epsilon {added:g} for a record added, {moved:g} for one moved to "
            f"another state, {declared:g} with the declared sensitivity {DECLARED}; not 1.",
        ),
    )
    lines = ["What the tutorial gets wrong"]
    for where, text in wrong:
        lines += textwrap.wrap(text, width, initial_indent=f"    {where:12}", subsequent_indent=" " * 16)
    return lines
