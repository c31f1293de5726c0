"""What stands above each lane of the queue board."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LaneHead:
    """What stands above a lane; `term` is kube-scheduler's own, `none` what is true where nobody is in it."""

    title: str
    term: str
    meaning: str
    glyph: str
    note: str
    none: str


HEADS = {
    "flying": LaneHead(
        "In flight",
        "Pods that were popped and are being scheduled or bound: inFlightPods of kube-scheduler's queue",
        "wait",
        "hour",
        "scheduling and binding",
        "no pod is being scheduled or bound",
    ),
    "active": LaneHead(
        "activeQ",
        "Pods that are ready for a scheduling cycle, in the order of QueueSort; the first is popped next",
        "queue",
        "dot",
        "next to pop first",
        "no pod is ready to be scheduled",
    ),
    "backoff": LaneHead(
        "backoffQ",
        "Pods whose attempt failed and that may be tried again, once their backoff is over",
        "backoff",
        "clock",
        "time left",
        "no pod waits out a backoff",
    ),
    "unschedulable": LaneHead(
        "Unschedulable",
        "Pods that were refused and wait for an event that may help: unschedulablePods of kube-scheduler's queue",
        "unsched",
        "x",
        "longest first",
        "no refused pod waits for an event",
    ),
    "gated": LaneHead(
        "Gated",
        "Pods that PreEnqueue keeps out of activeQ: scheduling gates",
        "gated",
        "lock",
        "gates",
        "no pod has a scheduling gate",
    ),
    "gone": LaneHead(
        "Gone",
        "Pods that were deleted or completed during the run",
        "victim",
        "eject",
        "the last one first",
        "no pod was deleted or completed",
    ),
}
