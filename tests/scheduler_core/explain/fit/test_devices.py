"""Would it fit, and why this node: answers about a pod that claims devices."""

from __future__ import annotations

from scheduler_core.api.devices import DeviceRequest
from scheduler_core.explain.facts import Questions
from scheduler_core.explain.fit import would_fit
from scheduler_core.framework.contracts.facts import DeviceGivenFact, DeviceRankFact
from scheduler_core.profiles.names import DEVICES
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    ASKED,
    BIG,
    DeviceCluster,
    claim,
    gpu,
    held,
    holder,
    pool_of,
    request,
)

TAKEN = (held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"))
LIST = DeviceRequest(name="g", alternatives=(request("big", selectors=(BIG,)), request("any")))


def test_a_node_fits_where_the_claim_gets_devices() -> None:
    cluster = DeviceCluster(
        pool_of("n1", gpu(0)), pool_of("n2", gpu(0)), *TAKEN, claim(request()), nodes=("n1", "n2", "n3")
    )
    inputs = cluster.inputs()
    fit = would_fit(inputs.objects, cluster.pod, policies=inputs.policies)
    refusals = {one.node: one.refusal.plugin for one in fit.each() if one.refusal is not None}
    assert refusals == {"n1": DEVICES, "n3": DEVICES}


def test_a_node_that_passes_says_which_devices_the_claim_gets() -> None:
    cluster = DeviceCluster(pool_of("n1", gpu(0), gpu(1)), *TAKEN, claim(request()), nodes=("n1",))
    (node,) = Questions(cluster.trials().simulation, ASKED).about(["n1"])
    (given,) = [fact.fact for one in node.filters if one.plugin == DEVICES for fact in one.facts]
    assert isinstance(given, DeviceGivenFact)
    assert (given.claim, given.devices, given.is_allocated, given.refuses) == ("default/c", ("n1/gpu-1",), False, False)


def test_the_score_says_which_alternative_a_request_gets() -> None:
    cluster = DeviceCluster(
        pool_of("n1", gpu(0, "24Gi")), pool_of("n2", gpu(0)), claim(LIST), nodes=("n1", "n2"), version="1.35"
    )
    nodes = Questions(cluster.trials().simulation, ASKED).about(["n1", "n2"])
    ranks = {
        node.node: (fact.fact.alternative, fact.fact.place, fact.fact.points, one.raw)
        for node in nodes
        for one in node.scores
        if one.plugin == DEVICES
        for fact in one.facts
        if isinstance(fact.fact, DeviceRankFact)
    }
    assert ranks == {"n1": ("any", 2, 7, 7), "n2": ("big", 1, 8, 8)}
