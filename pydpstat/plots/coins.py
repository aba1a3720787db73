"""Tree diagram of randomized response with two coins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.errors import PydpstatError
from pydpstat.plots._style import COLOURS, apply_axes_style, get_axes, get_muted_color, get_text_color, is_dark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 12.0, 6.6
# rows from top to bottom: headings, the truth, the second coin's heads and tails, the totals of both answers
HEADING_Y, TRUTH_Y, HEADS_Y, TAILS_Y, ANSWER_1_Y, ANSWER_0_Y = 6.3, 5.4, 4.0, 2.6, 1.3, 0.6
# columns: the coins, the outcome, its probability, the answers of persons with 1 and with 0
FIRST_COIN_X, SECOND_COIN_X, OUTCOME_X, PROBABILITY_X, TRUTH_1_X, TRUTH_0_X = 0.6, 3.5, 6.4, 8.3, 10.0, 11.4
# a dark and a light color, which differ in gray print
ANSWER_COLORS = {1: (COLOURS[4], "white"), 0: (COLOURS[1], "black")}


@runtime_checkable
class TwoCoins(Protocol):
    """Interface of a `RandomizedResponseCoins`, which is defined in a module that may not be imported here."""

    @property
    def prob_head_first(self) -> float:
        """The first coin's probability of heads."""

    @property
    def prob_head_second(self) -> float:
        """The second coin's probability of heads."""

    @property
    def epsilon(self) -> float:
        """Epsilon of an answer."""


@explain_wrong_calls
def coin_tree(design: object, ax: Axes | None = None) -> Axes:
    """Draw randomized response with two coins as a tree, with all probabilities.

    Parameters
    ----------
    design : RandomizedResponseCoins
        The coins.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        If `design` is not a two-coin design, or `ax` is not a matplotlib Axes.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.local.RandomizedResponseCoins : the data shown.

    Notes
    -----
    The plot shows only the design, which is public. Each row is a path through the tree: its
    probability, and the resulting answer of a person whose truth is 1, and of one whose truth is 0. The
    last two rows have the probability of each answer for both persons. Epsilon is the largest logarithm of
    the ratio of the two persons' probabilities of an answer.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy. Foundations and
    Trends in Theoretical Computer Science 9, section 3.2.

    Examples
    --------
    >>> from pydpstat import plots
    >>> from pydpstat.local import RandomizedResponseCoins
    >>> ax = plots.coin_tree(RandomizedResponseCoins(0.5, 0.5))  # doctest: +SKIP
    """
    if not isinstance(design, TwoCoins) or isinstance(design, type):
        raise PydpstatError(
            f"design must have two coins; got {checks.describe_value(design)}. Give a RandomizedResponseCoins; "
            "RandomizedResponseCoins(get_prob_from_epsilon(1)) has epsilon 1."
        )
    p1, p2 = design.prob_head_first, design.prob_head_second
    axes = get_axes("coin_tree", ax, height=4.6)
    between = 0.5 * (HEADS_Y + TAILS_Y)
    root = 0.5 * (TRUTH_Y + between)
    _draw_branch(axes, (FIRST_COIN_X, root), (OUTCOME_X, TRUTH_Y), 0.55, f"tails: {1.0 - p1:.4g}")
    _draw_branch(axes, (FIRST_COIN_X, root), (SECOND_COIN_X, between), 0.62, f"heads: {p1:.4g}")
    _draw_branch(axes, (SECOND_COIN_X, between), (OUTCOME_X, HEADS_Y), 0.64, f"heads: {p2:.4g}")
    _draw_branch(axes, (SECOND_COIN_X, between), (OUTCOME_X, TAILS_Y), 0.64, f"tails: {1.0 - p2:.4g}")
    _draw_node(axes, FIRST_COIN_X, root, "first\ncoin")
    _draw_node(axes, SECOND_COIN_X, between, "second\ncoin")
    ways = (
        (TRUTH_Y, "the truth", 1.0 - p1, (1, 0)),
        (HEADS_Y, "answer 1", p1 * p2, (1, 1)),
        (TAILS_Y, "answer 0", p1 * (1.0 - p2), (0, 0)),
    )
    for y, name, chance, answers in ways:
        _draw_node(axes, OUTCOME_X, y, name)
        axes.text(PROBABILITY_X, y, f"{chance:.4g}", ha="center", va="center", color=get_text_color(axes))
        for x, answer in zip((TRUTH_1_X, TRUTH_0_X), answers):
            _draw_answer(axes, x, y, answer)
    _draw_headings_and_sums(axes, 1.0 - p1 + p1 * p2, p1 * p2)
    _set_tree_frame(axes, design.epsilon)
    return axes


def _draw_branch(axes: Axes, start: tuple[float, float], end: tuple[float, float], at: float, text: str) -> None:
    """Draw a branch with its probability left of a point: above a rising line, below a falling one."""
    axes.plot(*zip(start, end), color=get_muted_color(axes), linewidth=1.4, zorder=1)
    rise = end[1] - start[1]
    x, y = start[0] + at * (end[0] - start[0]), start[1] + at * rise
    alignment: dict[str, Any] = {
        "va": "bottom" if rise > 0.0 else "top",
        "ha": "right",
        "color": get_text_color(axes),
    }
    axes.annotate(text, (x, y), (0, 3 if rise > 0.0 else -3), textcoords="offset points", **alignment)


def _draw_node(axes: Axes, x: float, y: float, text: str) -> None:
    patch = {
        "boxstyle": "round,pad=0.45",
        "facecolor": "#2A2A2A" if is_dark(axes) else "#F2F2F2",
        "edgecolor": get_muted_color(axes),
    }
    axes.text(x, y, text, ha="center", va="center", color=get_text_color(axes), bbox=patch, zorder=3)


def _draw_answer(axes: Axes, x: float, y: float, answer: int) -> None:
    colour, text = ANSWER_COLORS[answer]
    axes.plot([x], [y], "o", color=colour, markersize=19, zorder=2)
    axes.text(x, y, str(answer), ha="center", va="center_baseline", color=text, weight="bold", zorder=3)


def _draw_headings_and_sums(axes: Axes, yes: float, no: float) -> None:
    for x, text in ((PROBABILITY_X, "chance"), (TRUTH_1_X, "truth 1"), (TRUTH_0_X, "truth 0")):
        axes.text(x, HEADING_Y, text, ha="center", va="center", color=get_text_color(axes), weight="bold")
    axes.plot(
        [PROBABILITY_X - 0.9, WIDTH],
        [0.5 * (TAILS_Y + ANSWER_1_Y)] * 2,
        color=get_muted_color(axes),
        linewidth=0.8,
    )
    for y, text, chances in (
        (ANSWER_1_Y, "answer 1", (yes, no)),
        (ANSWER_0_Y, "answer 0", (1.0 - yes, 1.0 - no)),
    ):
        axes.text(PROBABILITY_X, y, text, ha="center", va="center", color=get_text_color(axes))
        for x, chance in zip((TRUTH_1_X, TRUTH_0_X), chances):
            axes.text(x, y, f"{chance:.4g}", ha="center", va="center", color=get_text_color(axes), weight="bold")


def _set_tree_frame(axes: Axes, epsilon: float) -> None:
    axes.set_xlim(0.0, WIDTH)
    axes.set_ylim(0.2, HEIGHT)
    axes.set_xticks([])
    axes.set_yticks([])
    guarantee = f"epsilon = {epsilon:.4g}, the largest log ratio of an answer's two probabilities"
    if math.isinf(epsilon):
        guarantee = "no guarantee: an answer can reveal the truth with certainty"
    axes.set_xlabel(guarantee, color=get_text_color(axes))
    axes.spines[["left", "bottom"]].set_visible(False)
    apply_axes_style(axes)
