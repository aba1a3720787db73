"""The file that says how to cite the package agrees with the package."""

import tomllib
from pathlib import Path

import pytest

import pydpstat

ROOT = Path(__file__).resolve().parents[1]


def test_version_license_and_address_are_the_packages():
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert cited["version"] == pydpstat.__version__ and cited["license"] == project["license"]
    assert cited.get("repository-code", "") == project["urls"].get("Repository", "")
