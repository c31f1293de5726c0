"""Facts of devices: what makes two of them one obstacle, and that they are plain values."""

from __future__ import annotations

import msgspec

from scheduler_core.framework.contracts.facts import DeviceClaimFact, DeviceFact


def test_a_request_is_an_obstacle_by_entry_request_class_and_count() -> None:
    fact = DeviceFact(entry="g", claim="ml/c", request="r", classes=("a", "b"), asked=0)
    assert (fact.subject, fact.needs) == ("g/r", {"deviceClassName": "a or b", "count": "All"})
    tainted = msgspec.structs.replace(fact, taint="sick:NoExecute", amounts={"memory": "1Gi"})
    assert tainted.needs == {**fact.needs, "toleration": "sick:NoExecute", "capacity memory": "1Gi"}


def test_a_constraint_is_an_obstacle_by_its_attribute() -> None:
    fact = DeviceFact(entry="g", claim="ml/c", request="r", attribute="a.io/numa")
    assert (fact.subject, fact.needs) == ("g/a.io/numa", {"matchAttribute": "a.io/numa"})
    assert msgspec.structs.replace(fact, is_distinct=True).needs == {"distinctAttribute": "a.io/numa"}


def test_a_claim_needs_its_class_or_the_nodes_of_its_devices() -> None:
    assert DeviceClaimFact(entry="g", problem="", class_name="a").needs == {"deviceClassName": "a"}
    assert DeviceClaimFact(entry="g", problem="", where={"zone": "b"}).needs == {"zone": "b"}


def test_other_facts_that_would_do_are_encoded_with_the_first() -> None:
    other = DeviceFact(entry="g", claim="ml/c", code="DEVICE_TAINTED", taint="sick:NoExecute")
    fact = DeviceFact(entry="g", claim="ml/c", code="DEVICE_IN_USE", others=((other,),))
    assert fact.instead == ((other,),)
    assert msgspec.json.decode(msgspec.json.encode(fact))["others"][0][0]["code"] == "DEVICE_TAINTED"
