"""Which modules' examples cannot run here."""

from importlib.util import find_spec

# their examples need the extra "models"
collect_ignore = (
    []
    if find_spec("nlopt")
    else [
        "pydpstat/dppack/models/erm_kst.py",
        "pydpstat/dppack/models/linear.py",
        "pydpstat/dppack/models/tune.py",
        "pydpstat/models/nlopt_solver.py",
    ]
)
