"""Releases from a cluster of Dask's, of whose workers one is killed: ``python cluster_releases.py FOLDER``.

It prints what was released as one line of JSON.
"""

import json
import logging
import os
import signal
import sys
from pathlib import Path

import dask
import dask.dataframe as dd
from distributed import Client, LocalCluster

from tests.engines.makers import frame_of
from tests.engines.releases import STATISTICS, TABLE, WAYS, columns_for, outcome

PARTS = 12
CASES = (("means", "bounded"), ("means", "unit, by"), ("count", "dropped"))


def noted(part, folder, number):
    """Return a partition as it is; note that it was read, and end the worker on the sixth reading."""
    runs = len(list(folder.glob("run *")))
    (folder / f"run {runs} {os.getpid()} {len(part)}").touch()
    try:
        if runs >= number:
            (folder / "killed").touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return part


def main(folder):
    """Release from both workers, of which one is lost on the way."""
    found = {}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster, Client(cluster):
        for place, (name, label) in enumerate(CASES):
            statistic, way = STATISTICS[name], WAYS[label]
            runs = folder / str(place)
            runs.mkdir()
            frame = frame_of(TABLE.select(columns_for(statistic, way)))
            data = dd.from_pandas(frame, npartitions=PARTS, sort=False)
            failing = data.map_partitions(noted, runs, 5, meta=data._meta)
            found[f"{name} | {label}"] = {
                "outcome": outcome(statistic, way, failing),
                "runs": len(list(runs.glob("run *"))),
                "killed": (runs / "killed").exists(),
            }
    print(json.dumps(found))


if __name__ == "__main__":
    # a worker that is lost in the middle of the other shuffle makes it begin again, which may take minutes
    with dask.config.set({"distributed.comm.retry.count": 3, "dataframe.shuffle.method": "tasks"}):
        main(Path(sys.argv[1]))
