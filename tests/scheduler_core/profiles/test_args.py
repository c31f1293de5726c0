"""Arguments of plugins: camelCase as Kubernetes writes them, unknown fields refused by name."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.profiles.args import decode_args, snake


class Shape(msgspec.Struct):
    at_most: int


class Args(msgspec.Struct, forbid_unknown_fields=True):
    added_affinity: str = ""
    shapes: list[Shape] = []


class OwnArgs(msgspec.Struct):
    raw: dict

    @classmethod
    def from_raw(cls, raw):
        return cls(raw)


@pytest.mark.parametrize(
    ("camel", "expected"),
    [("addedAffinity", "added_affinity"), ("bindTimeoutSeconds", "bind_timeout_seconds"), ("shape", "shape")],
)
def test_names_are_written_as_python_writes_them(camel, expected):
    assert snake(camel) == expected


def test_nested_fields_are_renamed_too_and_the_header_is_passed_over():
    raw = {"apiVersion": "v1", "kind": "Args", "addedAffinity": "a", "shapes": [{"atMost": 3}]}
    assert decode_args(Args, raw) == Args("a", [Shape(3)])


@pytest.mark.parametrize(
    ("raw", "sentence"), [({"otherField": 1}, "unknown field other_field; known are added_affinity, shapes")]
)
def test_words(raw, sentence):
    with pytest.raises(ValueError) as refused:  # noqa: PT011 -- the sentence is compared
        decode_args(Args, raw)
    assert str(refused.value) == sentence


def test_a_value_of_another_type_is_refused():
    with pytest.raises(msgspec.ValidationError):
        decode_args(Args, {"addedAffinity": 7})


def test_a_type_may_read_its_fields_itself_and_gets_no_header():
    assert decode_args(OwnArgs, {"kind": "OwnArgs", "someField": 1}).raw == {"someField": 1}
