"""Which moment of a run an address opens, and what is said of one that is not there."""

from __future__ import annotations

import re

import pytest

from dashboard.runs.models import Cycle, State
from tests.dashboard.debugger.conftest import launched
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import cluster_of
from tests.seeds import long_after


def test_an_address_without_a_moment_opens_the_first_trouble_and_one_of_the_beginning_the_beginning(look, run):
    trouble = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number").first()
    assert f'data-cycle="{trouble.number}"' in look(run, tab="why").content.decode()
    response = look(run, seq=0)
    assert 'data-seq="0"' in response.content.decode()
    assert response.context["page"].attempt.cycle is None
    assert response.context["page"].moment.no_cycle[0] in text(response)


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (State.QUEUED, "Waiting for a worker"),
        (State.RUNNING, "Reading 10 objects"),
        (State.PAUSED, "Paused before the first event"),
    ],
)
def test_a_run_that_starts_says_what_it_waits_for_and_nothing_of_its_cluster(look, workspace, editor, state, sentence):
    run = launched(workspace, editor, cluster_of(3, 7))
    assert run.revision.n_objects == 10
    type(run).objects.filter(pk=run.pk).update(state=state)
    page = text(look(run))
    assert sentence in page
    for untrue in ("No cycles", "no pod is ready", "no refused pod", "no node", "Before the first cycle", "0 nodes"):
        assert untrue not in page


def test_permalink_of_a_cycle_opens_exactly_it(look, run, cycle_of):
    cycle = cycle_of("small-2")
    html = look(run, cycle=cycle.number).content.decode()
    assert f'data-seq="{cycle.last_seq + 1}"' in html
    assert f'data-cycle="{cycle.number}"' in html
    assert "small-2" in html


def test_cycle_of_a_point_stands_inside_it(look, run, cycle_of):
    cycle = cycle_of("small-0")
    html = look(run, cycle=cycle.number, point="PreFilter").content.decode()
    seq = int(re.search(r'data-seq="(\d+)"', html)[1])
    assert cycle.first_seq < seq <= cycle.last_seq
    assert "in progress" in html
    assert "No verdicts yet" in html


@pytest.mark.slow
@pytest.mark.parametrize("stride", long_after([7, 1], 1))
def test_every_seq_of_the_run_can_be_opened(look, run, stride):
    for seq in range(0, run.head.seq + 1, stride):
        response = look(run, part="main", seq=seq)
        assert response.status_code == 200
        assert f'data-seq="{seq}"' in response.content.decode()


def test_cursor_behind_the_head_is_told_the_nearest(look, run):
    response = look(run, seq=run.head.seq + 1)
    assert response.status_code == 404
    assert f"seq={run.head.seq}" in response.content.decode()


def test_unknown_cycle_is_told_the_last(look, run):
    response = look(run, cycle=999)
    assert response.status_code == 404
    assert f"cycle={run.head.cycle}" in response.content.decode()
    assert "999" in text(response)


@pytest.mark.parametrize(
    "query",
    [{"seq": "-1"}, {"seq": "x"}, {"cycle": "1.5"}, {"tab": "none"}, {"page": "0"}, {"cycle": "1", "point": "Nowhere"}],
)
def test_bad_cursor_is_a_clear_400(look, run, query):
    assert look(run, **query).status_code == 400
