"""Changes of objects that the engine made up are the same again after they were stored."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.recording.errors import RecordingError
from tests.scheduler_core.crowded import crowded


@pytest.mark.slow
def test_every_object_is_the_same_again_through_json():
    objects = crowded(5).objects
    n_objects = 0
    for name in objects.__struct_fields__:
        several = getattr(objects, name)
        for obj in several if isinstance(several, list | tuple) else ():
            stored = msgspec.json.encode(msgspec.to_builtins(WholeObjectChange.of("put", obj)))
            change = msgspec.convert(msgspec.json.decode(stored), WholeObjectChange).at(7)
            assert (change.seq, change.action, change.object) == (7, "put", obj)
            n_objects += 1
    assert n_objects > 50


@pytest.mark.parametrize(("kind", "data"), [("Nothing", b"\x80"), ("Pod", b"\xff"), ("Pod", b"\x81\xa4name\x01")])
def test_what_is_no_object_is_refused(kind, data):
    with pytest.raises(RecordingError):
        WholeObjectChange("put", kind, data).at(1)
