"""Reservations in a ledger: no order of steps, threads or processes spends more than the limit."""

import itertools
import math
import os
import pickle
import random
import signal
import threading
import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError
from pydpstat.budget import _file as file


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    """What is written here need not last."""
    monkeypatch.setattr(file, "CONNECTION_SETTINGS", ("PRAGMA synchronous = OFF",))


def exact(amounts):
    return sum(Fraction(repr(amount)) for amount in amounts)


def test_threads_cannot_reserve_more_than_there_is(place):
    budget, done = Budget(1.0, **place), []

    def reserve(number):
        with suppress(BudgetExceeded):
            done.append(budget.allocate({f"part {number}": 0.3}, scale=False))

    threads = [threading.Thread(target=reserve, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 3 == len(budget.reservations) and budget.remaining.epsilon == 0.1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_no_reservation_in_memory():
    part = Budget(1.0).allocate([1])[0]
    child = os.fork()
    if not child:
        try:
            part.spend(Guarantee(0.5), "mean(x)")
        except PydpstatError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


epsilons = st.sampled_from([0.05, 0.1, 0.25, 0.3, 0.7, 1 / 3, 1e-6])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("spend"), epsilons),
        st.tuples(st.just("reserve"), st.lists(epsilons, min_size=1, max_size=3)),
        st.tuples(st.just("divide"), st.lists(epsilons, min_size=1, max_size=3)),
        st.tuples(st.just("draw"), st.integers(0, 9), epsilons, st.sampled_from([0.0, 1e-7, 6e-7])),
        st.tuples(st.just("release"), st.integers(0, 9)),
        st.tuples(st.just("reopen"), st.just(0)),
    ),
    max_size=14,
)


class Model:
    """What the exact numbers must be: the amount spent, and what is left of each reservation by its identity."""

    def __init__(self, accountant):
        self.spent, self.left, self.accountant = Fraction(0), {}, accountant

    def cost(self, guarantee):
        return self.accountant.compute_cost(guarantee)[0]


def take(budget, model, handles, step):
    """Take a step, and check that it is refused if and only if the exact numbers refuse it."""
    kind, *given_values = step
    limit = budget._limit[0]
    free = limit - model.spent - sum(model.left.values())
    if kind == "spend":
        guarantee = Guarantee(given_values[0])
        try:
            budget.spend(guarantee, "mean(x)")
        except BudgetExceeded:
            assert model.cost(guarantee) > free
            return
        assert model.cost(guarantee) <= free
        model.spent += model.cost(guarantee)
    elif kind in ("reserve", "divide"):
        # a name is not used twice
        names = [f"{len(handles)}.{place}" for place, _ in enumerate(given_values[0])]
        try:
            parts = budget.allocate(dict(zip(names, given_values[0])), scale=kind == "divide")
        except BudgetExceeded:
            costs = sum(model.cost(Guarantee(each)) for each in given_values[0])
            assert free <= limit / 10_000 if kind == "divide" else costs > free
            return
        costs = [model.cost(Guarantee(part.epsilon)) for part in parts.reservations]
        assert sum(costs) <= free
        if kind == "divide":
            assert sum(costs) > free * Fraction(999, 1000) or min(given_values[0]) == 1e-6
        for part, cost in zip(parts.reservations, costs):
            handles.append(part)
            model.left[part._key] = cost
    elif kind == "draw" and handles:
        part, guarantee = handles[given_values[0] % len(handles)], Guarantee(given_values[1], given_values[2])
        if budget.accountant == "zcdp":
            guarantee = Guarantee(given_values[1])
        covered = model.cost(guarantee) <= model.left.get(part._key, 0) and not guarantee.delta
        try:
            part.spend(guarantee, "mean(x)")
        except BudgetExceeded:
            assert not covered
            return
        assert covered
        model.spent += model.cost(guarantee)
        model.left[part._key] -= model.cost(guarantee)
    elif kind == "release" and handles:
        part = handles[given_values[0] % len(handles)]
        part.release()
        model.left.pop(part._key, None)


def interleave(place, accountant, steps):
    budget = Budget(1.0, 1e-6, accountant=accountant, **place)
    model, handles = Model(budget._accountant), []
    for step in steps:
        if step[0] == "reopen" and place:
            budget = Budget.open(**place)
            handles = [pickle.loads(pickle.dumps(part)) for part in handles]
        take(budget, model, handles, step)
        state = budget._ledger.read_state()
        assert state.total[0] == model.spent
        assert state.total[0] + state.reserved[0] <= budget._limit[0]
        assert {key: one.left[0] for key, one in state.reservations.items()} == {
            key: left for key, left in model.left.items() if left
        }
    # everything that is reserved can be spent
    for part in budget.reservations.values():
        left = part._compute_remaining()[0]
        if accountant == "basic":
            part.spend(Guarantee(math.nextafter(float(left), 0.0)), "mean(x)")
    spent = [entry.rho if accountant == "zcdp" else entry.epsilon for entry in budget.entries]
    assert exact(spent) <= budget._limit[0]


ACCOUNTANTS = st.sampled_from(["basic", "zcdp"])


@settings(deadline=None, max_examples=15)
@given(accountant=ACCOUNTANTS, steps=STEPS)
def test_some_interleavings_spend_no_more_than_the_limit(accountant, steps):
    interleave({}, accountant, steps)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(accountant=ACCOUNTANTS, steps=STEPS)
def test_no_interleaving_spends_more_than_the_limit(accountant, steps):
    interleave({}, accountant, steps)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(accountant=ACCOUNTANTS, steps=STEPS)
def test_no_interleaving_spends_more_than_the_limit_on_disk(tmp_path_factory, accountant, steps):
    interleave({"path": tmp_path_factory.mktemp("ledger") / "a.ledger"}, accountant, steps)


def draw_until_killed(path, seed):
    """Reserve, draw from reservations of any process, release and spend, in random order."""
    rng, budget = random.Random(seed), Budget.open(path)
    for step in itertools.count():
        with suppress(BudgetExceeded):
            match rng.randrange(4):
                case 0:
                    budget.allocate({f"{os.getpid()}.{step}.{part}": 0.01 for part in range(3)}, scale=False)
                case 1:
                    budget.spend(Guarantee(0.003), "free")
                case 2:
                    for part in [*budget.reservations.values()][:2]:
                        part.spend(Guarantee(0.004), "drawn")
                case 3:
                    for part in [*budget.reservations.values()][-2:]:
                        part.release()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_processes_leave_a_ledger_whose_parts_add_up(tmp_path):
    path, rng = tmp_path / "a.ledger", random.Random(20_240_501)
    budget = Budget(1.0, path=path)
    running = []
    for seed in range(24):
        child = os.fork()
        if not child:
            try:
                draw_until_killed(path, seed)
            finally:
                os._exit(1)
        running.append(child)
        if len(running) > 3:
            time.sleep(rng.uniform(0.01, 0.06))
            child = running.pop(rng.randrange(len(running)))
            os.kill(child, signal.SIGKILL)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
            state = Budget.open(path)._ledger.read_state()
            assert state.total[0] + state.reserved[0] <= 1
    for child in running:
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
    state = budget._ledger.read_state()
    assert exact(entry.epsilon for entry in budget.entries) == state.total[0] > 0
    assert {entry.label.count(".") for entry in budget.entries if entry.call == "drawn"} == {2}
    # what the killed processes reserved is released by this one, and can be spent
    for part in budget.reservations.values():
        part.release()
    assert Fraction(repr(budget.remaining.epsilon)) == 1 - state.total[0]
    assert state.total[0] == 1 or budget.allocate([1])[0].epsilon > 0
