"""Keyframes hold what is not as it was at the start, and give back everything, in its order."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
import zstandard

from scheduler_core.recording import Keyframe, RecordingError, RunState, decode_keyframe, encode_keyframe
from scheduler_core.recording.keyframes import AtStart, as_of_start, since_start
from scheduler_core.recording.state import Placement
from tests.seeds import each_seed


@pytest.mark.usefixtures("by_kernel_and_by_numpy")
@each_seed(range(200), together=40)
def test_what_changed_since_the_start_gives_what_there_is_in_its_order(seed):
    random = Random(seed)
    start = {f"pod-{i}": object() for i in range(random.choice((0, 1, 8)))}
    now, untouched = dict(start), set(start)
    for _ in range(random.randrange(12)):
        key, kind = f"pod-{random.randrange(12)}", random.choice(("put", "drop", "move"))
        if kind != "put":
            now.pop(key, None)
        if kind != "drop":
            now[key] = object()
        untouched.discard(key)
    others, gone = since_start(now, AtStart(start))
    assert list(as_of_start(start, others, gone).items()) == list(now.items())
    assert not untouched & {*others, *gone}, "what is as it was is not told"


def test_a_keyframe_with_a_start_has_the_placements_that_are_new():
    start = {f"pod-{i}": Placement(f"node-{i % 50}", True) for i in range(5_000)}
    state = RunState(seq=1, placements={**start, "pod-7": Placement("node-1", True), "new": Placement("node-2", False)})
    del state.placements["pod-9"]
    whole, small = encode_keyframe(Keyframe(state)), encode_keyframe(Keyframe(state), AtStart(start))
    assert len(small) < len(whole) / 10
    assert decode_keyframe(small, start=start) == decode_keyframe(whole, start=start) == decode_keyframe(whole)


SINCE_START = encode_keyframe(Keyframe(RunState(seq=1)), AtStart({}))
OF_SOMETHING_ELSE = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode({"state": 5}))


@pytest.mark.parametrize(
    ("use", "sentence"),
    [
        (lambda: decode_keyframe(SINCE_START, "chunk 3, keyframe"),
         "chunk 3, keyframe: cannot be read without the placements at the start of the recording"),
        (lambda: decode_keyframe(OF_SOMETHING_ELSE),
         "keyframe: cannot be read: Expected `object`, got `int` - at `$.state`"),
        (lambda: encode_keyframe(Keyframe(RunState(seq=7), {"row": object()})),
         "keyframe at seq 7 cannot be written: Encoding objects of type object is unsupported"),
    ],
    ids=["without the start", "of something else", "an engine's part that is not ready for JSON"],
)  # fmt: skip
def test_words(use, sentence):
    with pytest.raises(RecordingError) as refused:
        use()
    assert str(refused.value) == sentence
