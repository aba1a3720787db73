"""What noise a release will have, before any data are touched."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Placeholder
from pydpstat._data.held import public_list
from pydpstat._release.payment import defaults, within
from pydpstat._wrong_calls import answered, not_there
from pydpstat.errors import ArgumentError, PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy import Guarantee
from pydpstat.results._postprocessing import AsDrawn, Scaled

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary

    from pydpstat.inference._power import PowerPlan
    from pydpstat.results import DPResults, InferenceResults

# whose noise depends on the public number of records
_NEED_SIZE = ("mean", "proportion", "var", "std", "cov", "corr")
_TWO = ("cov", "corr")
PLANNED = (
    "mean",
    "sum",
    "count",
    "proportion",
    "var",
    "std",
    "cov",
    "corr",
    "histogram",
    "crosstab",
    "nunique",
)
_Test = Literal[
    "ttest_1samp",
    "ttest_rel",
    "ttest_ind",
    "wilcoxon",
    "mannwhitneyu",
    "kruskal",
    "f_oneway",
    "binomtest",
    "quantile_test",
    "proportions_test",
    "chi2_contingency",
    "kendalltau",
]
TESTS = get_args(_Test)
_CHOSEN = ("quantile", "quantiles", "median", "choose")


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """The noise that a release will have.

    Parameters
    ----------
    result : DPResults
        A release of made-up records with the same public arguments. Its value means nothing.

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000, rng=1)
    >>> planned.noise_scale, round(planned.accuracy(), 4)
    (0.1, 0.2996)
    """

    result: DPResults

    @property
    def noise(self) -> Noise:
        """The noise's distribution, with ``cdf``, ``ppf`` and ``std``."""
        return self.result.noise

    @property
    def noise_scale(self) -> float | npt.NDArray[np.float64]:
        """The distribution's scale, as `DPResults` has it."""
        return self.result.noise_scale

    @property
    def sensitivity(self) -> float | tuple[float, ...]:
        """The sensitivity that the noise covers."""
        return self.result.sensitivity

    @property
    def mechanism(self) -> str:
        """The mechanism's name."""
        return self.result.mechanism

    @property
    def guarantee(self) -> Guarantee:
        """What the release will guarantee."""
        return self.result.guarantee

    @property
    def grid(self) -> float | None:
        """Unit of the grid that the noisy value will lie on."""
        return self.result.grid

    @property
    def sd(self) -> float | pd.Series:
        """Standard deviation of the released value's noise, before any cutting.

        A float, or a Series with one value an element.

        Raises
        ------
        PydpstatError
            Where it depends on the data.
        """
        self._check()
        spread = self.result.bse
        return spread if self.result.value.ndim else float(spread.iloc[0])

    def accuracy(self, alpha: float = 0.05) -> float | pd.Series:
        """Return how far the noise will move the released value, with probability 1 - alpha.

        Parameters
        ----------
        alpha : float, default 0.05
            Between 0 and 1.

        Returns
        -------
        float, or Series with one value an element

        Raises
        ------
        PydpstatError
            Where `alpha` is not between 0 and 1, or the accuracy depends on the data.
        """
        checks.probability(alpha, "alpha")
        self._check()
        return self.result.accuracy(alpha)

    def _check(self) -> None:
        if not self._public:
            raise PydpstatError(
                f"the accuracy of this {self.result.statistic} depends on the data: it is computed from "
                f"noisy quantities ({self.result.postprocessing[0]}). noise_scale and noise speak of these; "
                "the accuracy is known after the release, from its result's accuracy()."
            )

    @property
    def _public(self) -> bool:
        return isinstance(self.result.post, (AsDrawn, Scaled))

    def summary(self, alpha: float = 0.05) -> Summary:
        """Return the plan as a table in statsmodels' form.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the noise moves the value further than the accuracy shown.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        from pydpstat.results._report import MOST_ROWS, left_out, number, one_line, unit_fact, wrapped
        from pydpstat.results._summary_page import SummaryPage

        checks.probability(alpha, "alpha")
        result = self.result
        facts = [
            ("Statistic:", result.statistic),
            ("Mechanism:", result.mechanism),
            ("Sensitivity:", _shown(result.sensitivity)),
            ("Noise scale:", _shown(result.noise_scale)),
            ("Epsilon:", number(result.guarantee.epsilon)),
            ("Delta:", number(result.guarantee.delta)),
            ("Neighbors:", result.neighbors),
            *unit_fact(result.unit),
            ("Grid:", "-" if result.grid is None else number(result.grid)),
        ]
        names = [one_line(name) for name in result.labels.elements(result.value)[:MOST_ROWS]]
        cells = [["-", "-"]] * len(names)
        if self._public:
            errors = np.ravel(result.bse)[:MOST_ROWS]
            reaches = np.ravel(result.post.reach(result.noise, result.value, alpha), order="F")[:MOST_ROWS]
            cells = [[number(error), number(reach)] for error, reach in zip(errors, reaches)]
        notes = [f"The noise stays within the accuracy with probability {1 - alpha:g}."]
        if not self._public:
            notes = ["The accuracy depends on the data: the release's result has it."]
        notes += left_out(result.value.size, where="accuracy()")
        if result.guarantee.conditions:
            notes.append(f"Conditions: {'; '.join(result.guarantee.conditions)}.")
        headers, title = ("noise sd", "accuracy"), "Planned Differentially Private Release"
        return SummaryPage(facts, headers, names, cells, wrapped(notes), title)

    def __repr__(self) -> str:
        result = self.result
        return (
            f"<Plan {result.statistic}: {result.mechanism}, noise scale {_shown(result.noise_scale)}, "
            f"{result._stated()}>"
        )


@overload
def plan(  # type: ignore[overload-overlap]
    function: _Test | Callable[..., InferenceResults],
    epsilon: float | None = None,
    *,
    n: int | Sequence[int] | None = None,
    columns: None = None,
    **options: object,
) -> PowerPlan: ...
@overload
def plan(
    function: str | Callable[..., DPResults],
    epsilon: float,
    *,
    n: int | None = None,
    columns: Collection[str] | None = None,
    **options: object,
) -> Plan: ...
@answered
def plan(
    function: str | Callable[..., object],
    epsilon: float | None = None,
    *,
    n: int | Sequence[int] | None = None,
    columns: Collection[str] | None = None,
    **options: object,
) -> Plan | PowerPlan:
    """Say what noise a release will have, or how much a test will find, before any data are touched.

    Parameters
    ----------
    function : str or function
        ``"mean"`` or ``pydpstat.mean``; one of mean, sum, count, proportion, var, std, cov, corr,
        histogram, crosstab, nunique. Or a test: ttest_1samp, ttest_rel, ttest_ind, wilcoxon, mannwhitneyu,
        kruskal, f_oneway, binomtest, quantile_test, proportions_test, chi2_contingency, kendalltau.
    epsilon : float
        Privacy parameter of the release. It may be left out for a test, and is found then.
    n : int, optional
        The public number of records; needed for a mean, a proportion or a spread under bounded
        neighbors, not used otherwise, nor by group or by unit. For a test of groups the size of each, or a
        sequence of sizes; left out, it is found.
    columns : list of str, optional
        The columns' names, where a frame is to be released; those of `by` and `unit` need not be among them.
    **options
        The function's own: `bounds`, `delta`, `mechanism`, `neighbors`, `missing`, and so on. Inside of
        ``with budget:`` the neighbors are the budget's, as the release's. `by` and `unit` can be names, as
        the data's columns will have them; `by` needs `levels`. Those of a test are under Notes.

    Returns
    -------
    Plan or PowerPlan
        Of a release, with `noise`, `noise_scale`, `sd`, `accuracy`, `sensitivity`, `guarantee`, `summary`; of
        a test, with `n`, `epsilon`, `effect`, `power`, `test`, `stronger`, `powers`, `summary`.

    Raises
    ------
    PydpstatError
        Where the function has no noise with a public distribution (quantile, choose), an argument is not
        allowed, or nothing gives a test the power that is wanted.

    Notes
    -----
    A plan is made by the function itself, with sums of 0 in place of the data's, so it cannot differ
    from the release. It spends no budget and reveals nothing.

    Of `n`, `epsilon`, `effect` and `power` of a test three are given, and about the smallest fourth is found.
    The level is `alpha` (0.05), the `alternative` is as in the test; neighbors are bounded. `power` is the
    probability of a p-value of at most alpha, and `effect` is what the data are to have:

    - t tests, `wilcoxon`, `mannwhitneyu`: the mean less that of the null hypothesis, or of the second group,
      in standard deviations of normal records (for pairs: of the differences).
    - `f_oneway`, `kruskal`: the largest mean less the smallest in standard deviations, the others evenly
      between; there are `groups` (3).
    - `binomtest`: the proportion less `p` (0.5), that of the null hypothesis. `proportions_test`: the first
      group's proportion less `p`, the second one's. `quantile_test`: the share of records below the
      value, less `p`; with its `ties`.
    - `chi2_contingency`: Cohen's w, from 0 to 1, for a table of `shape` (2, 2) whose margins are even and
      whose levels go together. `kendalltau`: the correlation of two normal variables.

    For means the `bounds` are by default 4 standard deviations to either side; with `bounds` the `sd` is
    theirs divided by 8, or as given, and the null hypothesis's mean is in the middle, or `popmean`. Records
    are moved onto the bounds as in the test.

    Powers for counts are sums of exact distributions. Those for means, ranks and tables are from 2,000
    simulated releases with fixed seeds, and critical values from the test's own distributions: a standard
    error of up to about 0.02. `stronger` names the test with the most power for the same question and the
    same numbers; among these is the usual test on random blocks (`any_test`).

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, Theorem 3.8
    (accuracy of Laplace noise).
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences, second edition. Erlbaum (the
    effects).

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000)
    >>> round(planned.sd, 4), round(planned.accuracy(0.05), 4)
    (0.1414, 0.2996)
    >>> regions = pydpstat.plan("count", 1.0, by="region", levels=["north", "south"], other=None)
    >>> regions.accuracy(0.05).round(2).tolist(), regions.sensitivity
    ([6.0, 6.0], 2.0)
    >>> found = pydpstat.plan("wilcoxon", 1.0, effect=0.4, power=0.8)
    >>> found.solved, 60 < found.n < 90
    ('n', True)
    """
    import pydpstat

    name = function if isinstance(function, str) else getattr(function, "__name__", None)
    if isinstance(name, str) and name in TESTS:
        from pydpstat.inference._power import plan_test

        if columns is not None:
            raise PydpstatError(
                f"columns must be left out for the plan of a test; got {checks.shown(columns)}."
            )
        return plan_test(name, epsilon, n, options)
    if name in _CHOSEN:
        raise PydpstatError(
            f"{name} cannot be planned: how far its result is off depends on the data. Release it of made-up "
            "data of your own instead."
        )
    checks.one_of(name if isinstance(name, str) else function, "function", (*PLANNED, *TESTS))
    call = getattr(pydpstat, str(name))
    _check_options(call, options)
    made_up = Placeholder(_size(n, str(name), options), _columns(columns))
    pair = name in _TWO and made_up.columns is None
    # nothing is released, and so the block's budget does not pay
    with within(None):
        return Plan(call(made_up, *((made_up,) if pair else ()), epsilon, **options))


def _columns(columns: object) -> tuple[str, ...] | None:
    if columns is None:
        return None
    values = public_list(columns, "columns")
    if isinstance(values, (list, tuple)) and 0 < len(set(map(str, values))) == len(values):
        return tuple(map(str, values))
    raise PydpstatError(
        f"columns must be a list of names without repetition; got {checks.shown(columns)}. "
        "Leave it out for a single variable."
    )


def _check_options(call: Callable[..., DPResults], options: Mapping[str, object]) -> None:
    known = [
        each.name
        for each in inspect.signature(call).parameters.values()
        if each.kind is each.KEYWORD_ONLY and each.name != "budget"
    ]
    wrong = {name: each for name, each in options.items() if name not in known}
    if wrong:
        raise ArgumentError(not_there(call.__name__, known, wrong))
    if "bounds" in known and "bounds" not in options:
        raise PydpstatError("bounds must be given: the public range of the data, as (lower, upper).")


def _size(n: Any, name: str, options: Mapping[str, object]) -> int:
    given = options.get("neighbors")
    neighbors = defaults(None).neighbors if given is None else given
    # the numbers of records in groups or of units are private
    whole = options.get("by") is None and options.get("unit") is None
    # an array that cannot be compared is refused with the function's own words
    needed = whole and name in _NEED_SIZE and isinstance(neighbors, str) and neighbors == "bounded"
    if n is None:
        if needed:
            raise PydpstatError(
                f"n must be given: the noise of a {name} depends on the public number of records under "
                "bounded neighbors."
            )
        return 0
    if not checks.is_number(n) or not 0 <= checks.as_float(n) < 2.0**53 or n != int(n):
        raise PydpstatError(
            f"n must be a whole number of records; got {checks.shown(n)}. Give for example 1000."
        )
    if n == 0 and needed:
        raise PydpstatError(f"n must be at least 1 record for a {name} under bounded neighbors; got {n!r}.")
    return int(n)


def _shown(value: npt.ArrayLike) -> str:
    from pydpstat.results._report import number

    low, high = map(number, (np.min(value), np.max(value)))
    return low if low == high else f"{low} to {high}"
