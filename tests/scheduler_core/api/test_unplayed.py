"""What an input holds besides is stored without what follows from the objects beside it."""

from __future__ import annotations

from scheduler_core.api.unplayed import RefusedCreation, Unplayed, UnplayedObject, decoded, encoded

QUOTA = UnplayedObject(api_version="v1", kind="ResourceQuota", namespace="a", name="q")
REFUSED = RefusedCreation(kind="Job", namespace="a", name="j", code="NOT_CREATED_QUOTA", message="m", quota="q")


def test_it_is_read_again_but_for_rollouts_and_versions():
    whole = Unplayed(
        objects=[QUOTA], counts={"v1/ResourceQuota": 1}, refused=[REFUSED], rollouts=[QUOTA], versions={"v1.34.0": 2},
        heeds_refusals=True,
    )  # fmt: skip
    again = decoded(encoded(whole))
    assert again == Unplayed(objects=[QUOTA], counts={"v1/ResourceQuota": 1}, refused=[REFUSED], heeds_refusals=True)


def test_objects_have_a_reference_and_a_title():
    assert (QUOTA.reference, QUOTA.title) == ("v1/ResourceQuota/a/q", "ResourceQuota a/q")
