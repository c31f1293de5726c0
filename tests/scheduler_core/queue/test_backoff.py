from __future__ import annotations

import pytest

from scheduler_core.api.objects import Pod
from scheduler_core.queue.backoff import Backoff, stay_flush_time
from scheduler_core.queue.types import MOVE_CYCLE_SETTINGS, SECOND, QueuedPod, QueueSettings


def failed(timestamp, unschedulable=0, errors=0, attempts=0):
    return QueuedPod(
        Pod(name="a"), "default/a", timestamp, 1, attempts, unschedulable_count=unschedulable, error_count=errors
    )


@pytest.mark.parametrize(("count", "seconds"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (80, 10)])
def test_backoff_doubles_from_a_second_to_ten(count, seconds):
    assert Backoff(QueueSettings()).duration(count) == seconds * SECOND


def test_a_maximum_that_is_no_power_of_two_is_reached_not_passed():
    backoff = Backoff(QueueSettings(initial_backoff_us=2 * SECOND, max_backoff_us=5 * SECOND))
    assert [backoff.duration(n) // SECOND for n in (1, 2, 3, 4)] == [2, 4, 5, 5]


def test_expiry_is_cut_to_the_window_and_the_pod_waits_until_the_window_is_over():
    backoff, pod = Backoff(QueueSettings()), failed(1_300_000, unschedulable=1)
    assert backoff.expiry(pod) == 2 * SECOND
    assert backoff.is_backing_off(pod, 2 * SECOND + 999_999)
    assert not backoff.is_backing_off(pod, 3 * SECOND)
    assert backoff.flush_time(pod, 1_300_000) == 3 * SECOND


def test_consecutive_errors_count_before_refusals():
    backoff = Backoff(QueueSettings())
    assert backoff.expiry(failed(0, unschedulable=5, errors=1)) == 1 * SECOND
    assert backoff.expiry(failed(0, unschedulable=3)) == 4 * SECOND


def test_no_failure_or_no_maximum_means_no_backoff():
    assert Backoff(QueueSettings()).expiry(failed(0)) is None
    backoff = Backoff(QueueSettings(max_backoff_us=0))
    assert backoff.expiry(failed(0, unschedulable=3)) is None
    assert not backoff.is_backing_off(failed(0, unschedulable=3), 0)


def test_without_windows_the_expiry_is_exact_and_must_be_passed():
    backoff, pod = Backoff(QueueSettings(pop_from_backoff=False)), failed(1_000_000, unschedulable=1)
    assert backoff.expiry(pod) == 2 * SECOND
    assert backoff.is_backing_off(pod, 2 * SECOND)
    assert not backoff.is_backing_off(pod, 2 * SECOND + 1)
    assert backoff.flush_time(pod, 0) == 3 * SECOND


def test_the_older_queue_counts_attempts_and_ends_on_the_dot():
    backoff, pod = Backoff(MOVE_CYCLE_SETTINGS), failed(500_000, unschedulable=1, attempts=2)
    assert backoff.expiry(pod) == 2_500_000
    assert backoff.is_backing_off(pod, 2_499_999)
    assert not backoff.is_backing_off(pod, 2_500_000)
    assert backoff.flush_time(pod, 0) == 3 * SECOND


def test_the_leftover_timer_needs_more_than_the_stay():
    assert stay_flush_time(0, 0, QueueSettings()) == 330 * SECOND
    assert stay_flush_time(-1, 0, QueueSettings()) == 300 * SECOND
    assert stay_flush_time(0, 400 * SECOND, QueueSettings()) == 420 * SECOND
