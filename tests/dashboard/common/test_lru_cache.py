"""What a process keeps: bounded, by use, one value for all who ask."""

from __future__ import annotations

import threading

import pytest

from dashboard.common.lru_cache import LruCache


def test_a_value_is_made_once_and_the_longest_unused_is_forgotten():
    kept, made = LruCache(2), []

    def ask(key):
        return kept.get(key, lambda: made.append(key) or key * 2)

    assert [ask(key) for key in "abaca"] == ["aa", "bb", "aa", "cc", "aa"]
    assert made == ["a", "b", "c"]
    assert ask("b") == "bb"
    assert made == ["a", "b", "c", "b"]


def test_what_cannot_be_made_is_not_kept():
    kept = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 // 0)
    assert kept.get("a", lambda: 7) == 7


def test_threads_that_ask_together_get_the_same_value():
    kept, together, found = LruCache(2), threading.Barrier(4), []

    def make():
        together.wait(10)
        return object()

    threads = [threading.Thread(target=lambda: found.append(kept.get("a", make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(found) == 4
    assert len({id(value) for value in found}) == 1
