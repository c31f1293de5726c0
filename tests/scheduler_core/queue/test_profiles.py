from __future__ import annotations

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreEnqueuePlugin,
    QueueSortPlugin,
    ScorePlugin,
)
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import unschedulable
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.queue.profiles import EVERY_EVENT, queue_profile
from tests.scheduler_core.queue.queue_helpers import pod

EVENT = EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD))


class Sort(QueueSortPlugin[NoArgs]):
    name = "Sort"

    def sort_key(self, pod, timestamp):
        return (pod.name,)


class Gate(PreEnqueuePlugin[NoArgs], EnqueueExtension[NoArgs]):
    name = "Gate"

    def pre_enqueue(self, pod):
        return unschedulable("not today")

    def events_to_register(self):
        return (EVENT,)


class Silent(FilterPlugin[NoArgs]):
    name = "Silent"


class Scorer(ScorePlugin[NoArgs], EnqueueExtension[NoArgs]):
    name = "Scorer"

    def events_to_register(self):
        return (EVENT,)


def test_a_profile_takes_order_gates_and_events_from_the_framework():
    framework = Framework("default-scheduler", RunContext(Cluster()))
    plugins = {cls.name: cls(NoArgs(), framework) for cls in (Sort, Gate, Silent, Scorer)}
    framework.install(plugins, PluginPoints(pre_enqueue=[plugins["Gate"]], queue_sort=[plugins["Sort"]]))
    profile = queue_profile(framework)
    assert profile.sort_key(pod("x"), 0) == ("x",)
    assert profile.pre_enqueue(pod("x")).plugin == "Gate"
    assert profile.hints == (("Gate", EVENT), *(("Silent", event) for event in EVERY_EVENT))
