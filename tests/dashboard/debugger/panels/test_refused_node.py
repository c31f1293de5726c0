"""Why a node was refused, in the words of pod and node."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.refused_node import RefusalContext, situations
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.timelines.actions import save_timeline
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain import explain_refusal
from tests.dashboard.run_helpers import node, pod

CASES = Path(__file__).parents[3] / "cases"


def page_of(run, **query):
    """Return the page at a cursor."""
    return CursorPage(cursor_of(run, "team", {name: str(value) for name, value in query.items()}), facts_of)


@pytest.fixture
def crowd(execute):
    """A run of one pod of 8 cores: nodes of 4, of 16 with less and less free, a tainted one and a cordoned full one."""
    tainted = node("tainted", "64") | {"spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}}
    cordoned = node("cordoned", "4") | {"spec": {"unschedulable": True}}
    busy = [node(f"busy-{n}", "16") for n in range(4)]
    bound = [pod(f"fill-{n}", f"{9 + n}", nodeName=f"busy-{n}") | {"status": {"phase": "Running"}} for n in range(4)]
    small = [node(f"small-{n}", "4") for n in range(8)]
    return execute([tainted, cordoned, *small, *busy, *bound, pod("big", "8")], schedule="pending", slug="crowd")


def test_cell_of_a_taint_says_what_is_missing(crowd):
    reasons = page_of(crowd, cycle=1, node="tainted", plugin="TaintToleration").attempt.chosen_cell.reasons
    assert ["gpu=yes:NoSchedule" in reason.facts for reason in reasons] == [True]
    assert reasons[0].raw.startswith("node(s) had untolerated taint")
    assert reasons[0].meaning == "unres"


def test_node_with_two_refusals_has_both(crowd):
    reasons = page_of(crowd, cycle=1, node="cordoned").attempt.chosen_cell.reasons
    assert [(reason.plugin, reason.meaning) for reason in reasons] == [
        ("NodeUnschedulable", "unres"),
        ("NodeResourcesFit", "hidden"),
    ]


def test_nominated_pods_count_where_they_are_not_the_pod_itself(run, cycle_of):
    cycle = cycle_of("big-0")
    facts, key = facts_of(run), "default/small-0"
    state = state_at(run, cycle.last_seq + 1)
    node_name = state.nominations["default/big-0"]
    state = state.copy()
    state.placements = {name: one for name, one in state.placements.items() if one.node != node_name}
    small = facts.pods.get(key, 0)
    context = RefusalContext(small, facts, state, pod_requests(small.object))
    situation = situations(context, [node_name])[node_name]
    assert (situation.pod_count, situation.nominated) == (0, 1)
    assert situation.promised["cpu"] == 2000
    assert explain_refusal("NodeResourcesFit", small.object, situation) == ()
    big = facts.pods.get("default/big-0", 0)
    own = situations(RefusalContext(big, facts, state, pod_requests(big.object)), [node_name])[node_name]
    assert own.nominated == 0


def test_pages_show_them(look, crowd):
    html = look(crowd, cycle=1, node="busy-3", plugin="NodeResourcesFit").content.decode()
    assert "needs 8, 4 free" in html
    assert "Insufficient cpu" in html


@pytest.fixture
def promised(execute, editor):
    """The run of tests/cases/nominated.yaml: node a is promised to hi (3 cpu), then mid (2) and huge (5) are tried."""
    objects = list(yaml.safe_load_all((CASES / "nominated.yaml").read_text()))
    cluster_run = execute(objects, slug="promised")
    text = (CASES / "nominated-timeline.yaml").read_text()
    timeline = save_timeline(editor.member, None, NewText("arrivals", text), cluster_run.revision)
    return execute(objects, slug="promised", timeline=timeline, schedule="timeline")


def fit(run, cycle, node_name):
    """Return what NodeResourcesFit has against a node."""
    (reason,) = page_of(run, cycle=cycle, node=node_name, plugin="NodeResourcesFit").attempt.chosen_cell.reasons
    return reason


def test_node_promised_to_a_nominated_pod_is_not_mended_by_freeing(promised):
    """What the pods there request is 4 cpu, hi will take 3: mid fits beside hi only where the node is larger."""
    reason = fit(promised, 2, "a")
    assert reason.facts.startswith("short of 5 cpu")
    assert " 3 promised" in reason.facts


def test_a_node_that_is_too_small_is_told_by_its_size(promised):
    reason = fit(promised, 3, "b")
    assert reason.facts.startswith("too small")
    assert "5 cpu, has 1 " in reason.facts


IGNORING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {ignoredResources: [example.com/gpu], ignoredResourceGroups: [fpga.example.com]}
"""


def test_resources_that_the_profile_ignores_are_no_reason(execute, editor):
    """The node lacks cpu, and both resources that nobody asks about; example.com/disk is not ignored."""
    wants = pod("wants", "8")
    more = {"example.com/gpu": "2", "fpga.example.com/a": "1", "example.com/disk": "1"}
    resources = wants["spec"]["containers"][0]["resources"]
    resources["requests"] |= more
    resources["limits"] = dict(more)
    config = save_config(editor.member, None, NewText("ignoring", IGNORING))
    ignoring = execute([node("n", "6"), wants], slug="ignoring", config=config)
    usual = execute([node("n", "6"), wants], slug="usual")
    cpu, disk = "too small: needs 8 cpu, has 6 in all", "too small: needs 1 example.com/disk, has 0 in all"
    reason = fit(ignoring, 1, "n")
    assert reason.facts == f"{cpu}; {disk}"
    assert "2 example.com/gpu" in fit(usual, 1, "n").facts


def test_words(promised, crowd):
    (taint,) = page_of(crowd, cycle=1, node="tainted", plugin="TaintToleration").attempt.chosen_cell.reasons
    assert [taint.facts, fit(promised, 2, "a").facts, fit(promised, 3, "b").facts, fit(crowd, 1, "busy-3").facts] == [
        "no toleration for the taint gpu=yes:NoSchedule",
        "short of 5 cpu: needs 2, 0 free, 3 promised to nominated pods",
        "too small: needs 5 cpu, has 1 in all",
        "short of 4 cpu: needs 8, 4 free",
    ]
