"""A table in memory that is read in pieces, in any order: what engines do, without an engine."""

import copy
import pickle
from functools import reduce

import numpy as np
import pandas as pd
import pytest

from pydpstat._data.table import Chunk
from pydpstat._records import cells, records
from pydpstat.statistics import uniques


class Pieces:
    """A frame whose records come in shuffled pieces; `counts` tells whether their number is known before."""

    def __init__(self, frame, number, seed=0, counts=True):
        self.frame, self.number, self.seed, self.counts = frame, number, seed, counts
        self.names = tuple(map(str, frame.columns))

    def select_columns(self, names):
        assert set(names) <= set(self.names)
        part = copy.copy(self)
        part.names = tuple(names)
        return part

    def make_empty_chunk(self):
        return self._chunk(np.zeros(0, dtype=int))

    def count_records(self):
        return len(self.frame) if self.counts else None

    def compute_aggregates(self, query):
        """Say that the records have to be read."""
        assert query.required_columns is not None

    def fold(self, map_chunk, merge, unit=None):
        draw = np.random.default_rng(self.seed)
        if unit is None:
            piece = draw.integers(0, self.number, len(self.frame))
        else:
            codes, found = pd.factorize(self.frame[unit])
            piece = draw.integers(0, self.number, len(found) + 1)[codes]
        # what a test has of its own is little beside what it measures
        order, piece = draw.permutation(len(self.frame)).astype(np.int32), piece.astype(np.int32)
        # both travel to other processes
        map_chunk, merge = pickle.loads(pickle.dumps((map_chunk, merge)))
        parts = [map_chunk(self._chunk(order[piece[order] == place])) for place in range(self.number)]
        parts = [pickle.loads(pickle.dumps(part)) for part in parts]
        if self.seed % 2:
            # as a tree
            while len(parts) > 1:
                parts = [reduce(merge, parts[start : start + 3]) for start in range(0, len(parts), 3)]
        return reduce(merge, parts)

    def _chunk(self, places):
        columns = {}
        for name in self.names:
            column = self.frame[name].iloc[places]
            kind = isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub"
            columns[name] = column.to_numpy() if kind else column.array
        return Chunk(columns, len(places))


@pytest.fixture
def pieces(monkeypatch):
    """Let releases read `Pieces`."""
    for module in (records, cells, uniques):
        monkeypatch.setattr(module, "as_table", lambda data: data if isinstance(data, Pieces) else None)
    return Pieces
