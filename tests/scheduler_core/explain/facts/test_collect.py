"""Facts equal an independent recount from the objects, on every node of every cycle of generated runs."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from scheduler_core.api.objects import Taint
from scheduler_core.explain.facts import NodeFacts, node_facts
from scheduler_core.framework.contracts import facts as f
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts import recount
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs


def _of(node: NodeFacts, plugin: str) -> tuple[f.Fact, ...]:
    """The filter's facts about the node; none where it was skipped or not asked, or refused the pod itself."""
    of_plugin = next(one for one in node.filters if one.plugin == plugin)
    return () if of_plugin.whole_pod else tuple(one.fact for one in of_plugin.facts)


def _not_asked(node: NodeFacts, plugin: str) -> bool:
    return next(one for one in node.filters if one.plugin == plugin).verdict in ("skipped", "not asked")


@pytest.mark.slow
def test_nothing_computed_differs_from_what_was_recorded(cycles_with_facts) -> None:
    differences = [
        (met.number, node.node, one.plugin, one.difference)
        for met, nodes, _ in cycles_with_facts
        for node in nodes
        for one in (*node.filters, *node.scores)
        if one.difference
    ]
    assert differences == []


def test_every_plugin_was_met(cycles_with_facts) -> None:
    refusing = Counter(one.plugin for _, nodes, _ in cycles_with_facts for node in nodes for one in node.refusing)
    assert {"NodeResourcesFit", "NodeAffinity", "TaintToleration", "NodeUnschedulable", "NodePorts"} <= refusing.keys()
    promised = [
        fact
        for _, nodes, _ in cycles_with_facts
        for node in nodes
        for fact in _of(node, "NodeResourcesFit")
        if isinstance(fact, f.ResourceFact) and fact.promised
    ]
    assert promised, "some node was promised to a nominated pod"


def test_resources_are_recounted(cycles_with_facts) -> None:
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "NodeResourcesFit")
            if not facts:
                continue
            expected = recount.resources(met.pod, cluster.nodes[node.node], cluster)
            assert {
                fact.resource: (
                    fact.asked,
                    fact.allocatable,
                    fact.requested,
                    fact.promised,
                    {holder.pod: holder.amount for holder in fact.holders},
                    fact.refuses,
                )
                for fact in facts
            } == expected


def test_labels_are_recounted(cycles_with_facts) -> None:
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "NodeAffinity")
            if not facts:
                continue
            expected = recount.labels(met.pod, cluster.nodes[node.node])
            assert [(x.source, x.key, x.operator, x.values, x.value, x.met, x.term) for x in facts] == expected
            terms = {(x.source, x.term) for x in facts if x.source != "nodeSelector"}
            unmet = {(x.source, x.term) for x in facts if not x.met}
            selected = all(x.met for x in facts if x.source == "nodeSelector")
            assert any(x.refuses for x in facts) == (not selected or (bool(terms) and terms <= unmet))


def test_taints_are_recounted(cycles_with_facts) -> None:
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "TaintToleration")
            if _not_asked(node, "TaintToleration"):
                continue
            against = [(x.key, x.value, x.effect) for x in facts if x.refuses]
            assert against == recount.untolerated(met.pod, cluster.nodes[node.node], ("NoSchedule", "NoExecute"))
            for fact in facts:
                assert (fact.by is None) == fact.refuses == (fact.missing is not None)


def test_what_a_missing_toleration_names_would_let_the_taint_pass(cycles_with_facts) -> None:
    missing = [
        fact
        for _, nodes, _ in cycles_with_facts
        for node in nodes
        for fact in _of(node, "TaintToleration")
        if fact.missing
    ]
    assert missing
    for fact in missing:
        pod = make_pod("p", tolerations=(fact.missing,))
        node = make_node("n", taints=[msgspec.convert(_taint(fact), type=Taint)])
        assert recount.untolerated(pod, node, (fact.effect,)) == []


def _taint(fact: f.TaintFact) -> dict[str, str]:
    return {"key": fact.key, "value": fact.value, "effect": fact.effect}


def test_holders_of_ports_are_recounted(cycles_with_facts) -> None:
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "NodePorts")
            expected = recount.ports(met.pod, cluster.nodes[node.node], cluster) if facts else {}
            for fact in facts:
                holders = expected[fact.port, fact.address]
                assert fact.refuses == bool(holders)
                assert fact.holder in holders or not holders


def test_cordoned_nodes_are_told(cycles_with_facts) -> None:
    for _, nodes, cluster in cycles_with_facts:
        for node in nodes:
            if _not_asked(node, "NodeUnschedulable"):
                continue
            (fact,) = _of(node, "NodeUnschedulable")
            assert fact.cordoned == cluster.nodes[node.node].unschedulable


def test_spread_counts_are_recounted(cycles_with_facts) -> None:
    refused = 0
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "PodTopologySpread")
            if not facts or not met.pod.topology_spread_constraints:
                continue
            expected = recount.spread(met.pod, cluster.nodes[node.node], cluster)
            assert [
                (x.topology_key, x.domain, x.here, x.least, {c.value: c.pods for c in x.counts}, x.refuses)
                for x in facts
            ] == expected
            refused += any(x.refuses and x.domain is not None for x in facts)
    assert refused, "some node was refused for its skew"


def test_pods_of_affinity_terms_are_recounted(cycles_with_facts) -> None:
    kinds = Counter()
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "InterPodAffinity")
            if _not_asked(node, "InterPodAffinity"):
                continue
            # where nominated pods alone let the pod in, the facts are those of the pass without them, which refuses
            expected = [
                sorted((kind, key, domain or "", pods) for kind, key, domain, pods in terms)
                for seen in (cluster, cluster._replace(nominated={}))
                for terms in [recount.pod_terms(met.pod, cluster.nodes[node.node], seen)]
            ]
            assert sorted((x.kind, x.topology_key, x.domain or "", list(x.pods)) for x in facts) in expected
            kinds.update(x.kind for x in facts if x.refuses)
    assert kinds.keys() == {"affinity", "anti-affinity", "anti-affinity of placed pods"}


def test_zones_of_volumes_are_recounted(cycles_with_facts) -> None:
    seen = Counter()
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts = _of(node, "VolumeZone")
            if facts:
                expected = recount.volume_zones(met.pod, cluster.nodes[node.node], cluster)
                assert [(x.claim, x.volume, x.key, x.value, x.refuses) for x in facts] == expected
                seen.update(x.refuses for x in facts)
    assert seen.keys() == {True, False}


def test_volumes_of_drivers_are_recounted(cycles_with_facts) -> None:
    refused = 0
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            for fact in _of(node, "NodeVolumeLimits"):
                if fact.driver != "csi.example.com":
                    continue
                attached, adds, limit = recount.volumes_attached(met.pod, cluster.nodes[node.node], cluster)
                assert (fact.adds, fact.limit) == (adds, limit) if limit is not None else fact.limit is None
                assert limit is None or fact.attached == attached
                refused += fact.refuses
    assert refused


def test_claims_are_recounted(cycles_with_facts) -> None:
    refused = Counter()
    for met, nodes, cluster in cycles_with_facts:
        making = _being_made(cycles_with_facts, met)
        for node in nodes:
            facts = _of(node, "VolumeBinding")
            if facts:
                expected = recount.claims(met.pod, cluster.nodes[node.node], cluster, making)
                assert [(x.claim, x.volume, x.provisioned, x.refuses) for x in facts] == expected
                for fact in facts:
                    unmet = [one for one in fact.requirements if not one.met]
                    assert bool(unmet) == (fact.refuses and bool(fact.volume))
                refused.update((x.refuses, bool(x.volume)) for x in facts)
    assert {(True, True), (False, True), (False, False)} <= refused.keys()


def _being_made(cycles_with_facts, met) -> dict[str, str]:
    """The node for which a volume of each unbound claim is being made: that of the first pod that took it."""
    node_of_claim: dict[str, str] = {}
    pending = {pod.key: pod for pod in met.simulation.inputs.objects.pods if not pod.node_name}
    for earlier, _, _ in cycles_with_facts:
        if earlier.simulation is not met.simulation or earlier.number > met.number:
            continue
        for key, placement in earlier.state.placements.items():
            for volume in pending[key].volumes if key in pending else ():
                node_of_claim.setdefault(f"{pending[key].namespace}/{volume.claim_name}", placement.node)
    return node_of_claim


def test_disks_and_claims_for_one_pod_are_recounted(cycles_with_facts) -> None:
    seen = Counter()
    for met, nodes, cluster in cycles_with_facts:
        for node in nodes:
            facts, on = _of(node, "VolumeRestrictions"), cluster.nodes[node.node]
            of_disks = {x.volume: x for x in facts if isinstance(x, f.DiskFact)}
            of_claims = {x.claim: x for x in facts if isinstance(x, f.ClaimInUseFact)}
            if facts:
                expected = recount.disks(met.pod, on, cluster)
                assert of_disks.keys() == expected.keys()
                for name, fact in of_disks.items():
                    assert fact.refuses == bool(expected[name])
                    assert fact.holder in expected[name] or not expected[name]
                assert {key: set(x.holders) for key, x in of_claims.items()} == recount.once_pod(met.pod, on, cluster)
                assert all(x.refuses == bool(x.holders) for x in of_claims.values())
                seen.update((type(x), x.refuses) for x in facts)
    assert {(f.DiskFact, True), (f.DiskFact, False), (f.ClaimInUseFact, True)} <= seen.keys()


def test_a_pod_with_claims_for_devices_is_refused_for_each_of_them(cycles_with_facts) -> None:
    seen = 0
    for met, nodes, _ in cycles_with_facts:
        for node in nodes:
            one = next(one for one in node.filters if one.plugin == "DynamicResources")
            named = [x.fact.entry for x in one.facts if x.fact.refuses]
            before = any(other.whole_pod for other in node.filters if other.plugin != "DynamicResources")
            if not before:
                assert named == [entry.name for entry in met.pod.resource_claims]
            seen += bool(named)
    assert seen


def test_no_pod_that_is_scheduled_names_its_node(cycles_with_facts) -> None:
    assert {x.fact for _, nodes, _ in cycles_with_facts for node in nodes for x in _filters(node, "NodeName")} == set()


def _filters(node: NodeFacts, plugin: str):
    return [fact for one in node.filters if one.plugin == plugin for fact in one.facts]


def test_facts_change_nothing_of_the_run() -> None:
    inputs = generated_inputs(3)
    asked, plain = RunSession.start(inputs), RunSession.start(inputs)
    while not asked.finish_reason:
        for pod in list(asked.simulation.world.pods.values())[-3:]:
            if not pod.node_name:
                node_facts(asked.simulation, pod.key, ["node-0", "node-5"])
        asked.advance(max_cycles=1)
    plain.advance()
    assert asked.recording_hash() == plain.recording_hash()


def test_a_pod_or_node_that_is_not_there_is_a_key_error() -> None:
    session = RunSession.start(RunInputs(objects=recount.k8s.ClusterObjects(nodes=[make_node("n")], pods=[])))
    with pytest.raises(KeyError):
        node_facts(session.simulation, "default/nobody", ["n"])
