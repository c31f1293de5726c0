"""Devices with the claims for them: of a revision, of a run at a cursor, and of a pod whose claims get none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs import chosen
from dashboard.runs.inputs import InputError, policies_from
from scheduler_core.explain.devices import DeviceWorld, devices_of_pod
from scheduler_core.explain.devices.history import changes_of_claim
from scheduler_core.explain.devices.page import Devices
from scheduler_core.explain.rivals.answer import pod_of_cycle

if TYPE_CHECKING:
    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import DevicesAt, DevicesOf, PodDevicesOf
    from scheduler_core.explain.devices import DevicePage, PodDevices
    from scheduler_core.explain.devices.model import ClaimChange


def of_revision(source: ClusterSource, question: DevicesOf, limit: TimeLimit) -> DevicePage:
    """The page of a cluster; raises InputError where its objects are not valid. The limit is not asked."""
    contents = source.contents(question.draft)
    if not contents.loaded.ok:
        raise InputError(f"{source.revision} cannot be scheduled: {contents.loaded.errors[0].text()}")
    configuration = chosen.named(source.revision.cluster.workspace, question.config)
    policies = policies_from(configuration.policies_on(source.revision))
    objects = contents.loaded.objects
    key = (source.revision.pk, source.revision.sha256, "devices", question.draft, question.version, question.config)
    made = source.sessions.get(
        key, source.revision.n_objects, lambda: Devices(DeviceWorld.of_objects(objects, policies.behaviours))
    )
    return made.page(question.choice)


def at_cursor(source: Source, question: DevicesAt, limit: TimeLimit) -> DevicePage:
    """The page of a run at a cursor; raises RecordingError for a moment after its head. The limit is not asked."""
    trials = source.trials_at(question.seq)
    made = source.sessions.get(
        (*source.key, "devices", question.seq),
        source.n_objects,
        lambda: Devices(DeviceWorld.of_simulation(trials.simulation)),
    )

    def happened(claim: str) -> tuple[ClaimChange, ...]:
        return source.read(lambda reader: changes_of_claim(reader, claim, question.seq))

    return made.page(question.choice, happened)


def of_cycle(source: Source, question: PodDevicesOf, limit: TimeLimit) -> PodDevices | None:
    """Why the claims of the cycle's pod get no devices; None for a pod without claims. Raises RecordingError for a
    cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    trials = source.trials(question.cycle)
    return devices_of_pod(DeviceWorld.of_simulation(trials.simulation), trials.pod(pod))
