"""Traces of SimKube give what is there at their end; other msgpack is refused."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.scheduler_core.manifests.forms.reading import gaps, items, names, node, refusal


def trace(*events: tuple[list[Any], list[Any]], version: int = 2) -> bytes:
    """A trace of SimKube; its pod_lifecycles have keys that JSON does not know."""
    rows = [{"ts": i, "applied_objs": applied, "deleted_objs": gone} for i, (applied, gone) in enumerate(events)]
    lifecycles = {("v1.Pod", "a/b"): {17: [{"start_ts": 1}]}}
    return msgspec.msgpack.encode(
        {"version": version, "config": {}, "events": rows, "index": {}, "pod_lifecycles": lifecycles}
    )


def test_a_trace_of_simkube_gives_what_is_there_at_its_end() -> None:
    a, b = node("a"), node("b")
    data = trace(([a, b], []), ([{**a, "spec": {"unschedulable": True}}], [b]), ([node("c")], []))
    assert names(data) == ["a", "c"]
    assert items(data)[0]["spec"] == {"unschedulable": True}
    assert gaps(data) == ["TIMES_NOT_PLAYED"]


def test_another_trace_or_msgpack_is_refused_by_name() -> None:
    assert "version 1" in refusal(trace(version=1)).message
    assert refusal(trace((["x"], []))).field == "events[0].applied_objs"
    assert "msgpack" in refusal(msgspec.msgpack.encode(["a", b"\xff\xfe"])).message
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    assert "nested" in refusal(trace(([{**node("a"), "spec": deep}], []))).message
