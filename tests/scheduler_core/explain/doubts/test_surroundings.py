"""Doubts about nodes, devices, other schedulers and masks."""

from __future__ import annotations

import msgspec

from scheduler_core.api.config import Extender
from scheduler_core.explain.doubts.answer import doubts_about, doubts_of_run
from scheduler_core.simulate import Policies, RunInputs
from tests.scheduler_core.explain.doubts.inputs import inputs, made, pod


def test_an_input_without_nodes_is_named_with_those_that_its_pods_name():
    given = inputs(pod(), pod("a", "there", node="n1"))
    given = msgspec.structs.replace(given, objects=msgspec.structs.replace(given.objects, nodes=[]))
    (doubt,) = doubts_of_run(given, waits=True)
    assert (doubt.code, doubt.objects.names) == ("NOT_IN_INPUT", ("v1/Node//n1",))
    assert doubts_of_run(RunInputs(objects=type(given.objects)()), waits=False) == ()


def test_claims_for_devices_are_named():
    claims = [{"name": "x", "resourceClaimName": "fixed"}, {"name": "y", "resourceClaimTemplateName": "made"}]
    given = inputs(pod(resourceClaims=claims), pod("a", "other"))
    answers = {one.name: doubts_about(given, one, waits=True) for one in given.objects.pods}
    names = [one.objects.names for one in answers["p"]]
    assert names == [
        ("resource.k8s.io/v1/ResourceClaim/a/fixed",),
        ("resource.k8s.io/v1/ResourceClaimTemplate/a/made",),
    ]
    assert answers["other"] == ()
    for claims, expected in (("ignore", [("resource.k8s.io/v1/ResourceClaimTemplate/a/made",)]), ("play", [])):
        allocating = msgspec.structs.replace(given, policies=Policies(kubernetes="1.36", claims=claims))
        named = [one.objects.names for one in doubts_about(allocating, given.objects.pods[0], waits=True)]
        assert [names for names in named if names] == expected


def test_pods_of_another_scheduler_take_room():
    given = inputs(pod(), pod("b", "theirs", schedulerName="other"))
    answers = {
        one.name: [doubt.objects.names for doubt in doubts_about(given, one, waits=True)] for one in given.objects.pods
    }
    assert answers == {"p": [("v1/Pod/b/theirs",)], "theirs": []}


def test_masks_matter_to_extenders_alone():
    given = inputs(pod(annotations={"acme.io/key": "***"}))
    extender = Extender(url_prefix="http://x", filter_verb="f")
    asking = msgspec.structs.replace(
        given, configuration=msgspec.structs.replace(given.configuration, extenders=(extender,))
    )
    assert doubts_of_run(given, waits=True) == ()
    assert [one.code for one in doubts_of_run(asking, waits=True)] == ["MASKED"]


def test_kinds_that_decide_nothing_leave_no_doubt():
    assert doubts_of_run(inputs(made("v1", "ConfigMap", "c", "a"), pod()), waits=True) == ()
