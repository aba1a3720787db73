"""One table in every engine gives one tally, however it is cut and in whatever order."""

import pytest

from pydpstat import PydpstatError
from pydpstat._data.table import as_table
from tests.engines.makers import MAKERS, READ_ONCE, pa
from tests.engines.tallies import example, expected, tally_and_merge, units_and_merge

FRAME = example()
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
every_engine = pytest.mark.parametrize("engine", MAKERS)


def made(engine, parts, folder):
    """Return the example in an engine, in so many parts."""
    return MAKERS[engine](TABLE, parts, folder)


@pytest.mark.parametrize("parts", [1, 2, 7, 64])
@every_engine
def test_the_tally_is_the_same(engine, parts, tmp_path):
    tally, merge = tally_and_merge()
    table = as_table(made(engine, parts, tmp_path))
    assert table.names == tuple(FRAME)
    assert table.fold(tally, merge) == expected(FRAME)


@every_engine
def test_units_are_whole(engine, tmp_path):
    count, merge = units_and_merge()
    table = as_table(made(engine, 7, tmp_path)).select_columns(["u", "x"])
    assert table.fold(count, merge, unit="u") == (FRAME["u"].nunique(), len(FRAME))


@every_engine
def test_the_sample_has_the_types_and_no_records(engine, tmp_path):
    tally, _ = tally_and_merge()
    sample = as_table(made(engine, 3, tmp_path)).make_empty_chunk()
    assert sample.size == 0 and all(len(column) == 0 for column in sample.columns.values())
    assert tally(sample)["size"] == 0


@every_engine
def test_the_number_of_records(engine, tmp_path):
    data = made(engine, 3, tmp_path)
    table = as_table(data)
    is_once = engine in READ_ONCE
    assert table.count_records() == (None if is_once else len(FRAME))
    tally, merge = tally_and_merge()
    assert table.fold(tally, merge) == expected(FRAME)
    if is_once:
        with pytest.raises(PydpstatError, match="used up"):
            table.fold(tally, merge)
    else:
        assert table.fold(tally, merge) == expected(FRAME)


@every_engine
def test_a_column_that_is_not_there_is_an_error(engine, tmp_path):
    with pytest.raises(PydpstatError, match="a column 'y'"):
        as_table(made(engine, 1, tmp_path)).select_columns(["y"])
    with pytest.raises(PydpstatError, match="a column 'u'"):
        as_table(made(engine, 1, tmp_path)).select_columns(["x"]).fold(len, max, unit="u")
