"""Which modules' examples cannot run here."""

from importlib.util import find_spec

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
