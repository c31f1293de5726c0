"""Names, labels, annotations and owners of objects, and what is made of them."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.kinds.metadata import identity, parse_time, suffix
from tests.scheduler_core.manifests.judging import judge, object_text
from tests.scheduler_core.manifests.object_rules import NAMES


@pytest.mark.parametrize(("source", "kind", "fields", "field"), NAMES)
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:10Z", 10.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T00:00:00", None),
        ("yesterday", None),
        ("1970-01-01T00:00:00Z" + " " * 30, None),
    ],
)
def test_a_moment_needs_a_time_zone(text, expected):
    assert parse_time(text) == expected


def test_a_suffix_follows_from_its_seed_and_has_kubernetes_letters():
    assert suffix("web") == suffix("web") != suffix("web-1")
    assert len(suffix("web", 8)) == 8
    assert not set(suffix("web", 40)) & set("aeiou013")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"metadata": {"name": "a", "namespace": "b"}}, ("Pod", "b", "a")),
        ({"metadata": {"generateName": "a-"}}, ("Pod", "", "a-")),
        ({"metadata": {"name": 7}}, ("Pod", "", "")),
        ({"metadata": []}, ("Pod", "", "")),
        (None, ("Pod", "", "")),
    ],
)
def test_an_object_of_any_shape_can_be_named_in_a_message(raw, expected):
    assert tuple(identity(raw, "Pod")) == expected
