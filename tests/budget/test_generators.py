"""Blocks that a generator opens: in force while it runs, never for what its caller does between steps."""

import asyncio
import contextlib
import threading

import pytest

from pydpstat import Budget, count
from pydpstat.errors import PydpstatError

DATA = [True, False, True]


@pytest.fixture
def two():
    return Budget(10.0), Budget(10.0)


def spent(*budgets):
    return [budget.spent.epsilon for budget in budgets]


def steps(budget, times=3):
    with budget:
        for _ in range(times):
            count(DATA, 0.25)
            yield


def test_the_caller_pays_for_its_own_releases(two):
    outer, inner = two
    with outer:
        for _ in steps(inner):
            count(DATA, 1.0)
        count(DATA, 0.5)
    assert spent(*two) == [3.5, 0.75]


def test_without_a_block_of_the_caller_nobody_pays_between_the_steps(two):
    for _ in steps(two[0]):
        count(DATA, 1.0)
    assert spent(*two) == [0.75, 0.0]


def test_a_block_of_the_caller_around_a_step_does_not_pay_for_the_generator(two):
    outer, inner = two
    generator = steps(inner)
    next(generator)
    with outer:
        next(generator)
        count(DATA, 1.0)
    assert spent(*two) == [1.0, 0.5]
    generator.close()
    with outer:
        count(DATA, 1.0)
    assert spent(*two) == [2.0, 0.5]


def test_what_a_generator_calls_is_inside_of_its_block(two):
    outer, inner = two

    def called():
        count(DATA, 0.25)
        with outer:
            count(DATA, 1.0)

    def generator():
        with inner:
            yield called()
            yield [count(DATA, 0.25) for _ in range(2)]

    for _ in generator():
        pass
    assert spent(*two) == [1.0, 0.75]


def test_generators_that_delegate_or_take_turns(two):
    first, second = two

    def delegating():
        yield from steps(first)

    for _ in zip(delegating(), steps(second)):
        pass
    assert spent(*two) == [0.75, 0.75]


def test_nested_blocks_of_a_generator_and_one_that_is_dropped(two):
    outer, inner = two

    def generator():
        with outer:
            count(DATA, 1.0)
            with inner:
                count(DATA, 0.25)
                yield
                count(DATA, 0.25)
            count(DATA, 1.0)
            yield

    assert sum(1 for _ in generator()) == 2 and spent(*two) == [2.0, 0.5]
    dropped = generator()
    next(dropped)
    del dropped
    with outer:
        count(DATA, 1.0)
    assert spent(*two) == [4.0, 0.75]


def test_context_managers_serve_the_block_that_enters_them(two):
    outer, inner = two

    @contextlib.contextmanager
    def spending():
        with inner:
            yield

    with outer, spending():
        count(DATA, 0.25)
    with contextlib.ExitStack() as stack:
        stack.enter_context(outer)
        stack.enter_context(spending())
        count(DATA, 0.25)
    assert spent(*two) == [0.0, 0.5]

    class Wrapped:
        def __enter__(self):
            inner.__enter__()

        def __exit__(self, *error):
            inner.__exit__(*error)

    for entered in (spending, Wrapped):

        def generator(entered=entered):
            with entered():
                count(DATA, 0.25)
                yield

        with outer:
            for _ in generator():
                count(DATA, 1.0)

    def stacked():
        with contextlib.ExitStack() as stack:
            stack.enter_context(inner)
            count(DATA, 0.25)
            yield

    with outer:
        for _ in stacked():
            count(DATA, 1.0)
    assert spent(*two) == [3.0, 1.25]


@pytest.fixture
def paid():
    budget = Budget(1.0)
    with budget:
        yield budget


def test_a_fixture_s_block_is_open_for_its_test(paid):
    count(DATA, 0.25)
    assert paid.spent.epsilon == 0.25


def test_labels_are_the_generator_s_own(two):
    (budget, _) = two

    def generator():
        with budget.labeled("inside"):
            count(DATA, 0.25, budget=budget)
            yield
            count(DATA, 0.25, budget=budget)

    with budget.labeled("outside"):
        for _ in generator():
            count(DATA, 1.0, budget=budget)
    assert [entry.label for entry in budget.entries] == ["inside", "outside", "inside"]


async def chunks(budget, times=3):
    with budget:
        for _ in range(times):
            await asyncio.sleep(0)
            count(DATA, 0.25)
            yield


def test_async_generators(two):
    outer, inner = two

    async def whole():
        with outer:
            async for _ in chunks(inner):
                count(DATA, 1.0)
                await asyncio.sleep(0)

    asyncio.run(whole())
    assert spent(*two) == [3.0, 0.75]


def test_an_async_generator_whose_steps_are_tasks(two):
    outer, inner = two

    async def whole():
        with outer:
            generator = chunks(inner)
            for _ in range(3):
                await asyncio.wait_for(generator.__anext__(), 10)
                count(DATA, 1.0)
            await generator.aclose()

    asyncio.run(whole())
    assert spent(*two) == [3.0, 0.75]


def test_async_context_managers_and_tasks(two):
    outer, inner = two

    @contextlib.asynccontextmanager
    async def spending():
        with inner:
            yield

    async def release():
        await asyncio.sleep(0)
        count(DATA, 0.25)

    async def whole():
        with outer:
            async with spending():
                await asyncio.gather(release(), release())
            await asyncio.create_task(release())

    asyncio.run(whole())
    assert spent(*two) == [0.25, 0.5]


def test_a_task_that_may_or_may_not_be_a_generator_s_is_refused(two):
    outer, inner = two

    async def release(**options):
        count(DATA, 0.25, **options)

    async def whole():
        with outer:
            async for _ in chunks(inner, 1):
                await asyncio.create_task(release(budget=outer))
                with pytest.raises(PydpstatError, match="budget must be given .* Write budget= in the call"):
                    await asyncio.create_task(release())

    asyncio.run(whole())
    assert spent(*two) == [0.25, 0.25]


def test_a_generator_that_another_thread_goes_on_with(two):
    outer, inner = two
    generator = steps(inner)
    next(generator)

    def go_on():
        with outer:
            next(generator)
            count(DATA, 1.0)

    thread = threading.Thread(target=go_on)
    thread.start()
    thread.join()
    generator.close()
    assert spent(*two) == [1.0, 0.5]
