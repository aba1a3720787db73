"""The simulations of levels and coverages that the benchmarks report serve here as well."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
