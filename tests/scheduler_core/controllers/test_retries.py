"""When controllers try again, as recorded of Kubernetes 1.34.9."""

from __future__ import annotations

from scheduler_core.controllers.retries import NextTry, delay_us, failed

SECOND = 1_000_000


def test_the_wait_doubles_up_to_a_thousand_seconds_and_for_jobs_up_to_a_minute():
    assert [delay_us("ReplicaSet", n) for n in (1, 2, 3, 14)] == [5_000, 10_000, 20_000, 40_960_000]
    assert delay_us("DaemonSet", 100) == 1_000 * SECOND
    assert [delay_us("Job", n) / SECOND for n in (1, 2, 3, 7, 50)] == [1, 2, 4, 60, 60]


def test_with_no_pods_at_all_the_tries_come_as_recorded():
    retry, now, times = NextTry(), 0, []
    for _ in range(15):
        failed(retry, "ReplicaSet", now)
        now = retry.at
        times.append(now / SECOND)
    assert [round(one, 1) for one in times[4:]] == [0.2, 0.3, 0.6, 1.3, 2.6, 5.1, 10.2, 20.5, 41.0, 81.9, 163.8]


def test_a_try_in_between_that_fails_doubles_the_wait_after_the_one_that_was_due():
    """quota/raised-late: quota for 2 of 4 pods; 14 failures until 2.9 s, the next try at 43.9 s."""
    retry, now = NextTry(), 0
    for _ in range(9):
        failed(retry, "ReplicaSet", now)
        now = retry.at
    due = now
    for woken in (1_800_000, 1_820_000, 1_990_000, 2_030_000):
        failed(retry, "ReplicaSet", woken)
        assert retry.at == due
    failed(retry, "ReplicaSet", due)
    assert retry.failures == 14
    assert retry.at - due == 40_960_000
