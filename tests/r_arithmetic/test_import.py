"""Importing the package stays quick, and R's cases agree where no R is needed to run them."""

from __future__ import annotations

import subprocess
import sys

from pydpstat.parity.case import Case
from r_reference.cases.arithmetic import CASES


def test_import_needs_numpy_only():
    code = "import sys, pydpstat.r_arithmetic; print([m for m in ('scipy', 'pandas', 'rpy2') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_cases_are_small_and_named_once():
    assert len({case.id for case in CASES}) == len(CASES)
    assert all(isinstance(case, Case) and not case.draws for case in CASES)
    assert max(len(v) for case in CASES for v in case.inputs.values() if isinstance(v, list)) <= 300
