"""The obstacles of a pod on every node, whichever plugin was the first to refuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, PersistentVolumeClaim, StorageClass, Volume
from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.table import BareRefusal, OneOfTerms, obstacle_key
from scheduler_core.framework.contracts.facts import Fact, LabelFact, TaintFact
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import codes_by_node, table_of, trials_of

if TYPE_CHECKING:
    import pytest

CORDON = "node.kubernetes.io/unschedulable"


def test_every_plugin_that_would_refuse_counts_and_not_only_the_first() -> None:
    taints = ["sick=yes:NoExecute", "node-role.kubernetes.io/control-plane:NoSchedule"]
    nodes = [make_node("ctl", cpu="1", taints=taints), make_node("w", labels={"tier": "gold"})]
    with table_of(nodes, [make_pod("p", cpu="2", node_selector={"tier": "gold"})]) as table:
        assert codes_by_node(table) == {
            "ctl": ["SELECTOR_NO_MATCH", "SHORT_CPU", "TAINT_UNTOLERATED", "TAINT_UNTOLERATED"],
            "w": [],
        }
        subjects = {key.subject for key in table.by_row[0] if key.code == "TAINT_UNTOLERATED"}
        assert subjects == set(taints)


def test_a_cordon_and_the_taint_that_kubernetes_adds_for_it_are_one_obstacle() -> None:
    node = make_node("n", unschedulable=True, taints=[f"{CORDON}:NoSchedule"])
    with table_of([node], [make_pod("p")]) as table:
        assert list(table.by_row[0]) == [ObstacleKey("CORDONED", "spec.unschedulable")]


def test_both_effects_of_a_condition_s_taint_are_one_obstacle() -> None:
    key = "node.kubernetes.io/unreachable"
    with table_of([make_node("n", taints=[f"{key}:NoSchedule", f"{key}:NoExecute"])], [make_pod("p")]) as table:
        assert list(table.by_row[0]) == [ObstacleKey("TAINT_NODE_CONDITION", key)]


def test_several_terms_of_a_node_affinity_are_one_obstacle_as_one_term_is_enough() -> None:
    terms = tuple(NodeSelectorTerm((Requirement("zone", "In", (zone,)),)) for zone in ("a", "b"))
    pod = make_pod("p", affinity=Affinity(node_required=NodeSelector(terms)))
    with table_of([make_node("n")], [pod]) as table:
        ((key, obstacle),) = table.by_row[0].items()
        assert (key.code, type(obstacle.fact)) == ("AFFINITY_NO_MATCH", OneOfTerms)
        assert isinstance(obstacle.fact, OneOfTerms)
        assert [one.values for one in obstacle.fact.terms] == [("a",), ("b",)]


def test_each_requirement_of_the_only_term_is_an_obstacle_of_its_own() -> None:
    term = NodeSelectorTerm((Requirement("zone", "In", ("a",)), Requirement("disk", "Exists")))
    pod = make_pod("p", affinity=Affinity(node_required=NodeSelector((term,))))
    with table_of([make_node("n", labels={"zone": "b"})], [pod]) as table:
        assert codes_by_node(table) == {"n": ["AFFINITY_NO_MATCH"] * 2}


def test_what_prefilter_refuses_the_pod_for_is_on_every_node_and_hides_no_filter() -> None:
    nodes = [make_node("a", taints=["gpu:NoSchedule"]), make_node("b", cpu="1")]
    volumes = (Volume(name="v", claim_name="data"),)
    with table_of(nodes, [make_pod("p", cpu="2", volumes=volumes)]) as table:
        assert codes_by_node(table) == {
            "a": ["CLAIM_MISSING", "TAINT_UNTOLERATED"],
            "b": ["CLAIM_MISSING", "SHORT_CPU"],
        }
        assert {key.subject for key in table.whole} == {"default/data"}


def test_a_missing_claim_hides_no_other_claim_that_is_refused_too() -> None:
    at_once = PersistentVolumeClaim(name="late", storage_class_name="fast", access_modes=("ReadWriteOnce",))
    fast = StorageClass(name="fast", provisioner="csi.example.com", volume_binding_mode="Immediate")
    volumes = (Volume(name="v", claim_name="gone"), Volume(name="w", claim_name="late"))
    objects: dict[str, Any] = {"persistent_volume_claims": [at_once], "storage_classes": [fast]}
    with table_of([make_node("n")], [make_pod("p", volumes=volumes)], **objects) as table:
        assert {(key.code, key.subject) for key in table.by_row[0]} == {
            ("CLAIM_MISSING", "default/gone"),
            ("CLAIM_UNBOUND_IMMEDIATE", "default/late"),
        }


def test_nodes_that_a_plugin_sees_alike_get_one_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    facts = NodeAffinity.filter_facts

    def noted(self: NodeAffinity, state: Any, pod: Any, view: Any) -> Any:
        asked.append(view.node.name)
        return facts(self, state, pod, view)

    monkeypatch.setattr(NodeAffinity, "filter_facts", noted)
    labels: list[dict[str, str]] = [{"tier": "silver"}] * 20 + [{}] * 10
    nodes = [make_node(f"n{i}", labels=one) for i, one in enumerate(labels)]
    with table_of(nodes, [make_pod("p", node_selector={"tier": "gold"})]) as table:
        assert all(codes == ["SELECTOR_NO_MATCH"] for codes in codes_by_node(table).values())
    assert len(asked) == 2


def test_room_that_only_nominated_pods_take_is_held_by_them() -> None:
    rival = make_pod("rival", cpu="3", priority=10, nominated_node_name="n")
    nodes = [make_node("n", cpu="4")]
    with table_of(nodes, [rival, make_pod("p", cpu="2")]) as table:
        ((key, obstacle),) = table.by_row[0].items()
        assert (key.code, obstacle.by_nominated) == ("HELD_BY_NOMINATED", True)
    trials = trials_of(nodes, [rival, make_pod("p", cpu="2", priority=11)])
    assert trials.attempt("default/p").node == "n", "a pod of lower priority holds nothing against it"


class QuietFact(Fact, frozen=True, kw_only=True):
    """A fact of a plugin that declares no obstacles."""


def test_the_key_of_a_fact_is_its_code_subject_and_needs() -> None:
    label = LabelFact(
        key="tier", operator="In", values=("gold",), source="nodeSelector", met=False, code="SELECTOR_NO_MATCH",
        refuses=True,
    )  # fmt: skip
    assert obstacle_key(label, "NodeAffinity") == ObstacleKey(
        "SELECTOR_NO_MATCH", "spec.nodeSelector", (("tier", "gold"),)
    )
    taint = TaintFact(key=CORDON, value="", effect="NoSchedule", code="TAINT_NODE_CONDITION", refuses=True)
    assert obstacle_key(taint, "TaintToleration").code == "CORDONED"
    assert obstacle_key(QuietFact(refuses=True), "QuietNodes").code == "QuietNodes_REFUSED"


def test_a_refusal_without_facts_is_told_in_the_plugin_s_own_reasons() -> None:
    assert BareRefusal(plugin="QuietNodes", reasons=("too loud",), refuses=True).words() == "too loud"
    assert "QuietNodes" in BareRefusal(plugin="QuietNodes", refuses=True).words()


def test_a_plugin_that_raises_is_an_obstacle_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(self: NodeAffinity, cycle: Any, pod: Any) -> Any:
        raise ValueError("no such label")

    with table_of([make_node("n", cpu="1")], [make_pod("p", cpu="2")]) as table:
        monkeypatch.setattr(NodeAffinity, "pre_filter", raising)
        again = type(table)(table.trials, table.base)
        assert codes_by_node(again) == {"n": ["PLUGIN_FAILED", "SHORT_CPU"]}
