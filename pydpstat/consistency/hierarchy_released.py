"""What is known of a hierarchy that was released: the values before and after, the noise, the guarantee."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pydpstat.consistency._hierarchy_methods import apply, checked_method
from pydpstat.consistency.hierarchy_results import HierarchyFit
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call
from pydpstat.results._report import Facts, Stated, number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyResults(Stated, HierarchyFit):
    """A hierarchy of counts, released with noise at each level and made consistent.

    It holds what may be published and nothing else: no data, no true counts, no noise, no seed. It has
    all of `HierarchyFit`, with the noise's variances as given by its distribution.

    Parameters
    ----------
    noises : tuple of (Noise or None)
        The distribution of each level's noise; None where the counts are public or were not released.
    shares : tuple of float
        Each level's part of epsilon.
    claim, guarantee : Guarantee
        What was asked for, and what holds, of all levels together.
    nobs : int or None
        Number of records, where it is public.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : Call
        The call, without data.

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
    _title = "Differentially Private Hierarchy"

    @property
    def mechanism(self) -> str:
        """The noise's name."""
        return next((each.name for each in self.noises if each is not None), SymmetricGeometricNoise.name)

    def _by_level(self, values: list[float], name: str) -> pd.Series:
        import pandas as pd

        return pd.Series(values, index=pd.Index(self.hierarchy.levels, name="level"), name=name)

    @property
    def epsilons(self) -> pd.Series:
        """Each level's epsilon, a Series: 0 where the counts are public or were not released."""
        return self._by_level(list(self.shares), "epsilon")

    @property
    def noise_scale(self) -> pd.Series:
        """Scale of each level's noise, sensitivity over epsilon, a Series; NaN where there is none."""
        scales = [np.nan if each is None else each.scale for each in self.noises]
        return self._by_level(scales, "noise scale")

    def consistent(
        self, method: str = "least squares", nonnegative: bool | None = None, integer: bool | None = None
    ) -> HierarchyResults:
        """Return the same release made consistent in another way; it costs nothing.

        Parameters
        ----------
        method, nonnegative, integer
            As `make_consistent` has them.

        Examples
        --------
        >>> from pydpstat.consistency import Hierarchy, release_hierarchy
        >>> r = release_hierarchy([12, 3, 40], 1.0, hierarchy=Hierarchy(["a", "b", "c"]))
        >>> r.consistent("top-down").values[0]
        array([55])
        """
        how = checked_method(method, nonnegative, integer, True)
        values = [each.astype(np.float64) for each in self.noisy_values]
        estimates, spreads = apply(self.hierarchy.tree, values, list(self.variances), how)
        return replace(
            self, values=tuple(estimates), spreads=None if spreads is None else tuple(spreads), way=how
        )

    def _content(self) -> dict[str, object]:
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
            **self._privacy(),
            "nobs": self.nobs,
            "method": self.method,
            "postprocessing": self.postprocessing,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def _facts(self) -> Facts:
        facts = [
            *HierarchyFit._facts(self),
            ("Mechanism:", self.mechanism),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]
        levels = zip(self.hierarchy.levels, self.noises, self.shares, self.variances)
        for name, noise, share, variance in levels:
            public = "public" if (variance == 0.0).all() else "not released"
            value = public if noise is None else f"eps {number(share)}, sd {number(noise.std())}"
            facts.append((f"{name if len(name) <= 20 else name[:17] + '...'}:", value))
        return facts

    def _notes(self) -> list[str]:
        return [
            *HierarchyFit._notes(self),
            f"Holds: {self.guarantee}, for all levels together.",
            f"Conditions: {'; '.join(self.guarantee.conditions)}.",
            f"Call: {self.call}",
        ]
