"""``why``: the answers of one pod on the command line; bad input is one clear line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scheduler_core.cli.answers.why import run
from tests.scheduler_core.engine.consequences.rollout_runs import stuck_files

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
spec: {taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: default}
spec: {priority: 5, containers: [{name: c, image: x, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: second, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
"""

FULL = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: high, namespace: default}
spec: {nodeName: a, priority: 100, containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: low, namespace: default}
spec: {priority: 10, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER)
    return str(path)


def test_a_pending_pod_is_explained(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second"]) == 0
    output = capsys.readouterr().out
    for part in (
        "BECAUSE  ",
        "SHORT_CPU, filter; ",
        "OR  ",
        "gpu=yes:NoSchedule",
        "NEXT  ",
        "1 SHORT_CPU (a)",
        "REMEDIES",
    ):
        assert part in output
    for part in ("default/first, priority 5: ", "1 pod, 3 cpu", "timer: "):
        assert part in output


def test_a_node_is_told_with_every_plugin_and_its_facts(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second", "--node", "b"]) == 0
    output = capsys.readouterr().out
    assert "NODE b: refused" in output
    assert "taint gpu=yes:NoSchedule" in output
    assert "2 cpu, 8" in output


def test_a_node_stands_beside_the_one_that_was_taken(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/first", "--node", "b"]) == 0
    output = capsys.readouterr().out
    assert "not b, cycle 1" in output
    assert "b: refused by" in output
    assert "(computed now)" in output
    assert "REQUEST OF cpu" in output


def test_two_nodes_stand_beside_each_other(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second", "--node", "b", "--node", "a", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [one["node"] for one in printed["choice"]["rivalry"]["rivals"]] == ["b", "a"]
    assert (printed["node"]["node"], [one["node"] for one in printed["further"]]) == ("b", ["a"])
    leads = printed["choice"]["rivalry"]["leads"]
    assert sum(one["points"] for one in leads) == printed["choice"]["rivalry"]["lead"]


def test_a_remedy_by_preemption_says_who_goes_and_not_that_no_node_fits(tmp_path, capsys) -> None:
    (tmp_path / "full.yaml").write_text(FULL, encoding="utf-8")
    assert run([str(tmp_path / "full.yaml"), "--pod", "default/low"]) == 0
    output = capsys.readouterr().out
    (line,) = [line for line in output.splitlines() if "it then preempts default/high on a" in line]
    assert line.startswith("workload: Raise its priority to 101")
    assert "0 nodes fit" not in output


def test_a_pod_of_a_cluster_without_nodes_is_told_so(tmp_path, capsys) -> None:
    (tmp_path / "pod.yaml").write_text(FULL.rpartition("---")[2], encoding="utf-8")
    assert run([str(tmp_path / "pod.yaml"), "--pod", "default/low"]) == 0
    output = capsys.readouterr().out
    assert "NO_NODES, prefilter; " in output
    assert "MESSAGE  no nodes" in output
    assert "none was found" in output


def test_json_has_the_same_answers_typed(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second", "--node", "a", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["schema"], printed["cause"]["codes"]) == (1, ["SHORT_CPU"])
    assert printed["cause"]["also"][0]["codes"] == ["TAINT_UNTOLERATED"]
    fit = next(one for one in printed["node"]["filters"] if one["plugin"] == "NodeResourcesFit")
    cpu = next(one["fact"] for one in fit["facts"] if one["fact"]["resource"] == "cpu")
    assert (cpu["asked"], cpu["requested"], cpu["allocatable"]) == (2000, 3000, 4000)
    assert cpu["holders"][0]["pod"] == "default/first"
    assert printed["taken"]["takers"][0]["requested"]["cpu"] == 3000
    assert printed["wakes"]["timers"][0]["kind"] == "unschedulable flush"


def test_a_pod_with_a_node_says_when_and_in_which_attempt_it_got_it(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/first"]) == 0
    output = capsys.readouterr().out
    assert "default/first: placed on a" in output
    assert "at 00:00:00.005" in output
    assert "in attempt 1" in output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--pod", "second"], "--pod: second is not of the form NAMESPACE/NAME"),
        (
            ["--pod", "default/nobody"],
            "--pod: there is no pod default/nobody in these files, nor was one made in the run",
        ),
        (["--pod", "default/second", "--node", "z"], "--node: "),
        (["--pod", "default/second", "--attempt", "9"], "--attempt: default/second was tried 2 times, not 9"),
        (["--pod", "default/second", "--preset", "none"], "--preset: "),
    ],
    ids=["form", "pod", "node", "attempt", "preset"],
)
def test_bad_input_is_one_clear_line(cluster, capsys, arguments, line) -> None:
    assert run([cluster, *arguments]) == 1
    (error_line,) = capsys.readouterr().err.splitlines()
    assert error_line.startswith(line)


def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path, capsys) -> None:
    assert run([str(tmp_path / "none.yaml"), "--pod", "default/p"]) == 1
    assert "cannot be read" in capsys.readouterr().err


def told_of(capsys, *arguments) -> dict:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_attempt_is_told_as_of_then(cluster, capsys) -> None:
    """--attempt: what came after it is not known yet."""
    last = told_of(capsys, cluster, "--pod", "default/second")
    first = told_of(capsys, cluster, "--pod", "default/second", "--attempt", "1")
    assert [len(one["pending"]["attempts"]) for one in (first, last)] == [1, 2]
    assert first["pending"]["at"] < last["pending"]["at"]


def test_a_timeline_is_carried_out(cluster, tmp_path, capsys) -> None:
    """--timeline: the pod that took the room is deleted, so the one that waited is placed."""
    path = tmp_path / "timeline.yaml"
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: first, namespace: default}, spec: {containers: [{name: c}]}}"
    path.write_text(f"entries: [{{at: 30s, action: delete, object: {pod}}}]")
    answer = told_of(capsys, cluster, "--pod", "default/second", "--timeline", str(path))
    assert (answer["pending"]["state"], answer["pending"]["node"]) == ("placed", "a")


def test_a_configuration_decides(cluster, tmp_path, capsys) -> None:
    """--config: without the plugin of taints the larger node takes the pod."""
    path = tmp_path / "config.yaml"
    path.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {multiPoint: {disabled: [{name: TaintToleration}]}}}]"
    )
    assert told_of(capsys, cluster, "--pod", "default/first")["pending"]["node"] == "a"
    assert told_of(capsys, cluster, "--pod", "default/first", "--config", str(path))["pending"]["node"] == "b"


def test_a_preset_gives_the_scores(tmp_path, capsys) -> None:
    """--preset: the plugins that score a node are those of the preset."""
    path = tmp_path / "open.yaml"
    path.write_text(CLUSTER.replace('spec: {taints: [{key: gpu, value: "yes", effect: NoSchedule}]}\n', ""))
    names = []
    for preset in ("default", "least-requested-2017"):
        answer = told_of(capsys, str(path), "--pod", "default/first", "--node", "a", "--preset", preset)
        names.append({one["plugin"] for one in answer["node"]["scores"]})
    assert "NodeResourcesFit" in names[0] - names[1]
    assert "LeastRequestedPriority" in names[1] - names[0]


def test_all_pods_are_scheduled_as_if_none_were_bound(tmp_path, capsys) -> None:
    """--schedule: a bound pod stays, or takes part."""
    path = tmp_path / "bound.yaml"
    path.write_text(CLUSTER.replace("spec: {priority: 5,", "spec: {nodeName: b, priority: 5,"))
    for schedule, node in (("pending", "b"), ("all", "a")):
        answer = told_of(capsys, str(path), "--pod", "default/first", "--schedule", schedule)
        assert answer["pending"]["node"] == node


def test_a_seed_draws_among_equals(tmp_path, capsys) -> None:
    """--seed: the same one draws the same node, others do not always."""
    path = tmp_path / "equal.yaml"
    nodes = [
        f"apiVersion: v1\nkind: Node\nmetadata: {{name: n{i}}}\nstatus: {{allocatable: {{cpu: 4, pods: 10}}}}"
        for i in range(4)
    ]
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\nspec: {containers: [{name: c}]}"
    path.write_text("\n---\n".join([*nodes, pod]))

    def node(seed: int) -> str:
        return str(told_of(capsys, str(path), "--pod", "default/p", "--seed", str(seed))["pending"]["node"])

    drawn = [node(seed) for seed in range(6)]
    assert drawn == [node(seed) for seed in range(6)]
    assert len(set(drawn)) > 1


def test_pods_that_came_with_a_node_have_no_cycle(cluster, tmp_path, capsys) -> None:
    path = tmp_path / "timeline.yaml"
    path.write_text(f"entries: [{', '.join(WEB.format(i, node) for i, node in enumerate(('nodeName: a,', '', '')))}]")
    assert run([cluster, "--pod", "default/second", "--timeline", str(path)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "web" in line and "priority 9:" in line]
    owner, counted = line.split(": ")
    assert owner == "default/ReplicaSet web, priority 9"
    assert counted.split(", ")[:3] == ["3 pods", "0.3 cpu", "cycles 3 to 4"]


WEB = (
    "{{at: 10s, object: {{apiVersion: v1, kind: Pod, metadata: {{name: web-{}, namespace: default, ownerReferences: "
    "[{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: true}}]}}, "
    "spec: {{priority: 9, {} containers: [{{name: c, resources: {{requests: {{cpu: 100m}}}}}}]}}}}}}"
)


@pytest.mark.parametrize(
    ("option", "text", "line"),
    [
        ("", CLUSTER.replace('cpu: "2"', 'cpu: "2x"'), ":21: Pod default/second: spec.containers[0].resources."),
        (
            "--timeline",
            "entries:\n- at: 1s\n  object:\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: p}\n"
            "    spec:\n      containers:\n      - name: c\n        resources: {requests:\n          {cpu: 2x}}",
            ":11: entries[0].object: Pod default/p: spec.containers[0].resources.requests.cpu: ",
        ),
        ("--timeline", "---\n---\nentries:\n- at: soon", ':4: entries[0].at: "soon" is no time'),
        (
            "--config",
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n"
            "    score:\n      enabled:\n      - name: NodeResourcesFit\n        weight: -4",
            ":8: KubeSchedulerConfiguration: profiles[0].plugins.score.enabled[0].weight: ",
        ),
    ],
    ids=["a cluster", "an object of a timeline", "the time of an entry", "a configuration"],
)
def test_errors_name_file_line_object_and_field(cluster, tmp_path, capsys, option, text, line) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    files = [cluster, option, str(path)] if option else [str(path)]
    assert run([*files, "--pod", "default/second"]) == 1
    assert f"{path}{line}" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--seed", "x"], ["--schedule", "some"], ["--config", "a", "--preset", "b"], []])
def test_a_wrong_command_line_is_refused_with_the_usage(cluster, capsys, arguments) -> None:
    with pytest.raises(SystemExit, match="2"):
        run([cluster, *(["--pod", "default/second"] if arguments else []), *arguments])
    assert "usage: " in capsys.readouterr().err


def test_a_change_of_one_s_own_is_judged_by_the_queue_and_tried(cluster, capsys) -> None:
    changes = ["--would", "untaint-node b gpu", "--would", "label-node a disk=ssd"]
    assert run([cluster, "--pod", "default/second", *changes]) == 0
    output = capsys.readouterr().out
    asked = [line for line in output.splitlines() if line.startswith("WOULD IT HELP")]
    assert ["gpu=yes:NoSchedule" in asked[0], "disk=ssd" in asked[1]] == [True, True]
    assert "NodeUpdateNodeTaint" in output
    assert run([cluster, "--pod", "default/second", *changes, "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["would"]
    assert (first["found"]["wakes"], first["found"]["fits"], first["found"]["node"]) == (True, True, "b")
    assert (second["found"]["wakes"], second["found"]["fits"]) == (False, False)


@pytest.mark.parametrize(
    ("pod", "change", "message"),
    [
        ("second", "grow-node x cpu=1", "no node x"),
        ("second", "grow-node a cpu", "an amount is key=value"),
        ("first", "request cpu=1", "default/first does not wait in the queue; it is placed"),
    ],
)
def test_a_change_that_cannot_be_made_is_one_clear_line(cluster, capsys, pod, change, message) -> None:
    assert run([cluster, "--pod", f"default/{pod}", "--would", change]) == 1
    assert message in capsys.readouterr().err


def test_a_pod_that_is_gone_by_the_input_is_answered_by_what_took_it(tmp_path, capsys):
    files = tmp_path / "gone.yaml"
    files.write_text(GONE)
    assert run([str(files), "--pod", "default/ended", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["cause"], answer["departure"]["code"]) == (None, "EVICTED_NODE_PRESSURE")
    assert run([str(files), "--pod", "default/victim"]) == 0
    out = capsys.readouterr().out
    assert "gone before" in out
    for part in ("preempted by 1234", "n1. ", "2026-11-01 10:00:00 UTC"):
        assert part in out
    assert run([str(files), "--pod", "default/ending", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["departure"]["code"] == "EVICTED_BY_API"
    assert run([str(files), "--pod", "default/none"]) == 1


GONE = """\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: ended, namespace: default}
  spec: {nodeName: n1, containers: [{name: c, image: i}]}
  status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory."}
- apiVersion: v1
  kind: Pod
  metadata: {name: ending, namespace: default, deletionTimestamp: "2026-11-01T10:00:00Z"}
  spec: {nodeName: n1, containers: [{name: c, image: i}]}
  status: {phase: Running, conditions: [{type: DisruptionTarget, status: "True", reason: EvictionByEvictionAPI}]}
- apiVersion: v1
  kind: Event
  metadata: {name: e1, namespace: default}
  involvedObject: {kind: Pod, namespace: default, name: victim, uid: u1}
  reason: Preempted
  message: Preempted by pod 1234 on node n1
  lastTimestamp: "2026-11-01T10:00:00Z"
"""


def test_the_real_scheduler_s_message_stands_beside_the_answer(tmp_path, capsys):
    files = tmp_path / "refused.yaml"
    files.write_text(
        GONE
        + """\
- apiVersion: v1
  kind: Pod
  metadata: {name: refused, namespace: default}
  spec: {containers: [{name: c, image: i}]}
  status:
    phase: Pending
    conditions:
    - {type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: 3 Too many pods."}
"""
    )
    assert run([str(files), "--pod", "default/refused", "--json"]) == 0
    real = json.loads(capsys.readouterr().out)["real"]
    assert (real["verdict"], real["node"], real["compared"]["real_nodes"]) == ("placed", "n1", 3)


def test_a_workload_whose_rollout_is_stuck_is_asked_about_and_its_pod_says_so(tmp_path: Path, capsys) -> None:
    arguments = [*stuck_files(tmp_path), "--json", "--pod"]
    assert run([*arguments, "default/web"]) == 0
    of_owner = json.loads(capsys.readouterr().out)
    (pod,) = of_owner["rollout"]["pending"]
    assert (of_owner["pending"]["state"], of_owner["cause"]["codes"]) == ("rollout stuck", ["SHORT_CPU"])
    assert of_owner["cause"]["also"][0]["codes"] == ["NOT_CREATED_STRATEGY"]
    assert run([*arguments, pod]) == 0
    of_pod = json.loads(capsys.readouterr().out)
    assert (of_pod["pending"]["state"], of_pod["rollout"]) == ("pending", of_owner["rollout"])
