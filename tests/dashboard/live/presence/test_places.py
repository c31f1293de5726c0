"""Which pages people meet at."""

from __future__ import annotations

import pytest

from dashboard.live.presence.places import draft_in, room_of


@pytest.mark.parametrize(
    ("path", "query", "room"),
    [
        ("runs/7/", "cycle=3", "runs/7"),
        ("runs/7/why/node/", "", "runs/7"),
        ("runs/7/review/", "finding=x", "runs/7"),
        ("reviews/3/", "", "reviews/3"),
        ("compare/", "a=9&b=7&every=1", "compare/7/9"),
        ("compare/", "a=7&b=9", "compare/7/9"),
        ("compare/7/9/", "", "compare/7/9"),
        ("clusters/prod/drafts/4/", "", "clusters/prod/drafts/4"),
        ("clusters/prod/drafts/4/edit/", "node=a", "clusters/prod/drafts/4"),
        ("clusters/prod/nodes/", "draft=4&q=x", "clusters/prod/drafts/4"),
    ],
)
def test_all_pages_of_a_thing_are_one_room(path, query, room):
    assert room_of(path, query) == room


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *(("", ""), ("runs/", ""), ("runs/0/", ""), ("runs/7", ""), ("runs/12345678901/", ""), ("clusters/prod/", "")),
        *(("clusters/prod/drafts/", ""), ("clusters/prod/", "draft=x"), ("clusters/prod/", "draft=0")),
        *(("compare/", ""), ("compare/", "a=1"), ("compare/", "a=1&b=x"), ("compare/", "a=&b=")),
        *(("runs/7/../../signout/", ""), ("runs/7//evil.example/", ""), ("runs/7/\n", ""), ("RUNS/7/", "")),
    ],
)
def test_other_addresses_are_none(path, query):
    assert room_of(path, query) == ""


def test_a_draft_is_told_from_what_everybody_sees():
    assert draft_in("clusters/prod/drafts/4") == 4
    assert [draft_in(room) for room in ("runs/4", "reviews/4", "compare/4/5", "")] == [None] * 4
