"""Addresses of the page of events keep its filter, and lead to the same moment in the debugger."""

from __future__ import annotations

import re

import pytest

from dashboard.runs.models import Run, State

pytestmark = pytest.mark.django_db


def test_addresses_stay_on_the_page_and_keep_the_filter(run, cursor_at):
    cursor = cursor_at(seq=4, about="pod:default/big-0", kinds="queue", node="full-a")
    assert cursor.url(seq=5) == (
        f"/w/team/runs/{run.number}/events/?seq=5&node=full-a&kinds=queue&about=pod%3Adefault%2Fbig-0"
    )
    assert cursor.event_urls()(6) == cursor.url(seq=6)


def test_the_debugger_opens_at_the_same_moment_with_the_same_selection(run, cursor_at):
    cursor = cursor_at(seq=4, node="full-a", pod="default/big-0", kinds="queue")
    assert cursor.in_debugger == f"/w/team/runs/{run.number}/?seq=4&node=full-a&pod=default%2Fbig-0"


def test_the_page_works_without_scripts_and_its_parts_by_htmx(run, look):
    page = look(run, name="debugger:events", seq=9).content.decode()
    assert '<main class="ev" id="main"' in page
    assert 'aria-current="page"' in page
    part = look(run, part="main", name="debugger:events", seq=9).content.decode()
    assert 'id="event-list"' in part
    assert 'id="selection"' in part
    assert "<html" not in part


def test_rows_alone_go_on_where_a_list_ends(run, look, cycle_of):
    last = cycle_of("small-0").last_seq + 1
    rows = look(run, name="debugger:event_rows", seq=1, after=last).content.decode()
    assert f'id="e{last}"' not in rows
    assert f'id="e{last + 1}"' in rows
    rows = look(run, name="debugger:event_rows", seq=1, before=last + 1, kinds="calls,bound,cycle").content.decode()
    assert f'id="e{last}"' in rows
    assert f'id="e{last + 1}"' not in rows


def test_a_filter_that_nothing_passes_says_so_and_offers_all(run, look):
    page = look(run, name="debugger:events", seq=0, about="pod:nobody").content.decode()
    assert "No event matches" in page
    assert "Clear" in page


def test_what_an_address_says_is_escaped(run, look):
    page = look(run, name="debugger:events", seq=1, about='"><i>now').content.decode()
    assert "<i>now" not in page


def test_a_run_that_goes_on_is_watched_from_its_page_of_events(run, look):
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING)
    page = look(run, name="debugger:events").content.decode()
    assert f'data-url="/w/team/runs/{run.number}/state/"' in page
    assert 'id="offline"' in page
    # It shows the head and does not follow it: rows do not move by themselves.
    assert f'data-seq="{run.head.seq}"' in page
    assert "data-plain" not in page


def test_one_steps_from_event_to_event_unless_another_grain_was_chosen(run, look):
    page = look(run, name="debugger:events", seq=3).content.decode()
    assert re.search(r'data-step="event"\s+aria-current="true"', page)
    chosen = look(run, name="debugger:events", seq=3, step="cycle").content.decode()
    assert re.search(r'data-step="cycle"\s+aria-current="true"', chosen)
