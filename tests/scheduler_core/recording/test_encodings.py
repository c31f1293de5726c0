from __future__ import annotations

import msgspec

from scheduler_core.recording import events as ev
from scheduler_core.recording.encodings import Encodings

EVENTS = [
    ev.Reserved(at=1, cycle=1, pod="a/b", node="node-1"),
    ev.HostSelected(at=2, cycle=1, node="node-1", tie_count=9, ties=bytes(5000)),
    ev.Bound(at=70_000, cycle=1, pod="a/b", node="node-1"),
]


def test_encodings_lie_one_behind_the_other_as_each_event_alone_is_encoded():
    alone = [msgspec.msgpack.encode(event) for event in EVENTS]
    encodings = Encodings()
    encodings.extend(EVENTS[:1], [0])
    encodings.extend(EVENTS[1:], [1, 2])
    assert bytes(encodings.data) == b"".join(alone)
    assert encodings.lengths().tolist() == [len(one) for one in alone]
    assert len(encodings) == len(EVENTS)
    taken = Encodings(alone, [0, 1, 2])
    assert (taken.data, taken.ends) == (encodings.data, encodings.ends)
    assert taken.packed_distances() == encodings.packed_distances() == bytes([0] * 4 + [1, 0, 0, 0, 2, 0, 0, 0])


def test_nothing_encoded_has_no_lengths():
    assert Encodings().lengths().tolist() == []
