"""All that a callable can read of a block, where a record is added first or last, replaced or removed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.inference.blocks import _block_records
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.random import source_from

# of the first data's records, the blocks; an added record goes into the last one
PLACES = np.arange(30) % 6


def of_buffers(array: Any) -> list[Any]:
    """Return where an array of Arrow begins, and which buffers it has, of what length."""
    return [array.offset, [None if each is None else each.size for each in array.buffers()]]


def channels(block: Any) -> Iterator[object]:
    """Yield the values of a block, and what else its object and those that it is made of say."""
    yield type(block)
    yield str(block.dtypes.tolist() if isinstance(block, pd.DataFrame) else getattr(block, "dtype", ""))
    if isinstance(block, np.ndarray):
        yield (
            block.tolist(),
            block.strides,
            str(block.flags),
            vars(block) if hasattr(block, "__dict__") else (),
        )
        yield sizes_of(block)
        yield [sizes_of(each) for each in block.ravel() if isinstance(each, (np.ndarray, np.generic))]
    elif isinstance(block, (pd.DataFrame, pd.Series)):
        yield [block.attrs, str(block.flags), [getattr(block, name) for name in block._metadata]]
        yield [vars(block).get("_is_copy"), type(block.index), block.index.names, list(block.index)]
        yield [vars(block).get("kept"), sizes_of(block.to_numpy())]
        for place in range(block.shape[1] if block.ndim == 2 else 1):
            column = block.iloc[:, place] if block.ndim == 2 else block
            yield [column.tolist(), *of_array(column.array)]
    elif isinstance(block, (pd.Index, pd.api.extensions.ExtensionArray)):
        yield [list(block), getattr(block, "freq", None), getattr(block, "names", None)]
        yield from of_array(getattr(block, "array", block))
        yield list(map(list, getattr(block, "levels", ())))
    elif type(block).__module__.startswith("pyarrow"):
        yield [block.to_pylist(), str(getattr(block, "schema", "")), getattr(block, "num_chunks", 0)]
        yield getattr(getattr(block, "schema", None), "metadata", None)
        for column in block.columns if hasattr(block, "columns") else [block]:
            yield [of_buffers(each) for each in getattr(column, "chunks", [column])]
    else:
        for column in block.get_columns() if hasattr(block, "get_columns") else [block]:
            yield [column.to_list(), column.flags, column.n_chunks(), str(column.dtype)]
            if str(column.dtype) != "Object":
                yield of_buffers(column.to_arrow())


def sizes_of(values: Any) -> list[int]:
    """Return the lengths of the memory that an array is a part of."""
    found = []
    while (values := getattr(values, "base", None)) is not None:
        found.append(getattr(values, "nbytes", len(values) if hasattr(values, "__len__") else 0))
    return found


def of_array(array: Any) -> Iterator[object]:
    """Yield what an array of pandas says beside its values."""
    yield sizes_of(array.to_numpy())
    if hasattr(array, "categories"):
        yield [list(array.categories), str(array.categories.dtype), array.codes.tolist()]
    yield getattr(array, "freq", None)
    if hasattr(array, "__arrow_array__") and "arrow" in type(array).__module__ + type(array).__name__.lower():
        yield [of_buffers(each) for each in getattr(array.__arrow_array__(), "chunks", [])]


def read(data: Any, places: np.ndarray) -> list[str]:
    """Return all that is read of each block where the records are in given ones."""
    found: Callable[..., Any] = _block_records._assign_blocks
    counts = np.bincount(places, minlength=6)
    order = np.argsort(places, kind="stable"), [0, *np.cumsum(counts).tolist()]
    _block_records._assign_blocks = lambda *_: order
    try:
        blocks = list(BlockSamples(data).draw_blocks(6, source_from(1), False))
    finally:
        _block_records._assign_blocks = found
    return [repr(list(channels(block))) for (block,) in blocks]


def differing(held: Callable[[list[Any]], Any], records: list[Any], other: Any) -> dict[str, int]:
    """Return in how many blocks something differs, where another record comes first, last, or in place."""
    first = read(held(copy.deepcopy(records)), PLACES)
    neighbors = {
        "first": ([other, *records], [5, *PLACES]),
        "last": ([*records, other], [*PLACES, 5]),
        "replaced": ([*records[:-1], other], PLACES),
        "removed": (records[1:], PLACES[1:]),
    }
    return {
        name: sum(one != another for one, another in zip(first, read(held(given), np.asarray(places))))
        for name, (given, places) in neighbors.items()
    }
