"""Streams of watch events give what is there at their end, and say where they were cut."""

from __future__ import annotations

import json

import pytest

from scheduler_core.manifests import ManifestSource, dump_yaml, rewritten
from tests.scheduler_core.manifests.forms.reading import gaps, items, loaded, names, node, refusal

EVENTS = [
    {"type": "ADDED", "object": node("a")},
    {"type": "ADDED", "object": node("b")},
    {"type": "MODIFIED", "object": node("a", labels={"zone": "z"})},
    {"type": "BOOKMARK", "object": {"kind": "Node", "metadata": {"resourceVersion": "5"}}},
    {"type": "DELETED", "object": node("b")},
    {"type": "ERROR", "object": {"kind": "Status", "code": 410}},
]
IN_JSON = "\n".join(json.dumps(event, indent=4) for event in EVENTS)
IN_YAML = "---\n".join(dump_yaml([dict(sorted(event.items()))]) for event in EVENTS)
EACH = pytest.mark.parametrize("text", [IN_JSON, IN_YAML, json.dumps(EVENTS[0])], ids=["json", "yaml", "one"])


@EACH
def test_the_cluster_is_what_is_there_at_the_end(text: str) -> None:
    (only,) = items(text)
    assert only["metadata"]["name"] == "a"
    assert (only["metadata"].get("labels") == {"zone": "z"}) == ("MODIFIED" in text)
    assert gaps(text) == []


@pytest.mark.parametrize("text", [IN_JSON, IN_YAML], ids=["json", "yaml"])
def test_a_stream_is_cut_at_any_byte(text: str) -> None:
    whole = text.index("DELETED") - 40
    for length in range(len(text) // 2, len(text) - 1, 7):
        cut = text[:length].encode()
        result = loaded(cut)
        assert result.errors == []
        there = {manifest.name for manifest in result.manifests}
        assert "a" in there
        assert ("b" in there) or length > whole
        if text is IN_JSON and text[:length].rstrip()[-2:] != "\n}":
            assert [gap.code for gap in result.unplayed.gaps] == ["CUT_OFF"]
            assert any("cut off in line" in warning.message for warning in result.warnings)


def test_a_yaml_event_without_its_type_was_cut() -> None:
    cut = IN_YAML[: IN_YAML.index("type: DELETED")]
    assert gaps(cut) == ["CUT_OFF"]
    assert names(cut) == ["a", "b"]


def test_what_is_no_event_is_refused_or_something_else() -> None:
    assert (
        "apply"
        in refusal(json.dumps({"type": "ADDED", "object": node("a")}) + '{"type": "apply", "object": {}}').message
    )
    assert refusal(json.dumps({"type": "ADDED", "object": {"kind": "Node"}})).field == "object"
    assert "no event" in refusal(IN_JSON + json.dumps(node("c"))).message
    assert refusal(IN_JSON[:40]).line == 3
    other = ManifestSource("f", b'{"type": "ADDED", "thing": 1}')
    assert rewritten(other) is other
