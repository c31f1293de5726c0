"""What moves a stuck rollout on: the strategy, terms that count the pods of one revision only, one more node, and what
people try first, to evict a pod. Each is tried by a whole run: the template from its beginning, all else from the
cursor on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Pod, Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.controllers.implied import TEMPLATE_HASH
from scheduler_core.controllers.owned import workload_key
from scheduler_core.controllers.rollouts import rollout_states as states
from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain import edited_objects
from scheduler_core.explain.not_created.proposals import proposals
from scheduler_core.explain.not_created.refused_pods import RefusedPods
from scheduler_core.explain.remedies.codes import needed_actor
from scheduler_core.explain.remedies.model import (
    CONSTRAINT,
    NEW_NODE,
    PODS_GONE,
    STRATEGY,
    ProposedEdit,
    Remedies,
    Remedy,
)
from scheduler_core.explain.remedies.proposed_edits import full_name
from scheduler_core.explain.remedies.whole_runs import AskedOfRuns, RunRemedy, tried_runs, with_pods
from scheduler_core.explain.rollouts.at_seq import last_refusal, refused_owner, workload_of
from scheduler_core.explain.rollouts.model import RolloutAnswer
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.manifests.kinds.registry import served_version
from scheduler_core.manifests.writing.json_edits import ADD, REMOVE, SET
from scheduler_core.manifests.writing.objects import to_body


def rollout_remedies(trials: TrialsOf, answer: RolloutAnswer, is_over: Callable[[], bool]) -> Remedies:
    """What would let the rollout end, each tried until ``is_over``: enough where it comes to its end, or to where it
    waits on purpose."""
    state = answer.state

    def lacks(simulation: Simulation) -> str:
        still = (one for one in simulation.aftermath.rollouts() if one.key == state.key and not one.is_on_purpose)
        return next((one.text for one in still), "")

    asked = AskedOfRuns(state.title.partition(" ")[2], answer.seq, answer.text, lacks, "the rollout then ends")
    simulation = trials.at_seq(answer.seq).simulation
    return tried_runs(trials, asked, _proposals(trials, simulation, answer), is_over)


def _proposals(trials: TrialsOf, simulation: Simulation, answer: RolloutAnswer) -> Iterator[RunRemedy]:
    state = answer.state
    workload = workload_of(simulation, state)
    yield from _strategies(state, workload)
    if state.waits_for == states.REFUSED:
        yield from _of_refusal(trials, simulation, answer)
    if state.waits_for == states.PENDING:
        yield from _by_revision(simulation, state, workload)
        yield from _one_more_node(simulation, state)
    if state.pending or state.not_ready:
        yield from _evicted(simulation, state)


# --- the strategy ----------------------------------------------------------------------------------------------------


def _strategies(state: RolloutState, workload: Workload) -> Iterator[RunRemedy]:
    """An old pod leaves before a new one comes; of a DaemonSet besides, more pods may be unavailable than are now."""
    if state.max_surge is None or state.max_unavailable is None:
        return
    unavailable = max(1, state.max_unavailable)
    if workload.kind == "DaemonSet":
        unavailable = min(state.replicas, max(1, len(state.pending) + len(state.not_ready) + 1))
    if not state.max_surge and unavailable <= state.max_unavailable:
        return
    rolling = {"maxSurge": 0, "maxUnavailable": unavailable}
    before, after = state.numbers, f"maxSurge 0, maxUnavailable {unavailable}"
    field = "strategy" if workload.kind == "Deployment" else "updateStrategy"
    edit = ProposedEdit(
        STRATEGY,
        workload.name,
        before,
        after,
        code="CHANGE_STRATEGY",
        op=SET,
        object=_name(workload),
        path=f"/spec/{field}",
        value={"type": "RollingUpdate", "rollingUpdate": rolling},
    )
    rollout = workload.rollout or Rollout()
    changed = replace(workload, rollout=replace(rollout, max_surge="0", max_unavailable=str(unavailable)))
    text = f"set maxSurge 0 and maxUnavailable {unavailable} in {state.title} (now {before})"
    yield RunRemedy(_remedy(text, edit), put=changed)


# --- admission -------------------------------------------------------------------------------------------------------


def _of_refusal(trials: TrialsOf, simulation: Simulation, answer: RolloutAnswer) -> Iterator[RunRemedy]:
    state, owner = answer.state, refused_owner(simulation, answer.state)
    event = last_refusal(trials, state, answer.seq)
    if owner is not None and event is not None:
        missing = max(1, state.new.unmade)
        yield from proposals(simulation, RefusedPods(event, owner.template, missing, state.title))


# --- terms that count other revisions --------------------------------------------------------------------------------


def _by_revision(simulation: Simulation, state: RolloutState, workload: Workload) -> Iterator[RunRemedy]:
    """matchLabelKeys in each required term and hard constraint that selects the pods themselves."""
    template = workload.template
    if workload.kind != "Deployment" or TEMPLATE_HASH not in template.labels:
        return
    anti = template.affinity.anti_required if template.affinity is not None else ()
    terms = [i for i, term in enumerate(anti) if _counts_own(term.label_selector, template)]
    spread = [
        i
        for i, one in enumerate(template.topology_spread_constraints)
        if one.when_unsatisfiable == "DoNotSchedule" and _counts_own(one.label_selector, template)
    ]
    if not terms and not spread:
        return
    base = "/spec/template/spec"
    paths = [
        *(f"{base}/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/{i}" for i in terms),
        *(f"{base}/topologySpreadConstraints/{i}" for i in spread),
    ]
    edits = [
        ProposedEdit(
            CONSTRAINT,
            workload.name,
            "",
            TEMPLATE_HASH,
            code="SPREAD_BY_REVISION",
            op=SET,
            object=_name(workload),
            path=f"{path}/matchLabelKeys",
            value=[TEMPLATE_HASH],
        )
        for path in paths
    ]
    where = " and ".join(["its anti-affinity"] * bool(terms) + ["its spread constraints"] * bool(spread))
    text = (
        f"set matchLabelKeys: [{TEMPLATE_HASH}] in {where} in the template of {state.title}, from its first revision on"
    )
    yield RunRemedy(_remedy(text, *edits, size=2.0), with_pods(simulation.inputs, state.title, _of_own_revision))


def _counts_own(selector: LabelSelector | None, pod: Pod) -> bool:
    return selector is not None and selector.matches(pod.labels)


def _of_own_revision(pod: Pod) -> Pod:
    """The pod with matchLabelKeys as admission merges them: the selector with the pod's own value."""
    value = pod.labels.get(TEMPLATE_HASH)
    if value is None:
        return pod
    more = Requirement(TEMPLATE_HASH, "In", (value,))

    def narrowed(one: Any) -> Any:
        selector = one.label_selector
        if not _counts_own(selector, pod):
            return one
        return replace(one, label_selector=LabelSelector((*selector.requirements, more)))

    affinity = pod.affinity
    if affinity is not None:
        affinity = replace(affinity, anti_required=tuple(map(narrowed, affinity.anti_required)))
    spread = tuple(
        narrowed(one) if one.when_unsatisfiable == "DoNotSchedule" else one for one in pod.topology_spread_constraints
    )
    return replace(pod, affinity=affinity, topology_spread_constraints=spread)


# --- nodes and pods --------------------------------------------------------------------------------------------------


def _one_more_node(simulation: Simulation, state: RolloutState) -> Iterator[RunRemedy]:
    """One more node like one that has a pod of the workload, or else like the first one."""
    table = simulation.context.cluster.table
    used = [pod.node_name for pod in _pods(simulation, state) if pod.node_name in table.row_of]
    like = next(chain(used, table.names), None)
    if like is None:
        return
    name = edited_objects.free_name(f"{like}-more", table.row_of)
    node = edited_objects.another(simulation.world.nodes([like])[0], name)
    value = {part: one for part, one in to_body(node).items() if one}
    edit = ProposedEdit(
        NEW_NODE, like, "", name, name, code="ADD_NODE_LIKE", op=ADD, object=full_name(node), path="", value=value
    )
    yield RunRemedy(_remedy(f"add one more node like {like}", edit, size=2.0), put=node)


def _evicted(simulation: Simulation, state: RolloutState) -> Iterator[RunRemedy]:
    """One pod deleted: the first that blocks a StatefulSet, or else one of the older revision."""
    there = _pods(simulation, state)
    waiting = {*state.pending, *state.not_ready}
    if state.key.startswith("StatefulSet/"):
        chosen = next((pod for pod in there if pod.key in waiting), None)
    else:
        chosen = next((pod for pod in there if pod.node_name and pod.key not in waiting), None)
    if chosen is None:
        return
    edit = ProposedEdit(
        PODS_GONE,
        chosen.key,
        chosen.key,
        "",
        chosen.node_name,
        code="EVICT_POD",
        op=REMOVE,
        object=f"v1/Pod/{chosen.key}",
    )
    yield RunRemedy(_remedy(f"evict or delete {chosen.key}", edit, size=3.0), deleted=chosen)


def _pods(simulation: Simulation, state: RolloutState) -> list[Pod]:
    """The workload's pods that do not terminate, in order of arrival."""
    owned = simulation.aftermath.ownership.owned
    keys = {key for key, one in owned.items() if key == state.key or one.workload.title == state.title}
    there = simulation.world.pods.values()
    return [pod for pod in there if pod.deletion_timestamp is None and workload_key(pod) in keys]


def _name(workload: Workload) -> str:
    return f"{served_version(workload.kind)}/{workload.key}"


def _remedy(text: str, *edits: ProposedEdit, size: float = 1.0) -> Remedy:
    first = edits[0]
    return Remedy(first.kind, text, edits, size, code=first.code, actor=needed_actor((first.code,)))
