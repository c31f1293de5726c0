"""How many nodes a group may get."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.capacity.groups.model import like
from tests.scheduler_core.capacity.inputs import inputs, node

GROUP = like(inputs(node("n")).objects.nodes[0])


def test_room_is_what_maximum_and_limits_leave():
    assert (GROUP.name, GROUP.source, GROUP.room) == ("like-n", "like n", None)
    assert replace(GROUP, maximum=3, present=("a",)).room == 2
    assert replace(GROUP, limits={"cpu": 9000}, present=("a",)).room == 3
    assert replace(GROUP, maximum=2, limits={"cpu": 9000, "other": 1}, present=("a", "b", "c")).room == 0


def test_limits_count_the_capacity_of_a_node():
    template = replace(GROUP.template, allocatable={"cpu": 1500}, capacity={"cpu": 2000})
    assert replace(GROUP, template=template).each("cpu") == 2000
    assert replace(GROUP, template=replace(template, capacity={})).each("cpu") == 1500
