"""What blocks of records show, and that a record is in one of them only."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.random import source_from


@pytest.mark.parametrize("bounded", [True, False])
def test_blocks_have_every_record_once(bounded):
    blocks = list(BlockSamples((np.arange(103), pd.Series(np.arange(50.0)))).draw_blocks(10, source_from(1), bounded))
    for place, size in enumerate((103, 50)):
        parts = [np.asarray(block[place]) for block in blocks]
        assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(size))
        assert not bounded or {part.size for part in parts} <= {size // 10, -(-size // 10)}


def test_a_record_more_changes_one_block_only():
    # of a seeded stream the draws of the first records are the same
    few, more = (list(BlockSamples(np.arange(n)).draw_blocks(6, source_from(3), False)) for n in (40, 41))
    changed = [place for place in range(6) if not np.array_equal(few[place][0], more[place][0])]
    assert len(changed) == 1


def told(block):
    """Return all that a callable can see of a block."""
    if isinstance(block, pd.DataFrame):
        return [told(block.iloc[:, place]) for place in range(block.shape[1])] + [told(block.index)]
    kind = block.dtype.categories.tolist() if block.dtype == "category" else str(block.dtype)
    levels = [list(each) for each in block.levels] if isinstance(block, pd.MultiIndex) else []
    return [str(kind), levels, block.tolist(), told(block.index) if isinstance(block, pd.Series) else []]


@pytest.mark.parametrize(
    "records, other, held",
    [
        ([0.5] * 30, None, list),
        ([0.5] * 30, "n/a", list),
        ([1] * 30, 11.5, list),
        ([0.5] * 30, np.ma.masked, list),
        ([("a", 1.0)] * 30, ("a", np.ma.masked), list),
        ([("a", 1.0)] * 30, np.ma.masked_array([1.0, 2.0], [True, False]), list),
        ([[1.0, 2.0]] * 30, [1.0, np.ma.masked], list),
        ([1] * 30, 10**30, list),
        ([1.0] * 30, 1j, list),
        (["a", "b"] * 15, "a long text", list),
        ([[1.0, 2.0]] * 30, [1.0], list),
        ([0.5] * 30, "n/a", pd.Series),
        ([0.5] * 30, None, lambda records: pd.Series(records, dtype=object)),
        ([0.5] * 30, "n/a", lambda records: np.array(records, dtype=object)),
        (["a", "b"] * 15, "a long text", np.array),
        (["a", "b"] * 15, "c", lambda records: pd.Series(records, dtype="category")),
        (["a", "b"] * 15, "c", pd.Categorical),
        (["a", "b"] * 15, "c", lambda records: pd.DataFrame({"k": pd.Categorical(records), "x": 1.0})),
        (["a", "b"] * 15, "c", pd.CategoricalIndex),
        (["a", "b"] * 15, "c", lambda records: pd.MultiIndex.from_arrays([records] * 2)),
        ([[0.5, 0.5]] * 30, [0.5, "n/a"], lambda records: pd.DataFrame(records)),
    ],
)
def test_blocks_show_nothing_of_the_records_in_others(records, other, held):
    given, replaced = (
        [told(np.asarray(block) if isinstance(block, list) else block) for (block,) in blocks]
        for blocks in (
            BlockSamples(held(each)).draw_blocks(6, source_from(3), True) for each in (records, [*records[:-1], other])
        )
    )
    assert len(given) == len(replaced) == 6
    assert sum(repr(one) != repr(another) for one, another in zip(given, replaced)) == 1


def test_a_block_of_texts_or_rows_is_an_array_of_them():
    (texts,) = next(BlockSamples(["a", "bc"]).draw_blocks(1, source_from(1), True))
    assert texts.dtype == "<U2" and texts.tolist() == ["a", "bc"]
    (rows,) = next(BlockSamples([[1, 2], [3, 4]]).draw_blocks(1, source_from(1), True))
    assert rows.tolist() == [[1, 2], [3, 4]] and rows.dtype.kind == "i"
    (mixed,) = next(BlockSamples(np.array(["a", np.nan], dtype=object)).draw_blocks(1, source_from(1), True))
    assert mixed.dtype == object


def test_records_that_can_be_changed_are_copied():
    def spoils(block):
        for record in block:
            record["v"] = -1
        return 1.0

    same = {"v": 0}
    records = [same] * 20 + [{"v": place} for place in range(20)]
    frame = pd.DataFrame({"r": records})
    for data, test in (
        (records, spoils),
        (pd.Series(records), spoils),
        (frame, lambda block: spoils(block["r"])),
        (np.array(records, dtype=object), spoils),
        (np.array(records, dtype=object)[:, None], lambda block: spoils(block[:, 0])),
    ):
        (first,), *_ = BlockSamples(data).draw_blocks(4, source_from(1), True)
        assert len(first) == 10
        pydpstat.any_test(data, test, 1.0, blocks=4, level=0.2)
        assert same == {"v": 0} and [each["v"] for each in records[20:]] == list(range(20))


def test_records_that_cannot_be_copied_stay():
    class Alone:
        def __deepcopy__(self, memo):
            raise SystemExit(self)

        def __array__(self, *_, **__):
            raise SystemExit(self)

    records = [Alone() for _ in range(8)]

    def are_the_records(block):
        return all(each in records for each in block)

    r = pydpstat.any_test(records, are_the_records, 1e4, blocks=2, level=0.2, rng=1)
    assert dict(r.released)["rejections"] == 2.0


@pytest.mark.slow
def test_rows_with_the_labels_of_attributes_are_like_others():
    plain = pd.Series(np.linspace(0.0, 1.0, 40), index=[f"p{place}" for place in range(40)])
    labels = ["columns", "levels", "iloc", "dtype", "to_arrow", "to_frame", "name", "schema"]
    named = plain.rename(dict(zip(plain.index[-8:], labels)))
    released = [
        [
            pydpstat.any_test(x, lambda block: float(block.mean()), 1.0, blocks=4, level=0.5, rng=1).released,
            pydpstat.ttest_1samp(x, 0.5, 1.0, bounds=(0, 1), rng=1).released,
            pydpstat.quantile_test(x, 1.0, q=0.5, rng=1).released,
            pydpstat.kstest(x, "uniform", 1.0, rng=1).released,
            pydpstat.ols(x, x.to_numpy(), 1.0, bounds=(0, 1), rng=1).released,
            float(pydpstat.weighted_mean(x, x, 1.0, bounds=(0, 1), max_weight=1, rng=1)),
            pydpstat.chisquare(x, 1.0, levels=[0.0, 1.0], missing="other", rng=1).released,
            pydpstat.mean(iter([{"x": x}]), 1.0, bounds=(0, 1), rng=1).value.tolist(),
        ]
        for x in (plain, named)
    ]
    assert released[0] == released[1]


def test_columns_with_the_names_of_attributes_are_like_others():
    x = np.random.default_rng(5).normal(0.3, 1.0, 1000)
    frame = pd.DataFrame({"levels": x, "to_arrow": x, "name": x, "dtype": x})
    r = pydpstat.any_test(frame, lambda block: block["levels"].mean() > 0.2, 1e4, blocks=4, level=0.2, rng=1)
    assert dict(r.released)["rejections"] == 4.0


def test_a_callable_cannot_change_the_data():
    def zeros(block):
        block[:] = 0.0
        return 1.0

    data = np.arange(1.0, 101.0)
    pydpstat.any_test(data, zeros, 1.0, blocks=4, level=0.2)
    assert np.array_equal(data, np.arange(1.0, 101.0))
