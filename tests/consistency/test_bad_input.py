"""Anything in the place of any argument gives a result or an error of the package, and no other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat.consistency import (
    Hierarchy,
    controlled_rounding,
    ipf,
    least_squares,
    make_consistent,
    release_hierarchy,
)
from tests.junk import JUNK
from tests.test_error_privacy import DATA, TRACES

TREE = Hierarchy({"N": ["a", "b"], "S": ["c"]})
TABLE, MARGINS, NOISY = np.ones((2, 3)), {0: [3, 3], 1: [2, 2, 2]}, [[6], [3, 3], [2, 1, 3]]


def release(**options):
    return release_hierarchy(**{"data": [1, 2, 3], "epsilon": 1.0, "hierarchy": TREE, **options})


CALLS = {
    "ipf, table": lambda x: ipf(x, MARGINS),
    "ipf, margins": lambda x: ipf(TABLE, x),
    "ipf, a margin": lambda x: ipf(TABLE, {0: x}),
    "ipf, tolerance": lambda x: ipf(TABLE, MARGINS, tolerance=x),
    "ipf, max_iterations": lambda x: ipf(TABLE, MARGINS, max_iterations=x),
    "least_squares, table": lambda x: least_squares(x, MARGINS),
    "least_squares, a margin": lambda x: least_squares(TABLE, {0: x}),
    "least_squares, variance": lambda x: least_squares(TABLE, MARGINS, variance=x),
    "least_squares, margin_variances": lambda x: least_squares(TABLE, MARGINS, margin_variances=x),
    "least_squares, a margin's variance": lambda x: least_squares(TABLE, MARGINS, margin_variances={0: x}),
    "least_squares, nonnegative": lambda x: least_squares(TABLE, MARGINS, nonnegative=x),
    "least_squares, integer": lambda x: least_squares(TABLE, MARGINS, integer=x),
    "least_squares, time_limit": lambda x: least_squares(TABLE, MARGINS, integer=True, time_limit=x),
    "controlled_rounding, table": lambda x: controlled_rounding(x),
    "controlled_rounding, margins": lambda x: controlled_rounding(TABLE, x),
    "controlled_rounding, a margin": lambda x: controlled_rounding(TABLE, [x]),
    "Hierarchy, nested": lambda x: Hierarchy(x),
    "Hierarchy, below a label": lambda x: Hierarchy({"a": x}),
    "Hierarchy, root": lambda x: Hierarchy(["a"], root=x),
    "Hierarchy, levels": lambda x: Hierarchy(["a"], levels=x),
    "from_parents, child": lambda x: Hierarchy.from_parents(x, ["a"]),
    "from_parents, parent": lambda x: Hierarchy.from_parents(["a"], x),
    "from_parents, root": lambda x: Hierarchy.from_parents(["a"], ["b"], root=x),
    "from_columns, columns": lambda x: Hierarchy.from_columns(x),
    "from_columns, a column": lambda x: Hierarchy.from_columns({"a": x}),
    "make_consistent, hierarchy": lambda x: make_consistent(x, NOISY),
    "make_consistent, noisy": lambda x: make_consistent(TREE, x),
    "make_consistent, a level": lambda x: make_consistent(TREE, [[6], [3, 3], x]),
    "make_consistent, method": lambda x: make_consistent(TREE, NOISY, method=x),
    "make_consistent, variances": lambda x: make_consistent(TREE, NOISY, variances=x),
    "make_consistent, a variance": lambda x: make_consistent(TREE, NOISY, variances=[x, 1, 1]),
    "make_consistent, nonnegative": lambda x: make_consistent(TREE, NOISY, method="ratio", nonnegative=x),
    "make_consistent, integer": lambda x: make_consistent(TREE, NOISY, integer=x),
    "release_hierarchy, data": lambda x: release(data=x),
    "release_hierarchy, epsilon": lambda x: release(epsilon=x),
    "release_hierarchy, hierarchy": lambda x: release(hierarchy=x),
    "release_hierarchy, split": lambda x: release(split=x),
    "release_hierarchy, neighbors": lambda x: release(neighbors=x),
    "release_hierarchy, method": lambda x: release(method=x),
    "release_hierarchy, missing": lambda x: release(missing=x),
    "release_hierarchy, rng": lambda x: release(rng=x),
    "release_hierarchy, budget": lambda x: release(budget=x),
    "level": lambda x: make_consistent(TREE, NOISY).level(x),
    "conf_int": lambda x: make_consistent(TREE, NOISY).conf_int(x),
}


@pytest.mark.parametrize("call", CALLS)
def test_anything_gives_a_result_or_an_error_of_the_package(call):
    for name, make in JUNK.items():
        value = make()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                CALLS[call](value)
        except PydpstatError as error:
            assert len(str(error)) < 600 and str(error).endswith((".", "?")), (name, str(error))
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error


@pytest.mark.parametrize("name", DATA)
def test_errors_on_private_data_tell_nothing_of_them(name):
    with pytest.raises(PydpstatError) as caught:
        release(data=DATA[name])
    assert not [trace for trace in TRACES if trace in str(caught.value)]
    causes = [caught.value.__cause__, caught.value.__context__]
    assert not [trace for trace in TRACES for each in causes if each is not None and trace in str(each)]
