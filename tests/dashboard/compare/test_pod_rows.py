"""Rows of pods: their groups, how each ended, and the attempts that they lead to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.compare.pod_rows import SIZE, TITLES, PodList
from scheduler_core.compare.pods import EVICTED_B, GROUPS, MOVED, ONLY_B, PLACED_B, SAME

pytestmark = pytest.mark.django_db


def rows_of(page, **query):
    return {row.name: (group, row) for group in page(**query).pod_list.groups for row in group.rows}


def test_every_group_has_a_title():
    assert set(TITLES) == {*GROUPS, SAME}


def test_a_pod_leads_to_its_first_attempt_that_differs(page, cycle_of):
    group, row = rows_of(page)["never-0"]
    assert group.title == TITLES[PLACED_B]
    assert (row.a.text, row.a.meaning, row.b.text) == ("pending", "unsched", "spare")
    assert row.cycle == cycle_of("never-0").number
    assert f"a_cycle={row.cycle}" in row.url
    assert rows_of(page, a_cycle=row.cycle)["never-0"][1].is_selected


def test_all_pods_are_those_that_differ_and_the_same_ones(page):
    some, every = rows_of(page), rows_of(page, all=1)
    assert set(some) < set(every)
    assert {group.title for group, _ in every.values()} > {group.title for group, _ in some.values()}


def test_a_group_or_a_part_of_a_name_narrows_the_list(page):
    assert set(rows_of(page, q="NEVER")) == {"never-0"}
    alone = page(group="placed only in B").pod_list
    assert [group.title for group in alone.groups] == [TITLES[PLACED_B]]
    assert alone.is_narrowed
    assert "group=" not in alone.groups[0].url


def test_counts_are_of_all_pods(page):
    shown = page().pod_list
    assert shown.n_text == f"{sum(group.n for group in shown.groups)} of {shown.figures.n_pods}"
    assert (shown.pages, shown.previous_url, shown.next_url) == (1, "", "")


def test_of_a_pod_on_another_node_the_plugin_is_named(page):
    rows = [row for _, row in rows_of(page, all=1).values()]
    moved = [row for row in rows if row.is_moved]
    assert moved
    assert all(not row.decided_by for row in rows if not row.is_moved)
    answer = page(all=1).pod_list.answer
    assert [row.decided_by for row in moved] == [
        by for one, by in zip(answer.pods, answer.decided, strict=True) if one.group == MOVED
    ]


@pytest.mark.parametrize(
    ("group", "sentence"),
    [(PLACED_B, "Newly placed in B"), (EVICTED_B, "Preempted or lost in B only"), (ONLY_B, "Only in B")],
)
def test_words(group, sentence):
    assert TITLES[group] == sentence


@pytest.mark.parametrize(
    ("number", "n_pods", "previous", "following"),
    [
        (1, 0, "", ""),
        (1, SIZE, "", ""),
        (1, SIZE + 1, "", {"page": 2}),
        (2, 3 * SIZE, {"page": 1}, {"page": 3}),
        (3, 3 * SIZE, {"page": 2}, ""),
        (9, 3 * SIZE, {"page": 3}, ""),
    ],
)
def test_a_page_leads_to_the_one_before_and_the_next(number, n_pods, previous, following):
    asked = SimpleNamespace(page=number, url=lambda **changed: changed)
    answer = SimpleNamespace(decided=(), pods=(), firsts=(), n_matching=n_pods)
    listed = PodList(asked, answer, None, ("", ""))
    assert (listed.previous_url, listed.next_url) == (previous, following)
