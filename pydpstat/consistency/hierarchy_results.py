"""Results of a hierarchy: noisy and consistent values with their uncertainty.

A released hierarchy also has the noise and the guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._answering import explain_frozen_changes
from pydpstat._checks import as_integer, check_alpha, check_choice
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.consistency._tree import ConsistencyMethod, apply, check_consistency_method
from pydpstat.consistency.hierarchy import Hierarchy
from pydpstat.consistency.tables import NO_PRIVACY_COST
from pydpstat.errors import PydpstatError
from pydpstat.results._intervals import NOISE, check_interval_kind
from pydpstat.results._numbers import format_rows
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    GuaranteedReport,
    Report,
    Rows,
    format_significant,
    make_omission_note,
)
from pydpstat.results._words import describe_mechanism

if TYPE_CHECKING:
    from pydpstat.mechanisms.mechanism import Noise
    from pydpstat.privacy import Guarantee
    from pydpstat.results._call import Call


@explain_frozen_changes
@dataclass(frozen=True, eq=False, repr=False)
class HierarchyFit(Report, ReadOnlyArrays):
    """Noisy values of a hierarchy, made consistent.

    Parameters
    ----------
    hierarchy : Hierarchy
    noisy_values : tuple of ndarray
        The noisy measurements, level by level; NaN where nothing was measured.
    variances : tuple of ndarray of float64
        The noise's variances: 0 where a value is exact, infinite for values that were not measured, NaN if
        they were not given.
    values : tuple of ndarray of float64 or int64
        The consistent values.
    spreads : tuple of ndarray of float64, or None
        Their variances before rounding; None if these are not known.
    way : ConsistencyMethod
        How they were made consistent.

    See Also
    --------
    make_consistent : creates it.

    Examples
    --------
    >>> from pydpstat.consistency import Hierarchy, make_consistent
    >>> fit = make_consistent(Hierarchy(["a", "b"]), [[13], [4, 6]], variances=1)
    >>> fit.estimate.value.tolist(), fit.bse.round(3).tolist()
    ([12.0, 5.0, 7.0], [0.816, 0.816, 0.816])
    """

    hierarchy: Hierarchy
    noisy_values: tuple[np.ndarray, ...]
    variances: tuple[np.ndarray, ...]
    values: tuple[np.ndarray, ...]
    spreads: tuple[np.ndarray, ...] | None
    way: ConsistencyMethod

    _title = "Consistent hierarchy"

    @property
    def method(self) -> str:
        """Method by which the values were made consistent: "least squares", "ratio" or "top-down"."""
        return self.way.method

    @property
    def reason(self) -> str:
        """Reason why there are no standard errors; empty if there are."""
        return self.way.reason or ("" if self.spreads else "the noise's variances were not given")

    @property
    def noisy(self) -> pd.DataFrame:
        """The noisy values: a frame with the columns level, label and value, and a row for each node."""
        return self.hierarchy.frame().assign(value=np.concatenate(self.noisy_values))

    @property
    def estimate(self) -> pd.DataFrame:
        """The consistent values: a frame with the columns level, label and value, and a row for each node."""
        return self.hierarchy.frame().assign(value=np.concatenate(self.values))

    @property
    def params(self) -> pd.Series:
        """The consistent values as a Series."""
        return self.estimate.value.rename("estimate")

    @property
    def noise_sd(self) -> pd.Series:
        """Standard deviation of the noise in each noisy value; may be 0, infinite or NaN, as in `variances`."""
        return self._make_series(np.sqrt(np.concatenate(self.variances)), "noise sd")

    @property
    def bse(self) -> pd.Series:
        """Standard error of each consistent value, from the noise and before rounding.

        It is exact for least squares, for any tree and any variances. It is NaN for the other methods, and if variances
        were not given; `reason` says why.
        """
        if self.spreads is None:
            return self._make_series(np.full(self.hierarchy.nodes, np.nan), "std err")
        return self._make_series(np.sqrt(np.concatenate(self.spreads)), "std err")

    def _make_series(self, values: np.ndarray, name: str) -> pd.Series:
        return pd.Series(values, index=self.hierarchy.frame().index, name=name)

    def level(self, level: str | int) -> pd.Series:
        """Return one level's consistent values as a Series, by the level's name or number from the top.

        Examples
        --------
        >>> from pydpstat.consistency import Hierarchy, make_consistent
        >>> make_consistent(Hierarchy(["a", "b"]), [[13], [4, 6]]).level(1).to_dict()
        {'a': 5.0, 'b': 7.0}
        """
        levels = self.hierarchy.levels
        number = as_integer(level)
        if number is not None:
            if not -len(levels) <= number < len(levels):
                raise PydpstatError(f"level must be from 0 to {len(levels) - 1}; got {level!r}. 0 is the top.")
            index = number % len(levels)
        else:
            index = levels.index(check_choice(level, "level", levels))
        start = sum(self.hierarchy.sizes[:index])
        return self.params.iloc[start : start + self.hierarchy.sizes[index]]

    @property
    def largest_gap(self) -> float:
        """The largest difference between a value and the sum of its children's; 0 for integers."""
        return self.hierarchy.tree.compute_gap(list(self.values))

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """Post-processing of the noisy values, which costs no privacy."""
        return (*self.way.steps, NO_PRIVACY_COST)

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return normal confidence intervals for the values without noise, around the consistent values.

        Least squares estimates are sums of many noises, so the normal approximation is good if their scales
        are similar; it does not include rounding.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that a single interval does not cover.
        kind : {"noise"}, optional
            The only kind available.

        Raises
        ------
        PydpstatError
            If `alpha` is not above 0 and at most 0.5, `kind` is not available, or there are no
            standard errors.
        """
        from statistics import NormalDist

        check_alpha(alpha)
        check_interval_kind(kind, NOISE, type(self).__name__)
        if self.spreads is None:
            raise PydpstatError(
                f"method {self.method!r} has no standard errors: {self.reason}. Use method='least squares', "
                "with variances."
            )
        # half of the smallest float would be 0
        half_width = -NormalDist().inv_cdf(max(alpha / 2.0, 5e-324)) * self.bse
        return pd.DataFrame({0: self.params - half_width, 1: self.params + half_width})

    def to_frame(self) -> pd.DataFrame:
        """Return noisy values, estimates and standard errors in one frame, with a row for each node."""
        return self.hierarchy.frame().assign(
            noisy=np.concatenate(self.noisy_values),
            estimate=np.concatenate(self.values),
            **{"noise sd": self.noise_sd, "std err": self.bse},
        )

    def _collect_facts(self) -> Facts:
        return [
            ("Method:", self.method),
            ("Levels:", str(len(self.hierarchy.sizes))),
            ("Nodes:", str(self.hierarchy.nodes)),
            ("Leaves:", str(self.hierarchy.leaves)),
            ("Whole numbers:", "yes" if self._has_integers else "no"),
            ("Largest gap:", format_significant(self.largest_gap)),
        ]

    @property
    def _has_integers(self) -> bool:
        return self.values[0].dtype.kind == "i"

    def _make_all_rows(self) -> Rows:
        return self._make_rows(None)

    def _make_rows(self, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        columns = (self.noisy_values, self.variances, self.values, self.spreads or self.variances)
        noisy, variance, value, spread = (np.concatenate(arrays)[:max_rows] for arrays in columns)
        errors = _compute_noise_sds(spread) if self.spreads else ["-"] * len(spread)
        cells = format_rows([noisy.tolist(), _compute_noise_sds(variance), value.tolist(), errors])
        return Rows(("noisy", "noise sd", "estimate", "std err"), self.hierarchy.names()[:max_rows], cells)

    def _collect_notes(self) -> list[str]:
        notes = [f"Post-processing: {', '.join(self.postprocessing)}."]
        if self.reason:
            notes.append(f"No standard errors: {self.reason}.")
        elif self._has_integers:
            notes.append("Standard errors are those of the noise, before rounding.")
        return [*notes, *make_omission_note(self.hierarchy.nodes)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method}: {self.hierarchy!r}>"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(np.concatenate(self.values), dtype=dtype)


@explain_frozen_changes
@dataclass(frozen=True, eq=False, repr=False)
class HierarchyResults(GuaranteedReport, HierarchyFit):
    """A hierarchy of counts, released with noise and made consistent.

    It contains only publishable results: no data, true counts, noise or seed. It has all attributes of
    `HierarchyFit`, with the variances of the noise distributions.

    Parameters
    ----------
    noises : tuple of (Noise or None)
        The distribution of each level's noise; None if the counts are public or were not released.
    shares : tuple of float
        Each level's share of epsilon.
    claim, guarantee : Guarantee
        Requested guarantee, and the guarantee that holds, of all levels together.
    nobs : int or None
        Number of records if it is public; otherwise None.
    reproducible : bool
        True if a seed or a generator was given: the release is then not for publication.
    record : Call
        The call, without data.

    See Also
    --------
    release_hierarchy : creates it.

    Examples
    --------
    >>> from pydpstat.consistency import Hierarchy, release_hierarchy
    >>> country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    >>> r = release_hierarchy({"a": 120, "b": 80, "c": 40}, 1.0, hierarchy=country, rng=1)
    >>> r.epsilons.tolist(), float(r.level(0).iloc[0])
    ([0.0, 0.5, 0.5], 240.0)
    """

    noises: tuple[Noise | None, ...]
    shares: tuple[float, ...]
    claim: Guarantee
    guarantee: Guarantee
    nobs: int | None
    reproducible: bool
    record: Call

    statistic = "hierarchy"
    _title = "Hierarchy, differentially private"

    @property
    def mechanism(self) -> str:
        """Name of the noise distribution."""
        return next(noise.name for noise in self.noises if noise is not None)

    def _make_level_series(self, values: Sequence[float | np.ndarray], name: str) -> pd.Series:
        return pd.Series(values, index=pd.Index(self.hierarchy.levels, name="level"), name=name)

    @property
    def epsilons(self) -> pd.Series:
        """Each level's epsilon, a Series: 0 if the counts are public or were not released."""
        return self._make_level_series(list(self.shares), "epsilon")

    @property
    def noise_scale(self) -> pd.Series:
        """Scale of each level's noise, sensitivity over epsilon, a Series; NaN if there is none."""
        scales = [np.nan if noise is None else noise.scale for noise in self.noises]
        return self._make_level_series(scales, "noise scale")

    def consistent(
        self, method: str = "least squares", nonnegative: bool | None = None, integer: bool | None = None
    ) -> HierarchyResults:
        """Return the same release made consistent in another way, at no privacy cost.

        Parameters
        ----------
        method, nonnegative, integer
            As in `make_consistent`.

        Examples
        --------
        >>> from pydpstat.consistency import Hierarchy, release_hierarchy
        >>> r = release_hierarchy([12, 3, 40], 1.0, hierarchy=Hierarchy(["a", "b", "c"]))
        >>> r.consistent("top-down").values[0]
        array([55])
        """
        settings = check_consistency_method(method, nonnegative, integer, True)
        noisy = [level_values.astype(np.float64) for level_values in self.noisy_values]
        values, spreads = apply(self.hierarchy.tree, noisy, list(self.variances), settings)
        return replace(self, values=values, spreads=spreads, way=settings)

    def _collect_content(self) -> dict[str, object]:
        return {
            "statistic": self.statistic,
            "levels": self.hierarchy.levels,
            "nodes": self.hierarchy.names(),
            "noisy": np.concatenate(self.noisy_values),
            "estimate": np.concatenate(self.values),
            "noise_sd": self.noise_sd.to_numpy(),
            "std_err": self.bse.to_numpy(),
            "mechanism": self.mechanism,
            "epsilons": self.epsilons.to_numpy(),
            "noise_scale": self.noise_scale.to_numpy(),
            **self._collect_privacy(),
            "nobs": self.nobs,
            "method": self.method,
            "postprocessing": self.postprocessing,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _collect_facts(self) -> Facts:
        facts = [
            *HierarchyFit._collect_facts(self),
            ("Mechanism:", describe_mechanism(self.mechanism)),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]
        levels = zip(self.hierarchy.levels, self.noises, self.shares, self.variances)
        for name, noise, share, variance in levels:
            public = "public" if (variance == 0.0).all() else "not released"
            value = (
                public if noise is None else f"eps {format_significant(share)}, sd {format_significant(noise.std())}"
            )
            facts.append((f"{name if len(name) <= 20 else name[:17] + '...'}:", value))
        return facts

    def _collect_notes(self) -> list[str]:
        return [
            *HierarchyFit._collect_notes(self),
            "The guarantee is for all levels together.",
            *self._make_guarantee_notes("release_hierarchy"),
            f"Call: {self.call}",
        ]


def _compute_noise_sds(variances: np.ndarray) -> list[float]:
    """Return standard deviations; NaN for infinite variances."""
    noise_sds: list[float] = np.sqrt(np.where(np.isfinite(variances), variances, np.nan)).tolist()
    return noise_sds
