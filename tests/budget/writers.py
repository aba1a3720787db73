"""Writers that share ledgers and are killed: ``writers.py PLACE FOLDER SEED KILLS KILLS_PER_LEDGER``.

A place is "file", or the url of a database. Each ledger is written by several processes, which are killed
at random moments, also while they make the ledger; others take their place. In PostgreSQL the server's
process that serves one is ended as often, and the writer goes on with another release. In the end three
writers use up what is left. A writer logs a release, by a line that is on disk, after its noise was drawn.
"""

import json
import os
import random
import signal
import sys
import time

import pydpstat

LIMIT = 1.0
# a child is killed at a random moment of its first milliseconds
LONGEST = 0.03
SERVED = "SELECT pid FROM pg_stat_activity WHERE application_name = %s ORDER BY pid"


def log(path, line):
    """Append a line, on disk before this returns."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line)
    os.fsync(file)
    os.close(file)


def write(place, epsilon, releases, patient):
    """Spend, release, log; until the budget is used up, or until killed."""
    budget = None
    while True:
        try:
            if budget is None:
                budget = pydpstat.Budget(LIMIT, **place)
            budget.spend(pydpstat.Guarantee(epsilon), "symmetric_geometric(value, epsilon)")
        except pydpstat.BudgetExceeded:
            if patient:
                time.sleep(0.001)
                continue
            return
        except pydpstat.PydpstatError as error:
            # the server's process was ended: this release did not happen, and its spend may be in the ledger
            assert "url" in place and "othing is released" in str(error), error
            continue
        pydpstat.symmetric_geometric(120, epsilon)
        # some of the kills fall between spend and release
        time.sleep(0.001)
        log(releases, b"%d\n" % os.getpid())


def start(*work, patient=True):
    """Fork a writer and return its number."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        write(*work, patient)
        code = 0
    finally:
        os._exit(code)


def kill(process):
    """Kill a writer, and tell whether it was not at its end before."""
    os.kill(process, signal.SIGKILL)
    return os.waitpid(process, 0)[1] == signal.SIGKILL


def end_a_backend(url, tag, rng):
    """End the server's process of some writer, where there is one, and tell whether there was."""
    import psycopg

    # opened for this alone: no fork may find it open
    with psycopg.connect(url, autocommit=True) as connection:
        pids = [pid for (pid,) in connection.execute(SERVED, (tag,)).fetchall()]
        ended = "SELECT pg_terminate_backend(%s)"
        return bool(pids) and connection.execute(ended, (rng.choice(pids),)).fetchone() == (True,)


def readable(place):
    """Tell whether a ledger can be read, or whether every maker was killed so far."""
    try:
        return pydpstat.Budget.open(**place).spent.epsilon <= LIMIT
    except pydpstat.PydpstatError as error:
        assert "there is no" in str(error), error
        return True


def main(where, folder, seed, kills, each):
    """Run the ledgers and print what became of them."""
    rng, done, in_file = random.Random(seed), [], where == "file"
    epsilon = 0.05 if in_file else 0.005
    # whatever a first call imports or computes
    pydpstat.symmetric_geometric(120, epsilon)
    for number in range(kills // each):
        tag = f"pydpstat-{os.getpid()}-{number}"
        file, url = os.path.join(folder, f"{number}.ledger"), f"{where}&name=ledger{number}"
        place = {"path": file} if in_file else {"url": url}
        written = place if in_file else {"url": f"{url}&application_name={tag}"}
        releases = os.path.join(folder, f"{number}.log")
        work = written, epsilon, releases
        at_once, killed, ended, running = rng.randint(2, 4) if in_file else 8, 0, 0, []
        while killed + ended < each:
            while len(running) < at_once:
                running.append(start(*work))
            time.sleep(rng.uniform(0.0, LONGEST))
            if not in_file and rng.random() < 0.5:
                ended += end_a_backend(where, tag, rng)
                continue
            killed += kill(running.pop(rng.randrange(len(running))))
            assert readable(place)
        for process in running:
            kill(process)
        before = len(pydpstat.Budget(LIMIT, **place).entries)
        last = [start(*work, patient=False) for _ in range(3)]
        codes = [os.waitpid(process, 0)[1] for process in last]
        counts = {"killed": killed, "ended": ended, "before": before, "codes": codes}
        done.append({"place": place, "log": releases, **counts})
    print(json.dumps(done))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
