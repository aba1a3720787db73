"""Texts that pandas numbers first, and categories looked up once, have the places of single values."""

import numpy as np
import pandas as pd
import pytest

from pydpstat._data import labels
from pydpstat._data.labels import encode_labels
from pydpstat._records.levels import CrossedVariables, make_groups

TEXTS = ["b", None, "a", "", "z", "a", "ä", "b "]
LABELS = ["a", "b", "ä", ""]


@pytest.mark.parametrize("kind", [object, "string", "string[python]", "str", "category"])
@pytest.mark.parametrize("at_a_time", [1, 3, 100])
def test_texts_of_every_type_have_the_same_places(kind, at_a_time, monkeypatch):
    monkeypatch.setattr(labels, "_TEXT_BATCH_SIZE", at_a_time)
    # before pandas 3, "str" makes a text of what is missing
    values = pd.Series(TEXTS, dtype=object if kind == "str" and pd.__version__ < "3" else kind)
    for column in (values, values.array, pd.Index(values)):
        assert encode_labels(column, LABELS).tolist() == [1, -1, 0, 3, 4, 0, 2, 4]
    assert encode_labels(values[:0], LABELS).tolist() == []


def test_groups_of_categories_are_those_of_their_texts():
    rng = np.random.default_rng(1)
    size = 5000
    first = rng.choice(["a", "b", "c", "unknown"], size)
    second = rng.choice(["x", "y", None], size)
    levels = {"one": ["c", "a", "b"], "two": ["y", "x"]}
    for other in ("other", None):
        for missing in ("drop", 0.5):
            texts = CrossedVariables((pd.Series(first), pd.Series(second, dtype=object)), ("one", "two"), size)
            groups = make_groups(texts, levels, other, missing)
            expected = groups.compute_group_codes(texts.columns, missing)
            coded = [pd.Categorical(column) for column in texts.columns]
            assert groups.compute_group_codes(coded, missing).tolist() == expected.tolist()
            rows = groups.rows
            for one, two, place in zip(first[:200], second[:200], expected[:200]):
                row = (one if one in levels["one"] else other, two)
                if two is None:
                    row = (row[0], other if missing == 0.5 else None)
                assert (rows.index(row) if None not in row else -1) == place
