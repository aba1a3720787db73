"""Results for all pairs of groups: differences, corrected p-values and intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._checks import check_alpha
from pydpstat._data.progress import Progress
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _tidy
from pydpstat.results._call import Call
from pydpstat.results._intervals import CONFIDENCE, VALIDITY_MEANINGS, check_interval_kind, get_cached_limits
from pydpstat.results._numbers import format_pvalue, format_pvalue_cells, format_rows, is_at_floor, make_floor_note
from pydpstat.results._population import MAX_PAGE_INTERVALS, NO_COST_NOTE, Difference
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    GuaranteedReport,
    NoTruthValue,
    Plottable,
    Rows,
    make_omission_note,
)

CORRECTIONS = ("holm", "bonferroni", None)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PairwiseResults(Plottable, NoTruthValue, GuaranteedReport, ReadOnlyArrays):
    """Comparisons of all pairs of groups, which follow from one release.

    The method ``pairs`` of a release returns it. It contains only what may be published.

    Parameters
    ----------
    test : str
        The test of each pair.
    groups : tuple of (group, group)
        The pairs, each group as the release names it.
    differences : tuple
        Test and interval of each pair.
    correction : {"holm", "bonferroni", None}
        How p-values are corrected for the number of pairs.
    variable : str
        Compared variable; empty if the release has one variable.
    assumptions : tuple of str
        Assumptions of p-values and intervals, in words.
    claim, guarantee : Guarantee
        Requested guarantee, and the guarantee that holds, of the release.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : Call
        The call, without data.

    See Also
    --------
    GroupedResults.pairs : what makes it.
    InferenceResults : one comparison.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> employed = np.repeat([True, False, True, False], [300, 100, 200, 200])
    >>> region = np.repeat(["north", "south"], 400)
    >>> r = pydpstat.proportion(employed, 1.0, by=region, levels=["north", "south"], rng=1)
    >>> r.pairs(correction=None).to_frame().columns.tolist()
    ['difference', 'statistic', 'p-value', 'unadjusted p-value', 'lower', 'upper', 'p']
    """

    test: str
    groups: tuple[tuple[object, object], ...]
    differences: tuple[Difference, ...]
    correction: str | None
    variable: str
    assumptions: tuple[str, ...]
    claim: Guarantee
    guarantee: Guarantee
    reproducible: bool
    record: Call

    _condition = "(result.pvalues < 0.05).any()"

    @property
    def estimate(self) -> pd.Series:
        """The differences: the first group of each pair minus the second."""
        return self._make_series([difference.estimate for difference in self.differences], "difference")

    @property
    def pvalues(self) -> pd.Series:
        """The p-value of each pair, corrected for the number of pairs."""
        return self._make_series(self._apply_correction()[0], "p-value")

    @property
    def pvalues_unadjusted(self) -> pd.Series:
        """The p-value of each pair as if it were the only one."""
        return self._make_series([difference.pvalue for difference in self.differences], "unadjusted p-value")

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return an interval for the difference of each pair.

        It covers sampling and noise. With a correction all of them hold simultaneously with probability
        ``1 - alpha``, by Bonferroni's inequality also where p-values have Holm's correction, which has no intervals
        that are as simple. Without a correction each stands alone.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), a row for each pair

        See Also
        --------
        PairwiseResults.to_frame : intervals and p-values together.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> answers = np.tile([True, False], 600)
        >>> r = pydpstat.proportion(answers, 1.0, by=np.repeat(["a", "b", "c"], 400), levels=["a", "b", "c"])
        >>> r.pairs().conf_int().shape
        (3, 2)
        """
        check_interval_kind(kind, CONFIDENCE, self.test)
        level = check_alpha(alpha) / (1 if self.correction is None else len(self.differences))
        return pd.DataFrame(dict(enumerate(get_cached_limits(self, level))), index=self._make_index())

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        with Progress(lambda: len(self.differences), "intervals") as progress:
            limits = [progress.count_one(difference.interval.compute_limits(alpha)) for difference in self.differences]
        low, high = np.array(limits).reshape(-1, 2).T
        return low, high

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return difference, statistic, both p-values and interval of each pair.

        The last column, ``p``, is the corrected p-value as the summary prints it, such as ``< 1e-06``. For many
        pairs of means, intervals take some time; `pvalues` and `pvalues_unadjusted` do not.

        See Also
        --------
        PairwiseResults.conf_int : the intervals alone.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> answers = np.tile([True, False], 600)
        >>> r = pydpstat.proportion(answers, 1.0, by=np.repeat(["a", "b", "c"], 400), levels=["a", "b", "c"])
        >>> r.pairs().to_frame().index.tolist()
        [('a', 'b'), ('a', 'c'), ('b', 'c')]
        """
        limits = self.conf_int(alpha)
        statistics = [difference.statistic for difference in self.differences]
        frame = self.estimate.to_frame().assign(statistic=statistics)
        frame["p-value"], frame["unadjusted p-value"] = self.pvalues, self.pvalues_unadjusted
        texts = format_pvalue_cells(*(values.tolist() for values in self._apply_correction()))
        return frame.assign(lower=limits[0], upper=limits[1], p=texts)

    tidy = _tidy.tidy_pairs

    def _apply_correction(self) -> tuple[Floats, Floats]:
        """Return the corrected p-values, and their smallest attainable values."""
        p = np.array([[difference.pvalue, difference.floor] for difference in self.differences])
        if self.correction != "holm":
            p = np.minimum(p * (1.0 if self.correction is None else len(p)), 1.0)
            return p[:, 0], p[:, 1]
        order, corrected = p[:, 0].argsort(kind="stable"), np.empty(p.shape)
        multipliers = np.arange(len(p), 0.0, -1.0)[:, None]
        corrected[order] = np.minimum(np.maximum.accumulate(p[order] * multipliers), 1.0)
        return corrected[:, 0], corrected[:, 1]

    def _make_index(self) -> pd.MultiIndex:
        return pd.MultiIndex.from_tuples(self.groups, names=["a", "b"])

    def _make_series(self, values: npt.ArrayLike, name: str) -> pd.Series:
        return pd.Series(np.asarray(values, dtype=np.float64), index=self._make_index(), name=name)

    def _format_heading(self) -> str:
        subject = self.record.describe_subject()
        return f"comparison of all pairs{f': {subject}' if subject else ''}"

    def _collect_facts(self) -> Facts:
        variable_facts = [("Variable:", self.variable)] if self.variable else []
        return [
            ("Test:", self.test),
            *variable_facts,
            ("Pairs:", str(len(self.differences))),
            ("Correction:", self.correction or "none"),
            ("Validity:", self.differences[0].validity),
        ]

    def _make_all_rows(self) -> Rows:
        return self._make_rows(None)

    def _collect_omissions(self) -> list[str]:
        return make_omission_note(len(self.differences))

    def _make_rows(self, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        corrected, floors = self._apply_correction()
        columns: list[list[object]] = [
            [difference.estimate for difference in self.differences],
            [difference.statistic for difference in self.differences],
            [format_pvalue(p, floor) for p, floor in zip(corrected.tolist(), floors.tolist())],
            [format_pvalue(difference.pvalue, difference.floor) for difference in self.differences],
        ]
        headers: tuple[str, ...] = ("difference", "statistic", "p-value", "unadjusted p")
        if len(self.differences) <= MAX_PAGE_INTERVALS:
            headers = (*headers, "[0.025", "0.975]")
            columns += self.conf_int().to_numpy().T.tolist()
        names = [f"{format_group(a)} - {format_group(b)}" for a, b in self.groups]
        return Rows(headers, names[:max_rows], format_rows(columns)[:max_rows])

    def _collect_notes(self) -> list[str]:
        simultaneous = "hold simultaneously with probability 95 %, by Bonferroni's inequality"
        intervals = "each stand alone" if self.correction is None else simultaneous
        has_intervals = len(self.differences) <= MAX_PAGE_INTERVALS
        floor = max(difference.floor for difference in self.differences)
        is_floored = any(is_at_floor(difference.pvalue, difference.floor) for difference in self.differences)
        return [
            *self._make_guarantee_notes(self.record.function),
            NO_COST_NOTE,
            f"The intervals {intervals}." if has_intervals else "conf_int() has the intervals.",
            f"Validity: {VALIDITY_MEANINGS[self.differences[0].validity]}.",
            f"Assumptions: {'; '.join(self.assumptions)}.",
            *([make_floor_note(floor)] if is_floored else []),
            *dict.fromkeys(remark for difference in self.differences for remark in difference.remarks),
            *self._collect_omissions(),
            f"Call: {self.call}",
        ]

    def _collect_content(self) -> dict[str, object]:
        corrected, _ = self._apply_correction()
        limits = self.conf_int().to_numpy()
        return {
            **self._collect_attributes("test", "variable", "correction"),
            "pairs": [[format_group(a), format_group(b)] for a, b in self.groups],
            "difference": [difference.estimate for difference in self.differences],
            "statistic": [difference.statistic for difference in self.differences],
            "pvalue": corrected,
            "pvalue_unadjusted": [difference.pvalue for difference in self.differences],
            "interval": limits,
            "validity": self.differences[0].validity,
            "assumptions": self.assumptions,
            **self._collect_privacy(),
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_pairs_picture

        return make_pairs_picture(self, alpha)

    def __repr__(self) -> str:
        return f"<PairwiseResults {self.test}: {len(self.differences)} pairs, {self._format_guarantee()}>"


def format_group(group: object) -> str:
    """Return a group's name, with the levels of several keys joined by colons."""
    return ":".join(map(str, group)) if isinstance(group, tuple) else str(group)
