"""A line of the list of runs: what came of it, how far it is, which buttons it has."""

from __future__ import annotations

import pytest

from dashboard.documents.models import (
    ConfigRevision,
    DeclaredExtenders,
    DeclaredExtendersRevision,
    SchedulerConfig,
    Timeline,
    TimelineRevision,
)
from dashboard.runs import actions, execution
from dashboard.runs.list.lines import run_line
from dashboard.runs.models import Run, RunHead, State
from scheduler_core.versions.trains import NEWEST_MEASURED
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.django_db
LIST = "/w/team/runs/"


def test_a_finished_run_shows_what_came_of_it(viewer, launch, again):
    run = launch(2, 9, name="first try", seed=5)
    execution.work()
    response = viewer.get(LIST)
    page = response.content.decode()
    assert_strict_csp(page)
    run = again(run)
    assert run.state == State.FINISHED
    assert f"{run.head.bound} bindings" in page
    for part in ("first try", "Prod r1", "Kubernetes defaults, all pods, seed 5", "finished", "Edda"):
        assert part in page
    assert 'hx-trigger="every' not in page
    assert "Delete run 1" not in page  # a viewer has no buttons


def test_the_list_counts_bindings_not_bound_pods(viewer, launch):
    run = launch(2, 3)
    RunHead.objects.filter(run=run).update(cycle=5, bound=5, victims=2)
    page = viewer.get(LIST).content.decode()
    assert "5 bindings, 2 victims" in page
    assert "5 bound" not in page


def test_buttons_are_those_that_the_state_allows(editor, launch):
    run = launch(2, 3)
    page = editor.get(LIST).content.decode()
    assert [verb for verb in ("Pause", "Resume", "Stop", "Delete") if f"{verb} run 1" in page] == [
        "Pause",
        "Stop",
        "Delete",
    ]
    actions.pause_run(editor.member, run)
    page = editor.get(LIST).content.decode()
    assert "paused" in page
    assert 'aria-label="Resume run 1"' in page
    assert 'aria-label="Pause run 1"' not in page


def test_an_error_is_told_where_the_outcome_stands(viewer, launch):
    run = launch(2, 3)
    Run.objects.filter(pk=run.pk).update(state=State.FAILED, error="no memory <b>")
    page = viewer.get(LIST).content.decode()
    assert "no memory &lt;b&gt;" in page
    assert "failed" in page


@pytest.mark.parametrize(
    ("timeline", "documents"),
    [
        ("extenders", ["extenders r1 (configuration", "timeline", "declared extenders)"]),
        ("wave", ["extenders r1 (configuration", "declared extenders)", "wave r1"]),
    ],
)
def test_documents_of_one_name_are_named_once(launch, timeline, documents):
    run = launch(2, 3)
    run.config_revision = ConfigRevision(number=1, config=SchedulerConfig(name="extenders"))
    run.timeline_revision = TimelineRevision(number=1, timeline=Timeline(name=timeline))
    run.declared_revision = DeclaredExtendersRevision(number=1, declared=DeclaredExtenders(name="extenders"))
    assert run_line(run).inputs.split(", ") == [*documents, f"Kubernetes {NEWEST_MEASURED}"]
