"""The guide names what the readers read: each kind is read with every field of the guide, and every look is noted."""

from __future__ import annotations

import json

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.field_guide.guide import field_at, field_guide, guide_json
from scheduler_core.manifests.field_guide.model import UNREAD
from scheduler_core.manifests.field_guide.pods import NOT_OFFERED
from scheduler_core.manifests.kinds.registry import KINDS

AMOUNTS = (
    *("requests", "limits", "capacity", "allocatable", "min", "max", "overhead", "allocatedResources"),
    *("hard", "used", "default", "defaultRequest", "maxLimitRequestRatio", "podFixed"),
)
# Read by form, not by field: sources of volumes, and what expansion looks into on its own.
# What readers share asks for more than the API has there.
NOT_THERE = (
    ("template", "status"),
    ("volumeClaimTemplates", "status"),
    ("topologySpreadConstraints", "mismatchLabelKeys"),
    *(("spec", name) for name in ("ordinals", "podManagementPolicy", "volumeClaimTemplates", "replicas")),
)
# Mappings by names that objects make up, and the pod of a SparkApplication that is made of its fields; what is
# below has no fields of the guide.
BY_NAME = ("consumedCapacity", "pod")
FREE = ("matchLabels", "labels", "annotations", "nodeSelector", "disruptedPods", "allocation", "devices", "reservedFor")


def whole_object(kind):
    """An object with every field of the guide."""
    fields = field_guide().kinds[kind]
    raw = {name: value_of(name, field, ()) for name, field in fields.items()}
    served = field_at(kind, ("apiVersion",)).choices[0]
    return {**raw, "apiVersion": served, "kind": kind, "metadata": {**raw["metadata"], "name": "one"}}


def value_of(name, field, above):
    if field.part:
        below = field_guide().parts[field.part]
        inner = {} if above.count(field.part) else {n: value_of(n, f, (*above, field.part)) for n, f in below.items()}
        return [inner] if field.is_list else {"a": inner} if field.is_keyed else inner
    if field.is_list:
        return [field.choices[0] if field.choices else "a"]
    if field.sort.startswith("mapping"):
        return {"cpu": "1"} if "quantities" in field.sort else {"a": "b"}
    if field.sort == "true or false":
        return False
    if field.sort.startswith("whole"):
        return 1
    return field.choices[0] if field.choices else None


@pytest.fixture
def looks(monkeypatch):
    """{path: names} that the readers ask for, and {path: all names that they know}."""
    asked, fields = {}, {}
    get, mapping = At.get, At.mapping

    def noting_get(self, key):
        asked.setdefault(self.path, set()).add(key)
        return get(self, key)

    def noting(self, names=()):
        if names:
            fields[self.path] = set(names)
        return mapping(self, names)

    def noting_word(self, key, default=""):
        return noting_get(self, key).text(default)

    def noting_choice(self, key, default, choices):
        return noting_get(self, key).text(default, choices)

    for name, one in (("get", noting_get), ("mapping", noting), ("word", noting_word), ("choice", noting_choice)):
        monkeypatch.setattr(At, name, one)
    monkeypatch.setattr(Memo, "read", lambda _, __, at, parse: parse(at))
    monkeypatch.setattr(Memo, "reduced", lambda _, __, at, raw, parse: parse(At(raw, at.path, at.sink)))
    monkeypatch.setattr(Memo, "field", lambda _, __, at, key, parse: parse(noting_get(at, key)))
    return asked, fields


def names_of(path):
    return tuple(step for step in path if isinstance(step, str))


def is_free(kind, path):
    """Whether what is read there has no fields of its own in the guide."""
    if not path:
        return False
    if any(name in BY_NAME for name in names_of(path)):
        return True
    pairs = zip(names_of(path), names_of(path)[1:], strict=False)
    field = field_at(kind, path)
    if field is None and any(pair in NOT_THERE for pair in pairs):
        return True
    is_amounts = path[-1] in AMOUNTS and field.part not in ("LimitRangeItem", "RuntimeOverhead")
    return is_amounts or path[-1] in FREE or field.part == "AnySource"


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_guide_has_what_the_readers_ask_for(kind, looks):
    asked, fields = looks
    load_manifests([whole_object(kind)])
    assert asked
    missing, wrong = [], []
    for path, names in asked.items():
        if is_free(kind, path):
            continue
        for name in names - NOT_OFFERED:
            field = field_at(kind, (*path, name))
            if field is None and (*names_of(path)[-1:], name) in NOT_THERE:
                continue
            if field is None:
                missing.append((path, name))
            elif field.says == UNREAD:
                wrong.append((path, name))
    for path, names in fields.items():
        if any(name in BY_NAME for name in names_of(path)):
            continue
        part = field_guide().kinds[kind] if not path else field_guide().parts[field_at(kind, path).part]
        assert set(part) == names - NOT_OFFERED, path
    assert (missing, wrong) == ([], [])


def test_parts_that_are_named_exist_and_each_is_used():
    guide = field_guide()
    mappings = (*guide.kinds.values(), *guide.documents.values(), *guide.parts.values())
    fields = [field for mapping in mappings for field in mapping.values()]
    named = {field.part for field in fields} | {part for field in fields for part in field.by_name.values()}
    assert named - {""} == set(guide.parts)


def test_a_path_leads_through_lists_to_a_field():
    field = field_at("Deployment", ("spec", "template", "spec", "tolerations", 0, "operator"))
    assert field.choices == ("Equal", "Exists")
    assert field.default == "Equal"
    assert field_at("Deployment", ("spec", "nothing")) is None


def test_fields_that_decisions_depend_on_are_offered_first():
    says = [field.says == UNREAD for field in field_guide().parts["PodSpec"].values()]
    assert says == sorted(says)
    assert next(iter(field_guide().parts["PodSpec"])) == "containers"


def test_json_holds_kinds_and_parts_without_what_is_empty():
    raw = json.loads(guide_json())
    assert raw["kinds"]["Pod"]["apiVersion"]["choices"] == ["v1"]
    assert raw["parts"]["Taint"]["key"].keys() == {"says", "sort"}
    assert "Secret" in raw["unread_kinds"]
