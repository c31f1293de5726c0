"""What two runs have different inputs in, each input named."""

from __future__ import annotations

import msgspec

from scheduler_core.compare.input_differences import SHOWN, TITLES, VERSION, InputDifference, input_differences
from scheduler_core.simulate import InputChange, Policies, RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import teaching


def test_every_input_has_a_title() -> None:
    assert set(TITLES) == set(RunInputs.__struct_fields__) - {"unplayed"}


def test_a_run_and_itself_differ_in_nothing() -> None:
    assert input_differences(teaching(), teaching(), ("1", "1")) == []


def differing(**changes: object) -> list[InputDifference]:
    inputs = teaching()
    differences = input_differences(inputs, msgspec.structs.replace(inputs, **changes))
    back = input_differences(msgspec.structs.replace(inputs, **changes), inputs)
    assert [one.swapped() for one in back] == differences
    return differences


def test_plain_values_and_fields_are_told_with_both_values() -> None:
    assert differing(seed=8) == [InputDifference("seed", "7", "8")]
    assert differing(policies=Policies(cycle_us=5)) == [InputDifference("policies", "cycle_us 1000", "cycle_us 5")]


def test_objects_entries_and_changes_are_named_on_the_side_that_has_them() -> None:
    inputs = teaching()
    more = msgspec.structs.replace(inputs.objects, nodes=[*inputs.objects.nodes, make_node("further")])
    assert differing(objects=more) == [InputDifference("cluster", "", "Node further")]
    late, entry = "Pod default/late", TimelineEntry(2_500_000, "put", make_pod("late"))
    assert differing(timeline=Timeline.of([*inputs.timeline.entries, entry])) == [
        InputDifference("timeline", "", f"put {late} at 00:00:02.500")
    ]
    change = InputChange(seq=40, action="set_policies", object=Policies())
    assert differing(changes=(change,)) == [InputDifference(TITLES["changes"], "", "set_policies at event 40")]


def test_an_object_that_changed_is_named_on_both_sides_and_another_order_is_told() -> None:
    inputs = teaching()
    first, *rest = inputs.objects.nodes
    edited = msgspec.structs.replace(first, unschedulable=not first.unschedulable)
    name = f"Node {first.name}"
    assert differing(objects=msgspec.structs.replace(inputs.objects, nodes=[edited, *rest])) == [
        InputDifference("cluster", name, name)
    ]
    assert differing(objects=msgspec.structs.replace(inputs.objects, nodes=[*rest, first])) == [
        InputDifference("cluster", "in another order", "in another order")
    ]


def test_many_are_counted() -> None:
    inputs = teaching()
    nodes = [*inputs.objects.nodes, *(make_node(f"n-{i}") for i in range(SHOWN + 3))]
    (difference,) = differing(objects=msgspec.structs.replace(inputs.objects, nodes=nodes))
    assert difference.b.endswith("Node n-4 and 3 more")


def test_versions_count_where_both_are_known() -> None:
    assert input_differences(teaching(), teaching(), ("1", "2")) == [InputDifference(VERSION, "1", "2")]
    assert input_differences(teaching(), teaching(), ("", "2")) == []
