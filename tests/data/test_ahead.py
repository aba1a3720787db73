"""What another thread hands over: all of it, in order, its error too, and no thread is left behind."""

import threading

import pytest

from pydpstat._data.streams import iterate_from_thread, prefetch_items


def test_items_come_in_order_and_the_thread_ends():
    before = threading.active_count()
    assert list(prefetch_items(lambda: iter(range(1000)))) == list(range(1000))
    assert list(prefetch_items(lambda: [None, None])) == [None, None]
    assert list(prefetch_items(list)) == []
    assert threading.active_count() == before


def test_an_error_comes_after_what_was_read_before_it():
    def broken():
        yield 1
        raise ValueError("later")

    items = prefetch_items(broken)
    assert next(items) == 1
    with pytest.raises(ValueError, match="later"):
        next(items)


def test_what_is_no_longer_wanted_is_not_read():
    read = []

    def numbers():
        for number in range(1000):
            read.append(number)
            yield number

    before = threading.active_count()
    items = prefetch_items(numbers)
    assert next(items) == 0
    items.close()
    # one is with the reader, one waits, one is at hand
    assert len(read) <= 3 and threading.active_count() == before


def test_who_hands_over_hears_that_nobody_waits():
    heard = []

    def produce(put):
        while not put("more"):
            pass
        heard.append("enough")

    items = iterate_from_thread(produce)
    next(items)
    items.close()
    assert heard == ["enough"]
