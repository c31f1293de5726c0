"""A comparison is complete and symmetric: random pairs of runs against a comparison event by event."""

from __future__ import annotations

import pytest

from scheduler_core.compare import RunToCompare, comparison
from scheduler_core.recording.errors import RecordingError
from tests.scheduler_core.compare import naive
from tests.scheduler_core.compare.pairs import SEEDS, pair

SOME_SLOW = [pytest.param(seed, marks=pytest.mark.slow if i >= 4 else ()) for i, seed in enumerate(SEEDS)]
"""The first few are in `make test-fast` too."""


def ends(one: RunToCompare) -> naive.Ends:
    return naive.ends(one.inputs, one.reader, one.side().end)


@pytest.mark.parametrize("seed", SOME_SLOW)
def test_every_pod_that_differs_is_listed_with_both_ends_and_nothing_else(seed: int) -> None:
    a, b = pair(seed)
    of_a, of_b = ends(a), ends(b)
    listed = {
        (one.pod, one.uid, one.number): tuple(
            None if end is None else (end.outcome, end.node, end.wait, end.evicted) for end in (one.a, one.b)
        )
        for one in comparison(a, b).pods
    }
    keys = of_a.keys() | of_b.keys()
    assert listed == {key: (of_a.get(key), of_b.get(key)) for key in keys if of_a.get(key) != of_b.get(key)}


@pytest.mark.parametrize("seed", SOME_SLOW)
def test_the_first_divergence_is_that_of_reading_event_by_event(seed: int) -> None:
    a, b = pair(seed)
    divergence = comparison(a, b).divergence
    expected = naive.first_difference(a.reader, b.reader, a.side().end, b.side().end)
    assert (None if divergence is None else divergence.seq) == expected


@pytest.mark.parametrize("seed", SOME_SLOW)
def test_swapped_sides_mirror_and_a_run_against_itself_is_empty(seed: int) -> None:
    a, b = pair(seed)
    there, back = comparison(a, b), comparison(b, a).swapped()
    assert sorted(there.pods, key=repr) == sorted(back.pods, key=repr)
    assert (there.seqs, there.n_pods, there.inputs, there.divergence) == (
        back.seqs,
        back.n_pods,
        back.inputs,
        back.divergence,
    )
    for one in (a, b):
        same = comparison(one, one)
        assert (same.inputs, same.divergence, same.pods) == ((), None, ())
        assert same.n_pods > 0


@pytest.mark.slow
def test_the_pairs_have_pods_of_many_groups() -> None:
    """Else the tests above would show little."""
    groups = {one.group for seed in SEEDS for one in comparison(*pair(seed)).pods}
    assert len(groups) >= 6, groups


def test_a_cursor_outside_of_the_recording_is_refused() -> None:
    a, b = pair(SEEDS[-1])
    head = b.reader.head_seq()
    with pytest.raises(RecordingError, match=f"event {head + 1} is outside of the recording, which has {head} events"):
        comparison(a, RunToCompare(b.inputs, b.reader, head + 1))
