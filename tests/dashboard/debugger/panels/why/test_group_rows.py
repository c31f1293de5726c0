"""Who refused a pod: groups by what is missing, with what their nodes have in common."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import ZONE, page_of
from tests.dashboard.run_helpers import node, pod

MODEL = "example.org/gpu-model"


@pytest.fixture
def models(execute):
    """A run in which the one pod that may go to T4 nodes only finds them full, in part or wholly."""
    nodes = [node(f"t4-{i}", "4", **{MODEL: "T4", ZONE: "eu-a" if i < 4 else "eu-b"}) for i in range(8)]
    nodes += [node(f"g2-{i}", "4", **{MODEL: "G2"}) for i in range(4)]
    nodes += [node("small-0", "1", **{MODEL: "P4"})]
    bound = [pod(f"fill-{i}", "4" if i < 4 else "3", nodeName=f"t4-{i}") for i in range(8)]
    running = [one | {"status": {"phase": "Running"}} for one in bound]
    return execute([*nodes, *running, pod("wants-t4", "2", nodeSelector={MODEL: "T4"})], schedule="pending")


def groups_of(run, name):
    cycle = Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").latest("number")
    return page_of(run, cycle=cycle.number).group_rows


def test_room_comes_by_how_much_is_left_and_names_the_label_that_the_nodes_share(models):
    some, none, other = (row.group for row in groups_of(models, "wants-t4"))
    assert {some.title, none.title} == {"Some cpu left, too little", "No cpu left"}
    by_title = {group.title: group for group in (some, none)}
    assert by_title["No cpu left"].detail == "0 free, short of 2"
    assert by_title["No cpu left"].shared == "zone=eu-a"
    assert by_title["Some cpu left, too little"].detail == "1 free, short of 1"
    assert by_title["Some cpu left, too little"].free.most_free == 1000
    assert by_title["Some cpu left, too little"].shared == "zone=eu-b"
    assert (other.plugin, other.count, other.unresolvable) == ("NodeAffinity", 5, True)


def test_what_is_hidden_behind_the_first_refusal_is_told_and_does_not_split_a_group(models):
    other = groups_of(models, "wants-t4")[-1].group
    # Four nodes of another model have room, the fifth would be too small as well.
    assert other.only == 4
    assert other.hidden_words == "NodeResourcesFit (1) would refuse too"
    assert other.detail == f"needs {MODEL}=T4"
    assert other.shared == "G2 4, P4 1"


def test_each_refused_node_is_in_exactly_one_group(models):
    page = page_of(models, cycle=Cycle.objects.get(run_id=models.pk, attempt=1).number)
    names = [name for row in page.group_rows for name in row.names]
    assert sorted(names) == sorted(page.frame.array[page.frame.refused].tolist())


def test_a_node_that_is_too_small_when_empty_is_said_to_be_so(run, cycle_of):
    rows = page_of(run, cycle=cycle_of("never-0").number).group_rows
    row = next(row for row in rows if row.group.plugin == "NodeResourcesFit")
    fit = row.group
    assert (fit.title, fit.detail, fit.shared) == ("Too small: cpu", "4 in all, asks 64", "full-a, full-b")
    assert row.meaning == "unres"


def test_the_heading_and_its_evidence_are_told_of_the_nodes_that_the_selector_leaves(models):
    page = page_of(models, cycle=Cycle.objects.get(run_id=models.pk, attempt=1).number)
    assert page.because.title == "No T4 node has enough cpu free"
    evidence = page.because.evidence
    assert "The best of 8 nodes that are short of cpu has 1 free." in evidence
    assert f"5 nodes do not match {MODEL}=T4, and 4 of them refuse it for nothing else." in evidence
