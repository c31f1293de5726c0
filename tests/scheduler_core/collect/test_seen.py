"""What was seen: by digests, with what a list does not have any more."""

from __future__ import annotations

import pytest

from scheduler_core.collect.seen import SeenObject, SeenObjects, digest, version_number


def test_what_a_list_does_not_have_is_gone():
    seen = SeenObjects()
    seen.objects = {("", name): SeenObject(digest(name.encode()), "", 1) for name in "abc"}
    seen.begin_list()
    seen.note_listed(("", "b"))
    assert seen.end_list() == [("", "a"), ("", "c")]
    assert seen.end_list() == []


@pytest.mark.parametrize(
    ("text", "number"), [("17", 17), ("", 0), ("x", 0), ("-1", 0), ("٣", 0), (None, 0), (5, 0), ("9" * 30, 0)]
)
def test_only_a_version_that_is_a_number_is_compared(text, number):
    assert version_number(text) == number


def test_equal_contents_have_one_digest():
    assert digest(b"a") == digest(b"a") != digest(b"b")
