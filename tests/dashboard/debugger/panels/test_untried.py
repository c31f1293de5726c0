"""Where a selected pod is that had no attempt yet."""

from __future__ import annotations

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.panels.untried import untried_pod
from dashboard.runs.models import Cycle
from scheduler_core.recording.state import lanes
from tests.dashboard.debugger.conftest import page_of


def test_a_pod_that_waits_says_its_place_in_the_queue(run):
    first = Cycle.objects.get(run_id=run.pk, number=1)
    state = state_at(run, first.first_seq)
    for place, (pod, _entry) in enumerate(lanes(state).active, start=1):
        assert untried_pod(state, pod, "").place == f"not tried yet, place {place} in activeQ"


def test_a_gated_pod_names_what_gates_it(run):
    found = page_of(run, seq=run.head.seq, pod="default/gated-0").untried
    assert (found.namespace, found.name) == ("default", "gated-0")
    assert found.place == "not tried yet, gated by SchedulingGates"


def test_a_pod_that_was_bound_from_the_start_names_its_node(run):
    assert page_of(run, seq=1, pod="default/fill-a").untried.place == "not tried in this run, it runs on full-a"


def test_unknown_pods_and_other_pods_of_a_name_are_not_there(run):
    for query in ({"pod": "default/nobody"}, {"pod": "default/fill-a", "uid": "another"}):
        assert page_of(run, seq=1, **query).untried.place == "not in the cluster at this moment"


def test_a_pod_with_an_attempt_is_not_untried(run):
    assert page_of(run, cycle=1).untried is None
