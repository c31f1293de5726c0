"""``capacity``: which groups let pods run, how many more fit, where drained pods go, what is not needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.cli.answers.capacity import run
from tests.scheduler_core.capacity.inputs import SHAPE, ZONE, Raw, node, node_pool, pod

if TYPE_CHECKING:
    from pathlib import Path

EKS = {"eks.amazonaws.com/nodegroup": "web"}
EVENT = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "d"},
    "reason": "NotTriggerScaleUp",
    "message": "pod didn't trigger scale-up: 1 max node group size reached",
    "involvedObject": {"kind": "Pod", "namespace": "d", "name": "big", "uid": "u-big"},
    "lastTimestamp": "2026-11-30T10:00:00Z",
}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b", "namespace": "d"},
    "spec": {"selector": {}, "maxUnavailable": 0},
    "status": {"disruptionsAllowed": 0},
}
OWNED = {
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "r", "controller": True}]
}
CLUSTER = (node("n1", labels=EKS), node("n2", labels=EKS), pod("p1", nodeName="n1"), pod("big", "2"), pod("huge", "9"))


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Returns a function that asks of these objects: exit status, and the JSON object or what stderr says."""

    def ask(objects: tuple[Raw, ...], *options: str, groups: Any = None) -> tuple[int, Any]:
        path = tmp_path / "cluster.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        more: list[str] = []
        if groups is not None:
            file = tmp_path / "groups.json"
            file.write_text(json.dumps({"apiVersion": "schedscope/v1", "kind": "NodeGroups", "groups": groups}))
            more = ["--groups", str(file)]
        capsys.readouterr()
        status = run([str(path), *options, *more, "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else err

    return ask


def full() -> tuple[Raw, ...]:
    """Return the cluster with no room for two processors, and an event of its autoscaler."""
    return (*CLUSTER, pod("p2", nodeName="n2"), EVENT)


def test_pending_pods_groups_and_the_autoscaler_s_words(asked):
    status, answer = asked(full(), "--pending")
    (web,) = answer["groups"]
    assert (status, answer["asked"]) == (0, ["d/big", "d/huge"])
    assert (web["name"], web["nodes"], web["pods"]) == ("web", 1, ["d/big"])
    assert web["is_proved"]
    assert [one["pod"] for one in web["refused"]] == ["d/huge"]
    assert [one["pod"] for one in answer["unplaced"]] == ["d/huge"]
    assert list(answer["words"]) == ["d/big"]
    assert "2026-11-30T10:00:00Z" in answer["words"]["d/big"]
    assert asked(full(), "--pending", "--exit-code")[0] == 3


def test_node_pools_and_what_is_not_known(asked):
    pools = node_pool("a", (SHAPE, "In", ["m5.large"]), limits={"cpu": "1"}), node_pool("b", (SHAPE, "In", ["x"]))
    _, answer = asked((*full(), *pools), "--pod", "d/big")
    a, web = answer["groups"]
    assert (a["name"], a["nodes"], a["codes"], web["nodes"]) == ("a", 0, ["GROUP_LIMITS"], 1)
    assert [one["name"] for one in answer["unknown"]] == ["NodePool b"]


def test_the_zone_of_a_volume_decides_between_the_groups_of_a_pool(asked):
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}]
    size = {"accessModes": ["ReadWriteOnce"]}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v"},
        "spec": {**size, "capacity": {"storage": "1Gi"}, "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "h"},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}},
    }  # fmt: skip
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "d", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {**size, "volumeName": "v", "resources": {"requests": {"storage": "1Gi"}}},
    }
    waiting = pod("w", volumes=[{"name": "x", "persistentVolumeClaim": {"claimName": "c"}}])
    pool = node_pool("p", (ZONE, "In", ["a", "b"]))
    _, answer = asked((node("n1"), pool, volume, claim, waiting), "--pending")
    assert [(one["name"], one["pods"]) for one in answer["groups"]] == [("p/a", []), ("p/b", ["d/w"])]
    assert answer["groups"][0]["codes"] == ["VOLUME_TOPOLOGY"]


def test_given_groups_and_their_mix(asked):
    groups = [
        {"name": "small", "like": "n1", "max": 1},
        {"name": "large", "price": 2, "template": {"status": {"allocatable": {"cpu": 10, "memory": "9Gi", "pods": 9}}}},
    ]
    _, answer = asked((*full(), pod("big2", "2")), "--pending", groups=groups)
    small, large = answer["groups"]
    assert (small["nodes"], small["codes"][-1:], large["nodes"], large["price"]) == (1, ["GROUP_MAXIMUM"], 2, 4.0)
    assert (sum(answer["mix"]["nodes"].values()), answer["mix"]["proved"]) == (2, "fewest")


def test_how_many_more_fit(asked):
    status, answer = asked(full(), "--fits", "d/p1")
    assert (status, answer["count"], answer["by_node"]) == (0, 2, {"n1": 1, "n2": 1})


def test_where_the_pods_of_a_drained_node_go(asked):
    owned = pod("p1", nodeName="n1")
    owned["metadata"] |= OWNED
    nodes = node("n1"), node("n2")
    status, answer = asked((*nodes, owned), "--drain", "n1", "--exit-code")
    assert (status, answer["moves"]) == (0, [{"pod": "d/p1", "from": "n1", "to": "n2"}])
    status, answer = asked((*nodes, owned, BUDGET), "--drain", "n1", "--exit-code")
    assert (status, [one["budget"] for one in answer["blocked"]]) == (3, ["d/b"])


def test_which_nodes_are_not_needed(asked):
    owned = pod("p1", nodeName="n1")
    owned["metadata"] |= OWNED
    _, answer = asked((node("n1"), node("n2"), owned), "--unneeded")
    assert [(one["name"], one["needed"], one["moves"]) for one in answer["nodes"]] == [
        ("n1", False, 1),
        ("n2", False, 0),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--pod", "d/nobody"], "no pod"),
        (["--fits", "d/nobody"], "no pod"),
        (["--drain", "n9"], "no node"),
        (["--pending", "--like", "n9"], "no node"),
    ],
)
def test_what_is_not_there_is_said(asked, options, said):
    status, err = asked(full(), *options)
    assert status == 1
    assert said in err


def test_a_pod_of_another_scheduler_is_not_counted(asked):
    status, err = asked((node("n1"), pod("p1", schedulerName="other")), "--fits", "d/p1")
    assert (status, 'the scheduler "other"' in err) == (1, True)


def test_a_cluster_without_pools_asks_for_groups(asked):
    status, err = asked((node("n1"), pod("big", "9")), "--pending")
    assert (status, "--groups" in err) == (1, True)


def test_a_wrong_field_of_the_groups_file_has_its_place(asked):
    status, err = asked(full(), "--pending", groups=[{"name": "a", "like": "n9"}])
    assert status == 1
    assert "groups.json:1: groups[0].like: " in err


@pytest.mark.parametrize("options", [[], ["--pending", "--unneeded"]])
def test_one_question_is_asked_at_a_time(options, capsys):
    with pytest.raises(SystemExit) as end:
        run(["x.json", *options])
    assert end.value.code == 2
    assert "--pending" in capsys.readouterr().err


def test_lines_say_the_same(tmp_path, capsys):
    path = tmp_path / "cluster.json"
    pools = [node_pool("b", (SHAPE, "In", ["x"]))]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*full(), *pools]}))
    assert run([str(path), "--pending"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for start in (
        "2 pods ",
        "web: 1 node ",
        "NodePool b: ",
        "no group helps d/huge",
        "of d/big the cluster autoscaler",
    ):
        assert [line for line in lines if line.startswith(start)]
