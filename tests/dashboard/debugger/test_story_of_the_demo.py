"""The walk along causes over all events of the demo: each link to a cause leads there, and each cause leads back."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.template.loader import render_to_string

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.events.address import events_cursor
from dashboard.debugger.events.chain import SHOWN, causal_chain
from dashboard.debugger.events.filters import filter_of
from dashboard.debugger.events.indexes import index_of
from dashboard.debugger.events.line import event_line
from dashboard.debugger.events.listing import Listing
from dashboard.debugger.events.sentences import number_of
from dashboard.debugger.events.walk import event_walk
from dashboard.runs import actions, demo, execution
from dashboard.runs.models import Cycle, Run
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev
from tests.seeds import how_many

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
LINK = re.compile(r'<a href="([^"]+)"[^>]*>cause: ')


@pytest.fixture
def run(editor) -> Run:
    """The demo's run of forty pods, finished."""
    started = demo.load_teaching(editor.member)
    while execution.work():
        pass
    return actions.find_run(editor.member.workspace, started.number)


@pytest.fixture
def walks(run):
    """The walk of each event on the page of events, by seq."""
    index = index_of(run)

    def read(reader):
        walk_of_seq = {}
        for seq in range(len(index)):
            named = {"seq": str(number_of(seq))}
            url = events_cursor(cursor_of(run, "team", named), filter_of(named)).event_urls()
            chain = causal_chain(index, seq)
            walk_of_seq[seq] = event_walk(run, Listing(run, reader, index, chain, url), chain, False, url)
        return walk_of_seq

    return recordings.read(run.pk, read, run.head)


def number_at(run, url) -> int:
    """The number of the event at the cursor of an address."""
    return cursor_of(run, "team", dict(parse_qsl(urlsplit(url.replace("&amp;", "&")).query))).seq


def test_the_link_of_each_event_leads_to_its_cause(run):
    """In the bar under the strip of all pages of a run."""
    causes = recordings.read(run.pk, lambda reader: reader.causes(0, run.head.seq - 1), run.head)
    followed = 0
    for number in range(1, run.head.seq + 1, how_many(3, 1)):
        cursor = cursor_of(run, "team", {"seq": str(number)})
        html = render_to_string("debugger/events/_line.html", {"line": event_line(run, number), "cursor": cursor})
        cause, link = causes[number - 1], LINK.search(html)
        assert cause is not None
        if cause < 0:
            assert link is None
            continue
        assert link is not None
        assert event_line(run, number_at(run, link[1])).number == number_of(cause)
        followed += 1
    assert followed > run.head.seq / how_many(6, 2)


@pytest.mark.long
def test_causes_and_effects_of_all_events_are_steps_both_ways(run, walks):
    index = index_of(run)
    for seq, walk in walks.items():
        cause = int(index.causes[seq])
        assert bool(walk.cause_url) == (cause >= 0)
        if cause >= 0:
            assert number_at(run, walk.cause_url) == number_of(cause)
            assert seq in index.effects(cause)
            assert number_at(run, walks[cause].effect_url) == number_of(index.effects(cause)[0])
        assert bool(walk.effect_url) == bool(len(index.effects(seq)))
        assert walk.origin == "input" or walk.origin.startswith(("start of the run", "timeline, entry"))
        assert len(walk.back) - 1 == SHOWN or not walk.n_back
    two_clicks_from_what_brought_the_pod(run, walks)


def two_clicks_from_what_brought_the_pod(run, walks):
    """The page of events at a decision, and a step of its chain: the move into the queue, or what that came of."""
    index = index_of(run)
    events = [event for _, event in recordings.read_events(run.pk, 0, run.head.seq)]
    decisions = [seq for seq, event in enumerate(events) if isinstance(event, ev.CycleFinished | ev.PreemptionDecided)]
    assert len(decisions) > Cycle.objects.filter(run=run).count()
    for seq in decisions:
        moves = [one for one in causal_chain(index, seq).back if isinstance(events[one], ev.QueueMove)]
        brought = max(one for one in moves if events[one].target in ("active", "backoff"))
        assert events[brought].pod == events[seq].pod
        links = {step.number: step.url for step in walks[seq].back}
        for one in filter(lambda number: number >= 0, (brought, int(index.causes[brought]))):
            assert number_at(run, links[number_of(one)]) == number_of(one)
