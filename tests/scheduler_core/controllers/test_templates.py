"""A lost pod as the template of its successor: what others wrote about the one pod is not passed on."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import OwnerReference, PodResourceClaim
from scheduler_core.controllers.templates import COMPLETION_INDEX, POD_NAME_LABEL, pod_template
from scheduler_core.testing.builders import make_pod


def test_what_scheduler_and_kubelet_wrote_is_left_out():
    spec = make_pod("", uid="", cpu="1", labels={"app": "web"})
    lost = replace(
        spec,
        name="web-0",
        uid="u",
        labels={"app": "web", POD_NAME_LABEL: "web-0"},
        annotations={COMPLETION_INDEX: "0"},
        owner_references=(OwnerReference("StatefulSet", "web", controller=True),),
        node_name="n",
        nominated_node_name="n",
        phase="Running",
        start_time=1.0,
        creation_timestamp=1.0,
        deletion_timestamp=2.0,
        allocated_requests={"cpu": 500},
        preempted=True,
    )
    assert pod_template(lost) == spec


def test_a_claim_generated_for_the_lost_pod_is_not_its_successors():
    named, generated = PodResourceClaim("a", claim_name="a"), PodResourceClaim("b", template_name="t", generated="x-b")
    claims = pod_template(make_pod("x", resource_claims=(named, generated))).resource_claims
    assert claims == (named, PodResourceClaim("b", template_name="t"))
