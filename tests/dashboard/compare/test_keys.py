"""Keys of the comparison: none stands for two things."""

from __future__ import annotations

from collections import Counter

from dashboard.compare.keys import KEYS


def test_no_key_means_two_things():
    counts = Counter(key for command in KEYS for key in command.keys)
    assert [key for key, n in counts.items() if n > 1] == []
