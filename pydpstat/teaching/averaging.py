"""The averaging attack: the mean of many noisy answers to one query, and the budget that stops it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import Frozen
from pydpstat.budget import BudgetExceeded
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee, compose

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
MOST_QUERIES = 10**7


@dataclass(frozen=True, eq=False, repr=False)
class AveragingAttack(Frozen):
    """What the mean of many answers gives away; `averaging_attack` makes it.

    Parameters
    ----------
    answers : ndarray of float64, shape (m,)
        The answers that were given.
    queries : int
        How many were asked for.
    noise_sd : float
        Standard deviation of one answer's noise: published by the first answer, or else that of the
        answers; NaN where there are fewer than two of those.
    guarantee : Guarantee or None
        What all answers together keep (basic composition); None where they state none.
    refused : str or None
        The budget's words, where it ended the attack.
    """

    answers: Floats
    queries: int
    noise_sd: float
    guarantee: Guarantee | None
    refused: str | None

    @property
    def estimate(self) -> float:
        """The mean of the answers; NaN where there is none."""
        return float(self.running[-1]) if self.answers.size else math.nan

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean's noise, ``noise_sd / sqrt(m)``."""
        return self.noise_sd / math.sqrt(self.answers.size) if self.answers.size else math.nan

    @property
    def running(self) -> Floats:
        """The mean after each answer, shape (m,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.cumsum(self.answers) / np.arange(1.0, self.answers.size + 1.0)

    def to_frame(self) -> pd.DataFrame:
        """Return the mean and its standard error after 1, 10, 100, ... answers and after the last.

        Examples
        --------
        >>> import numpy as np
        >>> from pydpstat.teaching import averaging_attack
        >>> draw = np.random.default_rng(1).laplace
        >>> averaging_attack(lambda: draw(120.0, 2.0), 250).to_frame().index.tolist()
        [1, 10, 100, 250]
        """
        import pandas as pd

        given = self.answers.size
        at = [10**power for power in range(len(str(given))) if 10**power < given] + [given] * (given > 0)
        running = self.running
        return pd.DataFrame(
            {
                "mean": [running[m - 1] for m in at],
                "standard error": [self.noise_sd / math.sqrt(m) for m in at],
            },
            index=pd.Index(at, name="answers", dtype=np.int64),
        )

    def __repr__(self) -> str:
        given = self.answers.size
        text = f"AveragingAttack: {given:,} of {self.queries:,} answers"
        if given:
            text += f", mean {self.estimate:.6g}, standard error {self.standard_error:.3g}"
        if self.guarantee is not None:
            text += f"; together {self.guarantee}"
        return text + ("; stopped by the budget" if self.refused is not None else "")


def averaging_attack(release: Callable[[], SupportsFloat], queries: int = 1000) -> AveragingAttack:
    """Ask for the same release again and again, and take the mean of the answers.

    Parameters
    ----------
    release : callable
        ``release()`` returns one answer: a number or a `DPResults` of one number. The noise must be
        fresh each time.
    queries : int, default 1000
        How often to ask; at least 1. A `BudgetExceeded` ends the attack earlier.

    Returns
    -------
    AveragingAttack
        It holds what the curious saw: answers, never the true value.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or an answer is no finite number.

    Notes
    -----
    Independent noise of standard deviation s leaves the mean of m answers with s / sqrt(m). Each
    answer keeps epsilon, and all together m epsilon: the mean of enough answers is the true value.
    With ``budget=`` in the release, only so many are given as the budget covers.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.5
    (composition).

    Examples
    --------
    >>> import pydpstat
    >>> from pydpstat.teaching import averaging_attack
    >>> adult, budget = [True] * 6 + [False] * 4, pydpstat.Budget(1.0)
    >>> averaging_attack(lambda: pydpstat.count(adult, 0.25, budget=budget)).answers.size
    4
    """
    if not callable(release):
        raise PydpstatError(
            f"release must be a callable without arguments; got {type(release).__name__}. "
            "Give for example lambda: pydpstat.count(condition, 0.1)."
        )
    wanted = checks.integer(queries, "queries", 1, hint="Give for example 1000.")
    if wanted > MOST_QUERIES:
        raise PydpstatError(f"queries must be at most {MOST_QUERIES:,}; got {wanted:,}. Ask fewer times.")
    answers: list[float] = []
    kept: list[Guarantee | None] = []
    noise_sd, refused = math.nan, None
    for _ in range(wanted):
        try:
            answer = release()
        except BudgetExceeded as error:
            refused = str(error)
            break
        if not answers:
            noise_sd = _published_sd(answer)
        answers.append(_number(answer))
        guarantee = getattr(answer, "guarantee", None)
        kept.append(guarantee if isinstance(guarantee, Guarantee) else None)
    values = np.array(answers, dtype=np.float64)
    if math.isnan(noise_sd) and values.size > 1:
        with np.errstate(over="ignore", invalid="ignore"):
            noise_sd = float(values.std(ddof=1))
    stated = [each for each in kept if each is not None]
    together = compose(stated) if stated and len(stated) == len(kept) else None
    return AveragingAttack(values, wanted, noise_sd, together, refused)


def _number(answer: SupportsFloat) -> float:
    try:
        value = float(answer)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise PydpstatError(
            f"release() must return one finite number each time; got {type(answer).__name__}. "
            "Ask for one statistic."
        )
    return value


def _published_sd(answer: object) -> float:
    published = getattr(answer, "bse", None)
    return float(published.iloc[0]) if published is not None and len(published) == 1 else math.nan
