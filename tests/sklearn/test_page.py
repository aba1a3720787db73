"""The examples of the page on scikit-learn print what the page shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="pip install 'pydpstat[sklearn]'")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "own" / "sklearn.md"


@pytest.mark.slow
def test_the_examples_print_what_is_shown():
    outcome = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted >= 15
    assert outcome.failed == 0
