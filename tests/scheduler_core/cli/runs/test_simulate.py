"""The simulate command: placements, pending pods with reasons, and one clear line for bad input."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from scheduler_core.cli.runs.simulate import run
from tests.scheduler_core.engine.consequences.rollout_runs import stuck_files

CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: c, resources: {requests: {cpu: "8"}}}]}
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER)
    return str(path)


def test_it_prints_placements_reasons_and_the_hash(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([cluster]) == 0
    output = capsys.readouterr().out
    assert "default/small  n1" in output
    assert "default/large: 0/1 nodes" in output
    assert "recording hash " in output


def test_json_holds_the_same(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([cluster, "--json", "--seed", "3"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["placements"] == {"default/small": "n1"}
    assert list(printed["pending"]) == ["default/large"]
    assert len(printed["recording_hash"]) == 64


CHANGES = """
changes:
- {action: patch, object: {kind: Pod, metadata: {name: small}, spec: {priority: 7}}}
- action: put
  object: {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "16", memory: 4Gi, pods: "9"}}}
"""


def test_a_branch_carries_out_its_changes_and_says_where_it_begins(
    cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = tmp_path / "changes.yaml"
    changes.write_text(CHANGES)
    assert run([cluster, "--changes", str(changes), "--at", "6"]) == 0
    printed = capsys.readouterr()
    assert "default/large  n2" in printed.out
    assert all(part in printed.err for part in ("Event 6 ", "cycle 1.", "event 2."))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("changes: 3", [], "changes.yaml:1: changes: "),
        (
            "changes:\n- object: {apiVersion: v1, kind: Pod,\n    metadata: {name: a},\n    spec: {nodeName: 3}}",
            [],
            "changes.yaml:4: changes[0].object: Pod default/a: spec.nodeName:",
        ),
        ("changes: []", ["--at", "9999"], "no event 9,999"),
        ("a: 1\n---\nb: 2", [], "One file holds one list of changes"),
    ],
)
def test_changes_that_cannot_be_are_refused_with_their_line(
    cluster: str, tmp_path: Path, text: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = tmp_path / "changes.yaml"
    changes.write_text(text)
    assert run([cluster, "--changes", str(changes), *options]) == 1
    assert message in capsys.readouterr().err


def test_a_place_without_changes_is_refused(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([cluster, "--at", "5"]) == 1
    assert "--changes FILE" in capsys.readouterr().err


def test_a_run_cut_short_does_not_exit_with_success(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([cluster, "--max-cycles", "1"]) == 1
    assert "limit of 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CLUSTER.replace('cpu: "8"', "cpu: 4 cores"), "4 cores"),
        ("{", "cut off"),
        ("{x: [", "this is no"),
    ],
)  # fmt: skip
def test_bad_files_name_the_file_and_the_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert run([str(path)]) == 1
    errors = capsys.readouterr().err
    assert "bad.yaml" in errors
    assert message in errors
    assert "Traceback" not in errors


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["nowhere.yaml"]) == 1
    assert capsys.readouterr().err == f"nowhere.yaml: cannot be read: {os.strerror(errno.ENOENT)}\n"


def test_a_bad_configuration_is_refused(cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n")
    assert run([cluster, "--config", str(config)]) == 1
    assert "v1beta1" in capsys.readouterr().err


def test_a_bad_timeline_is_refused(cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    timeline = tmp_path / "timeline.yaml"
    timeline.write_text("entries: [{at: later}]")
    assert run([cluster, "--timeline", str(timeline)]) == 1
    assert "timeline.yaml:1: entries[0].at" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entries: ]", "timeline.yaml:1: "),
        ("entries: []\nentries: []", "timeline.yaml:2: entries: the key entries is given twice"),
        (
            "a: &a [x, x]\nb: &b [*a, *a]\nentries: !!python/object:os.system {}",
            "timeline.yaml:3: entries: the YAML tag",
        ),
        ("entries: []\n---\nentries: []", "timeline.yaml: there are 2 documents"),
    ],
)
def test_a_timeline_is_read_as_carefully_as_a_manifest(cluster, tmp_path, capsys, text, message) -> None:
    timeline = tmp_path / "timeline.yaml"
    timeline.write_text(text)
    assert run([cluster, "--timeline", str(timeline)]) == 1
    assert message in capsys.readouterr().err


def test_a_timeline_knows_the_classes_of_a_typed_list(cluster: str, tmp_path: Path) -> None:
    classes = tmp_path / "classes.json"
    items = [{"metadata": {"name": "high"}, "value": 9}]
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClassList"}
    classes.write_text(json.dumps({**kind, "items": items}))
    timeline = tmp_path / "timeline.yaml"
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "late"}, "spec": {"priorityClassName": "high"}}
    pod["spec"]["containers"] = [{"name": "c"}]  # type: ignore[index]
    timeline.write_text(json.dumps({"entries": [{"at": "1s", "object": pod}]}))
    assert run([cluster, str(classes), "--timeline", str(timeline)]) == 0


CASES = Path(__file__).parents[2] / "engine" / "cases"
PREEMPTED = [str(CASES / "deployment.yaml"), "--timeline", str(CASES / "deployment-timeline.yaml")]


def test_pods_that_are_gone_and_replicas_that_are_missing_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(PREEMPTED) == 0
    out = capsys.readouterr().out
    assert "GONE (2)" in out
    assert ": preempted by default/hi" in out
    assert "default/d: 0 of 2" in out
    assert run([*PREEMPTED, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["missing"] == [{"workload": "Deployment default/d", "wanted": 2, "bound": 0}]
    assert set(printed["gone"].values()) == {"preempted by default/hi"}


def test_policies_are_named_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*PREEMPTED, "--policy", "owners=ignore", "--policy", "job_running_us=none"]) == 0
    assert "default/d has 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("owner=keep", '"owner=keep" is no policy; write NAME=VALUE with one of node_search'),
        ("owners", '"owners" is no policy'),
        ("owners=sell", "Invalid enum value 'sell' - at `$.owners`"),
    ],
)
def test_a_wrong_policy_is_one_line(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    assert run([*PREEMPTED, "--policy", text]) == 1
    assert capsys.readouterr().err.startswith("--policy: ")
    assert run([*PREEMPTED, "--policy", text]) == 1
    assert message in capsys.readouterr().err


CASES = Path(__file__).parents[3] / "cases"


def test_a_plugin_that_is_not_installed_is_left_out_on_request(tmp_path, capsys) -> None:
    config = CASES / "configurations" / "schedconfig-v1-noderesourcesallocatable.yaml"
    files = [str(CASES / "two-nodes-seed-002.yaml"), "--config", str(config)]
    assert run(files) == 1
    said = capsys.readouterr().err
    assert "kubernetes-sigs/scheduler-plugins" in said
    assert f"{files[-1]} without NodeResourcesAllocatable" in said
    assert run([*files, "--leave-out-unknown", "--json"]) == 0
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)["placements"]) == ["default/p"]
    assert "without NodeResourcesAllocatable: " in captured.err


def test_an_older_version_leads_to_its_conversion(capsys) -> None:
    config = CASES / "configurations" / "schedconfig-v1beta3-trimaran.yaml"
    assert run([str(CASES / "two-nodes-seed-002.yaml"), "--config", str(config)]) == 1
    assert f"validate --as config {config}" in capsys.readouterr().err


def test_pods_of_other_schedulers_are_counted_and_served_on_request(cluster, tmp_path, capsys) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: foreign},"
        " spec: {schedulerName: volcano, containers: [{name: c}]}}"
    )
    assert run([cluster, str(other), "--json"]) == 0
    captured = capsys.readouterr()
    assert "scheduler volcano, " in captured.err
    assert "left pending" in captured.err
    assert "scheduler: volcano" in json.loads(captured.out)["pending"]["default/foreign"]
    assert run([cluster, str(other), "--json", "--serve-others", "default-scheduler"]) == 0
    captured = capsys.readouterr()
    assert "pods of default-scheduler" in captured.err
    assert json.loads(captured.out)["placements"]["default/foreign"] == "n1"
    assert run([cluster, str(other), "--serve-others", "nobody"]) == 1
    assert "no profile nobody" in capsys.readouterr().err


def test_bound_pods_of_other_schedulers_stay_on_their_nodes_on_request(cluster, tmp_path, capsys) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: foreign},"
        " spec: {nodeName: n1, schedulerName: volcano, containers: [{name: c}]}}"
    )
    assert run([cluster, str(other), "--json", "--schedule", "all"]) == 0
    captured = capsys.readouterr()
    assert "scheduler volcano, " in captured.err
    assert "left pending" in captured.err
    assert "default/foreign" in json.loads(captured.out)["pending"]
    assert run([cluster, str(other), "--json", "--schedule", "all", "--others-bound"]) == 0
    captured = capsys.readouterr()
    assert "scheduler volcano, " in captured.err
    assert "bound as" in captured.err
    assert "default/foreign" not in json.loads(captured.out)["pending"]
    with pytest.raises(SystemExit):
        run([cluster, "--others-bound", "--serve-others", "default-scheduler"])


FOREIGN = "{apiVersion: v1, kind: Pod, metadata: {name: f}, spec: {schedulerName: volcano, containers: [{name: c}]}}"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--at 5", "--at: says where a branch begins. Give its changes by --changes FILE\n"),
        ("--changes CHANGES --at 6", "Event 6 is inside cycle 1. The branch begins before it, with event 2.\n"),
        ("FOREIGN",
         "pods of scheduler volcano, which no profile serves: 1, left pending (--serve-others PROFILE decides "
         "them)\n"),
        ("FOREIGN --serve-others default-scheduler",
         "pods of scheduler volcano, which no profile serves: 1, decided as pods of default-scheduler\n"),
    ],
)  # fmt: skip
def test_words_beside_the_report(cluster: str, tmp_path: Path, capsys, arguments: str, text: str) -> None:
    for name, content in (("CHANGES", CHANGES), ("FOREIGN", FOREIGN)):
        (tmp_path / name).write_text(content)
    files = {name: str(tmp_path / name) for name in ("CHANGES", "FOREIGN")}
    run([cluster, *(files.get(word, word) for word in arguments.split())])
    lines = capsys.readouterr().err.splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("kube-scheduler ")) == text


def test_a_stuck_rollout_is_said_once_with_its_pod(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = stuck_files(tmp_path)
    assert run([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (rollout,) = printed["rollouts"]
    assert rollout["state"]["pending"] == list(printed["pending"])
    assert rollout["text"] in printed["finished"]
    assert printed["finished"].count("pending") == 0
    assert run(arguments) == 0
    output = capsys.readouterr().out
    assert "WITHOUT A NODE" not in output
    assert f"{rollout['state']['pending'][0]}: 0/1 nodes" in output
