"""Estimates from randomized answers: proportions, both kinds of standard error, and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._lazy import pd
from pydpstat.local import _intervals as estimate
from pydpstat.local._categories import Category
from pydpstat.local._intervals import DISTRIBUTIONS, KINDS, METHODS, compute_proportion_interval
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._numbers import format_rows
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results._report import MAX_PAGE_ROWS, Facts, Rows, format_level, format_significant, make_omission_note
from pydpstat.results.results import DPResults

_MAX_NAME_LENGTH = 16
_PROPORTION_LABELS = Labels("proportion")
# names of the kinds of intervals in other releases
_KIND_ALIASES: dict[object, str] = {
    None: "randomization",
    "noise": "randomization",
    "confidence": "population",
}
_ESTIMATION_STEPS = {
    "moment": NoisyValue(("moment estimate from the answers",)),
    "ml": NoisyValue(("maximum-likelihood estimate from the answers",)),
}


class AnswerDesign(Protocol):
    """Interface of a `ResponseDesign`, which creates these results."""

    _response: estimate.AnswerProbabilities

    @property
    def epsilon(self) -> float:
        """Privacy parameter of each answer."""

    @property
    def categories(self) -> tuple[Category, ...]:
        """Categories of the truths and the answers."""

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of an answer, and of all answers together."""

    @property
    def design_matrix(self) -> pd.DataFrame:
        """Probability of each answer (rows) for each truth (columns)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResponseResults(DPResults):
    """Proportions estimated from randomized answers.

    A design's `estimate` returns it. It is computed from randomized answers only, and may be
    published in full.

    Parameters
    ----------
    counted : tuple of int
        Number of answers of each category.
    design : ResponseDesign
        The design of the answers.
    method : {"moment", "ml"}
        Estimate used for `params`.

    See Also
    --------
    ResponseDesign.estimate : creates it.

    Notes
    -----
    The other attributes are those of `DPResults`. There are two kinds of randomness. For
    ``"randomization"`` the persons are fixed and only their answers are random: the interval is for
    the proportion among them, and `bse` is its standard error. For ``"population"`` the persons are
    also a random sample: the interval is for the proportion in the population, and
    `bse_population` is its standard error. The summary and the plot show the intervals of both
    kinds, the dict has both standard errors.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponseCoins
    >>> r = RandomizedResponseCoins().estimate([1] * 35 + [0] * 65)
    >>> round(r, 3), round(r.counts, 1)
    (0.2, 20.0)
    >>> round(float(r.bse.iloc[0]), 4), round(float(r.bse_population.iloc[0]), 4)
    (0.0866, 0.0954)
    """

    counted: tuple[int, ...]
    design: AnswerDesign
    method: str

    _title = "Randomized response"

    @property
    def answers(self) -> pd.Series:
        """Number of answers in each category."""
        index = pd.Index(list(self.design.categories), name="answer", dtype=object)
        return pd.Series(list(self.counted), index=index, name="answers")

    @property
    def counts(self) -> float | pd.Series:
        """Estimated number of persons in each category: the proportions times the number of answers."""
        return self.labels.to_pandas(self.value * sum(self.counted))

    @property
    def moment(self) -> float | pd.Series:
        """The moment estimate: unbiased; it may lie outside 0 to 1."""
        return self.labels.to_pandas(_compute_estimates(self.design, self.counted, "moment"))

    @property
    def ml(self) -> float | pd.Series:
        """The maximum-likelihood estimate: within 0 to 1, with all proportions summing to 1."""
        return self.labels.to_pandas(_compute_estimates(self.design, self.counted, "ml"))

    @property
    def bse(self) -> pd.Series:
        """Standard error of the moment estimate from randomization alone, for the persons asked."""
        return self._make_series(self._compute_errors()[0])

    @property
    def bse_population(self) -> pd.Series:
        """Standard error of the moment estimate from sampling and randomization together."""
        return self._make_series(self._compute_errors()[1])

    @property
    def uncertainty(self) -> float | pd.Series:
        """Two standard errors, from sampling and randomization together."""
        return self.labels.to_pandas(2.0 * self._compute_errors()[1])

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        # its intervals are those of the answers, without added noise
        return ("noisy_nobs",)

    def _compute_errors(self) -> tuple[np.ndarray, np.ndarray]:
        proportions = np.clip(_compute_estimates(self.design, self.counted, "moment"), 0.0, 1.0)
        return estimate.compute_standard_errors(proportions, sum(self.counted), self.design._response)

    def conf_int(
        self, alpha: float = 0.05, kind: str | None = None, method: str = "blaker", *, joint: bool = False
    ) -> pd.DataFrame:
        """Return confidence intervals of the proportions, from 0 to 1.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that a single interval does not cover; between 0 and 1.
        kind : {"randomization", "population"}, default "randomization"
            For the proportion among the persons asked, or in the population of which they are a
            random sample. The first is what the intervals of this package's releases cover, with
            "noise" as an alias; the second has the alias "confidence".
        method : {"blaker", "clopper-pearson", "score"}, default "blaker"
            The first two invert exact tests and have a noncoverage of at most alpha; Blaker's
            intervals are shorter. ``"score"`` (Wilson's) is shorter still, with a noncoverage of about
            alpha only on average.
        joint : bool, default False
            Whether all intervals hold simultaneously, by Bonferroni's inequality.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        References
        ----------
        Blaker, H. (2000). Confidence curves and improved exact confidence intervals for discrete
        distributions. Canadian Journal of Statistics 28.
        Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated
        in the case of the binomial. Biometrika 26.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponseCoins
        >>> r = RandomizedResponseCoins().estimate([1] * 35 + [0] * 65)
        >>> r.conf_int(kind="population").round(3)
                        0      1
        proportion  0.015  0.399
        """
        from pydpstat._checks import check_boolean

        each = alpha / self.value.size if check_boolean(joint, "joint") else alpha
        return pd.DataFrame(self._compute_limits(each, kind, method), index=self.labels.make_element_index(self.value))

    def _compute_limits(self, alpha: float, kind: str | None, method: str) -> np.ndarray:
        """Return the intervals as an array of shape (elements, 2)."""
        level = checks.check_alpha(alpha)
        checked_kind = checks.check_choice(_KIND_ALIASES.get(kind, kind), "kind", KINDS)
        checks.check_choice(method, "method", METHODS)
        distribution = DISTRIBUTIONS[checked_kind](sum(self.counted), self.design._response)
        # only the number of answers 1 if the estimate is one number
        counts = self.counted[1:] if self.value.ndim == 0 else self.counted
        interval_of = {count: compute_proportion_interval(distribution, count, level, method) for count in set(counts)}
        return np.array([interval_of[count] for count in counts])

    def _compute_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = self._compute_limits(alpha, "randomization", "blaker").T
        return low.reshape(self.value.shape), high.reshape(self.value.shape)

    def accuracy(self, alpha: float = 0.05) -> float | pd.Series:
        """Return half the width of the "randomization" interval.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval does not cover; between 0 and 1.

        Returns
        -------
        float, or Series indexed as `params`

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponseCoins
        >>> r = RandomizedResponseCoins().estimate([1] * 35 + [0] * 65)
        >>> round(r.accuracy(), 3)
        0.17
        """
        low, high = self._compute_interval(alpha)
        return self._make_series(0.5 * (high - low)) if self.value.ndim else float(0.5 * (high - low))

    def to_frame(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return estimates, counts, both standard errors and an interval for each category.

        The interval covers the randomization, or with ``kind="population"`` sampling as well.

        Examples
        --------
        >>> from pydpstat.local import RandomizedResponseCoins
        >>> r = RandomizedResponseCoins().estimate([1] * 35 + [0] * 65)
        >>> list(r.to_frame().columns)
        ['moment', 'ml', 'count', 'se randomization', 'se population', 'lower', 'upper']
        """
        randomization, population = self._compute_errors()
        low, high = self._compute_limits(alpha, "randomization" if kind is None else kind, "blaker").T
        columns: dict[str, npt.ArrayLike] = {
            "moment": _compute_estimates(self.design, self.counted, "moment"),
            "ml": _compute_estimates(self.design, self.counted, "ml"),
            "count": self.value * sum(self.counted),
            "se randomization": randomization,
            "se population": population,
            "lower": low,
            "upper": high,
        }
        flat = {name: np.ravel(column) for name, column in columns.items()}
        return pd.DataFrame(flat, index=self.labels.make_element_index(self.value))

    def _collect_content(self) -> dict[str, object]:
        randomization, population = self._compute_errors()
        return {
            **DPResults._collect_content(self),
            "noise_sd": randomization,
            "se_randomization": randomization,
            "se_population": population,
            "moment": _compute_estimates(self.design, self.counted, "moment"),
            "ml": _compute_estimates(self.design, self.counted, "ml"),
            "categories": self.design.categories,
            "answers": self.counted,
            "design": repr(self.design),
        }

    def _collect_facts(self) -> Facts:
        return [
            ("Categories:", str(len(self.design.categories))),
            ("No. Answers:", str(self.nobs)),
            ("Estimate:", {"moment": "moment", "ml": "maximum likelihood"}[self.method]),
            ("Truth answered:", f"with probability {format_significant(self.design._response.true)}"),
            (
                "Epsilon, each answer:",
                "infinite" if math.isinf(self.epsilon) else format_significant(self.epsilon),
            ),
            ("Neighbors:", "one person's value replaced"),
        ]

    def _collect_right_facts(self) -> Facts:
        return []

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        """Return two rows per category, one for each kind of randomness."""
        frames = [self.to_frame(alpha, kind) for kind in KINDS]
        names: list[str] = []
        rows: list[list[float]] = []
        for i, label in enumerate(self.labels.name_elements(self.value)[: max_rows and max_rows // 2]):
            row_name = label if len(label) <= _MAX_NAME_LENGTH else f"{label[: _MAX_NAME_LENGTH - 3]}..."
            for kind, frame in zip(KINDS, frames):
                row = frame.iloc[i]
                names.append(f"{row_name}, {kind}" if self.value.ndim else kind)
                columns = ("moment", "ml", "count", f"se {kind}", "lower", "upper")
                rows.append([float(row[column]) for column in columns])
        headers = ("moment", "ml", "count", "std err", f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
        return Rows(headers, names, format_rows(list(zip(*rows))))

    def _collect_notes(self) -> list[str]:
        notes = ["Nothing is guaranteed: some answer reveals the truth with certainty."]
        return [
            *(notes if math.isinf(self.epsilon) else self._make_guarantee_notes("")),
            "randomization: the persons are fixed, only their answers are random. population: the "
            "persons are also a random sample; its standard error and interval cover both.",
            "moment: unbiased, may be outside 0 to 1. ml: maximum likelihood, from 0 to 1. "
            "Intervals: Blaker's, each of which misses with probability at most alpha.",
            *make_omission_note(2 * self.value.size),
            f"Call: {self.call}",
        ]

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.plots._pictures import Panel, PictureHead, PictureValues, PointPicture

        intervals = []
        for kind in KINDS:
            frame = self.to_frame(alpha, kind)
            intervals.append((frame["lower"].to_numpy()[:, None], frame["upper"].to_numpy()[:, None]))
        interval_texts = [f"{format_level(alpha)} interval, {target}" for target in ("persons asked", "population")]
        head = PictureHead(
            f"Randomized response, {self.nobs} answers", f"epsilon = {self.epsilon:.4g}", *interval_texts
        )
        panel = Panel("proportion", PictureValues(np.ravel(self.value)[:, None], *intervals))
        return PointPicture(head, self.labels.name_elements(self.value), "", [panel], has_numbers=True)

    def __repr__(self) -> str:
        answers = f"{sum(self.counted)} answers"
        return f"<ResponseResults {self.statistic}: {self._format_value()}, {answers}, {self._format_guarantee()}>"


def make_response_results(design: AnswerDesign, answer_counts: tuple[int, ...], method: str) -> ResponseResults:
    """Return the result for a design and its answer counts."""
    value = _compute_estimates(design, answer_counts, method)
    single = value.ndim == 0
    return ResponseResults(
        statistic="proportion" if single else "proportions",
        value=value,
        labels=_PROPORTION_LABELS if single else Labels("proportion", dimnames=(design.categories,)),
        noise=None,
        noise_scale=math.nan,
        mechanism="randomized response",
        sensitivity=math.nan,
        claim=design.guarantee,
        guarantee=design.guarantee,
        bounds=None,
        nobs=sum(answer_counts),
        post=_ESTIMATION_STEPS[method],
        reproducible=False,
        grid=None,
        record=Call(f"{design!r}.estimate", (("answers", "answers"),), (("method", method),)),
        counted=answer_counts,
        design=design,
        method=method,
    )


def _compute_estimates(design: AnswerDesign, answer_counts: tuple[int, ...], method: str) -> np.ndarray:
    """Return the proportion of 1 for the categories 0 and 1 (or False and True), else all proportions."""
    n, response = sum(answer_counts), design._response
    if design.categories == (0, 1):
        share = float(estimate.estimate_by_moments(answer_counts[1], n, response))
        return np.array(min(max(share, 0.0), 1.0) if method == "ml" else share)
    if method == "ml":
        return estimate.estimate_by_likelihood(answer_counts, n, response)
    return estimate.estimate_by_moments(answer_counts, n, response)
