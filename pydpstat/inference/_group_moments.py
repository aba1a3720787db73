"""Moments of each group from one release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds
from pydpstat._frozen import Frozen
from pydpstat._release.options import Options
from pydpstat._release.statistic import release_statistic
from pydpstat.inference._mean_tests import METHODS, one_sample
from pydpstat.inference._null_distributions.noisy_t import NoisySums
from pydpstat.inference._population import MeanIntervals, check_apart, moments_query, published
from pydpstat.inference._testing import ALTERNATIVES
from pydpstat.privacy import Guarantee
from pydpstat.results import DPResults, InferenceResults
from pydpstat.results._call import Call
from pydpstat.results._intervals import CONFIDENCE, check_only
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import table
from pydpstat.results._report import Drawn, Facts, Rows, Stated, number
from pydpstat.results._words import mechanism_words, titled
from pydpstat.statistics._kernels.column_release import bounded_columns, note_released

if TYPE_CHECKING:
    import pandas as pd


def release_group_moments(data: Data, bounds: GivenBounds, how: Options) -> GroupMomentsResults:
    """Release the sums of three weights of each column and group, as `mean` has them for the population.

    A record is in one group, so that each group has the noise that it would have alone.
    """
    records, how, pairs, shown = bounded_columns(data, bounds, how)
    check_apart(how, records)
    release = release_statistic(
        "moments",
        moments_query("mean", records, pairs, how),
        how,
        arguments=(("bounds", shown), *records.arguments),
        bounds=shown,
        conditions=records.conditions,
    )
    mean, var, std = (
        published(
            each,
            replace(
                release,
                statistic=each,
                labels=records.labels(each),
                record=replace(release.record, then=(each,)),
            ),
            records,
            pairs,
            how,
        )
        for each in ("mean", "var", "std")
    )
    note_released(mean, records)
    return GroupMomentsResults(
        mean=mean,
        var=var,
        std=std,
        bounds=pairs,
        claim=mean.claim,
        guarantee=mean.guarantee,
        record=release.record,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GroupMomentsResults(Drawn, Stated, Frozen):
    """Noisy moments of groups with their guarantee, and what follows from them.

    It is made by `moments` with ``by=``. It holds what may be published and nothing else.

    Parameters
    ----------
    mean, var, std : DPResults
        The statistics by group, each with intervals of both kinds; means with ``difference(a, b)``, too.
    bounds : tuple of (float, float)
        The bounds of each variable.
    claim, guarantee : Guarantee
        What was asked for, and what holds, of all of it together.
    record : Call
        The call, without data.

    Examples
    --------
    >>> import numpy as np, pandas as pd, pydpstat
    >>> frame = pd.DataFrame({"age": np.arange(900) % 60 + 20, "sex": ["f", "m", "f"] * 300})
    >>> by_sex = {"by": "sex", "levels": ["f", "m"], "other": None}
    >>> r = pydpstat.moments(frame, 1.0, bounds=(0, 100), **by_sex, rng=1)
    >>> bool(abs(r.mean.estimate["f"] - 49.5) < 2), r.ttest(50, "f").pvalue > 0.05
    (True, True)
    >>> r.mean.difference("f", "m").pvalue > 0.05
    True
    """

    mean: DPResults
    var: DPResults
    std: DPResults
    bounds: Bounds
    claim: Guarantee
    guarantee: Guarantee
    record: Call

    @property
    def reproducible(self) -> bool:
        """True if a seed or a generator was given: then it is not for publication."""
        return self.mean.reproducible

    @property
    def estimate(self) -> pd.DataFrame:
        """Means and standard deviations, a row for each group and variable."""
        import pandas as pd

        return pd.DataFrame({"mean": self.mean.params, "std": self.std.params})

    def _heading(self) -> str:
        return titled("moments", self.record.about(self.mean.labels.about("mean")) or "by group")

    @property
    def nobs(self) -> None:
        """None: the number of records in a group is private, and so is that of all."""
        return None

    def ttest(
        self, popmean: float, group: object, *, alternative: str = "two-sided", variable: str | None = None
    ) -> InferenceResults:
        """Test whether a group's mean is a given number, at no additional privacy cost.

        Parameters
        ----------
        popmean : float
            The mean under the null hypothesis, within the bounds.
        group : level, or tuple of levels
            A group of the release; a tuple where several keys make the groups.
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            The alternative hypothesis.
        variable : str, optional
            Which variable, of several.

        Returns
        -------
        InferenceResults

        Raises
        ------
        PydpstatError
            Where an argument is not allowed, or there is no such group.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x, sex = np.linspace(20, 60, 500), ["f", "m"] * 250
        >>> r = pydpstat.moments(x, 1.0, bounds=(0, 100), by=sex, levels=["f", "m"], rng=1)
        >>> r.ttest(30, "m", alternative="greater").pvalue < 0.01
        True
        """
        checks.one_of(alternative, "alternative", ALTERNATIVES)
        place, column = self._place(group, variable)
        other = {} if alternative == ALTERNATIVES[0] else {"alternative": alternative}
        other |= {} if variable is None else {"variable": variable}
        release = replace(self.mean, record=self.record.followed("ttest", popmean, group, **other))
        return one_sample(
            release, self._known(place, column), self.bounds[column], popmean, alternative, METHODS[0]
        )

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        """Compare the means of two groups, at no additional privacy cost, as `DPResults.difference` does."""
        return self.mean.difference(a, b, variable)

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return confidence intervals for the groups' means, which cover sampling and noise.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses, of each one by itself.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name; those of ``mean``, ``var`` and ``std`` are of both kinds.
        """
        check_only(kind, CONFIDENCE, "moments by group")
        return self.mean.conf_int(alpha, kind="population")

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return means with confidence intervals, and standard deviations, a row for each group and variable.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses, of each one by itself.

        Returns
        -------
        DataFrame with columns mean, lower, upper and std
        """
        import pandas as pd

        ends = self.conf_int(alpha)
        columns = {"mean": self.mean.params, "lower": ends[0], "upper": ends[1], "std": self.std.params}
        return pd.DataFrame(columns)

    def _place(self, group: object, variable: object) -> tuple[int, int]:
        labels = self.mean.labels
        assert isinstance(labels, GroupLabels)
        return labels.place(group, "group"), labels.column(variable)

    def _known(self, place: int, column: int) -> NoisySums:
        population = self.mean.post.population
        assert isinstance(population, MeanIntervals)
        part: Any = population.parts[place * len(self.bounds) + column]
        known: NoisySums = part.known
        return known

    def _facts(self) -> Facts:
        return [
            ("Function:", self.record.function),
            ("Mechanism:", mechanism_words(self.mean.mechanism)),
            ("Bounds:", ", ".join(f"[{number(low)}, {number(high)}]" for low, high in self.bounds)),
            ("No. Observations:", "private"),
        ]

    def _rows(self) -> Rows:
        frame = self.to_frame()
        names = self.mean.labels.elements(self.mean.value)
        cells = table([frame[name].tolist() for name in frame])
        return Rows(("mean", "[0.025", "0.975]", "std"), names, cells)

    def _notes(self) -> list[str]:
        said = (
            "The intervals are for the population means: they cover sampling and noise. Tests, "
            "ttest(), and comparisons, difference(), have no additional privacy cost."
        )
        return [*self._held(self.record.function), said, f"Call: {self.call}"]

    def _content(self) -> dict[str, object]:
        return {
            "groups": self.mean.labels.elements(self.mean.value),
            **{name: getattr(self, name).params.tolist() for name in ("mean", "var", "std")},
            "mechanism": self.mean.mechanism,
            **self._privacy(),
            "bounds": self.bounds,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _picture(self, alpha: float) -> object:
        from pydpstat.results._released_pictures import released_picture

        return released_picture(self.mean, alpha)

    def __repr__(self) -> str:
        return f"<GroupMomentsResults: {self.mean.value.size} means, {self.mean.mechanism}, {self._stated()}>"
