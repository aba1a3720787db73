"""Anything in the place of any argument gives a result or an error of the package, and no other."""

import warnings

import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat.consistency import Hierarchy, controlled_rounding, ipf, least_squares, make_consistent, release_hierarchy
from pydpstat.errors import LargeEpsilonWarning
from tests.junk import JUNK
from tests.test_error_privacy import DATA, TRACES

TREE = Hierarchy({"N": ["a", "b"], "S": ["c"]})
TABLE, MARGINS, NOISY = np.ones((2, 3)), {0: [3, 3], 1: [2, 2, 2]}, [[6], [3, 3], [2, 1, 3]]

USUAL = {
    ipf: {"table": TABLE, "margins": MARGINS, "tolerance": 1e-8, "max_iterations": 9},
    least_squares: {
        **{"table": TABLE, "margins": MARGINS, "variance": 1.0, "margin_variances": 0.0},
        **{"nonnegative": False, "integer": False, "time_limit": 9.0},
    },
    controlled_rounding: {"table": TABLE, "margins": [0, 1], "time_limit": 9.0},
    Hierarchy: {"nested": ["a"], "root": "top", "levels": ["whole", "part"]},
    Hierarchy.from_parents: {"child": ["a"], "parent": ["b"], "root": "b"},
    Hierarchy.from_columns: {"columns": {"a": ["x"]}},
    make_consistent: {
        **{"hierarchy": TREE, "noisy": NOISY, "method": "ratio", "variances": 1.0},
        **{"nonnegative": True, "integer": False},
    },
    release_hierarchy: {
        **{"data": [1, 2, 3], "epsilon": 1.0, "hierarchy": TREE, "split": "uniform", "neighbors": "bounded"},
        **{"method": "ratio", "missing": "error", "rng": 1, "budget": None},
    },
}


def with_junk(function, name):
    return lambda x: function(**{**USUAL[function], name: x})


CALLS = {
    **{f"{way.__qualname__}, {name}": with_junk(way, name) for way, usual in USUAL.items() for name in usual},
    "ipf, a margin": lambda x: ipf(TABLE, {0: x}),
    "least_squares, a margin": lambda x: least_squares(TABLE, {0: x}),
    "least_squares, a margin's variance": lambda x: least_squares(TABLE, MARGINS, margin_variances={0: x}),
    "least_squares, time_limit": lambda x: least_squares(TABLE, MARGINS, integer=True, time_limit=x),
    "controlled_rounding, a margin": lambda x: controlled_rounding(TABLE, [x]),
    "Hierarchy, below a label": lambda x: Hierarchy({"a": x}),
    "from_columns, a column": lambda x: Hierarchy.from_columns({"a": x}),
    "make_consistent, a level": lambda x: make_consistent(TREE, [[6], [3, 3], x]),
    "make_consistent, a variance": lambda x: make_consistent(TREE, NOISY, variances=[x, 1, 1]),
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
                warnings.simplefilter("ignore", LargeEpsilonWarning)
                CALLS[call](value)
        except PydpstatError as error:
            assert len(str(error)) < 600 and str(error).endswith((".", "?")), (name, str(error))
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error


@pytest.mark.parametrize("name", DATA)
def test_errors_on_private_data_tell_nothing_of_them(name):
    with pytest.raises(PydpstatError) as caught:
        with_junk(release_hierarchy, "data")(DATA[name])
    assert not [trace for trace in TRACES if trace in str(caught.value)]
    causes = [caught.value.__cause__, caught.value.__context__]
    assert not [trace for trace in TRACES for each in causes if each is not None and trace in str(each)]
