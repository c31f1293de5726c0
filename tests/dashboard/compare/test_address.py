"""Addresses of comparisons: what they mean, and that each is written as it is read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.http import QueryDict

from dashboard.common.problems import BadQuery, NotFound
from dashboard.compare.address import ComparedRun, asked_comparison

pytestmark = pytest.mark.django_db


def read(workspace, url):
    return asked_comparison(workspace, QueryDict(url.partition("?")[2]))


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"a_cycle": 3},
        {"b_cycle": 2},
        {"a_cycle": 3, "b_cycle": 2},
        {"a_seq": 10, "b_seq": 0},
        {"all": 1, "group": "moved", "q": "web & db", "page": 2},
    ],
)
def test_an_address_means_the_same_when_it_is_read_again(workspace, asked, query):
    one = asked(**{name: str(value).replace("&", "%26").replace(" ", "+") for name, value in query.items()})
    assert read(workspace, one.url()) == one
    assert read(workspace, one.swapped_url).a == one.b


def test_swapping_swaps_runs_moments_and_cursors(workspace, asked):
    one = asked(a_seq=10, a_cycle=3, q="web", group="placed only in A")
    back = read(workspace, one.swapped_url)
    assert (back.a, back.b, back.a_cycle, back.b_cycle) == (one.b, one.a, 0, 3)
    assert (back.q, back.group) == ("web", "")


def test_another_list_begins_at_its_first_page_and_leaves_the_cursors(asked):
    one = asked(page=3, a_cycle=2)
    assert "page" not in one.url(q="web")
    assert "a_cycle=2" in one.url(every=True)
    assert "page=3" in one.at(4, 0)


def test_parts_of_a_page_name_the_moments_that_the_page_has(asked, run, other):
    assert f"a_seq={run.head.seq}&b_seq={other.head.seq}" in asked().parts_query
    assert "_seq" not in asked().query


def test_cursors_are_free_only_with_a_cycle_for_each(asked):
    assert not asked().is_free
    assert not asked(a_cycle=1).is_free
    assert asked(a_cycle=1, b_cycle=1).is_free


@pytest.mark.parametrize("query", [{"a": "x"}, {"a": ""}, {"a_cycle": "-1"}, {"group": "nobody"}, {"page": 0}])
def test_what_means_nothing_is_refused(asked, query):
    with pytest.raises(BadQuery):
        asked(**query)


def test_a_run_or_moment_that_is_not_there_is_said(asked, run):
    with pytest.raises(NotFound, match="Run 99"):
        asked(a=99)
    with pytest.raises(NotFound, match="there is no event 9,999,999"):
        asked(b=run.number, b_seq=9_999_999)


def test_a_run_of_another_workspace_is_not_there(asked, run, django_user_model):
    from dashboard.accounts.models import Workspace

    elsewhere = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    with pytest.raises(NotFound):
        asked_comparison(elsewhere, QueryDict(f"a={run.number}&b={run.number}"))


@pytest.mark.parametrize(
    ("until", "has_ended", "is_live", "seq"),
    [(None, False, True, 90), (None, True, False, 90), (40, False, False, 40), (0, True, False, 0)],
)
def test_more_may_come_of_a_run_that_goes_on_where_its_head_counts(until, has_ended, is_live, seq):
    run = SimpleNamespace(has_ended=has_ended, head=SimpleNamespace(seq=90), name="", number=7)
    side = ComparedRun(run, until)
    assert (side.is_live, side.seq, side.title) == (is_live, seq, "Run 7")
