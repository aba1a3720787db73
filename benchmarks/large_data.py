"""Parquet files of many records of one survey: made once, in parts, with a seed for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

BOUNDS = (0.0, 200_000.0)
REGIONS = [f"region {number:02d}" for number in range(20)]
SEXES = ["female", "male"]
KEYS = ["region", "sex"]
LEVELS = {"region": REGIONS, "sex": SEXES}
EDGES = np.linspace(*BOUNDS, 21)
# sizes are an eighth, a quarter, a half and all of the records
PARTS = 8
# records of a group of rows, as pyarrow writes them
GROUP = 1 << 20
PER_PERSON = 10


def parts(folder: Path, size: int) -> list[Path]:
    """Return the files of so many records, which are made where they are missing."""
    rows = size // PARTS
    paths = [folder / f"{rows}-{part}.parquet" for part in range(PARTS)]
    for part, path in enumerate(paths):
        if not path.exists():
            _write(path, rows, part)
    return paths


def plain(folder: Path, size: int) -> Path:
    """Return one file of so many records whose texts are texts, as every package reads them."""
    path = folder / f"{size}-plain.parquet"
    if not path.exists():
        _write(path, size, PARTS, coded=False)
    return path


def _write(path: Path, rows: int, part: int, coded: bool = True) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng([1, part])
    text = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
    schema = pa.schema([("income", pa.float64()), ("region", text), ("sex", text), ("person", pa.int64())])
    unfinished = path.with_suffix(".unfinished")
    with pq.ParquetWriter(unfinished, schema, use_dictionary=KEYS) as writer:
        for start in range(0, rows, GROUP):
            writer.write_table(_records(rng, part * rows + start, min(GROUP, rows - start), schema))
    unfinished.rename(path)


def _records(rng: np.random.Generator, first: int, count: int, schema: Any) -> Any:
    import pyarrow as pa

    regions, sexes = (rng.integers(0, len(each), count, dtype=np.int32) for each in (REGIONS, SEXES))
    # incomes differ between the regions
    income = np.round(rng.lognormal(np.log(30_000.0), 0.6, count) * (1.0 + 0.02 * regions), 2)
    columns = [
        pa.array(income),
        pa.DictionaryArray.from_arrays(regions, REGIONS),
        pa.DictionaryArray.from_arrays(sexes, SEXES),
        pa.array(np.arange(first, first + count) // PER_PERSON),
    ]
    return pa.table([each.cast(field.type) for each, field in zip(columns, schema)], schema)
