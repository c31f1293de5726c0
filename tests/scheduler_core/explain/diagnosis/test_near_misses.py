"""Values and labels that are nearly those asked for."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Node
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.diagnosis.near_misses import Near, closest, near_key, near_toleration, near_value
from scheduler_core.testing.builders import make_node, make_pod

ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"


def nodes(*labels: dict[str, str]) -> list[Node]:
    return [make_node(f"n{i}", labels=one) for i, one in enumerate(labels)]


@pytest.mark.parametrize(
    ("sought", "there", "near"),
    [
        ("junipr", ["juniper", "amber"], "juniper"),
        ("Gold", ["silver", "gold"], "gold"),
        ("mvne", ["nvme", "hdd"], "nvme"),
        ("default-schduler", ["default-scheduler", "volcano"], "default-scheduler"),
        ("gold", ["silver", "bronze"], None),
        ("gold", ["gold"], None),
        ("a", ["b"], None),
        ("gold", [], None),
    ],
    ids=lambda value: "none" if value in ([], None) else str(value),
)
def test_the_text_that_is_most_like_another(sought: str, there: list[str], near: str | None) -> None:
    assert closest(sought, there) == near


def test_the_value_of_the_same_key_with_how_many_nodes_have_it() -> None:
    several = nodes(*[{"pool": "juniper"}] * 8, {"pool": "amber"}, {})
    assert near_value(several, "pool", "junipr") == Near("pool", "juniper", 8)
    assert near_value(several, "pool", "blue") is None
    assert near_value(several, "tier", "junipr") is None


def test_the_label_that_kubernetes_renamed_is_meant_with_the_value_where_nodes_have_it() -> None:
    several = nodes({ZONE: "a"}, {ZONE: "b"})
    assert near_key(several, OLD_ZONE, "a") == Near(ZONE, "a", 1)
    assert near_key(several, OLD_ZONE) == Near(ZONE, "", 2)
    assert near_key(several, OLD_ZONE, "c") is None, "no node would be selected by it"


def test_the_same_name_with_another_prefix_or_case_is_meant() -> None:
    assert near_key(nodes({"example.com/tier": "gold"}), "tier", "gold") == Near("example.com/tier", "gold", 1)
    assert near_key(nodes({"Tier": "gold"}), "tier", "gold") == Near("Tier", "gold", 1)


def test_a_key_that_is_spelt_nearly_so_is_meant() -> None:
    assert near_key(nodes({"disktype": "ssd"}), "disktyp", "ssd") == Near("disktype", "ssd", 1)
    assert near_key(nodes({"disktype": "ssd"}), "tier", "ssd") is None


def test_a_toleration_of_the_taint_s_key_is_nearly_right_whatever_its_effect_and_value() -> None:
    one = Toleration("stage-only", "Exists", "", "PreferNoSchedule")
    pod = make_pod("p", tolerations=(Toleration("other", "Exists"), one))
    assert near_toleration(pod, "stage-only") == one
    assert near_toleration(pod, "gpu") is None
