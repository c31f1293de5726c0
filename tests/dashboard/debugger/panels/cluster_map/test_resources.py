"""Which resources the map offers for a pod, and which one it shows."""

from __future__ import annotations

import pytest

from dashboard.common.problems import BadQuery
from dashboard.debugger.cursor.cursor import view_of
from tests.dashboard.debugger.conftest import page_of


def test_the_dominant_resource_comes_first_and_is_shown(panel):
    assert [one.bare_name for one in panel("one").choice.resources] == ["gpu", "cpu", "memory", "pods"]
    assert panel("one").choice.chosen.name == "nvidia.com/gpu"
    assert panel("plain").choice.chosen.name == "cpu"


def test_the_address_wins_and_the_default_has_none(panel):
    choice = panel("one", map="memory").choice
    assert choice.chosen.name == "memory"
    assert [one.address for one in choice.resources] == ["", "cpu", "memory", "pods"]
    other = panel("plain", map="nvidia.com/gpu").choice
    assert other.chosen.name == "nvidia.com/gpu"
    assert [one.name for one in other.resources if one.title == other.chosen.title] == ["nvidia.com/gpu"]


def test_a_resource_that_no_pod_requests_is_refused(panel):
    with pytest.raises(BadQuery, match=r'nvidia.com/gpu.*, not "hugepages-2Mi"'):
        _ = panel("one", map="hugepages-2Mi").choice


@pytest.mark.parametrize(("asked", "resource"), [("verdict", ""), ("cpu", "cpu"), ("memory", "memory"), ("", "")])
def test_addresses_of_before_go_on_working(asked, resource):
    assert view_of({"map": asked}).map == resource


def test_more_than_four_resources_leave_the_chosen_one_beside(panel):
    choice = panel("one").choice
    assert (len(choice.beside), choice.more) == (4, [])


def test_without_a_pod_the_map_offers_what_any_pod_requests(gpu_run):
    choice = page_of(gpu_run, seq=0).map.choice
    assert [one.name for one in choice.resources] == ["cpu", "memory", "nvidia.com/gpu", "pods"]


def test_words(panel):
    assert "does not request it" in panel("plain", map="nvidia.com/gpu").choice.chosen.title
