"""The README's examples print what it shows, its links lead somewhere, and the porting table's calls run."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


# the examples hold with any noise
@pytest.mark.system_bits
def test_python_examples_print_what_is_shown() -> None:
    outcome = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted >= 10
    assert outcome.failed == 0


def test_its_links_lead_to_files_and_it_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert len(links) > 20 and [link for link in links if not (ROOT / link).exists()] == []
    assert len(text.splitlines()) <= 150


def _rows() -> list[tuple[str, str]]:
    page = (ROOT / "docs" / "porting" / "index.md").read_text(encoding="utf-8")
    table = page.split("## From R to Python")[1].split("## ")[0]
    return re.findall(r"^\| `([^|]+)` \| (`.+) \|$", table, flags=re.MULTILINE)


@pytest.mark.parametrize(("r", "python"), _rows())
def test_porting_table_runs(r: str, python: str) -> None:
    import warnings

    import numpy as np
    import pandas as pd

    import pydpstat
    from pydpstat import diffpriv, dppack

    scope = {
        **{name: getattr(home, name) for home in (dppack, diffpriv) for name in home.__all__},
        "np": np,
        "pd": pd,
        "rng": pydpstat.RRandom(123),
    }
    scope.update(RRandom=pydpstat.RRandom, calibrate_gaussian=pydpstat.calibrate_gaussian)
    scope.update(symmetric_geometric_noise=pydpstat.symmetric_geometric_noise, n=5, eps=1.0)
    scope.update(X=np.array([[0.5, -1.0], [0.2, 0.3], [-0.4, 0.1]]), z=np.array([0, 1, 1]))
    scope.update(m=pydpstat.LogisticRegressionDP("l2", 1, 1))
    scope.update(mechanism=pydpstat.DPMechLaplace(target=np.mean, sensitivity=0.1, dims=1))
    scope.update(x=np.array([20.0, 30.0, 40.0]), y=np.array([1.0, 2.0, 3.0]), a=["u", "v"], b=["s", "t"])
    for code in re.findall(r"`([^`]+)`", python):
        if "(" in code and "from_r" not in code and "to_r" not in code:
            # a factor's values are texts
            own = {"x": np.array(["no", "yes", "no"])} if r.startswith("factor") else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pydpstat.PrivacyWarning)
                exec(code, {**scope, **own})


def test_number_of_cases_is_the_real_one() -> None:
    from pydpstat.parity.case import all_cases

    assert f"{len(all_cases())} cases" in README.read_text(encoding="utf-8")
