"""Blocks of records that Arrow and Polars hold: they show nothing of the records in others."""

from __future__ import annotations

import pytest

from pydpstat.inference._block_records import Samples
from pydpstat.random import source_from

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

TEXTS = ["a", "b"] * 15
HELD = {
    "Arrow array": lambda texts: pa.array(texts).dictionary_encode(),
    "Arrow chunks": lambda texts: pa.chunked_array([texts]).dictionary_encode(),
    "Arrow table": lambda texts: pa.table({"x": [1.0] * 30, "key": pa.array(texts).dictionary_encode()}),
    "Arrow batch": lambda texts: pa.record_batch({"key": pa.array(texts).dictionary_encode()}),
    "Polars series": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "Polars frame": lambda texts: pl.DataFrame({"x": 1.0, "key": pl.Series(texts, dtype=pl.Categorical)}),
}


def told(block):
    """Return all that a callable can see of a block."""
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
