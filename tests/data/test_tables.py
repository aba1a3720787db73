"""What is asked of tables of engines, by made-up ones: their order, their size, and series as tables."""

import operator
from types import SimpleNamespace

import numpy as np
import pytest

import pydpstat as dp
from pydpstat._data import streams
from pydpstat._data.chunks import Chunk
from pydpstat._data.clusters import make_dask_table
from pydpstat._data.native import read_frame, read_variable
from pydpstat._data.streams import StreamTable
from pydpstat._data.table import ColumnView
from pydpstat.errors import PydpstatError

CHUNKS = [Chunk({"x": np.array([3, 1])}, 2), Chunk({"x": np.array([2])}, 1)]


@pytest.fixture(autouse=True)
def batches_are_chunks(monkeypatch):
    """Have chunks in the place of Arrow's batches."""
    monkeypatch.setattr(streams, "convert_batches", lambda batches: batches)


def table(size=lambda: 3, **own):
    return StreamTable("made up", ("x",), lambda names: None, lambda names: iter(CHUNKS), size, **own)


def test_a_table_without_an_order_is_read_whole_but_not_beside_others():
    unordered = ColumnView(table(), True)
    assert read_frame(unordered, "data")["x"].tolist() == [3, 1, 2]
    assert read_variable(unordered).tolist() == [3, 1, 2]
    for read in (read_frame, read_variable):
        with pytest.raises(PydpstatError, match="y must have a fixed order"):
            read(unordered, "y", needs_order=True)
    # values and what is released of them have the same places
    with pytest.raises(PydpstatError, match="value must have a fixed order"):
        dp.symmetric_geometric(unordered, 1.0)
    assert dp.symmetric_geometric(ColumnView(table(ordered=True), True), 100.0).value.tolist() == [3, 1, 2]


@pytest.mark.parametrize("is_known", [True, False])
def test_the_number_of_records_is_asked_for_progress_only_where_it_runs_no_query(is_known, monkeypatch):
    monkeypatch.setenv("PYDPSTAT_PROGRESS", "1")
    asked = []
    read = table(lambda: asked.append("size") or 3, has_known_size=is_known)
    assert read.fold(lambda chunk: chunk.size, operator.add) == 3
    assert asked == ["size"] * is_known


def test_a_series_of_dask_is_a_table_of_one_column():
    frame = SimpleNamespace(columns=["x"])
    # newer versions have columns of a series
    for own in ({}, {"columns": ["x"], "ndim": 1}):
        series = SimpleNamespace(name="x", to_frame=lambda name: frame, **own)
        assert make_dask_table(series).frame is frame
    whole = SimpleNamespace(columns=["x", "y"], ndim=2)
    assert make_dask_table(whole).frame is whole and make_dask_table(whole).names == ("x", "y")
