"""What extenders made of candidates: given up, victims spared, failures."""

from __future__ import annotations

import msgspec

from dashboard.debugger.panels.preemption_extenders import answers_to
from scheduler_core.framework.contracts.extending.recorded import PreemptCall, ReturnedVictims, name_of_extender
from scheduler_core.recording.events import ExtendersPreempted, VictimSet

A, B, C = (name_of_extender(f"http://{one}.example") for one in "abc")


def shown(*calls):
    sets = [VictimSet(node, (f"ns/{node}-1", f"ns/{node}-2")) for node in ("n1", "n2", "n3")]
    return ExtendersPreempted(at=0, cycle=1, pod="ns/p", packed=msgspec.Raw(msgspec.msgpack.encode(sets)), calls=calls)


def test_each_is_shown_what_the_one_before_left():
    first = PreemptCall(0, A, (ReturnedVictims("n1", ("ns/n1-1", "ns/n1-2")), ReturnedVictims("n2", ("ns/n2-2",))))
    failed = PreemptCall(1, B, error="EOF", ignored=True)
    last = PreemptCall(2, C, (ReturnedVictims("n1", ()), ReturnedVictims("n2", ("ns/n2-2",))))
    a, b, c = answers_to(shown(first, failed, last))
    assert (a.address, a.n_shown, a.gone, a.spared) == ("http://a.example", 3, ["n3"], [("n2-1", "n2")])
    assert (b.n_shown, b.gone, b.error, b.is_ignored) == (2, [], "EOF", True)
    assert (c.n_shown, c.gone, c.spared) == (2, ["n1"], [])
