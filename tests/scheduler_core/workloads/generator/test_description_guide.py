"""The guide of descriptions names what their readers know."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import ManifestSource
from scheduler_core.workloads.generator import entries, fields, reading
from scheduler_core.workloads.generator.description_guide import (
    DESCRIPTION,
    FIELDS,
    PARTS,
    description_guide,
    description_guide_json,
)


def test_descriptions_have_the_fields_that_are_read():
    assert set(FIELDS) == set(reading._TOP)
    assert set(PARTS["DescribedPool"]) == set(entries._POOL)
    assert set(PARTS["DescribedWorkload"]) == set(entries._WORKLOAD)
    assert set(PARTS["DescribedArrivals"]) == {"process"}.union(*fields._ARRIVALS.values())
    assert set(PARTS["DescribedLifetime"]) == set(fields._LIFETIMES).union(*fields._LIFETIMES.values())


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("DescribedPriority", "{{pods: 1, priority: {{name: a, value: 1, {}: x}}}}"),
        ("DescribedVariant", "{{pods: 1, variants: [{{percent: 10, {}: x}}]}}"),
        ("DescribedTime", "{{pods: 1, arrivals: {{process: list, times: [{{at: 1s, {}: 1}}]}}}}"),
    ],
)
def test_parts_have_the_fields_that_are_read(part, text):
    def unknown(name):
        source = ManifestSource("d.yaml", f"workloads: [{text.format(name)}]".encode())
        return any("is no known field" in one.message for one in reading.read_description(source).findings)

    assert unknown("odd")
    assert not any(map(unknown, PARTS[part]))


def test_every_part_that_is_named_is_there():
    guide = description_guide()
    for part in (FIELDS, *PARTS.values()):
        assert {field.part for field in part.values() if field.part} <= guide.parts.keys()
    assert DESCRIPTION.encode() in description_guide_json()
