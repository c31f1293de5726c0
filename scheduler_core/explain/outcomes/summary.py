"""The summary of a tally: groups with their pods, series, waits, balance and fragmentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from scheduler_core.explain.outcomes import model
from scheduler_core.explain.outcomes.fragmentation import fragmentation
from scheduler_core.explain.outcomes.groups import new_group
from scheduler_core.explain.outcomes.making.model import QuotaUse, Short
from scheduler_core.explain.outcomes.making.refusals import quota_uses
from scheduler_core.explain.outcomes.members import Members
from scheduler_core.explain.outcomes.model import (
    CloseCall,
    Group,
    Line,
    Outcomes,
    Owner,
    Placements,
    PluginFailures,
    PodOutcome,
    PreemptionTotals,
    Series,
    SmallestShortfall,
    WaitOfPriority,
    Waits,
)
from scheduler_core.explain.outcomes.nodes import EVERYWHERE, NodeColumns
from scheduler_core.explain.outcomes.objects import Requests
from scheduler_core.explain.outcomes.reasons import Reason, find_reason
from scheduler_core.explain.outcomes.records import PodRecord, Preemptions, added
from scheduler_core.explain.outcomes.samples import column, thinned
from scheduler_core.explain.outcomes.tally import LOST, PREEMPTED, OutcomesTally
from scheduler_core.recording import events as ev
from scheduler_core.recording.quantities import PLACED, is_narrow, is_tie, lead, percentile

SHOWN_SAMPLES = 240
_SHOWN_REASONS = 4
_SHOWN_FAILURES, _LONGEST_MESSAGE = 20, 200


def summarize(tally: OutcomesTally) -> Outcomes:
    """The summary at the end of the tally; the tally can go on afterwards."""
    columns = NodeColumns(tally)
    groups = _groups(tally, columns)
    described = [new_group(tally, columns, members) for members in groups]
    order = sorted(range(len(groups)), key=lambda i: (*_rank(described[i], groups[i]), i))
    pods = _Pods(tally, columns)
    numbered = [pods.add(number, groups[i], described[i]) for number, i in enumerate(order)]
    resources = sorted({name for requests in pods.requests for name, _ in requests})
    given = {one.title: one.refusal for one in tally.inputs.objects.workloads if one.refusal is not None}
    short = tally.refusals.short(tally.finished, tally.objects.titles(), given)
    return Outcomes(
        seq=tally.state.seq,
        at=tally.state.at,
        cycles=tally.state.cycle,
        n_nodes=len(columns),
        counts={kind: sum(group.n_pods for group in numbered if group.kind == kind) for kind in model.KINDS},
        groups=numbered,
        owners=list(pods.owners),
        requests=list(pods.requests),
        pods=pods.outcomes,
        short=short,
        n_short=tally.finished.n_short if tally.finished is not None else 0,
        series=_series(tally, columns, resources),
        fragmentation=fragmentation(tally, columns, groups, resources),
        waits=_waits(tally, pods.outcomes, numbered),
        bindings=tally.n_bindings,
        placements=_placements(tally, pods.places),
        by_priority=_by_priority(tally),
        evictions=_evictions(tally.preemptions),
        failures=_failures(tally),
        n_failures=tally.n_failures.total(),
        attempts=_attempts(pods.outcomes, numbered),
        has_admission=_has_admission(tally),
        quotas=_quotas(tally, short),
        spans=tally.rollouts.spans if tally.inputs.policies.rollouts == "play" else [],
    )


# --- groups and pods ---------------------------------------------------------------------------------------------
def _groups(tally: OutcomesTally, columns: NodeColumns) -> list[Members]:
    by_reason: dict[tuple[object, ...], Members] = {}
    reasons: dict[tuple[object, ...], Counter[Reason]] = {}
    for record in tally.records:
        pod = tally.objects.pods.get(record.pod)
        is_waiting = record.exists and not record.node
        where, mask = columns.allowed(pod) if is_waiting else (EVERYWHERE, columns.everywhere)
        reason = find_reason(tally, record, where.key, bool(mask.any()))
        members = by_reason.get(reason.key)
        if members is None:
            members = by_reason[reason.key] = Members(reason, where, mask, [], [])
        elif members.mask is not mask:
            members.mask = members.mask | mask
        members.records.append(record)
        members.requests.append(tally.objects.requests(pod))
        reasons.setdefault(reason.key, Counter())[reason] += 1
    for key, members in by_reason.items():
        members.reason = reasons[key].most_common(1)[0][0]
    return list(by_reason.values())


def _rank(group: Group, members: Members) -> tuple[int, int]:
    return model.KINDS.index(group.kind), -len(members.records)


class _Pods:
    """Collects pods group by group, with the owners and requests that they share."""

    def __init__(self, tally: OutcomesTally, columns: NodeColumns) -> None:
        self.tally = tally
        self.columns = columns
        self.outcomes: list[PodOutcome] = []
        self.owners: dict[Owner, int] = {}
        self.requests: dict[Requests, int] = {}
        self.places: dict[int, int] = {}
        """The index of the outcome of each record, by its id."""
        self._nearest: dict[tuple[str, int], SmallestShortfall | None] = {}

    def add(self, number: int, members: Members, group: Group) -> Group:
        """Add the pods of a group; returned with what is counted over them."""
        first, longest, why = len(self.outcomes), -1, len(self.outcomes)
        self._nearest.clear()
        for record, requests in zip(members.records, members.requests, strict=True):
            outcome = self._outcome(number, record, requests, members)
            self.places[id(record)] = len(self.outcomes)
            if outcome.wait > longest:
                longest, why = outcome.wait, len(self.outcomes)
            self.outcomes.append(outcome)
        n = len(self.outcomes) - first
        return msgspec.structs.replace(group, n_pods=n, longest=longest, why=why)

    def _outcome(self, group: int, record: PodRecord, requests: Requests, members: Members) -> PodOutcome:
        pod = self.tally.objects.pods.get(record.pod)
        owner = self.tally.objects.owner(pod) if pod is not None else Owner(record.pod.partition("/")[0], "", False)
        return PodOutcome(
            pod=record.pod,
            group=group,
            owner=self.owners.setdefault(owner, len(self.owners)),
            requests=self.requests.setdefault(requests, len(self.requests)),
            priority=record.priority,
            uid=record.uid,
            attempts=record.attempts,
            cycle=record.cycle,
            wait=record.wait(self.tally.state.at),
            node=record.node,
            ties=record.ties,
            total=record.total,
            second=record.second,
            by=record.cause.removeprefix(PREEMPTED).removeprefix(LOST) if not record.exists or record.cause else "",
            nearest=self._smallest_shortfall(requests, members) if members.reason.sort in ("room", "size") else None,
            preempted_in=record.preempted_in,
            still_waits=record.came >= 0 and not record.is_over,
            spent=record.spent.until(self.tally.state.at) if record.came >= 0 else (),
            came=record.came,
        )

    def _smallest_shortfall(self, requests: Requests, members: Members) -> SmallestShortfall | None:
        """The least that the pod lacks of the group's scarcest resource, where it lacks some on each node."""
        if not members.reason.what or not members.mask.any():
            return None
        resource = members.reason.what[0]
        asked = dict(requests).get(resource, 0)
        if (resource, asked) not in self._nearest:
            missing = asked - self.columns.free(resource)[members.mask]
            least = int(missing.min())
            shortfall = SmallestShortfall(resource, least, int((missing == least).sum())) if least > 0 else None
            self._nearest[resource, asked] = shortfall
        return self._nearest[resource, asked]


# --- figures -----------------------------------------------------------------------------------------------------
def _series(tally: OutcomesTally, columns: NodeColumns, resources: Sequence[str]) -> Series:
    samples = thinned(tally.samples.taken, SHOWN_SAMPLES)
    lines = [
        Line(
            name,
            column(samples, name, "requested"),
            column(samples, name, "allocatable"),
            columns.deviation(name),
        )
        for name in resources
    ]
    lines.sort(key=lambda line: (-(line.share or 0.0), line.resource))
    return Series(
        at=[sample.at for sample in samples],
        seq=[sample.seq for sample in samples],
        lanes={lane: column(samples, lane, "lanes") for lane in ev.LANES},
        peaks=dict(tally.peaks),
        resources=lines,
        devices=[
            Line(title, column(samples, title, "requested"), column(samples, title, "allocatable"), 0.0)
            for title in tally.objects.device_usage.titles()
        ],
    )


def _waits(tally: OutcomesTally, pods: Iterable[PodOutcome], groups: Sequence[Group]) -> Waits:
    bound = sorted(tally.binding_waits())
    pending = sorted(pod.wait for pod in pods if groups[pod.group].kind == model.PENDING and pod.wait >= 0)
    return Waits(
        p50=percentile(bound, 50),
        p95=percentile(bound, 95),
        longest=percentile(bound, 100),
        pending_p50=percentile(pending, 50),
        pending_longest=percentile(pending, 100),
    )


def _placements(tally: OutcomesTally, places: dict[int, int]) -> Placements:
    ties: list[CloseCall] = []
    narrow: list[CloseCall] = []
    alone = 0
    for placed in tally.placed:
        margin = lead(placed.total, placed.second)
        close = CloseCall(places[id(placed.record)], *placed[1:])
        if is_tie(PLACED, placed.ties):
            ties.append(close)
        elif is_narrow(PLACED, placed.ties, margin):
            narrow.append(close)
        alone += margin is None
    return Placements(n=len(tally.placed), ties=ties, narrow=narrow, alone=alone)


def _by_priority(tally: OutcomesTally) -> list[WaitOfPriority]:
    """Where the waits of the pods of each priority went, by falling priority."""
    names = tally.objects.priority_classes
    spent: dict[int, list[tuple[int, ...]]] = {}
    for record in tally.records:
        if record.came >= 0:
            spent.setdefault(record.priority, []).append(record.spent.until(tally.state.at))
    return [
        WaitOfPriority(priority, names.get(priority, ""), len(waits), added(waits))
        for priority, waits in sorted(spent.items(), reverse=True)
    ]


def _attempts(pods: Iterable[PodOutcome], groups: Sequence[Group]) -> dict[str, list[int]]:
    attempts = {model.BOUND: [0, 0, 0], model.PENDING: [0, 0, 0]}
    for pod in pods:
        counts = attempts.get(groups[pod.group].kind)
        if counts is not None and pod.attempts:
            counts[min(pod.attempts, 3) - 1] += 1
    return attempts


def _evictions(totals: Preemptions) -> PreemptionTotals:
    last = totals.last_without
    counts: Counter[str] = Counter()
    for refusal in last.not_candidates if last is not None else ():
        counts[", ".join(refusal.reasons) or refusal.plugin] += refusal.count
    return PreemptionTotals(
        tries=totals.tries,
        successful=totals.successful,
        victims=totals.victims,
        violations=totals.violations,
        refused=counts.most_common(_SHOWN_REASONS),
        message=last.message if last is not None else "",
    )


def _failures(tally: OutcomesTally) -> list[PluginFailures]:
    out = []
    for kind, count in tally.n_failures.most_common(_SHOWN_FAILURES):
        seq, first = tally.failures[kind]
        out.append(PluginFailures(first.plugin, first.point, first.error, first.message[:_LONGEST_MESSAGE], seq, count))
    return out


def _has_admission(tally: OutcomesTally) -> bool:
    policies, objects = tally.inputs.policies, tally.inputs.objects
    ranges = policies.limit_ranges == "play" and (objects.limit_ranges or objects.runtime_classes)
    return bool((policies.quotas == "play" and tally.objects.quotas) or ranges)


def _quotas(tally: OutcomesTally, short: Sequence[Short]) -> list[QuotaUse]:
    quotas = tally.objects.quotas.values() if tally.inputs.policies.quotas == "play" else ()
    there = (tally.objects.pods.get(one.pod) for one in tally.records if one.exists)
    return quota_uses(quotas, (pod for pod in there if pod is not None), short) if quotas else []
