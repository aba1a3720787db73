"""Blocks of records that Arrow and Polars hold: they show nothing of the records in others."""

from __future__ import annotations

import datetime

import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.random import source_from
from tests.block_channels import differing

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

TEXTS = ["a", "b"] * 15
DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
HELD = {
    "Arrow array": lambda texts: pa.array(texts).dictionary_encode(),
    "Arrow chunks": lambda texts: pa.chunked_array([texts]).dictionary_encode(),
    "Arrow table": lambda texts: pa.table({"x": [1.0] * 30, "key": pa.array(texts).dictionary_encode()}),
    "Arrow batch": lambda texts: pa.record_batch({"key": pa.array(texts).dictionary_encode()}),
    "Arrow lists": lambda texts: pa.ListArray.from_arrays(range(31), pa.array(texts).dictionary_encode()),
    "Arrow structs": lambda texts: pa.table(
        {"s": pa.StructArray.from_arrays([pa.array(texts).dictionary_encode()], ["key"])}
    ),
    "pandas series": lambda texts: pd.Series(pd.array(texts, dtype=DICTIONARY)),
    "pandas frame": lambda texts: pd.DataFrame({"x": 1.0, "key": pd.array(texts, dtype=DICTIONARY)}),
    "pandas index": lambda texts: pd.Index(pd.array(texts, dtype=DICTIONARY)),
    "Polars lists": lambda texts: pl.Series([[text] for text in texts], dtype=pl.List(pl.Categorical)),
    "Polars structs": lambda texts: pl.DataFrame(
        {"s": pl.Series([{"key": text} for text in texts], dtype=pl.Struct({"key": pl.Categorical}))}
    ),
    "Polars series": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "Polars frame": lambda texts: pl.DataFrame({"x": 1.0, "key": pl.Series(texts, dtype=pl.Categorical)}),
}


def told(block):
    """Return all that a callable can see of a block."""
    if isinstance(block, (pd.Series, pd.DataFrame, pd.Index)):
        frame = isinstance(block, pd.DataFrame)
        held = [block.dtypes, block.to_dict()] if frame else [block.dtype, list(block)]
        return [str(each) for each in (type(block), *held, getattr(block, "index", ""))]
    if hasattr(block, "columns"):
        columns = block.columns if isinstance(block, (pa.Table, pa.RecordBatch)) else block.get_columns()
        return [type(block), *map(told, columns)]
    return [
        type(block),
        str(block.type if hasattr(block, "type") else block.dtype),
        block.to_pylist() if hasattr(block, "to_pylist") else block.to_list(),
    ]


@pytest.mark.parametrize("held", HELD)
def test_blocks_show_nothing_of_the_records_in_others(held):
    given, replaced = (
        [told(block) for (block,) in BlockSamples(HELD[held](texts)).draw_blocks(6, source_from(3), True)]
        for texts in (TEXTS, [*TEXTS[:-1], "c"])
    )
    assert sum(one != another for one, another in zip(given, replaced)) == 1
    # values stand where a dictionary was, which all records would share
    assert not any(kind in str(given) for kind in ("dictionary", "Categorical"))


def test_a_type_that_may_share_values_in_another_way_is_refused():
    union = pa.UnionArray.from_sparse(pa.array([0] * 4, pa.int8()), [pa.array(TEXTS[:4]).dictionary_encode()])
    with pytest.raises(PydpstatError, match="columns of simple values; got one of type .*union"):
        BlockSamples(union)


NUMBERS = [float(place % 7) for place in range(30)]


def with_missing(records):
    return [None if each == 11.5 else each for each in records]


CHANNELS = {
    "Arrow array with a missing value": lambda records: pa.array(with_missing(records)),
    "Arrow chunks": lambda records: pa.chunked_array([records[:7], records[7:]]),
    "Arrow texts": lambda records: pa.array(map(str, with_missing(records))),
    "Arrow views": lambda records: pa.array(list(map(str, records)), pa.string_view()),
    "Arrow table of pandas": lambda records: pa.Table.from_pandas(pd.DataFrame({"x": records})),
    "Arrow table": lambda records: pa.table({"x": pa.chunked_array([records[:9], with_missing(records[9:])])}),
    "Arrow batch": lambda records: pa.record_batch({"x": with_missing(records), "y": records}),
    "Arrow table with metadata": lambda records: pa.table(
        {"x": records}, schema=pa.schema([pa.field("x", pa.float64(), metadata={"n": str(len(records))})])
    ),
    "Arrow structs with metadata": lambda records: pa.table(
        {
            "s": pa.array(
                [{"x": each} for each in records],
                pa.struct([pa.field("x", pa.float64(), metadata={"n": str(len(records))})]),
            )
        }
    ),
    "pandas series": lambda records: pd.Series(records, dtype="float64[pyarrow]"),
    "pandas texts": lambda records: pd.Series(list(map(str, with_missing(records))), dtype="string[pyarrow]"),
    "pandas frame": lambda records: pd.DataFrame({"x": pd.array(with_missing(records), "float64[pyarrow]")}),
    "Polars series": lambda records: pl.Series("x", with_missing(records)),
    "Polars in order": lambda records: pl.Series("x", range(len(records))).sort() * 0 + pl.Series(records),
    "Polars texts": lambda records: pl.DataFrame({"x": list(map(str, with_missing(records)))}),
    "Polars frame": lambda records: pl.concat(
        [pl.DataFrame({"x": records[:5]}), pl.DataFrame({"x": records[5:]})], rechunk=False
    ),
    "Polars objects": lambda records: pl.DataFrame({"x": pl.Series([{each} for each in records])}),
    "Polars times": lambda records: pl.Series([datetime.datetime(2020, 1, 1 + int(each)) for each in records]).cast(
        pl.Datetime("ns", "Europe/Vienna")
    ),
}


@pytest.mark.parametrize("held", CHANNELS)
def test_a_record_changes_one_block(held):
    found = differing(CHANNELS[held], NUMBERS, 11.5)
    assert max(found.values()) == 1
