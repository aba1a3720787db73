"""What follows from a release by group, or from a table: comparisons of its groups."""

from __future__ import annotations

from itertools import combinations
from typing import Any, cast

from pydpstat.results._histograms import HistogramResults
from pydpstat.results._population import PopulationIntervals
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.pairwise_results import CORRECTIONS, PairwiseResults


class FurtherResults(HistogramResults):
    """What a release gives at no additional privacy cost."""

    __slots__ = ()

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        if self._is_table():
            return PopulationIntervals.difference(self.shares(by=self._axis_key(0)), a, b, variable)
        return PopulationIntervals.difference(self, a, b, variable)

    difference.__doc__ = PopulationIntervals.difference.__doc__

    def pairs(self, correction: str | None = "holm", variable: object = None) -> PairwiseResults:
        """Compare all pairs of groups of the population, with a correction for their number.

        It is post-processing of a `mean` with ``by=`` and ``population=True``, of a `proportion` with
        ``by=``, or of a `crosstab` of two variables, at no additional privacy cost.

        Parameters
        ----------
        correction : {"holm", "bonferroni", None}, default "holm"
            The correction of the p-values: the probability of rejecting any true hypothesis is at most the
            level. None leaves them as they are. The intervals are Bonferroni's with either correction.
        variable : str, optional
            The variable to compare the groups in, where several were released. Of a table it is the level
            of the second variable whose shares are compared between levels of the first.

        Returns
        -------
        PairwiseResults
            With `estimate`, `pvalues`, `corrected`, ``conf_int()``, ``to_frame()`` and ``summary()``. Groups
            of several keys are tuples.

        Raises
        ------
        PydpstatError
            If `correction` is not allowed, there is no such variable, or this release has no two groups
            that can be compared.

        Notes
        -----
        Each pair has the test of `difference`. All groups of a release are compared but the one that is added
        for other values, which no record may have. The correction is for these pairs: those in another
        variable are not counted.

        References
        ----------
        Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
        Statistics 6, 65-70.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> rng = np.random.default_rng(1)
        >>> region = np.repeat(["east", "north", "south"], 500)
        >>> income = rng.normal(np.repeat([50.0, 50.0, 60.0], 500), 10.0)
        >>> r = pydpstat.mean(income, 2.0, bounds=(0, 100), by=region, levels=["east", "north", "south"],
        ...                   population=True, rng=1)
        >>> (r.pairs().corrected < 0.05).tolist()
        [False, True, True]
        """
        from pydpstat._checks import one_of
        from pydpstat.errors import PydpstatError

        if correction is not None:
            one_of(correction, "correction", CORRECTIONS[:2])
        if self._is_table():
            return self.shares(by=self._axis_key(0)).pairs(correction, variable)
        known, labels = self._compared()
        column, columns = labels.column(variable), len(labels.series) or 1
        added = self._added_level()
        compared = [place for place, row in enumerate(labels.rows) if added is None or added not in row]
        places = list(combinations(compared, 2))
        if not places:
            raise PydpstatError("pairs() needs two groups or more besides that of other values.")
        found = tuple(known.difference(*(place * columns + column for place in pair)) for pair in places)
        groups = [row if len(row) > 1 else row[0] for row in labels.rows]
        released = cast(Any, self)
        return PairwiseResults(
            test=found[0].test,
            groups=tuple((groups[a], groups[b]) for a, b in places),
            differences=found,
            correction=correction,
            variable=str(labels.series[column]) if labels.series else "",
            assumptions=known.assumptions,
            claim=released.claim,
            guarantee=released.guarantee,
            reproducible=released.reproducible,
            record=released.record.followed("pairs", correction, variable),
        )
