"""Addresses of the page of events keep its filter, and lead to the same moment in the debugger."""

from __future__ import annotations

import re

import pytest

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


def test_one_steps_from_event_to_event_unless_another_grain_was_chosen(run, look):
    page = look(run, name="debugger:events", seq=3).content.decode()
    assert re.search(r'data-step="event"\s+aria-current="true"', page)
    chosen = look(run, name="debugger:events", seq=3, step="cycle").content.decode()
    assert re.search(r'data-step="cycle"\s+aria-current="true"', chosen)
