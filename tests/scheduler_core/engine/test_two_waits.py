"""Two plugins may hold one pod at Permit; the later time-out counts once the earlier plugin let go."""

from __future__ import annotations

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.framework.contracts.plugin import NoArgs, PermitPlugin, PostBindPlugin
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000


class Short(PermitPlugin[NoArgs], PostBindPlugin[NoArgs]):
    """Waits for 10 s with pods named "held"; lets them go when another pod is bound."""

    name, Args, seconds = "Short", NoArgs, 10.0

    def permit(self, cycle, pod, node_name):
        return (Status(Code.WAIT), self.seconds) if pod.pod.name == "held" else (SUCCESS, 0.0)

    def post_bind(self, cycle, pod, node_name):
        for waiting in self.handle.run.waiting_pods():
            waiting.allow(self.name)


class Long(PermitPlugin[NoArgs]):
    """Waits for 40 s, whatever happens."""

    name, Args = "Long", NoArgs

    def permit(self, cycle, pod, node_name):
        return (Status(Code.WAIT), 40.0) if pod.pod.name == "held" else (SUCCESS, 0.0)


def decided(*entries):
    enabled = PluginSet((PluginRef("Short"), PluginRef("Long")))
    given = RunInputs(
        objects=ClusterObjects(nodes=[make_node("n")], pods=[make_pod("held", uid="")]),
        configuration=SchedulerConfiguration(profiles=(Profile(plugins={"multiPoint": enabled}),)),
        schedule="timeline",
        timeline=Timeline(entries),
        max_virtual_us=45 * SECOND,
    )
    session = RunSession.start(given, in_tree().with_plugin("Short", Short).with_plugin("Long", Long))
    events = []
    session.simulation.observers.append(events.append)
    session.advance()
    return [(e.at, e.plugin, e.allowed) for e in events if isinstance(e, ev.PermitDecided)]


def test_the_earlier_time_out_rejects():
    assert decided()[0] == (10 * SECOND, "Short", False)


def test_the_later_time_out_comes_although_the_earlier_plugin_let_go():
    other = TimelineEntry(2 * SECOND, "put", make_pod("other", uid=""))
    assert decided(other)[0] == (40 * SECOND, "Long", False)
