"""No floating-point flag, which depends on the data, comes out of a release."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.errors import LargeEpsilonWarning
from tests.statistics.calls import CALLS, TABLES

# what a processor signals when it is used: R's NA_real_ is such a number
SIGNALLING = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)
HUGE = np.array(["1e4000", "-1e4000", "3"], dtype=np.longdouble)
TINY = np.array([5e-324, -5e-324, 1e-310])

NUMBERS = CALLS | TABLES
RULES = {
    "complete": {},
    "filled": {"missing": 3.0},
    "dropped": {"missing": "drop", "neighbors": "unbounded"},
    "unbounded": {"neighbors": "unbounded"},
}
DATA = {
    "ordinary": np.concatenate([np.linspace(-5.0, 20.0, 250), np.zeros(50)]),
    "long doubles beyond all floats": HUGE,
    "subnormal numbers": TINY,
    "infinities": np.array([np.inf, -np.inf, 3.0]),
    "halves": np.array([65504.0, 6e-8, 3.0], dtype=np.float16),
}
GAPS = {
    "a signalling NaN": np.concatenate([SIGNALLING, [3.0, 4.0]]),
    "a signalling NaN of 32 bits": np.array([0x7F8007A2, 0x40400000], dtype=np.uint32).view(np.float32),
    "a signalling NaN among Decimals": [Decimal("sNaN"), Decimal(3), Decimal(4)],
    "a signalling NaN in a frame's column": pd.Series(np.concatenate([SIGNALLING, [3.0, 4.0]])),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("function", NUMBERS)
def test_no_flag_comes_out(function, rule, capfd):
    gaps = GAPS if "missing" in RULES[rule] else {}
    if function == "crosstab" and rule == "filled":
        gaps = {**gaps, "a list": [Decimal("sNaN"), [1], 3]}
    for name, data in {**DATA, **gaps}.items():
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", LargeEpsilonWarning)
            warnings.filterwarnings("ignore", ".*are the bounds in the units of the data")
            warnings.filterwarnings("ignore", ".*Levels must be spelled exactly as in the data")
            try:
                NUMBERS[function](data, **RULES[rule])
            except (FloatingPointError, Warning) as error:
                raise AssertionError(f"{name}: {error!r}") from error
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("function", NUMBERS)
def test_the_callers_settings_come_back(function):
    with np.errstate(divide="call", over="print", under="raise", invalid="warn"):
        before = np.geterr()
        NUMBERS[function](DATA["ordinary"])
        with pytest.raises(PydpstatError):
            NUMBERS[function](GAPS["a signalling NaN"])
        assert np.geterr() == before
