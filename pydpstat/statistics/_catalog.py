"""Public statistics with their forms: one record for each, which the other lists of statistics are made from.

The package's public names, the methods of a design, what `plan` knows, audit cases, tables of the documentation and
tests read them. A statistic of a known form needs a record here and nowhere else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["columns", "pairs", "conditions", "quantiles", "bins", "levels", "units", "candidates", "counts"]
# what the statistics of a form release, and which of their arguments are public
FORMS: dict[Form, tuple[str, str]] = {
    "columns": ("a figure of one variable, or of each column of a frame", "`bounds`"),
    "pairs": ("a figure of two variables, or a whole frame's matrix", "`bounds` of each"),
    "conditions": ("how many records meet a condition, or their share", "nothing"),
    "quantiles": ("one quantile of a distribution, or several", "`bounds`"),
    "bins": ("a count for each bin", "`edges`"),
    "levels": ("a count for each combination of levels", "`levels`"),
    "units": ("the number of distinct ids: persons, households, firms", "nothing"),
    "candidates": ("one of several candidates", "`candidates`, `sensitivity`"),
    "counts": ("counts that you computed yourself, with integer noise", "`sensitivity`"),
}
# statistics of these forms take no records, so that a design has none of them
_FORMS_WITHOUT_RECORDS = ("candidates", "counts")


class PublicStatistic(NamedTuple):
    """Record of a public statistic.

    Attributes
    ----------
    home : str
        Module that defines it.
    form : str
        What it takes, one of `FORMS`.
    accuracy : {"noise", "size", "distribution", None}
        What its accuracy depends on: only the noise; also the number of records; also their distribution. None if
        `plan` does not know it.
    question, r_calls, example : str
        Its row in the table from R's functions, docs/which.md; "" if it has none.
    min_records : int
        Smallest number of records of a release.
    """

    home: str
    form: Form
    accuracy: Literal["noise", "size", "distribution"] | None
    question: str
    r_calls: str
    example: str
    min_records: int = 1


STATISTICS = {
    "mean": PublicStatistic(
        "pydpstat.statistics.mean",
        "columns",
        "distribution",
        "a mean",
        "`mean(age)`",
        "`dp.mean(age, 0.5, bounds=(18, 90))`",
    ),
    "sum": PublicStatistic(
        "pydpstat.statistics.mean",
        "columns",
        "noise",
        "a total",
        "`sum(income)`",
        "`dp.sum(income, 0.5, bounds=(0, 10000))`",
        min_records=0,
    ),
    "count": PublicStatistic(
        "pydpstat.statistics.counts",
        "conditions",
        "noise",
        "the number of records",
        "`nrow(d)`, `sum(age >= 65)`",
        "`dp.count(age >= 65, 0.5)`",
        min_records=0,
    ),
    "proportion": PublicStatistic(
        "pydpstat.statistics.counts",
        "conditions",
        "distribution",
        "a share",
        "`mean(employed)`, `prop.table`",
        "`dp.proportion(employed, 0.5)`, `table.shares()`",
    ),
    "var": PublicStatistic(
        "pydpstat.statistics.spread",
        "columns",
        "distribution",
        "a variance",
        "`var(age)`",
        "`dp.var(age, 0.5, bounds=(18, 90))`",
        min_records=2,
    ),
    "std": PublicStatistic(
        "pydpstat.statistics.spread",
        "columns",
        "distribution",
        "a standard deviation",
        "`sd(age)`",
        "`dp.std(age, 0.5, bounds=(18, 90))`",
        min_records=2,
    ),
    "cov": PublicStatistic(
        "pydpstat.statistics.association",
        "pairs",
        "size",
        "a covariance",
        "`cov(age, income)`",
        "`dp.cov(age, income, 0.5, bounds=((18, 90), (0, 10000)))`",
        min_records=2,
    ),
    "corr": PublicStatistic(
        "pydpstat.statistics.association",
        "pairs",
        "size",
        "a correlation",
        "`cor(age, income)`",
        "`dp.corr(age, income, 0.5, bounds=((18, 90), (0, 10000)))`",
        min_records=2,
    ),
    "histogram": PublicStatistic(
        "pydpstat.statistics.histograms",
        "bins",
        "noise",
        "a histogram",
        "`hist(age, breaks)`",
        "`dp.histogram(age, 0.5, edges=[18, 40, 65, 90])`",
        min_records=0,
    ),
    "crosstab": PublicStatistic(
        "pydpstat.statistics.tables",
        "levels",
        "noise",
        "a table, cross-tabulation",
        "`table(region, sex)`, `xtabs(~ region + sex)`",
        '`dp.crosstab(d[["region", "sex"]], 0.5, levels=levels)`',
        min_records=0,
    ),
    "nunique": PublicStatistic(
        "pydpstat.statistics.uniques",
        "units",
        "noise",
        "the number of persons or firms",
        "`length(unique(id))`, `n_distinct(id)`",
        '`dp.nunique(person, 0.5, neighbors="unbounded")`',
        min_records=0,
    ),
    "quantile": PublicStatistic(
        "pydpstat.statistics.quantiles",
        "quantiles",
        "distribution",
        "a quantile",
        "`quantile(age, .9)`",
        "`dp.quantile(age, .9, 0.5, bounds=(18, 90))`",
    ),
    "quantiles": PublicStatistic(
        "pydpstat.statistics.quantiles",
        "quantiles",
        "distribution",
        "quartiles",
        "`quantile(age)`, `fivenum`",
        "`dp.quantiles(age, [.25, .5, .75], 0.5, bounds=(18, 90))`",
    ),
    "median": PublicStatistic(
        "pydpstat.statistics.quantiles",
        "quantiles",
        "distribution",
        "a median",
        "`median(age)`",
        "`dp.median(age, 0.5, bounds=(18, 90))`",
    ),
    "choose": PublicStatistic(
        "pydpstat.statistics.choice",
        "candidates",
        None,
        "the most frequent",
        "`which.max(table(x))`",
        "`dp.choose(candidates, scores, 0.5, sensitivity=1)`",
    ),
    "symmetric_geometric": PublicStatistic("pydpstat.statistics.integer_noise", "counts", None, "", "", ""),
    "symmetric_geometric_noise": PublicStatistic("pydpstat.statistics.integer_noise", "counts", None, "", "", ""),
}


def list_statistics(*forms: Form) -> tuple[str, ...]:
    """Return the names of the statistics of some forms."""
    return tuple(name for name, statistic in STATISTICS.items() if statistic.form in forms)


def list_planned_statistics(*accuracies: str) -> tuple[str, ...]:
    """Return the names of the statistics whose accuracy depends on one of these; without any, all that `plan` knows."""
    known = accuracies or ("noise", "size", "distribution")
    return tuple(name for name, statistic in STATISTICS.items() if statistic.accuracy in known)


COLUMN_STATISTICS = list_statistics("columns")
RECORD_STATISTICS = tuple(
    name for name, statistic in STATISTICS.items() if statistic.form not in _FORMS_WITHOUT_RECORDS
)
