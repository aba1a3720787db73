"""Moments of several variables, or of groups, from one release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._records.column_release import read_bounded_columns, warn_empty_released_groups
from pydpstat._records.groups import Keys
from pydpstat._records.moment_release import choose_moment_mechanism, collect_sum_names, release_sums, sum_moments
from pydpstat._records.population import (
    MeanIntervals,
    check_separate_noise,
    make_column_sums_query,
    make_population_result,
)
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.inference._testing import ALTERNATIVES, check_inference_epsilon
from pydpstat.inference.means._mean_tests import METHODS, make_one_sample_results
from pydpstat.inference.means._moments_results import MomentsResults
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy import Guarantee
from pydpstat.results import GroupedResults, InferenceResults
from pydpstat.results._call import Call
from pydpstat.results._intervals import CONFIDENCE, check_interval_kind
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import format_rows
from pydpstat.results._report import Facts, GuaranteedReport, Plottable, Rows, format_significant
from pydpstat.results._shapes import derive_release
from pydpstat.results._words import describe_mechanism, format_title


@guard_release
def moments(
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> MomentsResults | GroupMomentsResults:
    """Release noisy moments, which give means, variances, t tests and intervals.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. Of a frame or a matrix the products of its
        columns are released, too.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame a pair for each
        column, or a dict of them by column; one pair for all if their names do not differ but by digits.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"}, optional
        Noise mechanism. By default Laplace noise for one variable, and for several ``"linf"``, which has the smaller
        variance at the same epsilon.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only).
        Records are dropped if any variable is missing. A scalar replaces them: a public number within the bounds.
    by, levels, other : optional
        By group, as in `mean`. Products of columns are left out then.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    MomentsResults
        With ``mean``, ``var``, ``std``, ``ttest(popmean)`` and ``conf_int(alpha)``. By group
        `GroupMomentsResults`, whose ``mean``, ``var`` and ``std`` are results with a value for each group.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there is no record under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    mean, std : one of them, by group as well.
    ttest_1samp : the test alone.
    ols : slopes, from moments of several columns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

    With z a record's place between -1 (lower) and 1 (upper), rounded to a grid of 2^-40, the sums of the z,
    of their squares and of the products of two columns are released, computed in integers.

    One column: Laplace noise has the scales 2 / epsilon for the sum, what a mean released alone needs, and
    4 / epsilon for the squares: the variance is free. Several columns: sums and products share noise of their
    hull (`pydpstat.mechanisms.CrossProductNoise`), and squares that of a cube
    (`pydpstat.mechanisms.CubeNoise`); each has a share of epsilon. For 2, 3, 5 and 7 columns and epsilon 1
    the standard deviation of a sum is 6.4, 9.2, 16.5 and 26.1, where Laplace noise has 6.4, 11.3, 25.5 and
    45.3, and of a square 7.6, 10.5, 17.3 and 25.4, where it has 12.7, 22.6, 50.9 and 90.5. Unbounded: one
    cube for all, with 4.3, 6.6, 13.0 and 21.6 for each number. From eight columns on, Gaussian noise with a
    delta of 1e-6 has less for sums. `pydpstat._records.moment_release.choose_weights` has the proofs, for all
    noises and both kinds of neighbors, with all roundings.

    Unbounded neighbors, one column: the sums of the weights ``(1 - 2z + s) / 4``, ``(1 - s) / 2`` and
    ``(1 + 2z + s) / 4``, s being z^2, add up to 1 for each record, so each has noise of scale 1 / epsilon.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy. ICML 2018.
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(20, 60, 500)
    >>> r = pydpstat.moments(x, 1.0, bounds=(0, 100), rng=1)
    >>> abs(r.mean - 40) < 2, r.ttest(40).pvalue > 0.05
    (True, True)
    >>> low, high = r.conf_int(0.05)
    >>> low < 40 < high
    True
    """
    settings = options(
        epsilon,
        delta,
        mechanism,
        neighbors,
        missing,
        mechanisms=VECTOR_MECHANISMS,
        allow_objects=False,
        rng=rng,
        budget=budget,
    )
    check_inference_epsilon(settings)
    if by is not None or levels is not None:
        settings = settings.add_scope(by, levels, other, unit).use_independent_records()
        return release_group_moments(data, bounds, settings)
    records, settings, pairs, shown = read_bounded_columns(data, bounds, settings.use_one_record_per_unit(unit))
    settings = choose_moment_mechanism(settings, len(pairs))
    sums, size = sum_moments(records, pairs, settings, "sum of squares", "data")
    names = records.names if records.names is not None else (records.name or "z",)
    release, (matrix,) = release_sums(
        "moments",
        collect_sum_names(names, settings),
        [(sums, size, len(pairs))],
        settings,
        data_names=("data",),
        public_arguments=(("bounds", shown),),
        bounds=shown,
    )
    columns = None if records.names is None else names
    return MomentsResults.of(release, columns, pairs, matrix.matrix, matrix.noise_sd, matrix.sums)


def release_group_moments(data: Data, bounds: GivenBounds, options: Options) -> GroupMomentsResults:
    """Release three weighted sums for each column and group, as `mean` does for population intervals.

    A record is in one group, so the noise of each group is that of a release of this group alone.
    """
    records, options, pairs, shown = read_bounded_columns(data, bounds, options)
    check_separate_noise(options, records)
    release = release_statistic(
        "moments",
        make_column_sums_query("mean", records, pairs, options),
        options,
        public_arguments=(("bounds", shown), *records.arguments),
        bounds=shown,
        conditions=records.conditions,
    )
    mean, var, std = (
        make_population_result(
            statistic,
            derive_release(
                release,
                statistic=statistic,
                labels=records.make_labels(statistic),
                record=replace(release.record, method_calls=(statistic,)),
            ),
            records,
            pairs,
            options,
        )
        for statistic in ("mean", "var", "std")
    )
    warn_empty_released_groups(mean, records)
    return GroupMomentsResults(
        mean=mean, var=var, std=std, bounds=pairs, claim=mean.claim, guarantee=mean.guarantee, record=release.record
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GroupMomentsResults(Plottable, GuaranteedReport, ReadOnlyArrays):
    """Noisy moments of groups with their guarantee, and what follows from them.

    It is made by `moments` with ``by=``. It holds what may be published and nothing else.

    Parameters
    ----------
    mean, var, std : GroupedResults
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

    mean: GroupedResults
    var: GroupedResults
    std: GroupedResults
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
        return pd.DataFrame({"mean": self.mean.params, "std": self.std.params})

    def _format_heading(self) -> str:
        return format_title(
            "moments", self.record.describe_subject(self.mean.labels.describe_variables("mean")) or "by group"
        )

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
            If an argument is invalid, or there is no such group.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x, sex = np.linspace(20, 60, 500), ["f", "m"] * 250
        >>> r = pydpstat.moments(x, 1.0, bounds=(0, 100), by=sex, levels=["f", "m"], rng=1)
        >>> r.ttest(30, "m", alternative="greater").pvalue < 0.01
        True
        """
        checks.check_choice(alternative, "alternative", ALTERNATIVES)
        group_index, column = self._get_positions(group, variable)
        other = {} if alternative == ALTERNATIVES[0] else {"alternative": alternative}
        other |= {} if variable is None else {"variable": variable}
        release = replace(self.mean, record=self.record.add_method_call("ttest", popmean, group, **other))
        return make_one_sample_results(
            release, self._get_noisy_sums(group_index, column), self.bounds[column], popmean, alternative, METHODS[0]
        )

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        """Compare the means of two groups, at no additional privacy cost, as `GroupedResults.difference` does."""
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
        check_interval_kind(kind, CONFIDENCE, "moments by group")
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
        limits = self.conf_int(alpha)
        columns = {"mean": self.mean.params, "lower": limits[0], "upper": limits[1], "std": self.std.params}
        return pd.DataFrame(columns)

    def _get_positions(self, group: object, variable: object) -> tuple[int, int]:
        labels = self.mean.labels
        assert isinstance(labels, GroupLabels)
        return labels.find_group(group, "group"), labels.find_variable(variable)

    def _get_noisy_sums(self, group_index: int, column: int) -> NoisySums:
        population = self.mean.post.population
        assert isinstance(population, MeanIntervals)
        interval: Any = population.parts[group_index * len(self.bounds) + column]
        noisy_sums: NoisySums = interval.noisy_sums
        return noisy_sums

    def _collect_facts(self) -> Facts:
        bounds = [f"[{format_significant(low)}, {format_significant(high)}]" for low, high in self.bounds]
        return [
            ("Function:", self.record.function),
            ("Mechanism:", describe_mechanism(self.mean.mechanism)),
            ("Bounds:", ", ".join(bounds)),
            ("No. Observations:", "private"),
        ]

    def _make_rows(self) -> Rows:
        frame = self.to_frame()
        names = self.mean.labels.name_elements(self.mean.value)
        cells = format_rows([frame[name].tolist() for name in frame])
        return Rows(("mean", "[0.025", "0.975]", "std"), names, cells)

    def _collect_notes(self) -> list[str]:
        note = (
            "The intervals are for the population means: they cover sampling and noise. Tests, "
            "ttest(), and comparisons, difference(), have no additional privacy cost."
        )
        return [*self._make_guarantee_notes(self.record.function), note, f"Call: {self.call}"]

    def _collect_content(self) -> dict[str, object]:
        return {
            "groups": self.mean.labels.name_elements(self.mean.value),
            **{name: getattr(self, name).params.tolist() for name in ("mean", "var", "std")},
            "mechanism": self.mean.mechanism,
            **self._collect_privacy(),
            "bounds": self.bounds,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._released_pictures import make_release_picture

        return make_release_picture(self.mean, alpha)

    def __repr__(self) -> str:
        return f"<GroupMomentsResults: {self.mean.value.size} means, {self.mean.mechanism}, {self._format_guarantee()}>"
