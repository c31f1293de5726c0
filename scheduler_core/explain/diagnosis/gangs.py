"""Whether a gang finds room for as many of its pods as have to be bound together: tried, pod by pod.

Example: ten pods of 1.3 cpu, three nodes of 4 cpu, two pods of 1 cpu there: 3, 2 and 2 find room, so a gang of at least
ten does not start, though each of its pods fits by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.together import LATER_US, placed_together
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.diagnosis.diagnose import diagnose_trial
from scheduler_core.explain.diagnosis.model import NodeList, Obstacle, ObstacleSet
from scheduler_core.explain.diagnosis.sizes import ROOM_CODES
from scheduler_core.explain.outcomes.texts import listed, plural, quantity
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.framework.contracts.plugin import PermitPlugin
from scheduler_core.framework.contracts.waiting_pod import Gang

_MOST_NODES = 6


class GangOf(NamedTuple):
    """The gang of a pod, and the plugin that binds it together."""

    gang: Gang
    plugin: str


def find_gang(trials: Trials, pod: Pod) -> GangOf | None:
    """The gang that a plugin of the pod's profile holds it with, None where none does."""
    framework = trials.simulation.frameworks.get(pod.scheduler_name)
    for plugin in framework.points.permit if framework is not None else ():
        gang = plugin.gang(pod) if isinstance(plugin, PermitPlugin) else None
        if gang is not None:
            return GangOf(gang, plugin.name)
    return None


def waiting_members(trials: Trials, gang: Gang, pod: Pod) -> list[Pod]:
    """The pods of the gang that have no node, in the order in which they came."""
    waiting = set(gang.members) - set(gang.placed)
    keys = [key for key in trials.simulation.world.pods if key in waiting]
    return [pod if key == pod.key else trials.pod(key) for key in keys]


def room_for(trials: Trials, pods: Sequence[Pod], changes: Changes = UNCHANGED) -> dict[str, str]:
    """{pod: node} of the pods that find room together."""
    return placed_together(trials, pods, changes)


def after_backoff(trials: Trials) -> Trials:
    """The trials at a later time, when no plugin turns a rejected gang away for a backoff of its own any more."""
    return Trials(trials.simulation, trials.now + LATER_US)


def gang_cause(trials: Trials, of: GangOf, pod: Pod) -> ObstacleSet | None:
    """Why the gang does not start; None where enough of its pods are there and find room, or where something else than
    room keeps all of them off, which is the cause of each pod."""
    gang = of.gang
    if len(gang.members) < gang.least:
        text = f"gang {gang.key}: it needs {plural(gang.least, 'pod')} and has {len(gang.members):,}"
        return _cause("GANG_TOO_FEW", of, text, [])
    pods = waiting_members(trials, gang, pod)
    nodes_of = room_for(trials, pods)
    if len(gang.placed) + len(nodes_of) >= gang.least and pod.key in nodes_of:
        return None
    if not nodes_of and _is_kept_off(trials, pod):
        return None
    text = f"gang {gang.key}: {_needs(gang, pods)}, and there is room for {len(gang.placed) + len(nodes_of):,}"
    short = gang.least - len(gang.placed) - len(nodes_of)
    return _cause("GANG_NO_ROOM", of, f"{text}{_where(nodes_of)}; it is short of {short:,} more" if short > 0 else
                  f"{text}{_where(nodes_of)}", sorted(set(nodes_of.values())))  # fmt: skip


def _is_kept_off(trials: Trials, pod: Pod) -> bool:
    """Whether the pod by itself finds no node for other reasons than room."""
    with after_backoff(trials).under(pod, UNCHANGED) as base:
        refused = not base.is_scheduled and base.gated is None
        return refused and not ROOM_CODES & set(diagnose_trial(trials, base).cause.codes)


def _needs(gang: Gang, pods: Sequence[Pod]) -> str:
    each = {name: value for name, value in pod_requests(pods[0]).items() if value}
    amounts = listed([quantity(name, value) for name, value in sorted(each.items())], "and")
    alike = all({name: value for name, value in pod_requests(one).items() if value} == each for one in pods)
    of = f" of {amounts}{' each' if alike else ' and more'}" if amounts else ""
    return f"it needs {plural(gang.least, 'pod')}{of} at once"


def _where(nodes_of: dict[str, str]) -> str:
    counts = sorted(Counter(nodes_of.values()).items())
    if not counts:
        return ""
    shown = listed([f"{count} on {node}" for node, count in counts[:_MOST_NODES]], "and")
    more = f" and more on {len(counts) - _MOST_NODES:,} nodes" if len(counts) > _MOST_NODES else ""
    return f" ({shown}{more})"


def _cause(code: str, of: GangOf, text: str, nodes: list[str]) -> ObstacleSet:
    kind = KINDS[code]
    said = f"{text[:1].upper()}{text[1:]}."
    obstacle = Obstacle(
        code=code,
        plugin=of.plugin,
        subject=of.gang.key,
        object=of.gang.object,
        needs={"minMember": str(of.gang.least)},
        nodes=NodeList.of(nodes),
        text=text,
    )
    return ObstacleSet(
        codes=(code,), plugins=(of.plugin,), obstacles=(obstacle,), stage=kind.stage, actor=kind.actor, text=said
    )
