"""Sizes of pods and nodes as of a moment."""

from __future__ import annotations

from dashboard.clusters.revisions import object_store
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs import facts
from dashboard.debugger.inputs.facts import History
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.documents import store
from dashboard.documents.models import Timeline
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.run_helpers import cluster_of, node, pod


def test_history_gives_the_version_of_the_moment():
    history = History({"a": 1}, {"a": [(10, 2), (20, 3)], "b": [(5, 7)]})
    assert [history.get("a", at) for at in (0, 9, 10, 19, 20, 99)] == [1, 1, 2, 2, 3, 3]
    assert history.get("b", 4) is None
    assert history.get("b", 5) == 7
    assert history.get("c", 5) is None


def test_objects_of_the_timeline_count_from_their_time_on(execute, workspace):
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    entries = [
        {"at": "10s", "action": "add", "object": pod("late", "250m")},
        {"at": "20s", "action": "add", "object": node("node-late", "32")},
    ]
    revision = store.save_timeline(timeline, {"entries": entries}, object_store.Saving(None))
    run = execute(cluster_of(2, 2), slug="timed", schedule="timeline", timeline=revision)
    run_facts = facts.facts_of(run)
    assert run_facts.pods.get("default/late", 9_999_999) is None
    assert run_facts.pods.get("default/late", 10_000_000).cpu == 250
    state = state_at(run, run.head.seq)
    use = usage_at(run_facts, run, state)
    assert int(use.whole("cpu")[use.index["node-late"]]) == 32_000
    assert int(use.cpu.sum()) == 100 + 200 + 250
    assert usage_at(run_facts, run, state_at(run, 0)).index.keys() == {"node-0", "node-1"}


def test_a_selector_is_told_without_the_prefixes_of_its_keys(execute):
    selector = {"example.com/model": "T4", "zone": "a"}
    run = execute([node("n"), pod("choosy", nodeSelector=selector)])
    pod_facts = facts.facts_of(run).pods.get("default/choosy", 0)
    assert pod_facts.selector == "example.com/model=T4, zone=a"
    assert pod_facts.brief_selector == "model=T4, zone=a"


def test_large_inputs_are_read_beside_the_request(plain_run, monkeypatch):
    started = []
    monkeypatch.setattr(facts, "QUICK_OBJECTS", 3)
    monkeypatch.setattr(facts.threading, "Thread", lambda **how: started.append(how) or Stub())
    facts._kept.clear()
    assert facts.facts_if_ready(plain_run) is None
    assert len(started) == 1
    facts.facts_of(plain_run)
    assert facts.facts_if_ready(plain_run) is not None


class Stub:
    """A thread that does nothing."""

    def start(self):
        """Do not start."""


def test_what_a_change_of_a_branch_put_counts_from_there_on(execute, editor, workspace):
    origin = execute(cluster_of(2, 20), slug="branched")
    changes = [
        {"action": "patch", "object": node("node-0", "48") | {"spec": {"unschedulable": True}}},
        {"action": "put", "object": node("extra", "64")},
        {"action": "put", "object": pod("late", "2")},
    ]
    made = branch_run(editor.member, origin, Branching(90, changes))
    while execution.work():
        pass
    run = find_run(workspace, made.number)
    run_facts, before, end = facts.facts_of(run), 5, run.head.seq
    earlier = usage_at(run_facts, run, state_at(run, before))
    assert int(earlier.whole("cpu")[earlier.index["node-0"]]) == 16_000
    use = usage_at(run_facts, run, state_at(run, end))
    assert [int(use.whole("cpu")[use.index[name]]) for name in ("node-0", "node-1", "extra")] == [
        48_000,
        16_000,
        64_000,
    ]
    assert run_facts.pods.get("default/late", state_at(run, end).at).cpu == 2_000
    of_origin = facts.facts_of(origin)
    assert of_origin.nodes.get("node-0", state_at(origin, origin.head.seq).at).cpu == 16_000
