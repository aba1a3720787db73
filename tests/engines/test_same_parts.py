"""One table in every engine gives one tally, however it is cut and in whatever order."""

import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat._data.table import table_of
from tests.engines.tallies import example, expected, tally_and_merge, units_and_merge

pa = pytest.importorskip("pyarrow")
FRAME = example()


def arrow(parts):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    bounds = np.linspace(0, len(FRAME), parts + 1).astype(int)
    return [table.slice(start, stop - start) for start, stop in zip(bounds, bounds[1:])]


def as_table(parts, folder):
    return pa.concat_tables(arrow(parts))


def as_reader(parts, folder):
    return as_table(parts, folder).to_reader()


def as_dataset(parts, folder):
    pytest.importorskip("pyarrow.dataset")
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    for number, part in enumerate(arrow(parts)):
        pq.write_table(part, folder / f"{number}.parquet")
    return ds.dataset(folder)


def as_scanner(parts, folder):
    return as_dataset(parts, folder).scanner()


def as_capsule(parts, folder):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return as_table(parts, folder).__arrow_c_stream__(requested_schema)

    return Stream()


def as_polars(parts, folder):
    pl = pytest.importorskip("polars")
    return pl.concat([pl.from_arrow(part) for part in arrow(parts)], rechunk=False)


def as_lazy(parts, folder):
    return as_polars(parts, folder).lazy()


def as_scan(parts, folder):
    as_dataset(parts, folder)
    return pytest.importorskip("polars").scan_parquet(folder / "*.parquet")


def as_relation(parts, folder):
    duckdb = pytest.importorskip("duckdb")
    as_dataset(parts, folder)
    return duckdb.read_parquet(str(folder / "*.parquet"))


def as_dask(parts, folder):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(FRAME, npartitions=parts)


def as_frames(parts, folder):
    return (part for part in np.array_split(np.arange(len(FRAME)), parts) for part in [FRAME.iloc[part]])


def as_batches(parts, folder):
    return (batch for part in arrow(parts) for batch in part.to_batches())


def as_polars_frames(parts, folder):
    pl = pytest.importorskip("polars")
    return (pl.from_arrow(part) for part in arrow(parts))


def as_polars_dicts(parts, folder):
    return ({series.name: series for series in frame} for frame in as_polars_frames(parts, folder))


def as_dicts(parts, folder):
    return ({name: frame[name] for name in frame} for frame in as_frames(parts, folder))


MAKERS = [value for name, value in list(globals().items()) if name.startswith("as_")]


@pytest.mark.parametrize("parts", [1, 2, 7, 64])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[3:])
def test_the_tally_is_the_same(make, parts, tmp_path):
    tally, merge = tally_and_merge()
    table = table_of(make(parts, tmp_path))
    assert table.names == tuple(FRAME)
    assert table.fold(tally, merge) == expected(FRAME)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[3:])
def test_units_are_whole(make, tmp_path):
    count, merge = units_and_merge()
    table = table_of(make(7, tmp_path)).select(["u", "x"])
    assert table.fold(count, merge, unit="u") == (FRAME["u"].nunique(), len(FRAME))


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[3:])
def test_the_sample_has_the_types_and_no_records(make, tmp_path):
    tally, _ = tally_and_merge()
    sample = table_of(make(3, tmp_path)).sample()
    assert sample.size == 0 and all(len(column) == 0 for column in sample.columns.values())
    assert tally(sample)["size"] == 0


READ_ONCE = {"reader", "scanner", "capsule", "frames", "batches", "polars_frames", "polars_dicts", "dicts"}


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[3:])
def test_the_number_of_records(make, tmp_path):
    data = make(3, tmp_path)
    table = table_of(data)
    is_once = make.__name__[3:] in READ_ONCE
    assert table.count() == (None if is_once else len(FRAME))
    tally, merge = tally_and_merge()
    assert table.fold(tally, merge) == expected(FRAME)
    if is_once:
        with pytest.raises(PydpstatError, match="used up"):
            table.fold(tally, merge)
    else:
        assert table.fold(tally, merge) == expected(FRAME)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[3:])
def test_a_column_that_is_not_there_is_an_error(make, tmp_path):
    with pytest.raises(PydpstatError, match="a column 'y'"):
        table_of(make(1, tmp_path)).select(["y"])
    with pytest.raises(PydpstatError, match="a column 'u'"):
        table_of(make(1, tmp_path)).select(["x"]).fold(len, max, unit="u")
