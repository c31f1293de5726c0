"""What the controller of resource claims decides for one pod or claim."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import Allocation, Consumer
from scheduler_core.api.objects import OwnerReference, PodResourceClaim, ResourceClaim
from scheduler_core.controllers import claims
from scheduler_core.testing.builders import make_pod

POD = make_pod(
    "p", uid="u", node_name="n", resource_claims=(PodResourceClaim("own", template_name="t", generated="c"),)
)
OWNER = (OwnerReference("Pod", "p", "u", controller=True, api_version="v1"),)
GIVEN = Allocation()


def claim(*users: str, **fields: object) -> ResourceClaim:
    fields.setdefault("owner_references", OWNER)
    return ResourceClaim(name="c", reserved_for=tuple(Consumer(one, one) for one in users), **fields)  # type: ignore[arg-type]


def test_the_last_entry_that_goes_takes_the_devices_with_it() -> None:
    shared = claim("u", "other", allocation=GIVEN)
    left = claims.released(shared, POD)
    assert (left.allocation, [one.uid for one in left.reserved_for]) == (GIVEN, ["other"])
    freed = claims.released(claim("u", allocation=GIVEN), POD)
    assert (freed.allocation, freed.reserved_for) == (None, ())
    unused = claim(allocation=GIVEN)
    assert claims.released(unused, POD) is unused


@pytest.mark.parametrize(
    ("generated", "held", "lacks"),
    [
        (None, None, True),
        ("", None, False),
        ("c", None, True),
        ("c", claim(), False),
        ("c", claim(owner_references=(OwnerReference("Pod", "p", "before", controller=True),)), True),
        ("c", claim(owner_references=(OwnerReference("Pod", "p", controller=True),)), False),
    ],
)
def test_when_an_entry_lacks_its_claim(generated: str | None, held: ResourceClaim | None, lacks: bool) -> None:
    entry = PodResourceClaim("own", template_name="t", generated=generated)
    assert claims.lacks_claim(POD, entry, lambda key: held) is lacks


def test_allocated_claims_are_reserved_up_to_the_first_that_is_missing() -> None:
    entries = tuple(PodResourceClaim(name, claim_name=name) for name in ("a", "b", "c"))
    pod = make_pod("p", uid="u", node_name="n", resource_claims=entries)
    there = {f"default/{n}": ResourceClaim(name=n, allocation=GIVEN) for n in ("a", "c")}
    assert [one.name for one in claims.to_reserve(pod, there.get)] == ["a"]
    there["default/b"] = ResourceClaim(name="b")
    assert [one.name for one in claims.to_reserve(pod, there.get)] == ["a", "c"]


def test_no_more_than_256_pods_reserve_a_claim() -> None:
    full = claim(*(f"u{i}" for i in range(claims.MOST_CONSUMERS)), allocation=GIVEN)
    assert claims.reserved(full, POD) is full
    assert claims.is_reserved_for(claims.reserved(claim(allocation=GIVEN), POD), POD)
