"""The order of activeQ."""

from __future__ import annotations

from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.testing.builders import make_pod
from scheduler_core.testing.fake_handle import FakeHandle


def test_higher_priority_goes_first_and_equal_ones_in_order_of_time() -> None:
    plugin = PrioritySort(NoArgs(), FakeHandle())
    entries = [(make_pod("low", priority=1), 1), (make_pod("late", priority=9), 5), (make_pod("early", priority=9), 2)]
    ordered = sorted(entries, key=lambda entry: plugin.sort_key(*entry))
    assert [pod.name for pod, _ in ordered] == ["early", "late", "low"]
