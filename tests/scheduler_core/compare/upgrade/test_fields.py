"""Fields that versions read otherwise."""

from __future__ import annotations

from scheduler_core.compare.upgrade.fields import _COUNT, field_changes
from scheduler_core.versions.behaviours import BEHAVIOURS
from scheduler_core.versions.fields import FIELDS
from scheduler_core.versions.trains import NAMES, TRAINS
from tests.scheduler_core.compare.upgrade.clusters import inputs_of, node, pod

OBJECTS = inputs_of([
    node("n", status={"declaredFeatures": ["A"]}),
    pod("a-0", "1", "1Gi", resources={"requests": {"cpu": "2"}}),
    pod("a-1", "1", "1Gi"),
]).objects  # fmt: skip


def changes(a: str, b: str):
    return {one.field: (one.what, one.n_objects) for one in field_changes(TRAINS[a], TRAINS[b], OBJECTS)}


def test_the_table_is_well_formed_and_every_field_of_objects_is_counted():
    assert {row.since for row in (*FIELDS.configuration, *FIELDS.object)} <= set(NAMES)
    assert {row.field for row in FIELDS.object} == _COUNT.keys()
    assert {row.behaviour for row in FIELDS.object} <= BEHAVIOURS.keys()


def test_what_an_upgrade_brings_the_way_back_takes():
    assert changes("1.33", "1.34")["Pod spec.resources"] == ("gains meaning", 1)
    assert changes("1.34", "1.33")["Pod spec.resources"] == ("loses meaning", 1)
    assert changes("1.34", "1.35")["DynamicResourcesArgs.bindingTimeout"] == ("new", None)
    assert changes("1.35", "1.34")["DynamicResourcesArgs.bindingTimeout"] == ("removed", None)
    assert changes("1.35", "1.36")["Node status.declaredFeatures"] == ("gains meaning", 1)
    assert changes("1.36", "1.36") == {}
