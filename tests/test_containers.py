"""Every function gives the same numbers bit for bit from lists, pandas, iterators and R as from arrays."""

import numpy as np
import pandas as pd
import pytest

from tests.containers import CALLS, OF_FRAMES, Container, check, check_frame, in_two, nullable, plain

CONTAINERS = {
    "list": Container(plain),
    "masked": Container(lambda v: np.ma.masked_array(v, v != v)),
    "series": Container(lambda v: pd.Series(v, index=range(len(v), 0, -1), name="v")),
    "nullable": Container(nullable),
    "index": Container(pd.Index),
    "frame": Container(lambda v: pd.DataFrame({"v": v}), "frame"),
    "iterator of arrays": Container(lambda v: iter(in_two(v)), "once"),
    "iterator of series": Container(lambda v: map(pd.Series, in_two(v)), "once"),
    "iterator of frames": Container(lambda v: (pd.DataFrame({"v": each}) for each in in_two(v)), "once"),
    "iterator of dicts": Container(lambda v: iter([{"v": plain(each)} for each in in_two(v)]), "once"),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("gap", [False, True], ids=["complete", "gap"])
def test_the_same_numbers(name, container, gap):
    check(name, CONTAINERS[container], gap)


def r_maker(form):
    """Return what makes an object of R's of an array."""

    def make(values):
        robjects = pytest.importorskip("rpy2.robjects")
        kinds = {"f": "Float", "i": "Int", "b": "Bool", "U": "Str"}
        kind = kinds[values.dtype.kind]
        vector = getattr(robjects, f"{kind}Vector")(values.tolist())
        return robjects.DataFrame({"v": vector}) if form == "frame" else vector

    return make


OF_R = {"vector": Container(r_maker("vector")), "frame": Container(r_maker("frame"), "frame")}

FRAMES = {
    "frame of nullable types": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "iterator of frames": lambda columns: iter([pd.DataFrame(columns)]),
    "iterator of dicts": lambda columns: iter(
        [{name: values[part] for name, values in columns.items()} for part in (slice(2), slice(2, None))]
    ),
    "frame of R": lambda columns: r_frame(columns),
}


def r_frame(columns):
    """Return a data frame of R's."""
    robjects = pytest.importorskip("rpy2.robjects")
    kinds = {float: ("Float", "Real"), int: ("Int", "Integer"), bool: ("Bool", "Logical")}
    kinds[str] = ("Str", "Character")
    made = {}
    for name, values in columns.items():
        kind, missing = kinds[type(values[0])]
        gone = getattr(robjects, f"NA_{missing}")
        plain_values = [gone if value is None else value for value in values]
        made[name] = getattr(robjects, f"{kind}Vector")(plain_values)
    return robjects.DataFrame(made)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", OF_FRAMES)
def test_the_same_numbers_of_frames(name, frame):
    check_frame(name, FRAMES[frame])


@pytest.mark.parametrize("container", OF_R)
@pytest.mark.parametrize("name", CALLS)
def test_the_same_numbers_from_r(name, container):
    check(name, OF_R[container], gap=True)
