"""Objects to lines: what is new is written once, whatever is sent again."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.journal import DiskFull
from scheduler_core.collect.recording import ChangeRecorder, seen_in
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, OBJECTS
from tests.scheduler_core.collect.collecting import event, pod
from tests.scheduler_core.collect.faulty import target_of


class Lines:
    """Keeps lines: (file, type, name, version, relisted); raises DiskFull while there is no room."""

    def __init__(self) -> None:
        self.rows: list[tuple] = []
        self.is_full = False

    def append(self, name: str, line: bytes) -> None:
        if self.is_full:
            raise DiskFull
        raw = msgspec.json.decode(line)
        self.rows.append((name, raw.get("type", ""), raw["object"]["metadata"]["name"], raw.get("rv", ""),
                          raw.get("relisted", False)))  # fmt: skip


@pytest.fixture
def lines():
    return Lines()


@pytest.fixture
def recorder(lines):
    return ChangeRecorder(lines, PlainNames(), lambda: 1.0)


def versioned(one: dict, version: int, uid: str = "u") -> dict:
    return {**one, "metadata": {**one["metadata"], "resourceVersion": str(version), "uid": uid}}


def listed(recorder, target, *objects, version: str = "9") -> None:
    target.seen.begin_list()
    for one in objects:
        recorder.listed(target, one)
    recorder.ended_list(target, version)


def test_the_first_list_is_what_was_there(recorder, lines):
    target = target_of("Pod")
    listed(recorder, target, versioned(pod("a"), 3))
    assert lines.rows == [(OBJECTS, "", "a", "", False)]
    assert (target.version, target.is_listed, target.n_listed) == ("9", True, 1)


def test_changes_are_written_once_whatever_comes_again(recorder, lines):
    target = target_of("Pod")
    listed(recorder, target, versioned(pod("a"), 3))
    lines.rows.clear()
    changed = versioned(pod("a", "n"), 12)
    for _ in range(2):
        recorder.changed(target, "MODIFIED", changed)
    recorder.changed(target, "ADDED", versioned(pod("a"), 11))  # Older than what was written.
    recorder.changed(target, "MODIFIED", versioned(pod("a", "n"), 13))  # A heartbeat.
    for _ in range(2):
        recorder.changed(target, "DELETED", versioned(pod("a", "n"), 14))
    assert lines.rows == [(CHANGES, "MODIFIED", "a", "12", False), (CHANGES, "DELETED", "a", "14", False)]


def test_a_later_list_is_compared(recorder, lines):
    target = target_of("Pod")
    listed(recorder, target, *(versioned(pod(name), 3) for name in ("same", "other", "gone", "again")))
    lines.rows.clear()
    later = [versioned(pod("same"), 30), versioned(pod("other", "n"), 31), versioned(pod("again"), 32, "u2")]
    listed(recorder, target, *later, versioned(pod("new"), 33), version="40")
    assert lines.rows == [
        (CHANGES, "MODIFIED", "other", "31", True),
        (CHANGES, "DELETED", "again", "32", True),
        (CHANGES, "ADDED", "again", "32", True),
        (CHANGES, "ADDED", "new", "33", True),
        (CHANGES, "DELETED", "gone", "40", True),
    ]


def test_events_are_those_that_are_read_and_their_expiry_is_no_change(recorder, lines):
    target = target_of("Event")
    old = event("old", "FailedScheduling", "a")
    listed(recorder, target, versioned(old, 2), versioned(event("x", "Pulled", "a"), 3))
    recorder.changed(target, "ADDED", versioned(event("new", "Scheduled", "a"), 10))
    recorder.changed(target, "DELETED", versioned(old, 11))
    assert lines.rows == [(EVENTS, "ADDED", "old", "2", True), (EVENTS, "ADDED", "new", "10", False)]
    assert len(target.seen.objects) == 1


def test_what_could_not_be_written_is_not_taken_for_seen(recorder, lines):
    target = target_of("Pod")
    listed(recorder, target)
    lines.is_full = True
    with pytest.raises(DiskFull):
        recorder.changed(target, "ADDED", versioned(pod("a"), 12))
    lines.is_full = False
    recorder.changed(target, "ADDED", versioned(pod("a"), 12))
    assert [row[1:4] for row in lines.rows] == [("ADDED", "a", "12")]


@pytest.mark.parametrize("metadata", [None, [], "x", {}, {"name": 3}, {"name": {}, "uid": [], "resourceVersion": 5}])
def test_objects_of_odd_shape_do_no_harm(recorder, metadata):
    target = target_of("Pod")
    recorder.changed(target, "ADDED", {"metadata": metadata, "spec": []})
    recorder.changed(target, "DELETED", {"metadata": metadata})
    assert target.seen.objects == {}


def test_what_was_seen_is_read_from_a_line_as_it_was(recorder, lines):
    target = target_of("Pod")
    listed(recorder, target, versioned(pod("a"), 3))
    (key, state), = target.seen.objects.items()  # fmt: skip
    out = {"apiVersion": "v1", "kind": "Pod", **versioned(pod("a"), 3)}
    del out["spec"]["containers"][0]["args"]
    assert seen_in(msgspec.Raw(msgspec.json.encode(out))) == ("Pod", key, state)
