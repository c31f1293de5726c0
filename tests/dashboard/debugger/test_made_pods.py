"""Pods that a run makes show where pods show; the second pod of a name is another pod; what is gone says why."""

from __future__ import annotations

import re

import pytest

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.panels.object_yaml import object_yaml
from dashboard.runs import queries
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.debugger.page_text import text
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import node, pod


def of_set(name, cpu, **spec):
    """Return a pod of the StatefulSet web."""
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "u", "controller": True}
    made = pod(name, cpu, **spec)
    made["metadata"] |= {"ownerReferences": [owner], "uid": f"uid-of-{name}"}
    return made | {"status": {"phase": "Running"}}


@pytest.fixture
def remade(execute):
    """A run in which web-0 is preempted, made anew, and bound to the other node; web-1 finds none when it is lost."""
    nodes = [node("a", "4"), node("b", "4", disk="ssd")]
    hi = pod("hi", "3", priority=1000, nodeSelector={"kubernetes.io/hostname": "a"})
    return execute([*nodes, of_set("web-0", "3", nodeName="a"), hi], schedule="pending")


@pytest.fixture
def second(remade):
    """The first cycle of the second web-0."""
    return Cycle.objects.get(run_id=remade.pk, pod="default/web-0", outcome="scheduled")


def test_the_run_made_one_pod_that_counts_on_its_node(remade, second):
    assert second.pod_uid
    state = state_at(remade, remade.head.seq)
    facts = facts_of(remade)
    made = facts.pod("default/web-0", state)
    assert (made.object.uid, made.cpu, made.owner) == (second.pod_uid, 3000, "StatefulSet web")
    usage = usage_at(facts, remade, state)
    assert usage.cpu[usage.index["b"]] == 3000
    assert facts.pod("default/web-0", state_at(remade, 0)).object.uid == "uid-of-web-0"


def test_what_is_requested_is_the_same_followed_and_counted_anew(remade):
    facts = facts_of(remade)
    for seq in [*range(remade.head.seq + 1), *range(remade.head.seq, -1, -3)]:
        state = state_at(remade, seq)
        followed = usage_at(facts, remade, state)
        facts.last_usage = None
        counted = usage_at(facts, remade, state)
        assert (followed.cpu.tolist(), followed.memory.tolist(), followed.pods.tolist()) == (
            counted.cpu.tolist(),
            counted.memory.tolist(),
            counted.pods.tolist(),
        ), seq


def test_the_cycle_of_a_made_pod_explains_itself(look, remade, second):
    for tab in ("matrix", "why", "story"):
        response = look(remade, cycle=second.number, tab=tab)
        assert response.status_code == 200
        assert_strict_csp(response.content)
    assert "StatefulSet web" in text(look(remade, cycle=second.number, tab="story"))


def test_two_pods_of_a_name_have_two_stories_that_link_each_other(look, remade, second):
    first, later = (queries.pod_history(remade, "default/web-0", uid) for uid in ("", second.pod_uid))
    assert (len(first.cycles), len(first.evictions)) == (0, 1)
    assert (len(later.cycles) > 0, len(later.evictions)) == (True, 0)
    assert first.namesakes == later.namesakes == ["", second.pod_uid]
    page = look(remade, seq=remade.head.seq, tab="story", pod="default/web-0").content.decode()
    assert f"uid={second.pod_uid}" in page
    assert look(remade, seq=1, tab="story", pod="default/web-0", uid=second.pod_uid).status_code == 200


def test_links_of_the_queue_board_carry_the_uid_of_a_later_pod(look, remade, second):
    lanes = look(remade, seq=second.first_seq, tab="matrix").content.decode()
    assert re.search(rf'href="[^"]*select=default%2Fweb-0[^"]*uid={second.pod_uid}', lanes)


@pytest.mark.slow
def test_pods_that_are_gone_are_in_a_lane_with_the_cause(look, execute):
    leaving = pod("old", "1", nodeName="a") | {"status": {"phase": "Running"}}
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:10Z"
    run = execute([node("a", "1"), leaving, pod("new", "1")], schedule="pending")
    response = look(run, seq=run.head.seq)
    assert f"{run.finish_reason[0].upper()}{run.finish_reason[1:]}." in text(response)
    assert 'title="default/old, terminated"' in response.content.decode()
    gone = [one.context["page"].lanes[-1] for one in (response, look(run, seq=1))]
    assert [(lane.name, lane.count) for lane in gone] == [("gone", 1), ("gone", 0)]
    assert "It terminates." in text(look(run, seq=1, tab="story", pod="default/old"))
    assert "It is gone: terminated." in text(look(run, seq=run.head.seq, tab="story", pod="default/old"))


def test_workloads_that_lack_pods_are_named_at_the_end(look, viewer, execute):
    labels = {"app": "web"}
    container = {"name": "c", "resources": {"requests": {"cpu": "3"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }
    run = execute([node("a", "4"), deployment], schedule="pending")
    page_text = text(look(run, seq=run.head.seq))
    assert "stays pending" in page_text
    assert "shop/web: 1 of 2" in page_text
    assert "shop/web: 1 of 2" not in text(look(run, seq=run.head.seq - 1))
    assert "stays pending" not in viewer.get("/w/team/runs/").content.decode(), "the figures say so"


def test_the_list_says_how_a_run_ended_where_the_figures_do_not_tell(viewer, execute):
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "report", "namespace": "batch"},
        "spec": {"completions": 2, "template": {"spec": {"containers": [container]}}},
    }
    run = execute([node("a", "4"), job], schedule="pending", policies={"job_running_us": None})
    assert run.finish_reason.startswith("1 replica is")
    assert run.finish_reason.endswith("Job batch/report has 1 of 2")
    assert run.finish_reason in viewer.get("/w/team/runs/").content.decode()


def test_the_map_counts_made_pods(look, remade):
    panel = page_of(remade, seq=remade.head.seq).map
    assert panel.choice.chosen.name == "cpu"
    pods = {tuple(line.key for line in panel.pods_on(name, 1).lines) for name in panel.nodes.names}
    assert pods == {("default/hi",), ("default/web-0",)}
    assert panel.nodes.share.tolist() == [0.75, 0.75]
    assert {tile.x for group in panel.card_groups for card in group.cards for tile in card.tiles} == {0.0}


def test_a_made_pod_is_shown_as_the_recording_holds_it(remade):
    shown_yaml = object_yaml(remade, facts_of(remade), state_at(remade, remade.head.seq), "Pod", "default/web-0")
    assert shown_yaml.origin.startswith("made during the run")
    assert "nodeName: " in shown_yaml.text


def test_words(look, remade, second):
    texts = {
        "Made during this run by StatefulSet web": {"cycle": second.number},
        "It is gone; another pod has its name now.": {"seq": remade.head.seq, "pod": "default/web-0"},
        "It has not come yet at this moment.": {"seq": 1, "pod": "default/web-0", "uid": second.pod_uid},
        "no pod was deleted or completed": {"seq": 1},
    }
    assert [
        sentence for sentence, query in texts.items() if sentence not in text(look(remade, tab="story", **query))
    ] == []
