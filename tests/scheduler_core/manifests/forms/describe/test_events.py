"""Of the events of a described object those about scheduling are read, the newest last."""

from __future__ import annotations

from scheduler_core.manifests.forms.describe.events import events_of

LINES = [
    "  Type     Reason            Age                From               Message",
    "  ----     ------            ----               ----               -------",
    "  Warning  FailedScheduling  2m (x5 over 10m)   default-scheduler  0/1 nodes are available: 1 Insufficient cpu.",
    "  Normal   Pulling           1m                 kubelet            Pulling image",
    "           with a secret",
    "  Warning  FailedScheduling  1h30m              default-scheduler  0/1 nodes are",
    "           available: 1 Too many pods.",
    "  Normal   TriggeredScaleUp  <unknown>          cluster-autoscaler  pod triggered scale-up",
]


def test_ages_order_them_and_messages_go_on_in_the_next_line() -> None:
    events = events_of(LINES)
    assert [(one.reason, one.age) for one in events] == [
        ("TriggeredScaleUp", None),
        ("FailedScheduling", 5_400),
        ("FailedScheduling", 120),
    ]
    assert events[1].message == "0/1 nodes are available: 1 Too many pods."
    assert events[2].source == "default-scheduler"
    assert not any("secret" in one.message for one in events)


def test_no_events_are_none() -> None:
    assert events_of([]) == []
