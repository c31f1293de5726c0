"""Why of pods that admission refused during a run: who refuses them, in numbers, and what would let them be made.

A workload (by its own name or its owner's), or a pod that an input brings. A remedy is enough where the workload then
lacks no pod that was not made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.not_created.by_input import not_created, numbers
from scheduler_core.explain.not_created.proposals import proposals
from scheduler_core.explain.not_created.refused_pods import RefusedPods
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.pending import WhyPending
from scheduler_core.explain.pending.model import NOT_CREATED, DominantReason
from scheduler_core.explain.pending.tries import Tries, tries_of
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.remedies.whole_runs import AskedOfRuns, tried_runs
from scheduler_core.explain.report import WhyReport
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.manifests.kinds.registry import KINDS as OBJECT_KINDS
from scheduler_core.manifests.kinds.registry import served_version
from scheduler_core.recording import events as ev


class RefusedInRun(NamedTuple):
    """The last refusal of a workload's pods, with the workload (None: a pod of an input), what it lacks, and the tries
    so far."""

    event: ev.CreationRefused
    workload: Workload | None
    missing: ev.Missing
    tries: Tries

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
    last, missing = None, None
    for _, event in refusals:
        kind, _, name = event.maker.partition(" ")
        owned = workloads.get(f"{kind}/{name}")
        workload = owned.workload if owned is not None else None
        title = workload.title if workload is not None else event.maker or f"{event.kind} {event.key}"
        names = {name, title.partition(" ")[2], event.key}
        if key in names and title in by_title:
            last, missing = (event, workload), by_title[title]
    if last is None or missing is None:
        return None
    event, workload = last
    same = [one for one in refusals if one[1].maker == event.maker and (event.maker or one[1].key == event.key)]
    pod = _template(trials.inputs, workload, event.key)
    return RefusedInRun(event, workload, missing, tries_of(simulation, same, missing, pod))


def report_of_refusal(trials: TrialsOf, refused: RefusedInRun, is_over: Callable[[], bool]) -> WhyReport:
    """The report: the cause, and remedies that are tried until ``is_over``."""
    cause, event = cause_of_refusal(refused), refused.event
    name = refused.missing.workload.partition(" ")[2]
    tries, because = refused.tries, DominantReason(cause.text)
    pending = WhyPending(pod=name, seq=tries.seq, at=event.at, state=NOT_CREATED, because=because)
    return WhyReport(pending=pending, cause=cause, tries=tries, remedies=_remedies(trials, refused, is_over))


def cause_of_refusal(refused: RefusedInRun) -> ObstacleSet:
    """The cause as data, the numbers of the message among what it needs."""
    event, missing = refused.event, refused.missing
    who = f"{plural(missing.unmade, 'pod')} of {missing.workload}" if refused.workload is not None else missing.workload
    text = f"{who} {'is' if missing.unmade == 1 else 'are'} not created: {missing.why}"
    return cause_of_event(event, missing.workload, text, f'. The API server says: "{event.message}"')


def cause_of_event(event: ev.CreationRefused, title: str, text: str, said: str) -> ObstacleSet:
    """The cause by a recorded refusal; ``said`` follows ``text``, as in ``not_created``."""
    kind, _, name = event.by.partition("/")
    return not_created(
        event.code,
        title,
        needs={kind[:1].lower() + kind[1:]: name, **numbers(event.message)},
        text=text,
        said=said,
        subject=f"{served_version(kind)}/{event.by}" if kind in OBJECT_KINDS else "",
    )


def _remedies(trials: TrialsOf, refused: RefusedInRun, is_over: Callable[[], bool]) -> Remedies:
    title = refused.missing.workload

    def lacks(simulation: Simulation) -> str:
        """Whether the run lacks pods of the workload for being refused."""
        lacking = [one for one in simulation.aftermath.shortfalls() if one.workload == title and one.unmade]
        return f"{plural(lacking[0].unmade, 'pod')} of {title} would still not be made" if lacking else ""

    asked = AskedOfRuns(
        name=title.partition(" ")[2],
        seq=refused.tries.seq,
        failure=refused.event.message,
        lacks=lacks,
        then="its pods are then made" if refused.workload is not None else "it is then made",
    )
    simulation, pod = (
        trials.at_seq(trials.reader.head_seq()).simulation,
        _template(trials.inputs, refused.workload, refused.event.key),
    )
    of = () if pod is None else proposals(simulation, RefusedPods(refused.event, pod, refused.missing.unmade, title))
    return tried_runs(trials, asked, of, is_over)


def _template(inputs: RunInputs, workload: Workload | None, key: str) -> Pod | None:
    """One of the refused pods: of the workload, else the pod of this key that an input brings."""
    if workload is not None:
        return workload.template
    brought = (*inputs.objects.pods, *(entry.object for entry in inputs.timeline.entries))
    return next((one for one in brought if isinstance(one, Pod) and one.key == key), None)
