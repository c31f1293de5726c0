"""Whether a given change would bring a waiting pod back, by the rules of its queue, and whether it would fit then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.prospects import find_prospect
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.queue.cluster_events import event_label
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    UNSCHEDULABLE,
    QueuedPod,
    Requeue,
    RequeueDecision,
)

_LANES = {ACTIVE: "activeQ", BACKOFF: "backoffQ", ERROR_BACKOFF: "backoffQ"}

Decisions = Iterable[tuple[str, RequeueDecision]]


class HintSaid(msgspec.Struct, frozen=True):
    """How a plugin that refused the pod reacts to an event: ``heard`` if it registered for such events, ``queues`` if
    its hint lets the event bring the pod back."""

    event: str
    plugin: str
    heard: bool
    queues: bool

    @property
    def text(self) -> str:
        """ "NodeResourcesFit lets NodeAdd bring it back" """
        if not self.heard:
            return f"{self.plugin} did not register for {self.event}"
        return f"{self.plugin} {'lets' if self.queues else 'does not let'} {self.event} bring it back"


class WouldHelp(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of one object would do for a waiting pod: ``wakes`` by the rules of the queue for ``events``, for
    which ``plugins`` let it through; ``hints`` has each plugin that holds the pod. ``lane``: where the pod waits.

    ``fits`` is what the engine decided with the change, None where it was not tried; then ``node`` is the node found,
    or ``failure`` says why there is none, ``nominated`` where preemption would make room by evicting ``victims``, and
    ``gated`` why it would not even be tried. Where extenders have a say after that, ``in_vain`` says why the pod does
    not get the node after all, and ``unanswered`` names the request that is not on the run's tape. A pod may fit and
    yet not be woken: it then waits for the timer.
    """

    events: tuple[str, ...]
    plugins: tuple[str, ...]
    wakes: bool
    lane: str = ""
    hints: tuple[HintSaid, ...] = ()
    fits: bool | None = None
    node: str = ""
    failure: str = ""
    nominated: str = ""
    victims: tuple[str, ...] = ()
    gated: str = ""
    in_vain: str = ""
    unanswered: str = ""

    @property
    def wakes_words(self) -> str:
        """Whether the change brings the pod back, in one sentence."""
        if self.lane not in (UNSCHEDULABLE, GATED):
            return f"It is tried again without it: it is in {_LANES.get(self.lane, 'an attempt')}."
        if not self.events:
            return "It gives no event that the scheduler listens to, so nothing brings the pod back."
        names = listed(self.events, "and")
        if not self.wakes:
            return f"{names} {'do' if len(self.events) > 1 else 'does'} not bring it back."
        return f"{names} {'bring' if len(self.events) > 1 else 'brings'} it back{self._by}."

    @property
    def _by(self) -> str:
        if not self.plugins:
            return ""
        return f": {listed(self.plugins, 'and')} {'let' if len(self.plugins) > 1 else 'lets'} it through"

    @property
    def fits_words(self) -> str:
        """What an attempt then decides, in one sentence; "" where the change was not tried."""
        if self.fits is None:
            return ""
        if self.gated:
            return f"It would still be held back: {self.gated}"
        if self.unanswered:
            return f"What the attempt then decides is unknown: the tape has no answer to {self.unanswered}."
        if self.fits:
            return f"The attempt then succeeds, on {self.node}."
        in_vain = f" That is in vain: {self.in_vain.rstrip('.')}." if self.in_vain else ""
        if self.node:
            return f"The attempt then finds {self.node}.{in_vain}"
        if self.nominated:
            evicted = f", evicting {listed(self.victims, 'and')}" if self.victims else ""
            return f"The attempt then fails; preemption makes room on {self.nominated}{evicted}.{in_vain}"
        return f"The attempt then fails: {self.failure}"


def hints_for(simulation: Simulation, pod: str, old: Any, new: Any) -> tuple[tuple[str, RequeueDecision], ...]:
    """(event, where it sends the pod) of each cluster event that a change of a pod, node or other object gives rise to;
    ``old`` None: it comes, ``new`` None: it goes. The queue's own rules decide: hint functions, where it has them.

    A pod waking up says that it is tried again, not that it will fit. Raises KeyError for a pod that the queue does not
    have.
    """
    return tuple(simulation.world.handlers.would_move(_queued(simulation, pod), old, new))


def would_help(trials: Trials, pod: str, old: Any, new: Any) -> WouldHelp:
    """Whether a change of one object would bring the pod back, and whether it would fit then, tried.

    ``old`` and ``new`` as for ``hints_for``. A change is tried where it is of the pod itself, of another pod that
    goes, or of another object that comes or changes; of others ``fits`` stays None. Raises KeyError as ``hints_for``.
    """
    queued, decisions = _queued(trials.simulation, pod), hints_for(trials.simulation, pod, old, new)
    changes = _as_changes(pod, old, new)
    effect = WouldHelp(
        events=tuple(event for event, _ in decisions),
        plugins=tuple(dict.fromkeys(decision.plugin for _, decision in decisions if decision.plugin)),
        wakes=wakes_up(decisions),
        lane=queued.lane,
        hints=_hint_answers(trials.simulation, queued, old, new),
    )
    return effect if changes is None else _with_trial(effect, trials, pod, changes)


def wakes_up(decisions: Decisions) -> bool:
    """Whether any of the events brings the pod back."""
    return any(decision.requeue is not Requeue.SKIP for _, decision in decisions)


def _queued(simulation: Simulation, pod: str) -> QueuedPod:
    queued = simulation.queue.get(pod)
    if queued is None:
        raise KeyError(pod)
    return queued


def _with_trial(effect: WouldHelp, trials: Trials, pod: str, changes: Changes) -> WouldHelp:
    trial = trials.attempt(pod, changes)
    decided = trial.preemption
    prospect = find_prospect(trials, trial, changes, by_preemption=True)
    gets_it = not prospect.unanswered and not prospect.failure
    return msgspec.structs.replace(
        effect,
        fits=trial.is_scheduled and trial.gated is None and gets_it,
        node=trial.node,
        failure=trial.failure,
        nominated=trial.nominated or "",
        victims=decided.chosen.victims if decided is not None and decided.chosen is not None else (),
        gated=trial.gated.message if trial.gated is not None else "",
        in_vain=prospect.failure if prospect.failure != trial.failure else "",
        unanswered=prospect.unanswered,
    )


def _as_changes(pod: str, old: Any, new: Any) -> Changes | None:
    if isinstance(new, Node):
        return Changes(nodes=(new,))
    if isinstance(new, Pod) and new.key == pod:
        return Changes(pod=new)
    if isinstance(old, Pod) and new is None:
        return Changes(gone=(old.key,))
    return Changes(objects=(new,)) if new is not None and not isinstance(new, Pod) else None


def _hint_answers(simulation: Simulation, queued: QueuedPod, old: Any, new: Any) -> tuple[HintSaid, ...]:
    """What each plugin that holds the pod makes of each event, asked as if it alone held the pod."""
    handlers, profile = simulation.world.handlers, queued.pod.scheduler_name
    listening = {
        event_label(event): {plugin for plugin, _ in simulation.queue.hints.listeners(profile, event) or ()}
        for event in handlers.cluster_events(old, new)
    }
    hints = []
    for plugin in dict.fromkeys((*queued.rejectors, *([queued.gated_by] if queued.lane == GATED else []))):
        own = (plugin,)
        is_pending = plugin in queued.pending_plugins
        alone = msgspec.structs.replace(
            queued, unschedulable_plugins=() if is_pending else own, pending_plugins=own if is_pending else ()
        )
        for event, decision in handlers.would_move(alone, old, new):
            heard = plugin in listening.get(event, ())
            hints.append(HintSaid(event, plugin, heard, heard and decision.requeue is not Requeue.SKIP))
    return tuple(hints)
