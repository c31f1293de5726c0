"""What facts of volumes are about: the subject is the same on each node with the same obstacle."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.facts import (
    ClaimFact,
    ClaimInUseFact,
    DeviceClaimFact,
    DiskFact,
    Fact,
    VolumeLimitFact,
    VolumeZoneFact,
)


@pytest.mark.parametrize(
    ("fact", "code", "subject"),
    [
        (ClaimFact(claim="shop/data", code="VOLUME_TOPOLOGY", volume="pv-1"), "VOLUME_TOPOLOGY", "shop/data"),
        (
            VolumeZoneFact(claim="shop/data", volume="pv-1", key="zone", values=("a",), value="b"),
            "VOLUME_TOPOLOGY",
            "shop/data",
        ),
        (ClaimInUseFact(claim="shop/data", holders=("shop/x",)), "VOLUME_EXCLUSIVE", "shop/data"),
        (DiskFact(volume="v", source="gcePersistentDisk", holder="shop/x"), "VOLUME_EXCLUSIVE", "v"),
        (VolumeLimitFact(driver="csi", attached=8, adds=1, limit=8), "VOLUME_LIMIT", "csi"),
        (DeviceClaimFact(entry="gpu", problem="not allocated"), "CLAIM_NOT_ALLOCATED", "gpu"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Fact) else "",
)
def test_a_fact_is_about_its_claim_volume_driver_or_entry(fact: Fact, code: str, subject: str) -> None:
    assert (fact.code, fact.subject, fact.needs) == (code, subject, {})
