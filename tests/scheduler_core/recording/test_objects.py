from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.recording import RecordingError
from scheduler_core.recording.objects import decode_object, encode_object
from tests.scheduler_core.recording.whole_objects import EXAMPLES


def test_there_is_an_example_of_every_kind() -> None:
    assert {type(obj) for obj in EXAMPLES} == set(get_args(k8s.KubernetesObject))


@pytest.mark.parametrize("obj", EXAMPLES, ids=lambda obj: type(obj).__name__)
def test_an_object_comes_back_as_it_was_written(obj: k8s.KubernetesObject) -> None:
    encoded = encode_object(obj)
    assert decode_object(type(obj).__name__, encoded) == obj
    assert encode_object(decode_object(type(obj).__name__, encoded)) == encoded


def test_fields_at_their_default_are_not_written() -> None:
    assert msgspec.msgpack.decode(encode_object(k8s.Pod(name="p"))) == {"name": "p"}


def test_fields_of_another_version_are_passed_over() -> None:
    encoded = msgspec.msgpack.encode({"name": "p", "from_the_future": 7})
    assert decode_object("Pod", encoded) == k8s.Pod(name="p")


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("Gadget", b"\x80", "a recorded object is of the unknown kind 'Gadget'"),
        (
            "Pod",
            b"\xc1",
            "a recorded Pod cannot be read: MessagePack data is malformed: invalid opcode '\\xc1' (byte 0)",
        ),
    ],
)
def test_words(kind: str, data: bytes, sentence: str) -> None:
    with pytest.raises(RecordingError) as refused:
        decode_object(kind, data)
    assert str(refused.value) == sentence
