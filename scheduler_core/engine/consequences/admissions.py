"""Admission in a run: what comes is asked, refusals are recorded, and the controllers whose pods are refused try again.

``PlayedAdmission`` decides, ``RefusedOwners`` has the clock of those that wait; here both are tied to the world, to the
objects that inputs bring and to those that controllers make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scheduler_core.admission.verdicts import RefusedObject
from scheduler_core.api.objects import Node, Pod, Workload, WorkloadSelector
from scheduler_core.controllers import daemons
from scheduler_core.controllers.owned import is_static, workload_key
from scheduler_core.engine.arrivals.admission import Played, PlayedAdmission, refusal_event, who_refuses
from scheduler_core.engine.arrivals.pods_at_start import RefusedAtStart, generated_prefix
from scheduler_core.engine.consequences.evictions import grace_us
from scheduler_core.engine.consequences.owners.owners import Owners
from scheduler_core.engine.consequences.ownership import Ownership
from scheduler_core.engine.consequences.retries import RefusedOwners
from scheduler_core.engine.world import ADMITTED, MADE, ObjectSource, World
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object, encode_object

_QUOTA_LAG_US = 100_000
"""How long a pod still counts that is gone after its grace period: as recorded, longer than its controller takes for
the tries that follow at once."""


class Admissions:
    """Asks admission. ``keeping``: owners keep their pods alive, and so try again; ``owners`` are those that are played
    as recorded, None where no rollouts are. ``schedule`` puts an entry on the run's clock."""

    def __init__(
        self, world: World, ownership: Ownership, played: Played, owners: Owners | None, schedule: Callable[..., None]
    ) -> None:
        self.world, self.ownership, self.owners, self.schedule = world, ownership, owners, schedule
        self.keeping = True
        self.admission = PlayedAdmission(played)
        self.retries = RefusedOwners(self.admission)
        self._refused_owned: dict[str, tuple[int, str]] = {}
        if owners is not None:
            owners.admit, owners.try_later = self._admit_owned, self._try_later
            owners.admit_set, owners.on_set = self._admit_set, self.admission.count

    def take(self, played: Played) -> None:
        """Play other plugins from now on."""
        if played == self.admission.played:
            return
        gone, self.admission = self.admission.gone, PlayedAdmission(played)
        self.admission.gone, self.retries.admission = gone, self.admission
        if self.owners is not None:
            self.owners.on_set = self.admission.count
        self.begin()

    def begin(self) -> None:
        """Take over the objects and pods that are there."""
        if self.admission.is_played:
            listers = self.world.cluster.listers
            kinds = listers.resource_quotas, listers.limit_ranges, listers.runtime_classes, listers.priority_classes
            self.admission.begin((one for kind in kinds for one in kind.values()), self.world.pods.values())
            deployments = self.owners.deployments.values() if self.owners is not None else ()
            owned = (one.workload for one in self.ownership.owned.values() if not one.workload.is_implied)
            for one in (*deployments, *owned, *listers.claims.values(), *listers.resource_claims.values()):
                self.admission.count(one, 1)

    def refused_at_start(self, one: RefusedAtStart) -> None:
        """Record a pod that was refused at time 0; its owner tries again."""
        seq = self._record(one.pod, one.refusal, self.maker(one.workload))
        if one.workload:
            self.retry(one.workload, seq, one.refusal, [daemons.target_node(pod) for pod in (one.pod, *one.others)])
        else:
            self.retries.refused_pods[one.pod.key] = who_refuses(one.refusal, is_one=True)

    # --- changes reported by the world -----------------------------------------------------------------------------
    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """A pod came, changed or went (``new`` None)."""
        some = new or old
        assert some is not None
        if new is None and self._is_past_grace(some) and self.admission.keep_counted(some):
            self.schedule(self.world.now() + _QUOTA_LAG_US, "uncount", some.key, uid=some.uid)
        else:
            self.admission.pod_changed(old, new)
        if old is None:
            self.retries.refused_pods.pop(some.key, None)

    def other_changed(self, old: Any, new: Any) -> None:
        """An object that is no pod and no node came, changed or went (``new`` None)."""
        self.admission.changed(old, new, self.world.pods.values())
        some = new or old
        if isinstance(some, Workload | WorkloadSelector) and self._is_there(some) != (new is not None):
            self.admission.count(some, 1 if new is not None else -1)

    def _is_past_grace(self, pod: Pod) -> bool:
        """Whether a pod that is gone took longer to terminate than its grace period. Quotas then learn of it only from
        its deletion, which they count too late for what the controller tries at once."""
        if self.owners is None or pod.deletion_timestamp is None or not pod.node_name:
            return False
        return self.owners.readiness.grace_us(pod) > grace_us(pod)

    def uncount(self, key: str) -> None:
        """Quotas count a pod that is gone no more."""
        self.admission.stop_counting(key, is_there=key in self.world.pods)

    def _is_there(self, one: Any) -> bool:
        """Whether there is an object of this kind and key."""
        if not isinstance(one, Workload | WorkloadSelector):
            return self.world.cluster.listers.get(one) is not None
        if self.owners is not None and one.key in self.owners.deployments:
            return True
        owned = self.ownership.owned.get(one.key)
        return owned is not None and not owned.workload.is_implied

    def _refused_new(self, one: Any) -> RefusedObject | None:
        """Why an object that is no pod is not made; None where it is, or is there already."""
        return None if isinstance(one, Node) or self._is_there(one) else self.admission.refused_object(one)

    def settled(self) -> None:
        """Forget played owners that got what they asked for."""
        if (owners := self.owners) is not None and self.retries.of:
            self.retries.keep(lambda key: not owners.plays_any(key) or key in owners.retries.by_key)

    def asked(self, pod: Pod, key: str) -> Pod | tuple[int, RefusedObject]:
        """A pod that the workload of this key makes ("": a kubelet) as it is stored, or the seq of its refusal and the
        refusal."""
        outcome = pod if is_static(pod) else self.admission.admit(pod, generated_prefix(pod))
        if isinstance(outcome, RefusedObject):
            return self._record(pod, outcome, self.maker(key)), outcome
        return outcome

    def bring(self, one: Any, source: ObjectSource) -> None:
        """Put an object that an input brings: a new one as admission leaves it, if it lets it in."""
        if isinstance(one, Pod):
            self._bring_pod(one, source)
        elif (refusal := self._refused_new(one)) is None:
            self.world.put(one, source)
        else:
            self._record(one, refusal, "", source)
            if isinstance(one, Workload):
                self.retries.refused_workloads[one.title] = one.replicas, who_refuses(refusal, is_one=True)

    def _bring_pod(self, pod: Pod, source: ObjectSource) -> None:
        if pod.key in self.world.pods or pod.is_terminal:
            self.world.put(pod, source)
            return
        outcome = self.admission.admit(pod)
        if not isinstance(outcome, RefusedObject):
            is_changed = self.admission.is_played and outcome is not pod
            self.world.put(outcome, source._replace(kind=ADMITTED[source.kind]) if is_changed else source)
            return
        seq = self._record(pod, outcome, "", source)
        key = workload_key(pod) if pod.owner_references else ""
        if not key or not self.keeping:
            self.retries.refused_pods[pod.key] = who_refuses(outcome, is_one=True)
            return
        self.ownership.add_input_pod(key, self.ownership.of(key, pod), pod)
        self.retry(key, seq, outcome, [daemons.target_node(pod)])

    def maker(self, key: str) -> str:
        """How events name what makes a pod: the workload of this key."""
        if not key:
            return ""
        workload = self.ownership.owned[key].workload
        return f"{workload.kind} {workload.namespace}/{workload.name}"

    def _record(self, one: Any, refusal: RefusedObject, maker: str, source: ObjectSource = MADE) -> int:
        entry = source.position if source.kind == "timeline" else None
        change = source.position if source.kind == "change" else None
        event = refusal_event(self.world.now(), one, refusal, maker=maker, entry=entry, change=change)
        return self.world.emit(event)

    def _admit_set(self, one: Workload, seq: int) -> str:
        """Why a ReplicaSet of a played Deployment may not be made, "" where it may."""
        refusal = self.admission.refused_object(one)
        if refusal is None:
            return ""
        assert one.owner is not None
        self.world.context.cause = seq
        above = f"Deployment/{one.namespace}/{one.owner.name}"
        maker = f"Deployment {one.namespace}/{one.owner.name}"
        self._refused_owned[above] = self._record(one, refusal, maker), who_refuses(refusal)
        return refusal.text

    def _admit_owned(self, pod: Pod) -> Pod | str:
        """A pod of a played owner as it is stored, or why it is not."""
        outcome = self.admission.admit(pod, generated_prefix(pod))
        if not isinstance(outcome, RefusedObject):
            return outcome
        key = workload_key(pod)
        self._refused_owned[key] = self._record(pod, outcome, self.maker(key)), who_refuses(outcome)
        return outcome.text

    def _try_later(self, key: str, at: int, seq: int) -> None:
        """Have a played owner try again at this time, or at the time that was due before."""
        origin, said = self._refused_owned.pop(key, (seq, ""))
        self.retries.put(key, self.world.now(), at, origin, said)

    def retry(self, key: str, seq: int, refusal: RefusedObject, nodes: Iterable[str]) -> None:
        """Have the workload's controller try again in a while."""
        if self.owners is not None and self.owners.plays(key):
            self._refused_owned[key] = seq, who_refuses(refusal)
            self._try_later(key, self.world.now() + self.owners.retries.failed(key, refusal.text), seq)
            return
        self.retries.failed(key, self.world.now(), seq, who_refuses(refusal), [node for node in nodes if node])

    # --- what is missing, and saving ---------------------------------------------------------------------------------
    def refused(self) -> list[ev.Missing]:
        """What is missing besides pods of workloads that are there."""
        refused = {f"Pod {key}": (1, said) for key, said in self.retries.refused_pods.items()}
        refused |= self.retries.refused_workloads
        if self.owners is not None:
            refused |= {
                deployment.title: (deployment.replicas, self.retries.of[key].why)
                for key, deployment in self.owners.deployments.items()
                if key in self.retries.of and not self.owners.sets_of(key)
            }
        return [ev.Missing(title, count, 0, count, said) for title, (count, said) in refused.items()]

    def dump(self) -> dict[str, Any]:
        """What does not follow from inputs and pods."""
        gone = {key: encode_object(pod) for key, pod in self.admission.gone.items()}
        return self.retries.dump() | ({"counted": gone} if gone else {})

    def load(self, data: Mapping[str, Any]) -> None:
        """Take over what ``dump`` gave."""
        self.admission.gone = {key: decode_object("Pod", one) for key, one in data.get("counted", {}).items()}
        self.begin()
        self.retries.load(data)
