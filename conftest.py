"""Which modules' examples cannot run here."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

try:
    # the extra "sklearn"
    ESTIMATORS = tuple(map(int, version("scikit-learn").split(".")[:2])) >= (1, 6)
except PackageNotFoundError:
    ESTIMATORS = False

# their examples need the extra "models"
collect_ignore = (
    []
    if find_spec("nlopt")
    else [
        "pydpstat/dppack/_models/erm_kst.py",
        "pydpstat/dppack/_models/tune.py",
        "pydpstat/dppack/_models/nlopt_solver.py",
    ]
)
collect_ignore_glob = [] if ESTIMATORS else ["pydpstat/sklearn/*"]
