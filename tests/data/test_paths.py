"""A path in place of data: the message has the function that reads such a file, and not the file's name."""

import pathlib

import pytest

import pydpstat as dp
from pydpstat._data.values import suggest_reader
from pydpstat.errors import PydpstatError

READERS = {
    "visits.csv": "pd.read_csv(path)",
    "visits.csv.gz": "pd.read_csv(path)",
    "visits": "pd.read_csv(path)",
    "VISITS.PARQUET": "pd.read_parquet(path)",
    "a.b/visits.feather": "pd.read_feather(path)",
    "visits.sav": "pd.read_spss(path)",
    "visits.dta": "pd.read_stata(path)",
    "visits.sas7bdat": "pd.read_sas(path)",
    "visits.2024.xlsx": "pd.read_excel(path)",
    "visits.tsv": "pd.read_csv(path, sep='\\t')",
    "visits.jsonl.zst": "pd.read_json(path, lines=True)",
    "visits.rds": "Write the file as CSV in R, write.csv(x, 'x.csv', row.names = FALSE)",
    "visits.sqlite": "pd.read_sql(query, connection)",
}
CALLS = {
    "data": lambda path: dp.mean(path, 1.0, bounds=(0, 1)),
    "design": lambda path: dp.design(path),
    "table": lambda path: dp.crosstab(path, 1.0, levels=["a"]),
    "tables of two": lambda path: dp.chi2_contingency(path, path, 1.0, levels=[["a"], ["b"]]),
    "samples": lambda path: dp.ttest_ind(path, path, 1.0, bounds=(0, 1)),
    "formula": lambda path: dp.ols("y ~ x", path, 1.0, bounds={"y": (0, 1), "x": (0, 1)}),
    "ids": lambda path: dp.nunique(path, 1.0, neighbors="unbounded"),
    "blocks": lambda path: dp.any_test(path, lambda block: 1.0, 1.0),
    "mirror": lambda path: dp.meanDP(path, 1.0, 0, 1),
    "model": lambda path: dp.LogisticRegressionDP("l2", 1, 1).fit(path, [1], [1], [0]),
}


@pytest.mark.parametrize("path", READERS)
def test_the_reader_fits_the_ending(path):
    for given in (path, pathlib.Path(path)):
        assert READERS[path] in suggest_reader(given)


@pytest.mark.parametrize("kind", [str, pathlib.Path])
@pytest.mark.parametrize("call", CALLS)
def test_a_path_is_refused_with_its_reader(call, kind):
    with pytest.raises(PydpstatError) as caught:
        CALLS[call](kind("/home/ann/people.parquet"))
    assert "Read the file first, as in pd.read_parquet(path)." in str(caught.value) and "ann" not in str(caught.value)
