"""The panel: addresses keep what is chosen and drop what is not."""

from __future__ import annotations

from dashboard.answers.outcomes import Answer, Waiting, WaitsFor
from dashboard.devices.panel import DevicesPanel
from dashboard.devices.side import DevicesPlace
from scheduler_core.explain.devices import DeviceChoice, device_page
from tests.scheduler_core.explain.devices.worlds import claim_named, scene_at

PLACE = DevicesPlace("/here/devices/", "/here/devices/table.txt", {"r": "2"})


def panel(choice):
    return DevicesPanel(Answer(device_page(scene_at(10), choice), 0.0, False), PLACE, choice, {})


def test_addresses_keep_what_is_chosen():
    shown = panel(DeviceChoice(driver="nic.example.com", q="x"))
    assert shown.url() == "/here/devices/?r=2&driver=nic.example.com&q=x"
    assert shown.claim_url("ml/c") == "/here/devices/?r=2&driver=nic.example.com&claim=ml/c&q=x"
    assert shown.table_url.startswith("/here/devices/table.txt?r=2")
    assert shown.kept_query == [("r", "2"), ("driver", "nic.example.com")]


def test_keys_go_to_the_neighbours_of_the_selected_claim():
    shown = panel(DeviceChoice(claim=claim_named(scene_at(10), "tune-2").key))
    assert [line.key for line in shown.claim_lines[:4]] == ["k", "", "j", ""]
    assert [head for head, _ in shown.claim_groups] == ["Wait", "Allocated", "Without devices, used by no pod"]


def test_figures_say_what_they_count():
    figures = [(one.number, one.word, one.note) for one in panel(DeviceChoice()).figures]
    assert figures[0] == (6, "in use", "4 claims, 4 pods")
    assert figures[-1] == (2, "claims wait", "for 2 causes")


def test_while_nothing_is_answered_the_page_asks_again():
    waiting = DevicesPanel(Waiting(WaitsFor.WORKER), PLACE, DeviceChoice(), {"until": "1"})
    assert waiting.page is None
    assert waiting.side is None
    assert waiting.again == "/here/devices/?r=2&until=1"
