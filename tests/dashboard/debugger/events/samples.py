"""One event of every type, with its sentence."""

from __future__ import annotations

import msgspec

from scheduler_core.framework.preemption.decision import VictimSet
from scheduler_core.recording import events as ev

SAMPLES = {
    "Node n-1 created": ev.ObjectChanged(at=0, kind="Node", key="n-1", action="added", entry=3),
    "Pod web-0 created made by ReplicaSet web": ev.ObjectChanged(
        at=0, kind="Pod", key="shop/web-0", action="added", cause="made by ReplicaSet web"
    ),
    "Pod web-0 deleted completed": ev.ObjectChanged(
        at=0, kind="Pod", key="shop/web-0", action="deleted", cause="completed"
    ),
    "Pod web-0 created on n-1": ev.ObjectChanged(at=0, kind="Pod", key="shop/web-0", action="added", node="n-1"),
    "web-0 must leave preempted by shop/db-0": ev.ObjectChanged(
        at=0, kind="Pod", key="shop/web-0", action="updated", cause="preempted by shop/db-0"
    ),
    "web-0 gone preempted by shop/db-0": ev.ObjectChanged(
        at=0, kind="Pod", key="shop/web-0", action="deleted", cause="preempted by shop/db-0"
    ),
    "Pod web-1 of ReplicaSet shop/web is not made exceeded quota: q": ev.CreationRefused(
        at=0,
        kind="Pod",
        key="shop/web-1",
        message="exceeded quota: q",
        code="NOT_CREATED_QUOTA",
        maker="ReplicaSet shop/web",
    ),
    "Entry 7 of the timeline switched off": ev.InputsChanged(at=0, change=0, what="timeline", entry=7),
    "Configuration changed the scheduler is started again": ev.InputsChanged(
        at=0, change=1, what="configuration", value=b"x", restarts=True
    ),
    "Policies changed": ev.InputsChanged(at=0, change=2, what="policies", value=b"x"),
    "web-0 into activeQ new in the queue": ev.QueueMove(
        at=0, pod="shop/web-0", source="", target="active", event="UnschedulablePodAdd"
    ),
    "web-0 taken from activeQ": ev.QueueMove(
        at=0, pod="shop/web-0", source="active", target="in_flight", event="Popped"
    ),
    "web-0 leaves the queue": ev.QueueMove(at=0, pod="shop/web-0", source="in_flight", target="", event="Done"),
    "web-0 leaves the queue UnscheduledPodDelete": ev.QueueMove(
        at=0, pod="shop/web-0", source="active", target="", event="UnscheduledPodDelete"
    ),
    "web-0 gated by SchedulingGates": ev.QueueMove(
        at=0, pod="shop/web-0", source="", target="gated", event="UnschedulablePodAdd", gated_by="SchedulingGates"
    ),
    "web-0 to Unschedulable refused by NodeAffinity and TaintToleration": ev.QueueMove(
        at=0,
        pod="shop/web-0",
        source="in_flight",
        target="unschedulable",
        event="ScheduleAttemptFailure",
        plugins=("NodeAffinity", "TaintToleration"),
    ),
    "web-0 to backoffQ refused by NodeAffinity, until 00:00:02.000, NodeAdd came during the attempt": ev.QueueMove(
        at=0,
        pod="shop/web-0",
        source="in_flight",
        target="backoff",
        event="ScheduleAttemptFailure",
        plugins=("NodeAffinity",),
        backoff_until=2_000_000,
        in_flight_event="NodeAdd",
    ),
    "web-0 into activeQ its backoff is over": ev.QueueMove(
        at=0, pod="shop/web-0", source="backoff", target="active", event="BackoffComplete"
    ),
    "web-0 woken: to activeQ AssignedPodDelete, NodeResourcesFit: may help": ev.QueueMove(
        at=0,
        pod="shop/web-0",
        source="unschedulable",
        target="active",
        event="AssignedPodDelete",
        plugin="NodeResourcesFit",
    ),
    "cycle 1,028 of web-0 attempt 2, priority 1,000": ev.CycleStarted(
        at=0, cycle=1028, pod="shop/web-0", attempt=2, profile="default", priority=1000, template=1, n_nodes=7
    ),
    "PreFilter ran 1 plugin, 1 skipped": ev.PointFinished(
        at=0, cycle=1, point="PreFilter", statuses=(ev.PluginStatus("A"), ev.PluginStatus("B", 5))
    ),
    "PreFilter refused VolumeBinding: no claim": ev.PointFinished(
        at=0, cycle=1, point="PreFilter", statuses=(ev.PluginStatus("VolumeBinding", 3, ("no claim",)),)
    ),
    "PostFilter ran 2 plugins": ev.PointFinished(
        at=0,
        cycle=1,
        point="PostFilter",
        statuses=(ev.PluginStatus("DynamicResources", 2, ("none",)), ev.PluginStatus("DefaultPreemption")),
    ),
    "Filter refused all 7 nodes NodeResourcesFit 5, TaintToleration 2": ev.NodesFiltered(
        at=0,
        cycle=1,
        visited=7,
        feasible=0,
        refusals=(
            ev.Refusal("TaintToleration", 3, ("a",), 2),
            ev.Refusal("NodeResourcesFit", 2, ("b",), 4),
            ev.Refusal("NodeResourcesFit", 2, ("c",), 1),
        ),
    ),
    "Filter passed 2 of 7 nodes": ev.NodesFiltered(at=0, cycle=1, visited=7, feasible=2),
    "Filter passed 1 of 1 nodes the nominated node": ev.NodesFiltered(
        at=0, cycle=1, visited=1, feasible=1, nominated_only=True
    ),
    "Score by 1 plugin ImageLocality decided": ev.NodesScored(
        at=0,
        cycle=1,
        plugins=(ev.ScoreSummary("ImageLocality", 1, "identity", (), 1, 1, 0, 0, 0, 1, 0.5, True),),
    ),
    "n-1 chosen total 402, 282 ahead of n-2": ev.HostSelected(
        at=0, cycle=1, node="n-1", total=402, second="n-2", second_total=120
    ),
    "n-1 chosen drawn from 6 with total 458": ev.HostSelected(
        at=0, cycle=1, node="n-1", total=458, second="n-2", second_total=458, tie_count=6
    ),
    "n-1 chosen the only one that fits": ev.HostSelected(at=0, cycle=1, node="n-1"),
    "No preemption for web-0 not eligible": ev.PreemptionDecided(
        at=0, cycle=1, pod="shop/web-0", eligible=False, message="not eligible"
    ),
    "Preemption finds no node for web-0 0/7 nodes are available": ev.PreemptionDecided(
        at=0, cycle=1, pod="shop/web-0", eligible=True, message="0/7 nodes are available", nominated_node=""
    ),
    "Preemption nominates n-1 1 candidate, decided by latest start of the highest victim, 2 victims": (
        ev.PreemptionDecided(
            at=0,
            cycle=1,
            pod="shop/web-0",
            eligible=True,
            nominated_node="n-1",
            criterion="latest_start",
            packed=msgspec.Raw(msgspec.msgpack.encode([VictimSet("n-1", ("a/b", "a/c"))])),
        )
    ),
    "web-0 nominated to n-1": ev.Nominated(at=0, pod="shop/web-0", node="n-1"),
    "Nomination of web-0 cleared": ev.Nominated(at=0, pod="shop/web-0", node=""),
    "web-0 reserved on n-1": ev.Reserved(at=0, cycle=1, pod="shop/web-0", node="n-1"),
    "web-0 no longer reserved on n-1 it timed out": ev.Unreserved(
        at=0, cycle=1, pod="shop/web-0", node="n-1", reason="it timed out"
    ),
    "web-0 waits at Permit for n-1 Gang, until 00:00:09.000 at the latest": ev.PermitWaiting(
        at=0, cycle=1, pod="shop/web-0", node="n-1", plugins=("Gang",), deadline=9_000_000
    ),
    "Permit rejects web-0 Gang, too late": ev.PermitDecided(
        at=0, cycle=1, pod="shop/web-0", plugin="Gang", allowed=False, message="too late"
    ),
    "web-0 bound to n-1": ev.Bound(at=0, cycle=1, pod="shop/web-0", node="n-1"),
    "Gang failed at Permit KeyError: 'a'": ev.PluginFailed(
        at=0, cycle=1, pod="shop/web-0", plugin="Gang", point="Permit", error="KeyError", message="'a'"
    ),
    "Filter by 2 extender calls http://a.example and http://b.example": ev.ExtendersFiltered(
        at=0,
        cycle=1,
        calls=(
            ev.FilterCall(0, "Extender http://a.example", ev.NO_NODES),
            ev.FilterCall(1, "Extender http://b.example", ev.NO_NODES),
        ),
    ),
    "Score by 1 extender call http://a.example: EOF": ev.ExtendersScored(
        at=0, cycle=1, calls=(ev.PrioritizeCall(0, "Extender http://a.example", 1, error="EOF"),)
    ),
    "Preemption shows its candidates in 1 extender call http://a.example": ev.ExtendersPreempted(
        at=0,
        cycle=1,
        pod="shop/web-0",
        packed=msgspec.Raw(b"\x90"),
        calls=(ev.PreemptCall(0, "Extender http://a.example"),),
    ),
    "Binding by 1 extender call to n-1 http://a.example": ev.ExtendersBound(
        at=0, cycle=1, pod="shop/web-0", node="n-1", calls=(ev.BindCall(0, "Extender http://a.example"),)
    ),
    "web-0 scheduled in cycle 1 on n-1": ev.CycleFinished(
        at=0, cycle=1, pod="shop/web-0", outcome="scheduled", node="n-1"
    ),
    "web-0 unschedulable in cycle 1 0/7 nodes": ev.CycleFinished(
        at=0, cycle=1, pod="shop/web-0", outcome="unschedulable", message="0/7 nodes"
    ),
    "Digest of the matrix of cycle 97 0123456789ab": ev.MatrixDigest(at=0, cycle=97, digest="0123456789abcdef"),
    "The run ends nothing is left to do, 5 pods bound, 2 pending": ev.RunFinished(
        at=0, reason="nothing is left to do", cycles=9, bound=5, pending=2
    ),
}
