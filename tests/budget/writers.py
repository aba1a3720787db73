"""Writers that share ledgers and are killed: ``writers.py FOLDER SEED KILLS KILLS_PER_LEDGER``.

Each ledger is written by two to four processes, which are killed at random moments, also while they
make the ledger; others take their place. In the end three writers use up what is left. A writer
logs a release, by a line that is on disk, after its noise was drawn.
"""

import json
import os
import random
import signal
import sys
import time

import pydpstat

EPSILON, LIMIT = 0.05, 1.0
# a child is killed at a random moment of its first milliseconds
LONGEST = 0.03


def log(path, line):
    """Append a line, on disk before this returns."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line)
    os.fsync(file)
    os.close(file)


def write(ledger, releases, patient):
    """Spend, release, log; until the budget is used up, or until killed."""
    budget = pydpstat.Budget(LIMIT, path=ledger)
    while True:
        try:
            budget.spend(pydpstat.Guarantee(EPSILON), "symmetric_geometric(value, epsilon=0.05)")
        except pydpstat.BudgetExceeded:
            if patient:
                time.sleep(0.001)
                continue
            return
        pydpstat.symmetric_geometric(120, EPSILON)
        # some of the kills fall between spend and release
        time.sleep(0.001)
        log(releases, b"%d\n" % os.getpid())


def start(ledger, releases, patient=True):
    """Fork a writer and return its number."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        write(ledger, releases, patient)
        code = 0
    finally:
        os._exit(code)


def main(folder, seed, kills, each):
    """Run the ledgers and print what became of them."""
    rng, done = random.Random(seed), []
    # whatever a first call imports or computes
    pydpstat.symmetric_geometric(120, EPSILON)
    for number in range(kills // each):
        ledger = os.path.join(folder, f"{number}.ledger")
        releases = os.path.join(folder, f"{number}.log")
        at_once, killed = rng.randint(2, 4), 0
        running = []
        while killed < each:
            while len(running) < at_once:
                running.append(start(ledger, releases))
            time.sleep(rng.uniform(0.0, LONGEST))
            process = running.pop(rng.randrange(len(running)))
            os.kill(process, signal.SIGKILL)
            killed += os.waitpid(process, 0)[1] == signal.SIGKILL
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        before = len(pydpstat.Budget(LIMIT, path=ledger).entries)
        last = [start(ledger, releases, patient=False) for _ in range(3)]
        codes = [os.waitpid(process, 0)[1] for process in last]
        done.append({"ledger": ledger, "log": releases, "before": before, "codes": codes, "killed": killed})
    print(json.dumps(done))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
