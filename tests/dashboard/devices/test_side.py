"""The side: where the pods, events and text of what is selected are."""

from __future__ import annotations

from scheduler_core.explain.devices import DeviceChoice
from tests.dashboard.devices.test_panel import panel


def test_in_a_cluster_pods_have_no_pages():
    shown = panel(DeviceChoice())
    assert shown.side.waiting_pods == [("ml/pretrain-0", "")]
    assert shown.side.object_url.startswith("/here/object/?r=2&kind=ResourceClaim&ns=ml&name=pretrain-0")
    assert shown.side.happened == []


def test_a_chosen_node_shows_its_devices():
    shown = panel(DeviceChoice(node="gpu-3"))
    assert [(name, state) for name, state, *_ in shown.side.chosen_devices][2] == ("gpu-2", "tainted")
