"""Which objects an event concerns."""

from __future__ import annotations

from dashboard.debugger.events.sentences import words_of
from scheduler_core.recording import events as ev
from tests.dashboard.debugger.events.samples import SAMPLES


def test_an_event_says_which_pod_node_and_cycle_it_concerns():
    bound = words_of(ev.Bound(at=0, cycle=3, pod="shop/web-0", node="n-1")).about
    assert (bound.pod, bound.node, bound.cycle, bound.kind) == ("shop/web-0", "n-1", 3, "bound")
    victim = words_of(SAMPLES["web-0 gone preempted by shop/db-0"]).about
    assert (victim.pod, victim.other, victim.kind) == ("shop/web-0", "shop/db-0", "eviction")
