"""Runs that decide one bound pod anew: started or found, the matrix of a difference, and who may."""

from __future__ import annotations

import pytest

from dashboard.agreement import computing
from dashboard.agreement.models import AgreementResult
from dashboard.agreement.stored_rows import bound_rows
from dashboard.runs import chosen, execution
from dashboard.runs.models import Cycle, Run
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import HostSelected
from tests.dashboard.agreement.conftest import HERE, PAGE, bound
from tests.dashboard.helpers import strict_html
from tests.dashboard.run_helpers import node


def created(manifest, day):
    """Return the manifest, made on this day of a month."""
    manifest["metadata"]["creationTimestamp"] = f"2024-05-{day:02}T10:00:00Z"
    return manifest


def totals(run):
    """Return the totals of the two best nodes that the run recorded."""
    events = recordings.read(run.pk, lambda reader: list(reader.events(0, run.head.seq - 1)))
    (one,) = (event for _, event in events if isinstance(event, HostSelected))
    return {one.node: one.total, one.second: one.second_total}


def decide(person, pod="default/early", **more):
    return person.post(f"{PAGE}decide", {"pod": pod, **more})


@pytest.mark.slow
def test_each_difference_has_its_matrix_from_a_run_that_decides_this_pod_anew(editor, viewer, computed, messages):
    page = strict_html(editor.get(PAGE))
    assert 'aria-label="Matrix: default/early"' in page
    assert "Matrix: default/early" not in strict_html(viewer.get(PAGE)), "a reader starts no run"
    first = decide(editor).headers["Location"]
    assert first == decide(editor).headers["Location"] == f"{HERE}why/1/?pod=default/early"
    assert "default/early, decided again" in strict_html(editor.get(first))
    execution.work()
    run = Run.objects.get()
    assert (run.name, run.schedule, run.is_background) == ("Decide default/early again", "pending", True)
    matrix = "/w/team/runs/1/?cycle=1&pod=default/early"
    assert editor.get(first).headers["Location"] == decide(editor).headers["Location"] == matrix
    assert f'href="{matrix.replace("&", "&amp;")}"' in strict_html(viewer.get(PAGE))
    assert "NodeUnschedulable" in strict_html(editor.get(f"{matrix}&node=node-b"))
    assert list(Cycle.objects.values_list("pod", flat=True)) == ["default/early"], "no other pod is tried"


@pytest.mark.slow
def test_the_matrix_shows_the_points_of_the_difference_and_without_later_pods_those_then(editor, save, woken, messages):
    """Node b has less free room only since the later pod came, so the first pod stands where it was best."""
    made = [created(bound("first", "node-a", cpu="1"), 1), created(bound("later", "node-a", cpu="5"), 2)]
    save([node("node-a", cpu="8"), node("node-b", cpu="7"), *made])
    editor.get(PAGE)
    assert computing.work()
    result = AgreementResult.objects.get()
    figures = computing.read_report(result).pods
    pod = next(one for one in bound_rows(result, figures.standings, ["lower"]) if one.pod == "default/first")
    assert (pod.causes[0].kind, pod.causes[0].younger) == ("arrivals", 1)
    assert "Decide without the other" in strict_html(editor.get(PAGE))
    decide(editor, "default/first")
    decide(editor, "default/first", without="younger")
    execution.work()
    execution.work()
    whole, older = (run for run in Run.objects.order_by("number"))
    points = totals(whole)
    assert points["node-b"] - points["node-a"] == pod.gap
    assert points["node-a"] == pod.total
    points = totals(older)
    assert points["node-a"] - points["node-b"] == pod.causes[0].lead
    page = strict_html(editor.get(PAGE))
    assert "/w/team/runs/1/?cycle=1&amp;pod=default/first" in page
    assert "/w/team/runs/2/?cycle=1&amp;pod=default/first" in page


def test_only_bound_pods_are_decided_anew_and_only_by_editors(editor, viewer, dumped, messages):
    assert decide(editor, "default/wide").status_code == 404
    assert decide(editor, "default/none").status_code == 404
    assert decide(editor, without="everything").status_code == 400
    assert decide(viewer).status_code == 403
    assert not Run.objects.exists()


def test_a_run_that_decides_a_pod_anew_leaves_the_cluster_s_configuration(editor, computed, dumped, messages):
    decide(editor, config="preset:pack-gpus")
    assert Run.objects.get().preset == "pack-gpus"
    assert chosen.of_cluster(dumped.cluster).name == "default"
