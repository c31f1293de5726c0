"""Draws follow their distributions, and a stream is its seed's and name's alone."""

from __future__ import annotations

from statistics import fmean, median

from scheduler_core.workloads.generator.draws import DrawStream

N = 4_000


def test_a_stream_is_that_of_its_seed_and_purpose() -> None:
    def first(*purpose: str, seed: int = 1) -> float:
        return DrawStream(seed, *purpose).uniform(0, 1)

    assert first("a") == first("a")
    assert len({first("a"), first("b"), first("a", "b"), first("a", seed=2)}) == 4


def test_distributions_have_their_mean_and_median() -> None:
    stream = DrawStream(3, "x")
    assert abs(fmean(stream.uniform(2, 4) for _ in range(N)) - 3) < 0.05
    assert abs(fmean(stream.exponential(10) for _ in range(N)) - 10) < 0.6
    assert abs(median(stream.lognormal(8, 1) for _ in range(N)) - 8) < 0.6
    assert abs(fmean(stream.happens(0.3) for _ in range(N)) - 0.3) < 0.03


def test_picks_follow_their_weights() -> None:
    picked = DrawStream(4).picks([1, 0, 3], N)
    assert set(picked) == {0, 2}
    assert abs(picked.count(2) / N - 0.75) < 0.03


def test_a_shuffle_keeps_all_and_moves_them() -> None:
    values = list(range(100))
    shuffled = DrawStream(5).shuffled(values)
    assert sorted(shuffled) == values
    assert shuffled != values
    assert values == list(range(100))
