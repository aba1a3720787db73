"""Python in another process, which imports what this one does."""

import os
import subprocess
import sys


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}


def run(*command):
    """Run Python to its end, and return what it printed; it must be heard nowhere else."""
    line = [sys.executable, *map(str, command)]
    done = subprocess.run(line, capture_output=True, text=True, env=environment(), timeout=300)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout
