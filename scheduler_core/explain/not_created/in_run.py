"""Why of pods that admission refused during a run: who refuses them, in numbers, and what would let them be made.

A workload (by its own name or its owner's), or a pod that an input brings. Remedies change the quota or the range that
refuses; each is tried as a run of the same inputs with that object changed from its beginning, and is enough where the
workload then lacks no pod that was not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from time import monotonic
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_core.admission.amounts import text as amount_text
from scheduler_core.api.objects import Pod, Workload
from scheduler_core.api.quotas import LimitRange, LimitRangeItem, ResourceQuota
from scheduler_core.engine.arrivals.admission import PlayedAdmission
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.not_created.by_input import not_created, numbers
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.explain.pending import WhyPending
from scheduler_core.explain.pending.model import NOT_CREATED, DominantReason
from scheduler_core.explain.remedies.model import (
    LIMITS,
    NOT_ENOUGH,
    NOT_TRIED,
    QUOTA,
    VERIFIED,
    ProposedEdit,
    Remedies,
    Remedy,
)
from scheduler_core.explain.report import WhyReport
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.manifests.kinds.registry import KINDS as OBJECT_KINDS
from scheduler_core.manifests.kinds.registry import served_version
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.recording import events as ev
from scheduler_core.workloads.timeline import Timeline

_RATIO_UNIT = 1000


class RefusedInRun(NamedTuple):
    """The last refusal of a workload's pods, with its seq, the workload (None: a pod of an input) and what it lacks."""

    event: ev.CreationRefused
    seq: int
    workload: Workload | None
    missing: ev.Missing

    @property
    def namespace(self) -> str:
        """The namespace of the pods."""
        return self.event.key.partition("/")[0]


def refused_in_run(trials: TrialsOf, key: str) -> RefusedInRun | None:
    """The refusal of the pods of a workload (namespace/name, its own or its owner's), or of the pod of this key; None
    where the run's end lacks none of them."""
    reader = trials.reader
    head = reader.head_seq()
    refusals = list(reader.select_events(0, head, ev.CreationRefused))
    if not refusals:
        return None
    simulation = trials.at_seq(head).simulation
    if key in simulation.world.pods:
        return None
    by_title = {one.workload: one for one in simulation.aftermath.shortfalls()}
    workloads = simulation.aftermath.ownership.owned
    last = None
    for seq, event in refusals:
        kind, _, name = event.maker.partition(" ")
        owned = workloads.get(f"{kind}/{name}")
        workload = owned.workload if owned is not None else None
        title = workload.title if workload is not None else f"Pod {event.key}"
        names = {name, title.partition(" ")[2], event.key}
        if key in names and title in by_title:
            last = RefusedInRun(event, seq, workload, by_title[title])
    return last


def report_of_refusal(trials: TrialsOf, refused: RefusedInRun, is_over: Callable[[], bool]) -> WhyReport:
    """The report: the cause, and remedies that are tried until ``is_over``."""
    cause, event = cause_of_refusal(refused), refused.event
    name = refused.missing.workload.partition(" ")[2]
    pending = WhyPending(pod=name, seq=refused.seq, at=event.at, state=NOT_CREATED, because=DominantReason(cause.text))
    return WhyReport(pending=pending, cause=cause, remedies=_remedies(trials, refused, is_over))


def cause_of_refusal(refused: RefusedInRun) -> ObstacleSet:
    """The cause as data, the numbers of the message among what it needs."""
    event, missing = refused.event, refused.missing
    who = f"{plural(missing.unmade, 'pod')} of {missing.workload}" if refused.workload is not None else missing.workload
    text = f"{who} {'is' if missing.unmade == 1 else 'are'} not created: {missing.why}"
    by_kind, _, by_name = event.by.partition("/")
    return not_created(
        event.code,
        missing.workload,
        needs={by_kind[:1].lower() + by_kind[1:]: by_name, **numbers(event.message)},
        text=text,
        said=f'. The API server says: "{event.message}"',
        subject=f"{served_version(by_kind)}/{event.by}" if by_kind in OBJECT_KINDS else "",
    )


# --- remedies ------------------------------------------------------------------------------------------------------


class _Proposal(NamedTuple):
    changed: Any
    remedy: Remedy


def _remedies(trials: TrialsOf, refused: RefusedInRun, is_over: Callable[[], bool]) -> Remedies:
    began, tried = monotonic(), list[Remedy]()
    for proposal in _proposals(trials, refused):
        tried.append(replace(proposal.remedy, status=_status(trials, refused, proposal.changed, is_over)))
    by_status = {
        status: tuple(one for one in tried if one.status == status) for status in (VERIFIED, NOT_ENOUGH, NOT_TRIED)
    }
    return Remedies(
        pod=refused.missing.workload.partition(" ")[2],
        seq=refused.seq,
        fits=False,
        failure=refused.event.message,
        verified=by_status[VERIFIED],
        not_enough=by_status[NOT_ENOUGH],
        not_tried=by_status[NOT_TRIED],
        in_time=not by_status[NOT_TRIED],
        seconds=monotonic() - began,
    )


def _proposals(trials: TrialsOf, refused: RefusedInRun) -> Iterator[_Proposal]:
    simulation = trials.at_seq(trials.reader.head_seq()).simulation
    admission, event = simulation.aftermath.admission, refused.event
    pod = _template(trials.inputs, refused)
    listers = simulation.context.cluster.listers
    kind, _, key = event.by.partition("/")
    if pod is None:
        return
    if kind == "ResourceQuota":
        for book in admission.ledger.of(refused.namespace):
            if (raised := _raised(admission, pod, book.quota.name, refused)) is not None:
                yield raised
    elif kind == "LimitRange" and (one := listers.limit_ranges.get(key)) is not None:
        yield _widened(one, pod)


def _template(inputs: RunInputs, refused: RefusedInRun) -> Pod | None:
    """One of the refused pods."""
    if refused.workload is not None:
        return refused.workload.template
    brought = (*inputs.objects.pods, *(entry.object for entry in inputs.timeline.entries))
    return next((one for one in brought if isinstance(one, Pod) and one.key == refused.event.key), None)


def _raised(admission: PlayedAdmission, pod: Pod, name: str, refused: RefusedInRun) -> _Proposal | None:
    """A quota raised to what is used and what the missing pods need; None where it has room for them."""
    book = next(book for book in admission.ledger.of(refused.namespace) if book.quota.name == name)
    filled = admission.filled(pod)
    counted = book.counted(filled) if filled is not None else None
    if not counted:
        return None
    hard = dict(book.quota.hard)
    for resource, each in counted.items():
        hard[resource] = max(hard[resource], book.used.get(resource, 0) + each * refused.missing.unmade)
    raised = {resource: value for resource, value in hard.items() if value != book.quota.hard[resource]}
    if not raised:
        return None
    before = book.quota.hard
    more = listed([f"{amount_text(one, value - before[one])} of {one}" for one, value in raised.items()], "and")
    target = f"v1/ResourceQuota/{book.quota.key}"
    edits = tuple(
        _edit(QUOTA, "RAISE_QUOTA", target, f"/spec/hard/{_escaped(one)}", one, before[one], value)
        for one, value in raised.items()
    )
    changed = replace(book.quota, hard=hard)
    return _Proposal(changed, _remedy(QUOTA, f"raise quota {book.quota.key} by {more}", edits))


def _widened(one: LimitRange, pod: Pod) -> _Proposal:
    """A range that lets the pod's containers in as they are, changed by what they exceed."""
    edits: list[ProposedEdit] = []
    target, items = f"v1/LimitRange/{one.key}", list[LimitRangeItem]()
    for index, item in enumerate(one.limits):
        wider = _wider(item, pod)
        items.append(wider)
        for field, name in (
            ("max", "max"),
            ("min", "min"),
            ("default", "default"),
            ("max_ratio", "maxLimitRequestRatio"),
        ):
            before, after = getattr(item, field), getattr(wider, field)
            for resource in after:
                if after[resource] != before.get(resource):
                    path, of = (
                        f"/spec/limits/{index}/{name}/{_escaped(resource)}",
                        "cpu" if field == "max_ratio" else resource,
                    )
                    made = _edit(
                        LIMITS, "CHANGE_LIMIT_RANGE", target, path, resource, before.get(resource), after[resource], of
                    )
                    edits.append(replace(made, subject=f"{name} of {resource}"))
    said = listed([f"{edit.subject} to {edit.after}" for edit in edits], "and")
    return _Proposal(
        replace(one, limits=tuple(items)), _remedy(LIMITS, f"change limit range {one.key}: {said}", tuple(edits))
    )


def _wider(item: LimitRangeItem, pod: Pod) -> LimitRangeItem:
    if item.type != "Container":
        return item
    most, least, default, ratio = dict(item.max), dict(item.min), dict(item.default), dict(item.max_ratio)
    for container in (*pod.containers, *pod.init_containers):
        for name, request in container.requests.items():
            limit = container.limits.get(name)
            if limit is None and name in default:
                default[name] = limit = max(default[name], request)
            if name in least:
                least[name] = min(least[name], request)
            if limit is not None and name in most:
                most[name] = max(most[name], limit)
            if limit is not None and request and name in ratio:
                ratio[name] = max(ratio[name], ceil(_RATIO_UNIT * limit / request))
    return replace(item, max=most, min=least, default=default, max_ratio=ratio)


def _edit(  # noqa: PLR0913
    kind: str, code: str, target: str, path: str, resource: str, before: int | None, after: int, of: str = ""
) -> ProposedEdit:
    was = "" if before is None else amount_text(of or resource, before)
    now = amount_text(of or resource, after)
    return ProposedEdit(kind, resource, was, now, code=code, op="set", object=target, path=path, value=now)


def _remedy(kind: str, text: str, edits: tuple[ProposedEdit, ...]) -> Remedy:
    code = edits[0].code if edits else "CHANGE_LIMIT_RANGE"
    return Remedy(kind, text, edits, float(len(edits)), code=code, actor="other")


def _status(trials: TrialsOf, refused: RefusedInRun, changed: Any, is_over: Callable[[], bool]) -> str:
    """Whether a run with the object as changed from its beginning lacks no pod of the workload for being refused."""
    simulation = Simulation(
        with_object(trials.inputs, changed),
        lambda configuration, context: build_frameworks(configuration, context, source=trials.extenders),
    )
    while not is_over():
        if not simulation.step():
            lacking = {one.workload for one in simulation.aftermath.shortfalls() if one.unmade}
            return NOT_ENOUGH if refused.missing.workload in lacking else VERIFIED
    return NOT_TRIED


def with_object(inputs: RunInputs, changed: ResourceQuota | LimitRange) -> RunInputs:
    """The inputs with this object as it is here wherever they bring it."""
    field = "resource_quotas" if isinstance(changed, ResourceQuota) else "limit_ranges"
    entries = tuple(
        replace(entry, object=changed)
        if entry.action == "put" and type(entry.object) is type(changed) and entry.object.key == changed.key
        else entry
        for entry in inputs.timeline.entries
    )
    objects = [changed if one.key == changed.key else one for one in getattr(inputs.objects, field)]
    return replace(inputs, objects=replace(inputs.objects, **{field: objects}), timeline=Timeline(entries))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
