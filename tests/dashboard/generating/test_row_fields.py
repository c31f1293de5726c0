"""The fields of rows are those of the description's guide, and edits find the sizes of all resources."""

from __future__ import annotations

from dashboard.clusters.forms.edits import field_at
from dashboard.clusters.forms.model import Sort
from dashboard.generating.row_fields import form_of, pool_fields, workload_fields
from scheduler_core.workloads.generator.description_guide import PARTS


def test_fields_are_those_of_the_guide() -> None:
    for part, fields in (("DescribedPool", pool_fields()), ("DescribedWorkload", workload_fields())):
        assert {name: one.help for name, one in fields.items()} == {name: PARTS[part][name].says for name in fields}
    assert pool_fields()["taints"].sort is workload_fields()["tolerations"].sort is Sort.ROWS
    assert [one.sort for one in workload_fields()["variants"].fields] == [Sort.NUMBER, Sort.PAIRS]


def test_edits_find_the_amounts_of_every_resource_that_is_there() -> None:
    raw = {"workloads": [{"sizes": {"cpu": 1}}, {"sizes": {"a.b/c": 1}}, {"sizes": "openb"}, 3]}
    fields = form_of(raw).fields
    for path in (("sizes", "a.b/c", "median"), ("sizes", "cpu", "choices", "8"), ("sizes", "cpu"), ("sizes",)):
        assert field_at(fields, ("workloads", 1, *path)), path
    assert field_at(fields, ("workloads", 1, "sizes", "memory", "median")) is None
    assert field_at(form_of({"workloads": 3}).fields, ("workloads", 0, "sizes", "cpu"))
