"""The panel: addresses keep what is chosen and drop what is not."""

from __future__ import annotations

from dashboard.answers.outcomes import Answer, Waiting, WaitsFor
from dashboard.devices.panel import DevicesPanel, Place
from scheduler_core.explain.devices import Choice, device_page
from tests.scheduler_core.explain.devices.worlds import claim_named, scene_at

PLACE = Place("/here/devices/", "/here/devices/table.txt", {"r": "2"})


def panel(choice):
    return DevicesPanel(Answer(device_page(scene_at(10), choice), 0.0, False), PLACE, choice, {})


def test_addresses_keep_what_is_chosen():
    shown = panel(Choice(driver="nic.example.com", q="x"))
    assert shown.url() == "/here/devices/?r=2&driver=nic.example.com&q=x"
    assert shown.claim_url("ml/c") == "/here/devices/?r=2&driver=nic.example.com&claim=ml/c&q=x"
    assert shown.table_url.startswith("/here/devices/table.txt?r=2")
    assert shown.kept == [("r", "2"), ("driver", "nic.example.com")]


def test_keys_go_to_the_neighbours_of_the_selected_claim():
    shown = panel(Choice(claim=claim_named(scene_at(10), "tune-2").key))
    assert [line.key for line in shown.claim_lines[:4]] == ["k", "", "j", ""]
    assert [head for head, _ in shown.claim_groups] == ["Wait", "Allocated", "Without devices, used by no pod"]


def test_in_a_cluster_pods_have_no_pages():
    shown = panel(Choice())
    assert shown.waiting_pods == [("ml/pretrain-0", "")]
    assert shown.object_url.startswith("/here/object/?r=2&kind=ResourceClaim&ns=ml&name=pretrain-0")
    assert shown.happened == []


def test_figures_say_what_they_count():
    words = [(one.number, one.word, one.note) for one in panel(Choice()).figures]
    assert words[0] == (6, "in use", "4 claims, 4 pods")
    assert words[-1] == (2, "claims wait", "for 2 causes")


def test_a_chosen_node_shows_its_devices():
    shown = panel(Choice(node="gpu-3"))
    assert [(name, state) for name, state, *_ in shown.chosen_devices][2] == ("gpu-2", "tainted")
    waiting = DevicesPanel(Waiting(WaitsFor.WORKER), PLACE, Choice(), {"until": "1"})
    assert waiting.page is None
    assert waiting.again == "/here/devices/?r=2&until=1"
