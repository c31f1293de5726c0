"""Where the form of the input hides the rule that decides, the real scheduler's message is the cause."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.unplayed import InputGap
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.doubts.unprinted import unprinted_cause
from scheduler_core.manifests import load_manifests

POD = "default/p"
HIDDEN = InputGap(
    code="FIELDS",
    text="pod default/p: no affinity is printed",
    plugins=("NodeAffinity", "InterPodAffinity", "SchedulingGates", "PodTopologySpread"),
    command="kubectl get pod p -o yaml",
    objects=(f"v1/Pod/{POD}",),
)
CLAIMS = InputGap(
    code="CLAIMS", text="claim c: no volume is printed", plugins=("VolumeBinding",), command="kubectl get pv"
)
NO_NODES = InputGap(code="NODES", text="no node is described", command="kubectl describe nodes")
OURS = ObstacleSet(codes=("SHORT_CPU",), plugins=("NodeResourcesFit",), text="Too little cpu.")


def inputs(said: str | None, gaps: list[InputGap], n_nodes: int = 3, **spec: Any) -> RunInputs:
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"}} for i in range(n_nodes)]
    containers = [{"name": "c", "image": "i"}]
    owner = spec.pop("owner", None)
    metadata: dict[str, Any] = {"name": "p", "namespace": "default"}
    if owner:
        version = {"apiVersion": "apps/v1", "uid": "u", "controller": True}
        metadata["ownerReferences"] = [{"kind": owner, "name": "o", **version}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}
    loaded = load_manifests([*nodes, pod])
    assert loaded.errors == []
    loaded.unplayed.gaps = gaps
    loaded.unplayed.said = {} if said is None else {POD: said}
    return RunInputs(objects=loaded.objects, unplayed=loaded.unplayed)


def cause(there: RunInputs, ours: ObstacleSet | None = None, message: str = "") -> ObstacleSet | None:
    return unprinted_cause(there.objects.pods[0], there, ours, message)


def message(*parts: str, nodes: int = 3) -> str:
    return f"0/{nodes} nodes are available: {', '.join(parts)}. preemption: 0/{nodes} nodes are available: {nodes} x."


@pytest.mark.parametrize(
    ("parts", "codes", "either"),
    [
        (["3 node(s) didn't match pod affinity rules"], ("AFFINITY_NO_POD",), {"AFFINITY_KEY_MISSING"}),
        (["3 node(s) didn't match Pod's node affinity/selector"], ("AFFINITY_NO_MATCH",), set()),
        (["3 node(s) didn't match pod topology spread constraints"], ("SPREAD_SKEW",), {"SPREAD_MIN_DOMAINS"}),
    ],
)
def test_a_pod_that_the_engine_places_has_the_hidden_cause(parts, codes, either) -> None:
    answer = cause(inputs(message(*parts), [HIDDEN]))
    assert answer is not None
    assert answer.codes == codes
    assert {code for one in answer.either for code in one.codes} >= either
    assert (answer.obstacles[0].nodes.count, answer.opens.count) == (3, 0)
    assert answer.obstacles[0].needs["shownBy"] == HIDDEN.command


def test_a_part_about_the_whole_pod_is_a_cause() -> None:
    answer = cause(inputs("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", [CLAIMS]))
    assert answer is not None
    assert "CLAIM_UNBOUND_IMMEDIATE" in {code for one in (answer, *answer.either) for code in one.codes}


def test_the_engine_s_cause_stays_where_a_node_is_counted_under_a_rule_that_is_shown() -> None:
    said = message("1 Insufficient cpu", "2 node(s) didn't match pod affinity rules")
    assert cause(inputs(said, [HIDDEN]), OURS, message("3 Insufficient cpu")) is OURS


def test_where_all_nodes_have_the_hidden_rule_both_are_the_cause() -> None:
    said = message("3 node(s) didn't match pod affinity rules")
    answer = cause(inputs(said, [HIDDEN]), OURS, message("3 Insufficient cpu"))
    assert answer is not None
    assert answer.codes == ("AFFINITY_NO_POD", "SHORT_CPU")


def test_an_equal_message_changes_nothing() -> None:
    said = message("3 node(s) didn't match pod topology spread constraints")
    assert cause(inputs(said, [HIDDEN]), OURS, said) is OURS


def test_a_rule_that_the_input_shows_is_no_hidden_one() -> None:
    assert cause(inputs(message("3 node(s) had untolerated taint(s)"), [HIDDEN])) is None
    assert cause(inputs(message("3 node(s) didn't match pod affinity rules"), [])) is None
    assert cause(inputs(None, [HIDDEN])) is None


def test_without_nodes_all_parts_are_causes_and_the_control_plane_s_is_the_last() -> None:
    taint = "4 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"
    answer = cause(inputs(message("3 Insufficient cpu", taint, nodes=7), [NO_NODES], n_nodes=0), OURS)
    assert answer is not None
    assert answer.codes == ("SHORT_CPU",)
    assert [one.codes[0] for one in answer.also] == ["TAINT_UNTOLERATED"]
    assert "7 nodes" in answer.text
    assert NO_NODES.command in answer.text


def test_of_a_daemon_set_s_pod_the_other_parts_are_about_its_node() -> None:
    said = message("1 Too many pods", "2 node(s) didn't satisfy plugin(s) [NodeAffinity]")
    answer = cause(inputs(said, [HIDDEN], owner="DaemonSet"))
    assert answer is not None
    assert (answer.codes, answer.also) == (("SHORT_PODS",), ())


def test_a_condition_without_any_message_looks_like_a_gate() -> None:
    answer = cause(inputs("", [HIDDEN]))
    assert answer is not None
    assert (answer.codes, answer.stage) == (("GATED",), "queue")
    assert cause(inputs("", [CLAIMS])) is None
