"""What the record reads of changes of pods and of events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from scheduler_core.explain.reality.reading_record import real_record
from scheduler_core.explain.reality.record import RealDecision
from scheduler_core.manifests.bundle.model import BundleGap, BundleMeta
from scheduler_core.manifests.bundle.reading import open_files

NO_CPU = "0/2 nodes are available: 2 Insufficient cpu."
TAINTED = "0/2 nodes are available: 2 node(s) had untolerated taint(s)."


def pod(
    name: str = "p", node: str = "", message: str = "", nominated: str = "", victim: bool = False
) -> dict[str, Any]:
    conditions = []
    if message:
        conditions.append({"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message})
    if victim:
        conditions.append({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": f"uid-{name}"},
        "spec": {"nodeName": node} if node else {},
        "status": {"conditions": conditions, "nominatedNodeName": nominated},
    }


def event(name: str, reason: str, message: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"e-{reason}-{len(message)}", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": name, "uid": f"uid-{name}"},
        "reason": reason,
        "message": message,
    }


def _stamp(t: float) -> str:
    return datetime.fromtimestamp(1_000.0 + t, UTC).isoformat()


def decisions(
    *changes: tuple[float, dict[str, Any]],
    relisted: bool = False,
    event_versions: int = 0,
    listed: int = 0,
    gaps: tuple[BundleGap, ...] = (),
) -> list[RealDecision]:
    """The record of these states of pods, and events, at these seconds, each the next version; those of events are by
    ``event_versions`` higher, and the first ``listed`` are of a list."""
    lines: dict[str, bytes] = {"changes.jsonl": b"", "events.jsonl": b""}
    for version, (t, raw) in enumerate(changes, start=1):
        is_event = raw["kind"] == "Event"
        shown = str(version + event_versions * is_event)
        line = {
            "t": 1_000.0 + t,
            "rv": shown,
            "type": "MODIFIED",
            "object": raw,
            "relisted": relisted or version <= listed,
        }
        lines["events.jsonl" if is_event else "changes.jsonl"] += msgspec.json.encode(line) + b"\n"
    meta = msgspec.json.encode(BundleMeta(began=1_000.0, gaps=gaps))
    return list(real_record(open_files("b", {"meta.json": meta, **lines})).decisions)


def test_a_binding_is_a_node_that_was_not_there_before() -> None:
    one, *more = decisions((1, pod()), (2, pod(node="a")), (3, pod(node="a")))
    assert (one.node, one.change, one.came_bound, more) == ("a", 1, False, [])


def test_a_pod_that_came_with_its_node_is_said_to() -> None:
    (one,) = decisions((1, pod(node="a")))
    assert one.came_bound


def test_what_was_noticed_by_listing_again_is_said_to_be() -> None:
    one, *_ = decisions((1, pod()), (2, pod(node="a")), relisted=True)
    assert one.relisted


def test_an_event_of_the_attempt_that_a_condition_has_is_no_second_one() -> None:
    sent = event("p", "FailedScheduling", NO_CPU)
    one, *more = decisions((1, pod()), (2, pod(message=NO_CPU)), (2.1, sent), (40, {**sent, "count": 2}))
    assert (one.message, one.repeats, one.of_event, more) == (NO_CPU, 1, False, [])


def test_an_event_alone_is_a_decision_at_its_version() -> None:
    states = (1, pod()), (2, event("p", "FailedScheduling", TAINTED)), (3, pod(node="a"))
    message, binding = decisions(*states)
    assert (message.message, message.of_event, message.change) == (TAINTED, True, 1)
    assert binding.node == "a"


def test_each_message_that_differs_is_a_decision() -> None:
    states = (1, pod(message=NO_CPU)), (2, pod(message=TAINTED)), (3, pod(message=TAINTED))
    assert [one.message for one in decisions(*states)] == [NO_CPU, TAINTED]


def test_victims_are_those_that_events_name_and_those_marked_on_the_nominated_node() -> None:
    named = event("v", "Preempted", "Preempted by pod uid-p on node a")
    foreign = event("w", "Preempted", "Preempted by pod uid-x on node a")
    states = (
        (0, pod("v", "a")), (0, pod("w", "a")), (0, pod("u", "a")), (0, pod("b", "b")), (1, pod()),
        (2, pod("v", "a", victim=True)), (2, pod("w", "a", victim=True)), (2, pod("u", "a", victim=True)),
        (2, pod("b", "b", victim=True)), (2, pod(message=NO_CPU, nominated="a")), (2.5, named), (2.5, foreign),
    )  # fmt: skip
    one = next(one for one in decisions(*states) if one.message)
    assert one.nominated == "a"
    assert one.victims == ("shop/u", "shop/v")
    assert one.change == 5  # before the first of its victims was marked


def test_a_series_that_counts_on_is_as_many_repeats() -> None:
    sent = event("p", "FailedScheduling", NO_CPU)
    states = (1, pod()), (2, pod(message=NO_CPU)), (2.1, sent), (900, {**sent, "count": 9})
    one, *more = decisions(*states)
    assert (one.repeats, more) == (8, [])


def test_an_event_written_before_the_condition_of_its_attempt_is_that_of_it() -> None:
    states = (1, pod()), (2, event("p", "FailedScheduling", NO_CPU)), (3, pod(message=NO_CPU))
    (one,) = decisions(*states)
    assert (one.message, one.repeats, one.of_event) == (NO_CPU, 0, False)


def test_each_nomination_for_the_same_node_has_its_own_victims() -> None:
    named = event("v", "Preempted", "Preempted by pod uid-p on node a")
    again = event("w", "Preempted", "Preempted by pod uid-p on node a")
    again["metadata"]["name"] = "another"
    states = (
        (0, pod("v", "a")), (0, pod("w", "a")), (1, pod()), (2, pod("v", "a", victim=True)), (2, named),
        (3, pod(message=NO_CPU, nominated="a")), (4, pod(message=NO_CPU)), (5, pod("w", "a", victim=True)),
        (6, pod(message=NO_CPU, nominated="a")), (90, again),
    )  # fmt: skip
    first, second = (one for one in decisions(*states) if one.nominated)
    assert (first.victims, first.change) == (("shop/v",), 3)
    assert (second.victims, second.change) == (("shop/w",), 6)


def test_events_of_before_the_beginning_are_of_no_decision() -> None:
    earlier = event("p", "FailedScheduling", TAINTED)
    states = (1, earlier), (2, pod()), (3, pod(node="a")), (4, event("p", "Scheduled", "on a"))
    assert [one.of_event for one in decisions(*states)] == [True, False]
    assert [one.of_event for one in decisions(*states, listed=1)] == [False]


def test_near_a_gap_of_events_nobody_knows_who_was_preempted() -> None:
    states = (
        (0, pod("v", "a")), (1, pod()), (2, pod("v", "a", victim=True)), (2, pod(message=NO_CPU, nominated="a")),
    )  # fmt: skip
    lost = BundleGap(code="WATCH_EXPIRED", text="t", kind="Event", since=1_001.0, until=1_002.0)
    whole, near = (next(one for one in decisions(*states, gaps=of) if one.nominated) for of in ((), (lost,)))
    assert (whole.victims, near.victims) == (("shop/v",), ())
    assert whole.change == near.change == 2


def test_events_of_another_store_are_put_nowhere_but_by_clocks_that_agree() -> None:
    bound = [
        one
        for n in range(6)
        for one in ((n, pod(f"b{n}")), (n + 0.5, pod(f"b{n}", "a")), (n + 0.5, event(f"b{n}", "Scheduled", "on a")))
    ]
    sent = event("p", "FailedScheduling", TAINTED)

    def alone(late: float) -> RealDecision:
        made = [(t, {**raw, "eventTime": _stamp(t + 100 + late * t)} if raw["kind"] == "Event" else raw)
                for t, raw in (*bound, (8, pod()), (9, sent), (12, pod(node="a")))]  # fmt: skip
        return next(one for one in decisions(*made, event_versions=70_000) if one.of_event)

    assert (alone(0.0).is_unplaced, alone(0.0).change) == (False, 13)
    assert alone(0.5).is_unplaced
