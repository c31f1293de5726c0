"""A rollout that keeps all old pods until the new one runs: the strategy changed, so that an old pod leaves first.

With maxUnavailable 1 the Deployment's controller ends one old pod before the new one comes (recorded history
rollout/stuck-unblocked-by-strategy); the attempt is made without the pod that its ReplicaSet would let go first.
"""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.controllers.owned import is_active, workload_key
from scheduler_core.controllers.rollouts.deployments import max_unavailable
from scheduler_core.controllers.rollouts.pods_seen import SeenPod
from scheduler_core.controllers.rollouts.victims import victims
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_state
from scheduler_core.explain.remedies.model import ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation
from scheduler_core.manifests.writing.json_edits import SET

CHANGE_STRATEGY = "CHANGE_STRATEGY"
_AFTER = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def of_strategy(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """The change of the strategy of the pod's Deployment, where it keeps all old pods and some are there."""
    simulation, pod = situation.trials.simulation, situation.pod
    deployment = deployment_of(simulation, pod)
    if deployment is None or not _keeps_all(deployment):
        return
    old = _old_pods(simulation, deployment, pod)
    if not old:
        return
    first = victims([SeenPod(one) for one in old], 1, simulation.now())[0].pod
    rollout = deployment.rollout
    assert rollout is not None
    before = f"maxSurge {rollout.max_surge}, maxUnavailable {rollout.max_unavailable}"
    title = deployment.title
    text = (
        f"set maxSurge 0 and maxUnavailable 1 in {title}, so that {first.key} leaves {first.node_name} before a new "
        f"pod comes (with {before} all {len(old):,} pods of {_set_name(first)} stay until then)"
    )
    edit = ProposedEdit(
        model.STRATEGY,
        deployment.name,
        before,
        "maxSurge 0, maxUnavailable 1",
        code=CHANGE_STRATEGY,
        op=SET,
        object=f"apps/v1/Deployment/{deployment.namespace}/{deployment.name}",
        path="/spec/strategy",
        value=_AFTER,
    )
    yield of_state(edit, text, 1.0, Changes(gone=(first.key,)), [first.node_name])


def deployment_of(simulation: Simulation, pod: Pod) -> Workload | None:
    """The Deployment that the pod belongs to, None where the input has none."""
    owned = simulation.aftermath.ownership.owned.get(workload_key(pod))
    owner = None if owned is None else owned.workload.owner
    if owner is None or owner.kind != "Deployment":
        return None
    key = f"Deployment/{pod.namespace}/{owner.name}"
    return next((one for one in simulation.deployments() if one.key == key), None)


def _keeps_all(deployment: Workload) -> bool:
    rollout = deployment.rollout
    if rollout is None or rollout.kind != "RollingUpdate" or rollout.is_paused:
        return False
    return deployment.replicas > 0 and max_unavailable(deployment) == 0


def _old_pods(simulation: Simulation, deployment: Workload, pod: Pod) -> list[Pod]:
    """The placed pods of the Deployment's other ReplicaSets."""
    own, pods = workload_key(pod), simulation.world.pods
    return [
        there
        for key, owned in simulation.aftermath.ownership.owned.items()
        if key != own and owned.workload.title == deployment.title
        for there in map(pods.__getitem__, owned.pods)
        if there.node_name and is_active(there)
    ]


def _set_name(pod: Pod) -> str:
    return workload_key(pod).rpartition("/")[2]
