"""Whatever happens: each pod is in one place, moves tell the truth, and a dump restores the queue exactly."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from scheduler_core.api.taints import Toleration
from scheduler_core.queue.cluster_events import ASSIGNED_POD_ADD
from scheduler_core.queue.types import (
    ACTIVE,
    IN_FLIGHT,
    LANES,
    MOVE_CYCLE_SETTINGS,
    OUTSIDE,
    QueueSettings,
)
from tests.scheduler_core.queue.queue_helpers import NODE_ADD, NODE_LABEL, POD_DELETE, Harness, node, pod
from tests.seeds import how_many

EVENTS = {
    "big node": (NODE_ADD, None, node("big")),
    "small node": (NODE_ADD, None, node("small")),
    "label": (NODE_LABEL, node("x"), node("x")),
    "pod gone": (POD_DELETE, pod("x", node_name="n"), None),
    "pod came": (ASSIGNED_POD_ADD, None, pod("x", node_name="n")),
}
PLUGINS = st.sets(st.sampled_from(["Fit", "Affinity", "Tolerations"]), max_size=2)
NAMES = st.sampled_from("abcdef")


class QueueMachine(RuleBasedStateMachine):
    """Drives a queue and, operation by operation, a second one that is restored from the first at times."""

    settings_of_queue = QueueSettings()

    def __init__(self):
        super().__init__()
        self.houses = [Harness(self.settings_of_queue), Harness(self.settings_of_queue)]
        self.places = Counter()
        self.moves_read = 0
        self.created = 0

    @property
    def house(self):
        return self.houses[0]

    def each(self, do):
        """Do the same to both queues; their answers must agree."""
        first, second = (do(house) for house in self.houses)
        assert first == second

    @rule(name=NAMES, priority=st.integers(0, 2), gated=st.booleans())
    def add(self, name, priority, gated):
        new = pod(name, priority, scheduling_gates=("g",) if gated else ())
        if new.key not in self.house.pods:
            self.created += 1
            new = msgspec.structs.replace(new, uid=f"uid-{self.created}")
            self.each(lambda house: house.add(new))

    @rule(name=NAMES, what=st.sampled_from(["label", "toleration", "ungate", "nominate", "priority"]))
    def update(self, name, what):
        old = self.house.pods.get(f"default/{name}")
        if old is None:
            return
        fields = {
            "label": {"labels": {"n": str(len(old.labels))}},
            "toleration": {"tolerations": (*old.tolerations, Toleration("k"))},
            "ungate": {"scheduling_gates": ()},
            "nominate": {"nominated_node_name": "n1"},
            "priority": {"priority": 9},
        }[what]
        new = msgspec.structs.replace(old, **fields)

        def do(house):
            house.pods[new.key] = new
            house.queue.update(old, new)

        self.each(do)

    @rule(name=NAMES)
    def delete(self, name):
        old = self.house.pods.get(f"default/{name}")
        if old is not None:
            self.each(lambda house: (house.pods.pop(old.key), house.queue.delete(old))[1])

    @rule()
    def pop(self):
        self.each(lambda house: house.popped())

    @precondition(lambda self: self.house.queue.in_flight())
    @rule(plugins=PLUGINS, pending=st.booleans(), index=st.integers(0, 5))
    def fail(self, plugins, pending, index):
        def do(house):
            flying = house.queue.in_flight()
            queued = flying[index % len(flying)]
            current = house.pods.get(queued.key)
            if current is None or current.uid != queued.pod.uid:
                return house.queue.done(queued)
            return house.queue.add_unschedulable_if_not_present(
                queued, plugins, ("Permit",) if pending else (), current
            )

        self.each(do)

    @precondition(lambda self: self.house.queue.in_flight())
    @rule(index=st.integers(0, 5))
    def bind(self, index):
        def do(house):
            flying = house.queue.in_flight()
            queued = flying[index % len(flying)]
            if queued.key in house.pods and house.pods[queued.key].uid == queued.pod.uid:
                del house.pods[queued.key]
            house.queue.delete_nominated(queued.pod)
            house.queue.done(queued)

        self.each(do)

    @rule(name=st.sampled_from(sorted(EVENTS)), low=st.booleans())
    def event(self, name, low):
        precheck = (lambda waiting: waiting.priority <= 1) if low else None
        self.each(lambda house: house.queue.move_all(*EVENTS[name], precheck))

    @rule(names=st.lists(NAMES, unique=True, max_size=3))
    def activate(self, names):
        self.each(lambda house: house.queue.activate(house.pods.get(f"default/{name}", pod(name)) for name in names))

    @rule(seconds=st.sampled_from([0, 1, 3, 40, 400]))
    def wait(self, seconds):
        self.each(lambda house: house.advance(seconds + 0.25))

    @rule()
    def flush_backoff_when_it_says(self):
        def do(house):
            at = house.queue.next_backoff_flush()
            if at is None:
                return None
            assert at >= house.clock
            before = len(house.moves)
            house.clock = at
            house.queue.flush_backoff_completed()
            assert len(house.moves) > before, "the flush was announced, so it must move something"
            return at

        self.each(do)

    @rule()
    def flush_leftover_when_it_says(self):
        def do(house):
            at = house.queue.next_unschedulable_flush()
            if at is None:
                return None
            before = len(house.moves)
            seen = [*house.queue.in_flight_log()], house.queue.dump()["move_request_cycle"]
            house.clock = max(at, house.clock)
            house.queue.flush_unschedulable_leftover()
            moved = len(house.moves) > before
            heard = ([*house.queue.in_flight_log()], house.queue.dump()["move_request_cycle"]) != seen
            assert moved or heard, "the flush was announced, so it must move a pod or be news to one in flight"
            return at

        self.each(do)

    @rule()
    def restore_the_second_from_the_first(self):
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(self.house.queue.dump()))
        second = Harness(self.settings_of_queue)
        second.pods = dict(self.house.pods)
        second.clock = self.house.clock
        second.moves.extend(self.house.moves)
        second.queue.load(state, second.pods)
        self.houses[1] = second

    @invariant()
    def both_queues_are_equal(self):
        first, second = self.houses
        assert first.moves == second.moves
        assert first.queue.dump() == second.queue.dump()

    @invariant()
    def every_pod_is_in_one_place_and_the_moves_say_which(self):
        moves = self.house.moves
        for move in moves[self.moves_read :]:
            if move.source != OUTSIDE:
                self.places[move.source, move.pod] -= 1
            if move.target != OUTSIDE:
                self.places[move.target, move.pod] += 1
        self.moves_read = len(moves)
        shown = Counter((lane, queued.key) for lane in LANES for queued in self.house.queue.entries(lane))
        assert +self.places == shown
        assert min(self.places.values(), default=0) >= 0
        waiting = [queued.key for lane in LANES if lane != IN_FLIGHT for queued in self.house.queue.entries(lane)]
        assert len(waiting) == len(set(waiting)) == len(self.house.queue)
        assert self.house.queue.lengths() == {lane: len(self.house.queue.entries(lane)) for lane in LANES}

    @invariant()
    def no_pod_is_lost(self):
        queued_keys = {queued.key for lane in LANES for queued in self.house.queue.entries(lane)}
        assert set(self.house.pods) <= queued_keys

    @invariant()
    def active_is_in_order(self):
        keys = [(-queued.pod.priority, queued.timestamp, queued.order) for queued in self.house.queue.entries(ACTIVE)]
        assert keys == sorted(keys)


class MoveCycleMachine(QueueMachine):
    settings_of_queue = MOVE_CYCLE_SETTINGS


TestQueue = pytest.mark.slow(QueueMachine.TestCase)
TestMoveCycleQueue = pytest.mark.slow(MoveCycleMachine.TestCase)
TestQueue.settings = TestMoveCycleQueue.settings = settings(
    max_examples=how_many(60, 150), stateful_step_count=40, deadline=None
)
