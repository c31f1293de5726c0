"""What a pod asks for, in the order of the inspector's head."""

from __future__ import annotations

from dashboard.debugger.inputs.facts import PodFacts
from dashboard.debugger.selected_pod import requested_resources
from scheduler_core.testing.builders import make_pod


def facts(cpu=0, memory=0, others=()):
    return PodFacts(cpu, memory, 0, "", "", (), others, make_pod("p"))


def test_extended_resources_come_first_by_the_end_of_their_names():
    asked = requested_resources(facts(1500, 2 << 30, (("nvidia.com/gpu", 2),)))
    assert [(one.resource, one.name, one.text) for one in asked] == [
        ("nvidia.com/gpu", "gpu", "2"),
        ("cpu", "cpu", "1.5"),
        ("memory", "mem", "2Gi"),
    ]


def test_what_is_not_asked_for_is_not_listed():
    assert requested_resources(facts(memory=1 << 20, others=(("nvidia.com/gpu", 0),)))[0].resource == "memory"
    assert requested_resources(facts()) == []
    assert requested_resources(None) == []
