"""Pending pods by owner and by how long they wait."""

from __future__ import annotations

from dashboard.following.live_page.grouping import groups
from dashboard.following.workers.overview import PendingCause, PendingPart

NOW = 1_800_000_000.0


def part(owner, ago, count, **fields):
    return PendingPart(owner=owner, made=NOW - ago, count=count, pod=f"shop/{owner}-0", **fields)


CAUSES = [
    PendingCause(text="no cpu", count=9, parts=[part("web", 30, 4), part("db", 90_000, 5)]),
    PendingCause(
        text="a taint",
        count=8,
        parts=[part("web", 4_000, 6), PendingPart(owner="odd", count=1), PendingPart(count=1, is_rest=True)],
    ),
]


def test_owners_have_their_pods_of_all_causes_most_first():
    rows = groups(CAUSES, "owner", NOW)
    assert [(row.title, row.count) for row in rows] == [("web", 10), ("db", 5), ("Further owners", 1), ("odd", 1)]
    assert rows[0].shown_causes == [("a taint", 6), ("no cpu", 4)]
    assert rows[0].made == NOW - 4_000
    assert sum(row.count for row in rows) == sum(one.count for one in CAUSES)


def test_ages_come_longest_first_and_what_has_none_is_said():
    rows = groups(CAUSES, "since", NOW)
    assert [(row.title, row.count) for row in rows] == [
        ("More than a day", 5), ("An hour to a day", 6), ("Less than 10 minutes", 4), ("Nobody knows since when", 2),
    ]  # fmt: skip
    assert rows[0].owner_names == "db"


def test_what_an_earlier_version_computed_is_not_lost():
    (row,) = groups([PendingCause(text="no cpu", count=3)], "owner", NOW)
    assert (row.title, row.count, row.pods) == ("Further owners", 3, [])
