"""The texts of preemption, of the scheduler itself, of groups and quotas, and of the API server about pods not made."""

from __future__ import annotations

from typing import Any

from scheduler_core.explain.messages.texts import ELSEWHERE, POD, PREEMPTION, MessageText, says
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.profiles.registry import CAPACITY_SCHEDULING, COSCHEDULING

GANG_SCHEDULING = "GangScheduling"
"""A plugin of kube-scheduler that the engine does not have."""
NO_VICTIMS, NOT_HELPFUL = "No preemption victims found for incoming pod", "Preemption is not helpful for scheduling"
_FORBIDDEN = 'pods "<pod>" is forbidden: '
_UNRECORDED: dict[str, Any] = {"place": ELSEWHERE, "recorded": False}
_OF_QUOTAS: dict[str, Any] = {"place": POD, "recorded": False}

_PREEMPTION = [
    says(DefaultPreemption, NO_VICTIMS, "PREEMPTION_NO_VICTIMS", place=PREEMPTION),
    says(DefaultPreemption, NOT_HELPFUL, "PREEMPTION_NOT_HELPFUL", place=PREEMPTION),
    says(DefaultPreemption, "not eligible due to preemptionPolicy=Never.", "PREEMPTION_NEVER", place=PREEMPTION),
    says(
        DefaultPreemption,
        "not eligible due to a terminating pod on the nominated node.",
        "NOMINATED_WAITS",
        place=PREEMPTION,
    ),
    *(
        says(DefaultPreemption, f"not eligible due to {text}", "PREEMPTION_NOT_HELPFUL", place=PREEMPTION, since="1.36")
        for text in ("workload aware preemption enabled", "placement-based pod group scheduling limitation")
    ),
    says(
        DefaultPreemption,
        "no candidate node for preemption",
        "PREEMPTION_NOT_HELPFUL",
        "EXTENDER_REFUSED",
        place=PREEMPTION,
    ),
    says(
        DefaultPreemption,
        'expected at least one victim pod on node "<node>"',
        "EXTENDER_FAILED",
        "PLUGIN_FAILED",
        place=PREEMPTION,
    ),
    says(
        DefaultPreemption,
        "found a potential placement for pod on node <node>, preempting <n> victims",
        "NOMINATED_WAITS",
        place=PREEMPTION,
        since="1.37",
        recorded=False,
    ),
    says(
        DefaultPreemption,
        "waiting for the preemption for this pod to be finished",
        "NOMINATED_WAITS",
        place=ELSEWHERE,
        since="1.32",
        recorded=False,
    ),
]
_SCHEDULER = [
    says("", "no nodes available to schedule pods", "NO_NODES", place=ELSEWHERE),
    says("", "skip schedule deleting pod: <pod>", "TERMINATING", place=ELSEWHERE, recorded=False),
    says("", "All PostFilter plugins are skipped", place=ELSEWHERE, since="1.36"),
    says(SchedulingGates, "waiting for scheduling gates: [<gates>]", "GATED", place=ELSEWHERE),
    says(
        SchedulingGates,
        "Scheduling is blocked due to non-empty scheduling gates",
        "GATED",
        place=ELSEWHERE,
        recorded=False,
    ),
    says("", 'running PreBind plugin "<plugin>": <error>', "PREBIND_FAILED", "PREBIND_WAITS", **_UNRECORDED),
    says("", 'running Reserve plugin "<plugin>": <error>', "RESERVE_FAILED", **_UNRECORDED),
    says("", 'running Permit plugin "<plugin>": <error>', "PERMIT_REJECTED", **_UNRECORDED),
    says("", 'running Bind plugin "<plugin>": <error>', "BIND_FAILED", **_UNRECORDED),
    says(DefaultBinder, "binding rejected: <error>", "BIND_FAILED", **_UNRECORDED),
    says(
        "",
        "rejected due to timeout after waiting <time> at plugin <plugin>",
        "PERMIT_REJECTED",
        "PERMIT_WAITS",
        **_UNRECORDED,
    ),
    says("", 'running "<plugin>" filter plugin: <error>', "PLUGIN_FAILED", place=ELSEWHERE),
    says("", 'running PreFilter plugin "<plugin>": <error>', "PLUGIN_FAILED", **_UNRECORDED),
    says("", 'running PreScore plugin "<plugin>": <error>', "PLUGIN_FAILED", place=ELSEWHERE),
    says("", 'running Score plugins: plugin "<plugin>" failed with: <error>', "PLUGIN_FAILED", place=ELSEWHERE),
    says("", 'error reading "<state>" from cycleState: not found', "PLUGIN_FAILED"),
    says("", 'reading "<state>" from cycleState: not found', "PLUGIN_FAILED"),
    *(
        says("", f"failed {verb} with extender at URL <url>, code <status>", "EXTENDER_FAILED", place=ELSEWHERE, **more)
        for verb, more in (("filter", {}), ("prioritize", {}), ("preempt", {}), ("bind", {"recorded": False}))
    ),
    says("", 'Post "<url>": <error>', "EXTENDER_FAILED", place=ELSEWHERE),
    says(
        "",
        'extender "<url>" claims a filtered node "<node>" which is not found in the input node list',
        "EXTENDER_FAILED",
        place=ELSEWHERE,
    ),
]
_GROUPS = [
    says(GANG_SCHEDULING, "pod group is unschedulable", "GANG_NO_ROOM", place=ELSEWHERE, since="1.36"),
    says(
        GANG_SCHEDULING,
        "pod group is waiting for preemption to complete",
        "NOMINATED_WAITS",
        place=ELSEWHERE,
        since="1.36",
    ),
    says(
        GANG_SCHEDULING,
        "waiting for minCount pods from a gang to be scheduled",
        "GANG_NO_ROOM",
        "PERMIT_WAITS",
        place=ELSEWHERE,
        since="1.35",
    ),
    says(
        GANG_SCHEDULING,
        "one or more plugins asked to wait and no plugin rejected pod",
        "PERMIT_WAITS",
        place=ELSEWHERE,
        since="1.35",
    ),
    *(
        says(GANG_SCHEDULING, text, "GANG_TOO_FEW", place=ELSEWHERE, since="1.35", recorded=False)
        for text in (
            "waiting for minCount pods from a gang to appear in scheduling queue",
            'waiting for pods\'s workload "<name>" to appear in scheduling queue',
            'waiting for pod\'s pod group "<name>" to appear in scheduling queue',
        )
    ),
    *(
        says(COSCHEDULING, text, code, place=POD, recorded=False)
        for text, code in (
            (
                "pre-filter pod <pod> cannot find enough sibling pods, current pods number: <n>, "
                "minMember of group: <n>",
                "GANG_TOO_FEW",
            ),
            ("podGroup <group> failed recently", "GANG_NO_ROOM"),
            (
                "PodGroup <group> gets rejected due to Pod <pod> is unschedulable even after PostFilter",
                "GANG_NO_ROOM",
            ),
            ("can not find pod group", "GANG_TOO_FEW"),
            ("PodGroup not found", "PERMIT_REJECTED"),
            ("rejection in Unreserve", "PERMIT_REJECTED"),
        )
    ),
    *(
        says(CAPACITY_SCHEDULING, f"Pod <pod> is rejected in PreFilter because {text}", "QUOTA_ELASTIC", **_OF_QUOTAS)
        for text in ("ElasticQuota <quota> is more than Max", "total ElasticQuota used is more than min")
    ),
    says(
        CAPACITY_SCHEDULING,
        "No victims found on node <node> for preemptor pod <pod>",
        "PREEMPTION_NO_VICTIMS",
        place=PREEMPTION,
        recorded=False,
    ),
    says(CAPACITY_SCHEDULING, "global quota max exceeded", "QUOTA_ELASTIC", place=PREEMPTION, recorded=False),
]
_NOT_CREATED = [
    says("", _FORBIDDEN + "exceeded quota: <error>", "NOT_CREATED_QUOTA", **_UNRECORDED),
    says("", _FORBIDDEN + "failed quota: <error>", "NOT_CREATED_QUOTA", **_UNRECORDED),
    *(
        says("", _FORBIDDEN + text, "NOT_CREATED_LIMIT_RANGE", **_UNRECORDED)
        for text in (
            "maximum <resource> usage per <error>",
            "minimum <resource> usage per <error>",
            "<resource> max limit to request ratio per <error>",
            "[maximum <error>",
            "[minimum <error>",
        )
    ),
]
"""What the API server says of pods that it does not create: no texts of kube-scheduler, but events beside its own."""
OTHERS: tuple[MessageText, ...] = (*_PREEMPTION, *_SCHEDULER, *_GROUPS, *_NOT_CREATED)
