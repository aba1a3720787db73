"""A release that no budget pays for, while another thread has a block open, warns."""

import asyncio
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import pydpstat as dp
from pydpstat import Budget, PydpstatError
from pydpstat.errors import BudgetWarning


def count(**more):
    return dp.count([True], 0.1, **more)


def in_a_thread(task):
    thread = threading.Thread(target=task)
    thread.start()
    thread.join()


@pytest.fixture
def seen():
    """The warnings of the test, in every thread."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def test_a_thread_that_was_started_inside_warns(seen):
    with Budget(1.0, path=None) as budget:
        in_a_thread(count)
    assert not budget.entries
    [warning] = seen
    assert warning.category is BudgetWarning and warning.filename == __file__
    text = str(warning.message)
    assert text.startswith("this release is not charged to a budget: `with budget:` is open in another")
    assert repr(budget) in text and "Give budget=" in text and "in the thread" in text


def test_it_names_the_innermost_block(seen, tmp_path):
    with Budget(3.0, path=tmp_path / "a.ledger"), Budget(2.0, path=tmp_path / "b.ledger"):
        in_a_thread(count)
    assert "b.ledger" in str(seen[0].message) and "a.ledger" not in str(seen[0].message)


def test_as_an_error_it_ends_the_release_before_its_draw():
    stream = dp.RRandom(1)
    before, raised = stream.state, []

    def strict():
        try:
            count(rng=stream)
        except BudgetWarning as error:
            raised.append(error)

    with warnings.catch_warnings(), Budget(1.0):
        warnings.simplefilter("error")
        in_a_thread(strict)
    assert len(raised) == 1 and (stream.state == before).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.meanDP([1, 2, 3], 0.5, 0, 5, rng=1),
        lambda: dp.median([1, 2, 3], 0.5, bounds=(0, 5), rng=1),
        lambda: dp.LogisticRegressionDP("l2", 0.5, 1.0, "output").fit([[0.2], [0.9]], [0, 1], [1], [0], rng=1),
        lambda: dp.local.RandomizedResponse(0.5).respond([1, 0]),
        lambda: dp.symmetric_geometric_noise(3, 0.5),
    ],
    ids=["mirror", "median", "model", "local", "noise"],
)
def test_every_kind_of_release_warns_once(seen, make):
    with Budget(10.0):
        in_a_thread(make)
    assert [each.category for each in seen if each.category is BudgetWarning] == [BudgetWarning]


def test_what_is_paid_for_does_not_warn(seen):
    own = Budget(1.0)

    def paid():
        count(budget=own)
        count(budget=outer)
        with own:
            count()
        with outer:
            count()
        dp.plan("count", 0.5)

    with Budget(1.0) as outer:
        in_a_thread(paid)
    assert len(own.entries) == len(outer.entries) == 2 and not seen


def test_tasks_and_their_threads_do_not_warn(seen):
    """Tasks of one thread have contexts that asyncio keeps apart, and `to_thread` takes the block along."""

    async def holder(inside, done):
        with Budget(1.0) as budget:
            inside.set()
            await done.wait()
            await asyncio.to_thread(count)
        return len(budget.entries)

    async def both():
        inside, done = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(holder(inside, done))
        await inside.wait()
        count()
        done.set()
        return await task

    assert asyncio.run(both()) == 1 and not seen


def test_no_block_no_warning(seen):
    budget = Budget(1.0)
    with budget:
        pass
    with pytest.raises(PydpstatError), budget:
        raise PydpstatError("an error ends a block, too")
    with budget.labeled("a label is no block"):
        in_a_thread(count)
    count()
    assert not seen


def test_an_older_thread_has_nothing_to_do_with_the_block(seen):
    """Such as that of a server, or one with a budget in its own hands."""
    ready, go = threading.Event(), threading.Event()

    def older():
        ready.set()
        go.wait()
        count()

    thread = threading.Thread(target=older)
    thread.start()
    ready.wait()
    with Budget(1.0):
        go.set()
        thread.join()
    assert not seen


def test_the_thread_around_another_ones_block_does_not_warn(seen):
    ready, go = threading.Event(), threading.Event()

    def holder():
        with Budget(1.0):
            ready.set()
            go.wait()

    thread = threading.Thread(target=holder)
    thread.start()
    ready.wait()
    count()
    go.set()
    thread.join()
    assert not seen


def test_a_pool_that_is_older_than_the_block_warns(seen):
    """Its threads are as old as the pool; what they do was given to them inside."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        with Budget(1.0):
            pool.submit(count).result()
    assert [each.category for each in seen] == [BudgetWarning]


def test_threads_of_one_pool_are_apart(seen):
    """As in a server, whose requests have blocks of their own."""
    barrier = threading.Barrier(2)

    def request(budget):
        barrier.wait()
        if budget is not None:
            with budget:
                barrier.wait()
                barrier.wait()
        else:
            barrier.wait()
            count()
            barrier.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(request, [Budget(1.0), None]))
    assert not seen


def test_one_line_warns_once():
    with warnings.catch_warnings(record=True) as found, Budget(1.0):
        warnings.simplefilter("default")
        for epsilon in (0.1, 0.2, 0.3):
            with Budget(epsilon):
                in_a_thread(count)
    # of other figures no news
    assert len(found) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_the_blocks_of_its_own_thread_only(tmp_path):
    """The other threads, with their blocks, stay in the parent."""
    codes = []

    def forker():
        child = os.fork()
        if not child:
            code = 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    count()
                code = 0
            finally:
                os._exit(code)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with Budget(1.0, path=tmp_path / "a.ledger"), warnings.catch_warnings():
        # newer versions of Python warn where a process with threads forks
        warnings.simplefilter("ignore", DeprecationWarning)
        in_a_thread(forker)
    assert codes == [0]
