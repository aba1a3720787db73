"""What is asked of an engine, worked out by NumPy: the same integers as from a pass over the records."""

import operator
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat._data.aggregates import UNKNOWN_LEVEL, AggregateQuery, AggregateRow, GroupKey, compile_query, parse_rows
from pydpstat._records import aggregates
from pydpstat._records.aggregates import (
    _check_missing_keys,
    _convert_levels,
    count_bins_in_engine,
    count_truths_in_engine,
    make_engine_bins,
    make_engine_line,
    make_engine_number,
)
from pydpstat._records.cells import count_bins
from pydpstat._records.record_grid import compute_product_unit, make_data_grid, make_standard_grid, sum_records
from pydpstat.errors import PydpstatError

BOUNDS = [(0.0, 100.0), (-50.0, 50.0), (1e9, 1e9 + 1), (-0.1, 0.7), (1.0, 1.0 + 2**-40), (0.0, 1e-30)]
GRIDS = [make(*pair) for pair in BOUNDS for make in (make_standard_grid, make_data_grid)]
GRIDS += [make_data_grid(*pair, 50) for pair in BOUNDS]


class Later:
    """An expression: a function of columns."""

    def __init__(self, value):
        self.value = value

    def _with(name):
        def made(self, other):
            return Later(lambda frame: getattr(operator, name)(self.value(frame), other.value(frame)))

        return made

    __add__, __sub__, __mul__, __lt__, __and__ = map(_with, ("add", "sub", "mul", "lt", "and_"))


class Words:
    """The words of a dialect, for NumPy; NaN is missing."""

    def get_column(self, name):
        return Later(lambda frame: frame[name])

    get_double_column = get_column

    def make_constant(self, value):
        return Later(lambda frame: np.float64(value))

    def is_known_number(self, value):
        return Later(lambda frame: ~np.isnan(value.value(frame)))

    def to_double(self, value):
        return Later(lambda frame: value.value(frame).astype(np.float64))

    def is_between(self, value, first, last):
        return Later(lambda frame: first.value(frame) <= value.value(frame)) & (
            Later(lambda frame: value.value(frame) <= last.value(frame))
        )

    def make_case(self, cases, default=None):
        def chosen(frame):
            conditions, values = zip(*((one.value(frame), two.value(frame)) for one, two in cases))
            return np.select(conditions, values, np.nan if default is None else default.value(frame))

        return Later(chosen)


def worked_out(question, x):
    """Return the columns that a question's expressions make, and its plan."""
    plan, frame = compile_query(question, Words()), {"x": x}
    with np.errstate(all="ignore"):
        for stage in plan.stages:
            frame |= {name: each.value(frame) for name, each in stage.items()}
    return plan, frame


def near(grid):
    """Return numbers around a grid's ends, its center and the halves of its units."""
    middle = grid.center + np.arange(-20, 21) * 0.5 * grid.unit / grid.factor
    ends = [grid.center + end / grid.factor for end in (grid.low, grid.high)]
    around = np.concatenate([end + np.arange(-9, 10) * 0.5 * grid.unit / grid.factor for end in ends])
    line = make_engine_line(grid)
    edges = [step for end in (line.first, line.last) for step in (np.nextafter(end, -np.inf), end)]
    edges += [np.nextafter(end, np.inf) for end in (line.first, line.last)]
    odd = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 2.0**53 + 2, np.inf, -np.inf, np.nan]
    return np.concatenate([middle, around, edges, odd])


def same_sums(grid, x):
    """Compare the sums of the parts with those of a pass, number by number."""
    question = AggregateQuery(numbers=(make_engine_number("x", grid, True),))
    plan, frame = worked_out(question, x)
    known = ~np.isnan(x)
    assert np.array_equal(np.isnan(frame["y0"]), ~known)
    with np.errstate(all="ignore"):
        for place in np.flatnonzero(known):
            wanted = sum_records((x[place : place + 1],), (grid,), "error", ((0, 0),))
            high, low, top, rest = (float(frame[name][place]) for name in plan.sums)
            unit = compute_product_unit(grid, grid)
            assert (int(high / grid.unit) + int(low / grid.unit),) == wanted.first
            assert (int(top / unit) + int(rest / unit),) == wanted.products
            # of so many units that 2^(53 - bits / 2) of them add up exactly
            half = 2.0 ** (grid.bits // 2)
            most = 2.0 ** (grid.bits - grid.bits // 2)
            assert abs(high) <= most * half * grid.unit and high % (half * grid.unit) == 0
            assert abs(top) <= most * half * unit
            assert abs(low) <= half * grid.unit and abs(rest) <= half * unit


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_numbers_near_ends_and_halves_are_the_same_integers(grid):
    same_sums(grid, near(grid))


@settings(max_examples=60)
@given(
    grid=st.sampled_from(GRIDS),
    x=st.lists(st.one_of(st.floats(), st.floats(-60, 160), st.floats(1e9 - 1, 1e9 + 2)), max_size=8),
)
def test_any_numbers_are_the_same_integers(grid, x):
    same_sums(grid, np.array(x, dtype=np.float64))


EDGES = {
    "steps": np.arange(0.0, 2.05, 0.1),
    "typed": np.array([0.0, 0.1, 0.2, 0.3, 0.4]),
    "thirds": np.linspace(-1.0, 1.0, 4),
    "far": np.linspace(1e9, 1e9 + 1, 8),
    "two": np.array([0.0, 0.1, 1.0]),
    "unequal": np.array([-1.0, 0.0, 5e-324, 1.0, 1e300]),
}


@pytest.mark.parametrize("name", EDGES)
def test_numbers_next_to_edges_are_in_the_same_bins(name):
    edges = EDGES[name]
    # a few are too little for a line
    assert (make_engine_bins(["x"], edges).transform is not None) == (name not in ("typed", "two", "unequal"))
    down, up = np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)
    odd = [0.0, -0.0, 5e-324, -1e308, 1e308, np.inf, -np.inf, np.nan]
    x = np.concatenate([edges, down, up, np.nextafter(up, np.inf), (edges[1:] + edges[:-1]) / 2, odd])
    same_bins(edges, x)


def same_bins(edges, x):
    """Compare the bin of each number with what a pass counts."""
    plan, frame = worked_out(AggregateQuery(cells=(make_engine_bins(["x"], edges),)), x)
    found = np.broadcast_to(frame[plan.keys[0]], x.shape)
    assert np.array_equal(np.isnan(found), np.isnan(x))
    for value, bin_ in zip(x, found):
        if not np.isnan(value):
            counts, _ = count_bins(np.array([value]), edges)
            assert counts[int(bin_)] == 1, value


@pytest.mark.slow
@settings(max_examples=60)
@given(
    ends=st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)),
    bins=st.integers(1, 64),
    shares=st.lists(st.floats(-0.1, 1.1), max_size=20),
)
def test_numbers_in_equal_bins_are_in_the_same_ones(ends, bins, shares):
    edges = np.linspace(ends[0], ends[0] + ends[1], bins + 1)
    x = ends[0] + ends[1] * np.array([0.5, *shares])
    same_bins(edges, np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), x]))


def test_many_unequal_bins_are_read():
    assert make_engine_bins(["x"], np.arange(70.0) ** 2) is None
    assert make_engine_bins([], np.linspace(0, 1, 3)) is None


def test_a_row_hides_what_is_in_it():
    question = AggregateQuery(numbers=(make_engine_number("x", GRIDS[0], False),))
    plan = compile_query(question, Words())
    (row,) = parse_rows(question, plan, [(3, 2, 4.0, 0.5)])
    assert row.size == 3 and row.numbers == ((2, (4.0, 0.5)),)
    assert repr(row) == "AggregateRow(values withheld)"


def answered_by(monkeypatch, rows, groups=None):
    """Return records of one column whose engine answers with these rows; each has the code of a group first."""
    monkeypatch.setattr(aggregates, "_read_group_rows", lambda *arguments, **asked: rows)
    return SimpleNamespace(layout=SimpleNamespace(variables=("x",)), groups=groups, n_groups=groups, width=1)


@pytest.mark.parametrize(("missing", "counts"), [(True, [4, 1]), (False, [2, 3]), ("drop", [2, 1])])
def test_missing_truth_values_count_as_the_given_one(missing, counts, monkeypatch):
    # of five records three have a value, and two are true
    records = answered_by(monkeypatch, [(0, AggregateRow((), (), 5, (), ((3, (2.0,)),)))])
    assert count_truths_in_engine(records, missing).tolist() == [[[number]] for number in counts]
    records = answered_by(monkeypatch, [(1, AggregateRow((), (), 5, (), ((3, (2.0,)),)))], groups=2)
    assert count_truths_in_engine(records, missing).tolist() == [[[0], [number]] for number in counts]


@pytest.mark.parametrize("present, outcome", [([5, 4], True), ([5, 3], "error"), (None, False)])
def test_an_engine_is_asked_for_missing_keys_where_some_are_no_levels(present, outcome):
    row = AggregateRow((UNKNOWN_LEVEL,), (), 2, (), ())
    answer = present and [AggregateRow((), (), size, (number,), ()) for size, number in zip((5, 4), present)]
    records, keys = SimpleNamespace(compute_in_engine=lambda query: answer), [GroupKey("k", ("a",))]
    if outcome == "error":
        with pytest.raises(PydpstatError, match="missing"):
            _check_missing_keys(records, keys, [row], "error")
    else:
        assert _check_missing_keys(records, keys, [row], "error") is outcome
    # all values are levels, or missing ones are given a treatment
    assert _check_missing_keys(None, keys, [row._replace(codes=(0,))], "error")
    assert _check_missing_keys(None, keys, [row], "drop")


def test_bins_are_counted_by_group_and_missing_values_apart(monkeypatch):
    edges = np.array([0.0, 1.0, 2.0])
    rows = [
        (group, AggregateRow((), (place,), size, (), ())) for group, place, size in ((0, 0, 3), (0, 2, 1), (2, 1, 4))
    ]
    counts, absent = count_bins_in_engine(answered_by(monkeypatch, rows, groups=3), edges, "drop")
    assert counts.tolist() == [[3, 0], [0, 0], [0, 4]] and absent.tolist() == [1, 0, 0]
    counts, absent = count_bins_in_engine(answered_by(monkeypatch, rows[:2]), edges, "drop")
    assert counts.tolist() == [3, 0] and absent.tolist() == [1]


@pytest.mark.parametrize(
    ("levels", "own"),
    [
        (["a", "b"], ("a", "b")),
        (["a", 1], ("a", None)),
        ([1, 2], None),
        (["a", "b\0c"], None),
        (["a", "\ud800"], None),
    ],
)
def test_levels_of_texts_are_asked_for_where_every_engine_has_them(levels, own):
    assert _convert_levels(np.array(["a", "b"]), levels) == own
