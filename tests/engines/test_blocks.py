"""Blocks of records that Arrow and Polars hold: they show nothing of the records in others."""

from __future__ import annotations

import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.inference._block_records import Samples
from pydpstat.random import source_from

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
    "pandas index": lambda texts: pd.Series(1.0, index=pd.Index(pd.array(texts, dtype=DICTIONARY))),
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
        [told(block) for (block,) in Samples(HELD[held](texts)).blocks(6, source_from(3), True)]
        for texts in (TEXTS, [*TEXTS[:-1], "c"])
    )
    assert sum(one != another for one, another in zip(given, replaced)) == 1
    # values stand where a dictionary was, which all records would share
    assert not any(kind in str(given) for kind in ("dictionary", "Categorical"))


def test_a_type_that_may_share_values_in_another_way_is_refused():
    union = pa.UnionArray.from_sparse(pa.array([0] * 4, pa.int8()), [pa.array(TEXTS[:4]).dictionary_encode()])
    with pytest.raises(PydpstatError, match="columns of simple values; got one of type .*union"):
        Samples(union)
