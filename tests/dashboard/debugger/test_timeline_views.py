"""The page of events: with and without scripts, its parts, and following a run that goes on."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Run, State

pytestmark = pytest.mark.django_db


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


def test_a_run_that_goes_on_is_watched_from_its_page_of_events(run, look):
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING)
    page = look(run, name="debugger:events").content.decode()
    assert f'data-url="/w/team/runs/{run.number}/state/"' in page
    assert 'id="offline"' in page
    # It shows the head and does not follow it: rows do not move by themselves.
    assert f'data-seq="{run.head.seq}"' in page
    assert "data-plain" not in page
