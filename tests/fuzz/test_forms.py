"""Mutated files of all forms are read or refused: the first cases of `python -m tests.fuzz.forms`."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.forms import judged, made


def test_mutated_files_are_read_or_refused_in_the_same_way_with_their_secrets_masked():
    outcomes = Counter(judged(seed) for seed in range(1_000))
    assert min(outcomes["accepted"], outcomes["refused"]) > 80


def test_a_seed_makes_the_same_file_again():
    assert made(7) == made(7)
    assert made(7).source.data != made(30).source.data
