"""What a process keeps: bounded, by use, one value for all who ask."""

from __future__ import annotations

import threading

import pytest

from dashboard.common.lru_cache import LruCache


def test_a_value_is_made_once_and_the_longest_unused_is_forgotten():
    cache, made = LruCache(2), []

    def ask(key):
        return cache.get(key, lambda: made.append(key) or key * 2)

    assert [ask(key) for key in "abaca"] == ["aa", "bb", "aa", "cc", "aa"]
    assert made == ["a", "b", "c"]
    assert ask("b") == "bb"
    assert made == ["a", "b", "c", "b"]


def test_values_of_a_size_are_bounded_by_it_but_for_the_last():
    cache = LruCache(5, len)
    for key in ("aa", "bb", "cc", "seventh"):
        cache.get(key, lambda key=key: key)
    made = []
    for key in ("seventh", "cc"):
        cache.get(key, lambda key=key: made.append(key) or key)
    assert made == ["cc"]


def test_what_cannot_be_made_is_not_kept():
    cache = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 7) == 7


def test_threads_that_ask_together_get_the_same_value():
    cache, together, values = LruCache(2), threading.Barrier(4), []

    def make():
        together.wait(10)
        return object()

    threads = [threading.Thread(target=lambda: values.append(cache.get("a", make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(values) == 4
    assert len({id(value) for value in values}) == 1
