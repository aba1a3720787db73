"""What holds wherever a ledger is: in memory as in a file, in a file as in PostgreSQL."""

import copy
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
import weakref
from contextlib import suppress

import pytest

from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError
from pydpstat.budget import _state
from tests.budget.processes import environment, run

ODD = "'); DROP TABLE pydpstat_spends; --"


def test_spends_and_limits_are_kept(shared):
    first = Budget(0.3, 1e-6, **shared)
    first.spend(Guarantee(0.1, 1e-7), "mean(x)")
    second = Budget(0.3, 1e-6, **shared)
    second.spend(Guarantee(0.2), "mean(y)", label=ODD)
    assert first.spent == second.spent == (0.3, 1e-7, None)
    with pytest.raises(BudgetExceeded, match="Nothing was released"):
        first.spend(Guarantee(0.1), "mean(z)")
    entries = Budget.open(**shared).entries
    assert entries == first.entries and [each.call for each in entries] == ["mean(x)", "mean(y)"]
    assert entries[1].label == ODD


@pytest.mark.parametrize(
    "other",
    [{"epsilon": 2.0}, {"delta": 1e-5}, {"accountant": "zcdp"}, {"neighbors": "unbounded"}, {"unit": "p"}],
)
def test_other_limits_are_named(shared, other):
    limits = {"epsilon": 1.0, "delta": 1e-6}
    Budget(**limits, **shared)
    name, value = next(iter(other.items()))
    with pytest.raises(PydpstatError, match="was created with epsilon 1.0, delta 1e-06.*got ") as caught:
        Budget(**{**limits, **other}, **shared)
    assert f"{name} {value!r}" in str(caught.value).partition("; got")[2]


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_sums_are_those_of_a_ledger_in_memory(shared, accountant):
    there, here = Budget(1.0, 1e-6, accountant=accountant, **shared), Budget(1.0, 1e-6, accountant=accountant)
    for _ in range(12):
        for budget in (there, here):
            with suppress(BudgetExceeded):
                budget.spend(Guarantee(0.1), "mean(x)")
    assert 0 < len(here.entries) < 12
    assert there.spent == here.spent and there.remaining == here.remaining
    assert [each.epsilon for each in there.entries] == [each.epsilon for each in here.entries]


def test_copies_and_pickles_open_the_same_ledger(shared):
    named = {"name": "survey"} if "url" in shared else {}
    budget = Budget(1.0, 1e-6, accountant="zcdp", neighbors="unbounded", **shared, **named)
    for again in (pickle.loads(pickle.dumps(budget)), copy.copy(budget), copy.deepcopy(budget)):
        again.spend(Guarantee(0.01, neighbors="unbounded"), "count(x)")
        assert (again.path, again.url, again.spent) == (budget.path, budget.url, budget.spent)
        assert (again.epsilon, again.delta) == (1.0, 1e-6)
        assert (again.accountant, again.neighbors) == ("zcdp", "unbounded")
    assert len(budget.entries) == 3


def test_threads_share_a_ledger(place):
    first, accepted = Budget(1.0, **place), []
    budgets = first, Budget(1.0, **place) if place else first

    def work(budget):
        for _ in range(15):
            try:
                budget.spend(Guarantee(0.02), "mean(x)")
                accepted.append(1)
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=work, args=(budgets[number % 2],)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(accepted) == len(budgets[0].entries) == 50 and budgets[1].spent.epsilon == 1.0


def test_an_interrupted_spend_leaves_nothing(shared, monkeypatch):
    budget = Budget(1.0, **shared)

    def interrupted(spent, cost, limit):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_state, "add_cost", interrupted)
        with pytest.raises(KeyboardInterrupt):
            budget.spend(Guarantee(0.1), "mean(x)")
    assert not budget.entries
    budget.spend(Guarantee(1.0), "mean(x)")
    assert budget.spent.epsilon == 1.0


@pytest.mark.slow
def test_an_unused_budget_is_collected(shared):
    budget = Budget(1.0, **shared)
    ledger = weakref.ref(budget._ledger)
    if budget.path:
        budget._ledger.close_connection()
    del budget
    gc.collect()
    assert ledger() is None


ACROSS_A_FORK = """
import json, os, sys
import pydpstat
from pydpstat import Budget, Guarantee

budget, memory = Budget(1.0, **json.loads(sys.argv[1])), Budget(1.0)
budget.spend(Guarantee(0.1), "before")
memory.spend(Guarantee(0.1), "before")
child = os.fork()
if not child:
    budget.spend(Guarantee(0.2), "child")
    refused = 0
    for use in (lambda: memory.spend(Guarantee(0.1), "child"), lambda: memory.spent, lambda: memory.entries):
        try:
            use()
        except pydpstat.PydpstatError as error:
            refused += "belongs to the process that created it" in str(error)
    sys.exit(refused)
budget.spend(Guarantee(0.3), "parent")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
budget.spend(Guarantee(0.05), "after")
print(sorted(entry.call for entry in budget.entries), budget.spent.epsilon, memory.spent.epsilon)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_shares_a_ledger_and_neither_connections_nor_memory(shared):
    told = run("-W", "error", "-c", ACROSS_A_FORK, json.dumps(shared, default=str))
    assert told.splitlines() == ["3", "['after', 'before', 'child', 'parent'] 0.65 0.1"]


MAKER = """
import json, sys, time
from pydpstat import Budget, Guarantee
time.sleep(1.0 - time.time() % 1.0)
Budget(1.0, **json.loads(sys.argv[1])).spend(Guarantee(0.125), "mean(x)")
"""


@pytest.mark.slow
def test_makers_at_the_same_moment_make_one_ledger(shared):
    place = {"url": f"{shared['url']}%20-cdefault_transaction_isolation%3Dserializable"} if "url" in shared else shared
    command = [sys.executable, "-c", MAKER, json.dumps(place, default=str)]
    makers = [subprocess.Popen(command, env=environment()) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0] * 4
    assert Budget.open(**shared).spent.epsilon == 0.5
    if "path" in shared:
        assert os.listdir(shared["path"].parent) == [shared["path"].name]
