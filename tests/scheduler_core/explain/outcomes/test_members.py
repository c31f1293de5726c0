"""The pods of a group: which was tried last, and the least that all of them ask for."""

from __future__ import annotations

from types import SimpleNamespace

from scheduler_core.explain.outcomes.members import Members


def members(cycles, requests):
    """A group of pods that were tried in these cycles and ask for this; the rest of it is not looked at."""
    records = [SimpleNamespace(cycle=cycle) for cycle in cycles]
    return Members(reason=None, where=None, mask=None, records=records, requests=requests)


def test_the_latest_was_tried_in_the_last_cycle():
    assert members([4, 9, 7], []).latest.cycle == 9


def test_the_smallest_request_has_only_what_all_pods_ask_for():
    requests = [
        (("cpu", 500), ("memory", 10), ("nvidia.com/gpu", 1)),
        (("cpu", 200), ("nvidia.com/gpu", 4), ("memory", 30)),
        (("cpu", 300), ("memory", 20)),
    ]
    assert members([1, 2, 3], requests).smallest == (("cpu", 200), ("memory", 10))
