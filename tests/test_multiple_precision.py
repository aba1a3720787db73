"""Multiple precision among threads: caches of its own, one call at a time."""

import os
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest

from pydpstat import _multiple_precision as multiple_precision
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell
from pydpstat.statistics.tables import compute_threshold

RATES = [Fraction(1, k) for k in range(1, 60)]


def test_it_is_mpmath():
    ours, theirs = multiple_precision.get_functions(), mpmath.libmp
    for precision in (10, 53, 400):
        x = theirs.from_rational(17, 13, precision)
        assert ours.mpf_log(x, precision) == theirs.mpf_log(x, precision)
        assert ours.mpf_erfc(x, precision) == theirs.mpf_erfc(x, precision)
    assert ours.fone == theirs.fone


def test_a_cache_that_others_are_filling_changes_nothing(monkeypatch):
    bounds = precise.bound_minus_log(UniformCell(3, 10), 200)
    # the new digits of log 2 are there, and how many they are is not yet
    constant = mpmath.libmp.libelefun.ln2_fixed.__closure__[0].cell_contents
    mpmath.libmp.mpf_ln2(300)
    monkeypatch.setattr(constant, "memo_val", constant.memo_val << 100)
    assert precise.bound_minus_log(UniformCell(3, 10), 200) == bounds


def test_threads_that_compute_at_once():
    before = mpmath.mp.prec
    expected = [compute_threshold(rate, 1e-9) for rate in RATES]
    logarithms = [precise.bound_minus_log(UniformCell(k, 70), 90 + 40 * k) for k in range(1, 40)]
    with ThreadPoolExecutor(4) as threads:
        thresholds = [threads.submit(compute_threshold, rate, 1e-9) for rate in RATES]
        again = [threads.submit(precise.bound_minus_log, UniformCell(k, 70), 90 + 40 * k) for k in range(1, 40)]
        while not all(each.done() for each in (*thresholds, *again)):
            assert mpmath.mp.prec == before
    assert [each.result() for each in thresholds] == expected
    assert [each.result() for each in again] == logarithms


def test_one_call_at_a_time():
    running, most = [], []

    def slow():
        running.append(1)
        most.append(len(running))
        time.sleep(0.01)
        running.pop()

    functions = multiple_precision._LockedFunctions(lambda: types.SimpleNamespace(slow=slow, constant=3))
    threads = [threading.Thread(target=functions.slow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1] and functions.constant == 3


def test_what_an_interrupted_call_leaves_is_not_used(monkeypatch):
    expected = precise.bound_minus_log(UniformCell(3, 10), 200)
    functions = multiple_precision.get_functions()
    # the new digits of log 2 are there, and how many they are is not yet
    constant = multiple_precision._load_copy().libelefun.ln2_fixed.__closure__[0].cell_contents
    functions.mpf_ln2(300)
    constant.memo_val <<= 100

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(multiple_precision._load_copy(), "mpf_exp", interrupted)
    with pytest.raises(KeyboardInterrupt):
        functions.mpf_exp(functions.fone, 50)
    assert precise.bound_minus_log(UniformCell(3, 10), 200) == expected
    assert functions.mpf_exp(functions.fone, 50) == mpmath.libmp.mpf_exp(mpmath.libmp.fone, 50)


ACROSS_A_FORK = """
import os, threading, types
from pydpstat import _multiple_precision as multiple_precision

begun, ends = threading.Event(), threading.Event()
wait = types.SimpleNamespace(wait=lambda: (begun.set(), ends.wait(0.3)))
threading.Thread(target=multiple_precision._LockedFunctions(lambda: wait).wait).start()
begun.wait()
child = os.fork()
mp = multiple_precision.get_functions()
value = mp.mpf_log(mp.ftwo, 50)
if not child:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_a_busy_process_can_compute():
    command = [sys.executable, "-W", "ignore", "-c", ACROSS_A_FORK]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout == "7\n", done.stderr


def test_a_copy_that_is_loaded_again_has_modules_of_its_own(monkeypatch):
    name = multiple_precision._MODULE_NAME
    multiple_precision.get_functions().from_int(1)
    before = {key: module for key, module in sys.modules.items() if key == name or key.startswith(f"{name}.")}
    for key, module in before.items():
        # put back at the end
        monkeypatch.setitem(sys.modules, key, module)
    multiple_precision._load_copy.__wrapped__()
    assert len(before) > 3 and all(sys.modules[key] is not module for key, module in before.items())
