"""What is due later must still be meant when it comes."""

from __future__ import annotations

import msgspec

from scheduler_core.recording import events as ev
from tests.scheduler_core.engine.test_changes_midway import MS, POD, inputs, run


def test_the_binding_of_a_pod_that_was_deleted_does_not_bind_the_next_pod_of_its_name_early():
    """The first pod's binding would end at 6 ms; the second is chosen at 4 ms and takes 5 ms itself."""
    other = msgspec.structs.replace(POD, labels={"generation": "2"})
    _, events = run(inputs((0, "put", POD), (2, "delete", POD), (3, "put", other)))
    reserved = [e.at for e in events if isinstance(e, ev.Reserved)]
    bound = [e.at for e in events if isinstance(e, ev.Bound)]
    assert len(reserved) == 2
    assert reserved[0] + 5 * MS < reserved[1] + 5 * MS
    assert bound == [reserved[1] + 5 * MS]
