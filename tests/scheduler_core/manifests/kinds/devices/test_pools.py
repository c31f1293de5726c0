"""A pool that the scheduler does not take devices of says why, once."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import CounterSet, Device, ResourceSlice
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.manifests.kinds.devices.pools import pool_problems
from scheduler_core.manifests.writing.objects import Writing, to_manifest
from scheduler_core.manifests.yaml_writer import dump_yaml


def part(name: str, *devices: Device, generation: int = 1, count: int = 1, sets: tuple[CounterSet, ...] = ()):
    return ResourceSlice(
        name=name, driver="a.b", pool="p", generation=generation, slice_count=count, all_nodes=True,
        devices=devices, shared_counters=sets,
    )  # fmt: skip


def taking(name: str, counters: str, counter: str = "memory") -> Device:
    return Device(name=name, consumes=(CounterSet(counters, {counter: "1"}),))


SETS = (CounterSet("c", {"memory": "8"}),)


@pytest.mark.parametrize(
    ("slices", "problem"),
    [
        ([part("a", Device(name="d"))], None),
        ([part("a", Device(name="d"), count=2)], ("a", "spec.pool.resourceSliceCount")),
        ([part("a"), part("b")], ("a", "spec.pool.resourceSliceCount")),
        ([part("old", Device(name="d"), count=9), part("new", Device(name="d"), generation=2)], None),
        ([part("a", Device(name="d"), count=2), part("b", Device(name="d"), count=2)], ("b", "spec.devices[0].name")),
        ([part("a", taking("d", "c"), count=2), part("b", count=2, sets=SETS)], None),
        ([part("a", taking("d", "x"))], ("a", "spec.devices[0].consumesCounters[0]")),
        ([part("a", taking("d", "c", "cores"), count=2), part("b", count=2, sets=SETS)],
         ("a", "spec.devices[0].consumesCounters[0]")),
    ],
)  # fmt: skip
def test_the_first_problem_of_a_pool_is_said_at_its_field(slices, problem):
    assert [(one.slice_name, one.field) for one in pool_problems(slices)] == ([problem] if problem else [])


def test_an_input_warns_of_it_with_file_and_line():
    text = dump_yaml([to_manifest(one, Writing()) for one in (part("a", taking("d", "x")), part("other", count=2))])
    (warning, *_) = load_cluster([ManifestSource("devices.yaml", text.encode())]).findings
    assert (warning.severity, warning.source, warning.object) == ("warning", "devices.yaml", "ResourceSlice a")
    assert (warning.line, warning.field) == (1, "spec.pool.resourceSliceCount")
