"""Claims in virtual time: made from templates, reserved, freed with their last pod, deleted with their owner."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.devices import Allocation, Consumer, DeviceClass, DeviceResult
from scheduler_core.api.objects import Container, OwnerReference, Pod, ResourceClaim
from scheduler_core.engine.consequences.claims import MADE_FOR
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.engine.consequences.claim_runs import TEMPLATE, claim, cluster, slice_of, user
from tests.scheduler_core.engine.owned_pods import SECOND
from tests.scheduler_core.engine.owned_pods import run as run_with
from tests.scheduler_core.engine.scenarios import finished

GIVEN = Allocation((DeviceResult(request="r", driver="d.io", pool="n0", device="d0"),))


def run(objects: Any, *entries: tuple[float, str, Any], **policies: Any) -> tuple[RunSession, list[Any]]:
    return run_with(objects, *entries, kubernetes="1.36", **policies)


def claims(session: RunSession) -> dict[str, ResourceClaim]:
    return session.simulation.context.cluster.listers.resource_claims


def changes(events: list[ev.AnyEvent], kind: str = "ResourceClaim") -> list[tuple[float, str, str]]:
    some = [e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == kind]
    return [(e.at / SECOND, e.key.partition("/")[2], e.action) for e in some]


def bound(events: list[ev.AnyEvent]) -> dict[str, float]:
    return {e.pod.partition("/")[2]: round(e.at / SECOND) for e in events if isinstance(e, ev.Bound)}


def test_a_claim_is_made_for_a_template_under_a_name_that_follows_from_the_seed() -> None:
    session, events = run(cluster(user("p", template="one")))
    (made,) = claims(session).values()
    pod = session.simulation.world.pods["default/p"]
    assert made.name.startswith("p-made-")
    assert (made.spec, made.owner_references[0].uid) == (TEMPLATE.spec, pod.uid)
    assert [entry.generated for entry in pod.resource_claims] == [made.name]
    assert (made.allocation is not None, [c.name for c in made.reserved_for]) == (True, ["p"])
    first = next(e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == "ResourceClaim")
    assert first.cause == f"{MADE_FOR}default/p"
    assert first.object
    assert list(claims(run(cluster(user("p", template="one")))[0])) == [made.key]


def test_nothing_is_made_where_the_controller_is_not_played() -> None:
    session, events = run(cluster(user("p", template="one")), claims="ignore")
    assert (claims(session), bound(events)) == ({}, {})


def test_a_template_that_comes_later_lets_the_pods_go_on_that_waited_for_it() -> None:
    objects = cluster(user("p", template="one"), resource_claim_templates=[])
    assert bound(run(objects)[1]) == {}
    assert bound(run(objects, (5, "put", TEMPLATE))[1]) == {"p": 5}


def test_a_claim_goes_with_its_pod_and_the_devices_wake_the_one_that_waits() -> None:
    first, second = user("a", template="one"), user("b", template="one")
    session, events = run(cluster(first, second), (10, "delete", first))
    assert bound(events)["b"] in (10, 11)
    of_first = [(at, action) for at, name, action in changes(events) if name.startswith("a-made")]
    assert [one for one in of_first if one[0] >= 10] == [(10, "updated"), (10, "deleted")]
    assert [name.startswith("b-made") for name in (one.name for one in claims(session).values())] == [True]
    woken = next(e for e in events if isinstance(e, ev.QueueMove) and e.pod == "default/b" and e.at == 10 * SECOND)
    assert woken.event == "resource.k8s.io/ResourceClaimUpdate"


def test_a_shared_claim_loses_an_entry_with_each_pod_and_its_devices_with_the_last() -> None:
    pods = [user("a", "c"), user("b", "c")]
    objects = cluster(*pods, user("late", "other"), resource_claims=[claim("c"), claim("other")])
    session, events = run(objects, (10, "delete", pods[0]), (20, "delete", pods[1]))
    assert bound(events)["late"] in (20, 21)
    assert (claims(session)["default/c"].allocation, claims(session)["default/c"].reserved_for) == (None, ())


def test_a_pod_of_a_job_gives_its_device_back_when_it_succeeds() -> None:
    owned = {"owner_references": (OwnerReference("Job", "j", controller=True),)}
    session, events = run(cluster(user("a", template="one", **owned), user("b", template="one")))
    assert [round(at) for name, at in bound(events).items() if name == "b"] in ([60], [61])
    assert len(claims(session)) == 1


def test_a_claim_that_somebody_deletes_lives_as_long_as_its_pods() -> None:
    objects = cluster(user("a", "c"), resource_claims=[claim("c"), claim("other")])
    session, events = run(objects, (10, "delete", claim("c")), (15, "put", user("b", "c")), (20, "delete", user("a")))
    assert [one for one in changes(events) if one[0] >= 10] == [
        (10, "c", "updated"),
        (20, "c", "updated"),
        (20, "c", "deleted"),
    ]
    assert "b" not in bound(events)
    assert "default/c" not in claims(session)


def test_a_claim_that_nobody_reserves_is_freed_before_it_goes() -> None:
    objects = cluster(user("b", "other"), resource_claims=[claim("c", allocation=GIVEN), claim("other")])
    _, events = run(objects, (10, "delete", claim("c")))
    assert changes(events)[:3] == [(10, "c", "updated"), (10, "c", "updated"), (10, "c", "deleted")]
    assert bound(events)["b"] in (10, 11)


def test_a_claim_that_was_deleted_by_hand_is_made_again_for_its_pod() -> None:
    pod = user("p", template="one", node_selector={"never": "there"})
    first = next(iter(claims(run(cluster(pod))[0]).values()))
    session, _ = run(cluster(pod), (10, "delete", first))
    (again,) = claims(session).values()
    assert again.name not in ("", first.name)
    assert session.simulation.world.pods["default/p"].resource_claims[0].generated == again.name


def test_a_pod_that_somebody_bound_reserves_its_allocated_claim() -> None:
    pod = user("p", "c", node_name="n0")
    session, _ = run(cluster(pod, resource_claims=[claim("c", allocation=GIVEN)]))
    assert [one.name for one in claims(session)["default/c"].reserved_for] == ["p"]
    session, _ = run(cluster(pod, resource_claims=[claim("c")]), (5, "put", claim("c", allocation=GIVEN)))
    assert [one.name for one in claims(session)["default/c"].reserved_for] == ["p"]


def test_an_entry_of_a_pod_that_no_input_has_stays() -> None:
    reserved = claim("c", allocation=GIVEN, reserved_for=(Consumer("unknown", "u"),))
    session, _ = run(cluster(user("b", "other"), resource_claims=[reserved, claim("other")]))
    assert claims(session)["default/c"] == reserved


def test_an_input_that_puts_a_claim_leaves_its_status() -> None:
    objects = cluster(user("p", "c"), resource_claims=[claim("c")])
    session, events = run(objects, (10, "put", claim("c")))
    assert claims(session)["default/c"].allocation is not None
    assert next(e for e in events if isinstance(e, ev.ObjectChanged) and e.at == 10 * SECOND).object


def test_pods_that_are_scheduled_again_give_their_devices_back_first() -> None:
    mine = claim("c", allocation=GIVEN, reserved_for=(Consumer("p", "default/p"),))
    pod = user("p", "c", node_name="n0", uid="default/p")
    inputs = cluster(pod, nodes=2, resource_claims=[mine])
    _, events = finished(RunInputs(objects=inputs, schedule="all", policies=Policies(kubernetes="1.36")))
    assert changes(events)[0] == (0, "c", "updated")
    assert set(bound(events)) == {"p"}


def test_a_claim_for_extended_resources_goes_with_its_pod() -> None:
    resource = "example.com/gpu"
    pods = [_wants(name, resource) for name in ("a", "b")]
    classes = [DeviceClass(name="gpu", extended_resource_name=resource)]
    session, events = run(cluster(*pods, device_classes=classes), (10, "delete", pods[0]))
    assert bound(events)["b"] in (10, 11)
    (left,) = claims(session).values()
    assert left.owner_references[0].name == "b"


def _wants(name: str, resource: str) -> Pod:
    return make_pod(name, containers=(Container("main", requests={resource: 1}),))


@pytest.mark.parametrize(
    ("length", "stem"), [(10, "p" * 10 + "-made-"), (51, "p" * 51 + "-made-"), (60, "p" * 51 + "-mad")]
)
def test_names_of_claims_are_cut_as_the_real_controller_cuts_them(length: int, stem: str) -> None:
    session, _ = run(cluster(user("p" * length, template="one")))
    (made,) = claims(session).values()
    assert made.name[:-5] == stem


def test_a_slice_alone_is_no_change_of_claims() -> None:
    _, events = run(cluster(user("p", template="one"), resource_slices=[]), (3, "put", slice_of("n0")))
    assert bound(events) == {"p": 3}
    assert [action for _, _, action in changes(events)] == ["added", "updated"]


def test_updates_keep_the_names_of_claims() -> None:
    pod = user("p", template="one")
    session, _ = run(cluster(pod), (5, "put", msgspec.structs.replace(pod, labels={"a": "b"})))
    (entry,) = session.simulation.world.pods["default/p"].resource_claims
    assert entry.generated in {one.name for one in claims(session).values()}
