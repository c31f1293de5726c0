"""The page: sums that add up, what is chosen, squares of large clusters."""

from __future__ import annotations

import msgspec

from scheduler_core.explain.devices import DeviceChoice, DevicePage, device_page
from scheduler_core.explain.devices.page import LARGE
from tests.scheduler_core.explain.devices.worlds import claim, claim_named, gpu, pod, pool_slice, scene_at, world


def test_figures_add_up_to_all_devices():
    page = device_page(scene_at(10), DeviceChoice())
    one = page.figures
    assert (one.n_use, one.n_free, one.n_taint, one.n_out, one.n_parts) == (6, 5, 1, 2, 2)
    assert one.n_devices == sum(len(card.cells) for card in page.cards) == dict(page.drivers)[page.driver]
    assert (one.n_claims, one.n_pods, one.parts_used, one.parts) == (4, 4, 6, 8)
    assert (one.n_waiting, one.n_causes, one.most_free) == (2, 2, 3)
    assert (one.taints, one.problems) == ("1 node: xid=79", "gpu-4: 1 of 2 slices")


def test_the_first_that_waits_is_selected_unless_a_node_is():
    here = scene_at(10)
    assert device_page(here, DeviceChoice()).selected.label == "pretrain-0"
    assert device_page(here, DeviceChoice(node="gpu-3")).selected is None
    assert device_page(here, DeviceChoice(claim="ml/unknown", driver="unknown")).driver == "gpu.example.com"


def test_nodes_are_coloured_by_the_allocator():
    here = scene_at(12)
    key = claim_named(here, "tune-2").key
    page = device_page(here, DeviceChoice(fits=key))
    assert {card.name for card in page.cards if card.fits == "fits"} == {"gpu-1"}
    assert (page.asked_fit, page.n_fits, page.labels[key]) == (key, 1, "tune-2")
    assert device_page(here, DeviceChoice(fits="ml/embedding")).asked_fit == ""  # it does not wait


def test_classes_and_slices_are_listed_with_what_is_wrong():
    here = scene_at(10)
    classes = {one.name: one for one in device_page(here, DeviceChoice(list="classes")).classes}
    assert classes["fpga.example.com"].problem == "does not exist"
    assert (classes["nic.example.com"].n_devices, classes["nic.example.com"].n_free) == (4, 2)
    slices = {one.name: one for one in device_page(here, DeviceChoice(list="slices", q="gpu-4")).slices}
    assert [one.problem for one in slices.values()] == ["1 of 2 slices of its pool"]


def test_a_large_cluster_has_squares_and_the_cards_of_what_is_chosen():
    slices = [pool_slice(f"n-{n}", [gpu(0), gpu(1)]) for n in range(LARGE)]
    held, asking = claim("held", 1, ("gpu-1",), "n-7"), claim("wanted", 2)
    page = device_page(
        world(slices, [held, asking], [pod("p", "wanted")]), DeviceChoice(claim="ml/held", fits="ml/wanted")
    )
    assert [card.name for card in page.cards] == ["n-7"]
    assert (page.squares.names[7], page.squares.used[7], page.squares.free[7]) == ("n-7", 1, 1)
    assert page.squares.fits.count(True) == LARGE - 1 == page.n_fits
    assert not page.squares.fits[7]


def test_pages_go_over_the_wire_as_they_are():
    page = device_page(scene_at(10), DeviceChoice())
    assert msgspec.json.decode(msgspec.json.encode(page), type=DevicePage) == page
    assert device_page(world([]), DeviceChoice()).figures.n_devices == 0
