"""Writers that share a ledger in PostgreSQL and are killed: ``server_writers.py URL FOLDER SEED KILLS EACH``.

Each ledger is written by eight processes. At random moments a writer is killed, also while it makes the
ledger, or the server's process that serves one is ended. Killed writers are replaced; one whose connection
was lost goes on with another release. In the end three writers use up what is left.
"""

import json
import os
import random
import signal
import sys
import time

import psycopg
from writers import LIMIT, LONGEST, log

import pydpstat

WRITERS, EPSILON = 8, 0.005
LOST = "SELECT pid FROM pg_stat_activity WHERE application_name = %s ORDER BY pid"


def write(url, releases, patient):
    """Spend, release, log; until the budget is used up, or until killed."""
    budget = None
    while True:
        try:
            if budget is None:
                budget = pydpstat.Budget(LIMIT, url=url)
            with budget:
                pydpstat.symmetric_geometric(120, EPSILON)
        except pydpstat.BudgetExceeded:
            if patient:
                time.sleep(0.001)
                continue
            return
        except pydpstat.PydpstatError as error:
            # the server's process was ended: this release did not happen, and its spend may be in the ledger
            assert "othing is released" in str(error), error
            continue
        log(releases, b"%d\n" % os.getpid())


def start(url, releases, patient=True):
    """Fork a writer and return its number."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        write(url, releases, patient)
        code = 0
    finally:
        os._exit(code)


def end_a_backend(connection, tag, rng):
    """End the server's process of some writer, where there is one, and tell whether there was."""
    pids = [pid for (pid,) in connection.execute(LOST, (tag,)).fetchall()]
    return bool(pids) and connection.execute(
        "SELECT pg_terminate_backend(%s)", (rng.choice(pids),)
    ).fetchone() == (True,)


def main(url, folder, seed, kills, each):
    """Run the ledgers and print what became of them."""
    rng, done = random.Random(seed), []
    pydpstat.symmetric_geometric(120, EPSILON)
    for number in range(kills // each):
        tag = f"pydpstat-{os.getpid()}-{number}"
        ledger = f"{url}&application_name={tag}&name=ledger{number}"
        releases = os.path.join(folder, f"{number}.log")
        killed, ended, running, readable = 0, 0, [], 0
        while killed + ended < each:
            while len(running) < WRITERS:
                running.append(start(ledger, releases))
            time.sleep(rng.uniform(0.0, LONGEST))
            if rng.random() < 0.5:
                # opened for this alone: no fork may find it open
                with psycopg.connect(url, autocommit=True) as connection:
                    ended += end_a_backend(connection, tag, rng)
                continue
            process = running.pop(rng.randrange(len(running)))
            os.kill(process, signal.SIGKILL)
            killed += os.waitpid(process, 0)[1] == signal.SIGKILL
            if killed > 1:
                try:
                    readable += pydpstat.Budget.open(url=f"{url}&name=ledger{number}").spent.epsilon <= LIMIT
                except pydpstat.PydpstatError as error:
                    # every maker was killed so far
                    assert "there is none at" in str(error), error
                    readable += 1
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        before = len(pydpstat.Budget(LIMIT, url=f"{url}&name=ledger{number}").entries)
        last = [start(ledger, releases, patient=False) for _ in range(3)]
        codes = [os.waitpid(process, 0)[1] for process in last]
        counts = {"killed": killed, "ended": ended, "readable": readable, "before": before, "codes": codes}
        done.append({"ledger": f"{url}&name=ledger{number}", "log": releases, **counts})
    print(json.dumps(done))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
