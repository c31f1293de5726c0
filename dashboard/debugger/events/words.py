"""Each recorded event as one sentence, made of what the event holds and of nothing else.

Pages number events from 1: event N is the last one that the cursor ``seq=N`` has behind it, which is the event of
seq N - 1 in the recording. `number_of` and `seq_of` go from one to the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.numbers import grouped, virtual_time
from dashboard.debugger.events.kinds import KINDS, Kind
from dashboard.debugger.labels import CRITERION_LABELS, LANES, OUTCOMES, listed, plural, split_key
from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import DRAW, ONLY, Code

if TYPE_CHECKING:
    from collections.abc import Iterable

PREEMPTED = "preempted by "
# Moves whose reason is the queue's own doing; all others are cluster events that a pod was woken by.
ATTEMPT_FAILED, POPPED, DONE, BACKOFF_COMPLETE = "ScheduleAttemptFailure", "Popped", "Done", "BackoffComplete"
POP_FROM_BACKOFF, POD_ADD = "PopFromBackoffQ", "UnschedulablePodAdd"
_LANE_NAMES = LANES | {"unschedulable": "Unschedulable"}
_ACTIONS = {"added": "created", "updated": "updated", "deleted": "deleted"}
_REFUSED = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence. `tone` is "strong" for what it is about, "soft" for what adds to it, or ""; `title` is the
    whole name of something that is shortened."""

    text: str
    tone: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class EventWords:
    """An event in words. `parts` joined are the sentence; `brief` are the few words in which its effects name it.

    `kind` is a key of KINDS. `pod` (namespace/name), `uid` ("" for the first pod of its name), `node` and `cycle` (0:
    none) are what it concerns, `other` a second pod: the preemptor of a victim.
    """

    parts: tuple[Part, ...]
    brief: str
    kind: str
    icon: str
    meaning: str
    pod: str = ""
    uid: str = ""
    node: str = ""
    cycle: int = 0
    other: str = ""

    @property
    def text(self) -> str:
        """Return the sentence."""
        return "".join(part.text for part in self.parts)

    @property
    def label(self) -> Kind:
        """Return how the kind is called and drawn."""
        return KINDS[self.kind]

    def brief_for(self, effect: EventWords) -> str:
        """Return the brief words beside an effect, with the name of the pod where that is about another one."""
        is_other = self.pod and (self.pod, self.uid) != (effect.pod, effect.uid)
        return f"{split_key(self.pod)[1]} {self.brief}" if is_other else self.brief


def number_of(seq: int) -> int:
    """Return the number under which pages show the event of that seq."""
    return seq + 1


def seq_of(number: int) -> int:
    """Return the seq of the event that pages show under that number."""
    return number - 1


def words_of(event: ev.AnyEvent) -> EventWords:
    """Return the event in words; raises KeyError for a type that has none, which a test rules out."""
    return WORDS[type(event)](event)


# ---------------------------------------------------------------- pieces of sentences


def _pod(key: str) -> Part:
    return Part(split_key(key)[1], "strong", key)


def _strong(text: str) -> Part:
    return Part(text, "strong")


def _sentence(*parts: Part | str, soft: str = "") -> tuple[Part, ...]:
    """Put a sentence together; what adds to it comes last."""
    made = [part if isinstance(part, Part) else Part(part) for part in parts]
    return (*made, Part(f" {soft}", "soft")) if soft else tuple(made)


def _counts(pairs: Iterable[tuple[str, int]]) -> str:
    """Return what was counted by name, most first: "NodeResourcesFit 5, TaintToleration 1"."""
    sums: dict[str, int] = {}
    for name, count in pairs:
        sums[name] = sums.get(name, 0) + count
    return ", ".join(f"{name} {grouped(count)}" for name, count in sorted(sums.items(), key=lambda one: -one[1]))


# ---------------------------------------------------------------- objects


def _object(event: ev.ObjectChanged) -> EventWords:
    if event.kind == "Pod" and event.cause.startswith(PREEMPTED):
        return _evicted(event)
    is_pod, is_node = event.kind == "Pod", event.kind == "Node"
    action = _ACTIONS.get(event.action, event.action)
    name = _pod(event.key) if "/" in event.key else _strong(event.key)
    # "deleted" is the cause's own word for what the sentence says already.
    notes = [event.cause if event.cause != action else "", f"on {event.node}" if event.node else ""]
    return EventWords(
        parts=_sentence(f"{event.kind} ", name, f" {action}", soft=", ".join(filter(None, notes))),
        brief=action if is_pod else f"{event.kind} {split_key(event.key)[1]} {action}",
        kind="object",
        icon="server" if is_node else "box",
        meaning="none",
        pod=event.key if is_pod else "",
        uid=event.uid if is_pod else "",
        node=event.key if is_node else event.node,
    )


def _evicted(event: ev.ObjectChanged) -> EventWords:
    is_gone = event.action == "deleted"
    by = event.cause.removeprefix(PREEMPTED)
    return EventWords(
        parts=_sentence(_pod(event.key), " gone" if is_gone else " must leave", soft=event.cause),
        brief="gone" if is_gone else "must leave",
        kind="eviction",
        icon="eject",
        meaning="victim",
        pod=event.key,
        uid=event.uid,
        other=by,
    )


# ---------------------------------------------------------------- the queue


def _move(event: ev.QueueMove) -> EventWords:
    verb, soft, kind, icon, meaning = _move_words(event)
    return EventWords(
        parts=_sentence(_pod(event.pod), f" {verb}", soft=soft),
        brief=verb,
        kind=kind,
        icon=icon,
        meaning=meaning,
        pod=event.pod,
        uid=event.uid,
    )


def _move_words(event: ev.QueueMove) -> tuple[str, str, str, str, str]:
    """Return (verb, what adds to it, kind, icon, meaning) of a move."""
    lane = _LANE_NAMES.get(event.target, event.target)
    if event.target == "in_flight":
        return f"taken from {_LANE_NAMES.get(event.source, event.source)}", "", "queue", "play", "cursor"
    if not event.target:
        is_done = event.event == DONE
        return ("leaves the queue", "" if is_done else event.event, "queue", "check" if is_done else "dash", "none")
    if event.event == ATTEMPT_FAILED:
        return _sent_back(event, lane)
    if event.target == "gated":
        return "gated", f"by {event.gated_by}" if event.gated_by else event.event, "queue", "lock", "gated"
    if event.event == BACKOFF_COMPLETE:
        return f"into {lane}", "its backoff is over", "queue", "clock", "backoff"
    if not event.source:
        return f"into {lane}", "new in the queue" if event.event == POD_ADD else event.event, "queue", "dot", "queue"
    hint = f", {event.plugin}: may help" if event.plugin else ""
    until = _until(event)
    return f"woken: to {lane}", f"{event.event}{hint}{until}", "wake", "wake", "wait"


def _sent_back(event: ev.QueueMove, lane: str) -> tuple[str, str, str, str, str]:
    """Return the words of a move after a failed attempt."""
    plugins = listed([*event.plugins, *event.pending_plugins])
    notes = [f"refused by {plugins}" if plugins else "", _until(event).lstrip(", ")]
    if event.in_flight_event:
        notes.append(f"{event.in_flight_event} came during the attempt")
    icon, meaning = ("x", "unsched") if event.target == "unschedulable" else ("clock", "backoff")
    return f"to {lane}", ", ".join(filter(None, notes)), "queue", icon, meaning


def _until(event: ev.QueueMove) -> str:
    return f", until {virtual_time(event.backoff_until, 1_000_000)}" if event.backoff_until is not None else ""


# ---------------------------------------------------------------- a cycle


def _started(event: ev.CycleStarted) -> EventWords:
    soft = f"attempt {event.attempt}, priority {grouped(event.priority)}"
    return EventWords(
        parts=_sentence(_strong(f"cycle {grouped(event.cycle)}"), " of ", _pod(event.pod), soft=soft),
        brief=f"cycle {grouped(event.cycle)}",
        kind="cycle",
        icon="play",
        meaning="cursor",
        pod=event.pod,
        uid=event.uid,
        cycle=event.cycle,
    )


def _point(event: ev.PointFinished) -> EventWords:
    refused = next((one for one in event.statuses if one.code in _REFUSED), None)
    failed = next((one for one in event.statuses if one.code == Code.ERROR), None)
    helped = any(one.code == Code.SUCCESS for one in event.statuses)
    worst = failed or (None if helped and event.point == "PostFilter" else refused)
    ran = sum(one.code != Code.SKIP for one in event.statuses)
    skipped = len(event.statuses) - ran
    said = f"{worst.plugin}: {', '.join(worst.reasons)}" if worst and worst.reasons else worst.plugin if worst else ""
    soft = said or ", ".join(filter(None, [plural(ran, "plugin"), f"{skipped} skipped" if skipped else ""]))
    word = "failed" if failed else "refused" if worst else "ran"
    return EventWords(
        parts=_sentence(_strong(event.point), f" {word}", soft=soft),
        brief=f"{event.point} {word}",
        kind="error" if failed else "calls",
        icon="alert" if failed else "x" if worst else "dash",
        meaning="error" if failed else "unsched" if worst else "none",
        cycle=event.cycle,
    )


def _filtered(event: ev.NodesFiltered) -> EventWords:
    visited = grouped(event.visited)
    if event.feasible:
        soft = "the nominated node" if event.nominated_only else ""
        parts = _sentence("Filter passed ", _strong(f"{grouped(event.feasible)} of {visited}"), " nodes", soft=soft)
        return EventWords(
            parts, f"Filter passed {grouped(event.feasible)}", "calls", "filter", "bound", cycle=event.cycle
        )
    refused = _counts((one.plugin, one.count) for one in event.refusals)
    parts = _sentence("Filter refused ", _strong(f"all {visited}"), " nodes", soft=refused)
    return EventWords(parts, "nothing fits", "refused", "x", "unsched", cycle=event.cycle)


def _scored(event: ev.NodesScored) -> EventWords:
    decided = listed([one.plugin for one in event.plugins if one.decided])
    soft = f"{decided} decided" if decided else ", ".join(one.plugin for one in event.plugins)
    parts = _sentence("Score by ", _strong(plural(len(event.plugins), "plugin")), soft=soft)
    return EventWords(parts, "scored", "calls", "scale", "none", cycle=event.cycle)


def _host(event: ev.HostSelected) -> EventWords:
    if event.tie_count > 1:
        soft = f"drawn from {grouped(event.tie_count)} with total {grouped(event.total)}"
    elif event.second:
        lead = grouped(event.total - event.second_total)
        soft = f"total {grouped(event.total)}, {lead} ahead of {event.second}"
    else:
        soft = "the only one that fits"
    parts = _sentence(_strong(event.node), " chosen", soft=soft)
    return EventWords(parts, f"{event.node} chosen", "calls", "star", "win", node=event.node, cycle=event.cycle)


def _finished(event: ev.CycleFinished) -> EventWords:
    meaning, word = OUTCOMES.get(event.outcome, ("none", event.outcome))
    soft = f"on {event.node}" if event.node else event.message
    kind = {"unschedulable": "refused", "error": "error"}.get(event.outcome, "cycle")
    icon = {"bound": "check", "unsched": "x", "error": "alert"}.get(meaning, "dash")
    return EventWords(
        parts=_sentence(_pod(event.pod), f" {word} in ", _strong(f"cycle {grouped(event.cycle)}"), soft=soft),
        brief=word,
        kind=kind,
        icon=icon,
        meaning=meaning,
        pod=event.pod,
        node=event.node,
        cycle=event.cycle,
    )


def _digest(event: ev.MatrixDigest) -> EventWords:
    parts = _sentence("Digest of the matrix of ", _strong(f"cycle {grouped(event.cycle)}"), soft=event.digest[:12])
    return EventWords(parts, "digest", "calls", "dash", "none", cycle=event.cycle)


# ---------------------------------------------------------------- preemption


def _preemption(event: ev.PreemptionDecided) -> EventWords:
    if event.nominated_node:
        nominated = event.nominated
        victims = f", {plural(len(nominated.victims), 'victim')}" if nominated else ""
        soft = f"{plural(event.n_candidates, 'candidate')}{_decisive(event.criterion)}{victims}"
        parts, brief = _sentence("Preemption nominates ", _strong(event.nominated_node), soft=soft), "preemption"
    else:
        word = "Preemption finds no node for " if event.eligible else "No preemption for "
        parts, brief = _sentence(word, _pod(event.pod), soft=event.message), "no preemption"
    return EventWords(
        parts=parts,
        brief=brief,
        kind="preemption",
        icon="diamond",
        meaning="nomin" if event.nominated_node else "none",
        pod=event.pod,
        uid=event.uid_of(event.pod),
        node=event.nominated_node or "",
        cycle=event.cycle,
    )


def _decisive(criterion: str) -> str:
    """Return which criterion left one candidate, as the end of a sentence."""
    if criterion in ("", ONLY):
        return ""
    label = CRITERION_LABELS.get(criterion, criterion)
    return ", drawn among equals" if criterion == DRAW else f", decided by {label[:1].lower()}{label[1:]}"


def _nominated(event: ev.Nominated) -> EventWords:
    if event.node:
        parts = _sentence(_pod(event.pod), " nominated to ", _strong(event.node))
    else:
        parts = _sentence("Nomination of ", _pod(event.pod), " cleared")
    brief = f"nominated to {event.node}" if event.node else "nomination cleared"
    return EventWords(parts, brief, "preemption", "diamond", "nomin", pod=event.pod, node=event.node)


# ---------------------------------------------------------------- binding


def _placed(event: Any, verb: str, brief: str, icon: str, meaning: str, soft: str = "") -> EventWords:
    """Return the words of an event about a pod of a cycle and its node."""
    return EventWords(
        parts=_sentence(_pod(event.pod), f" {verb} ", _strong(event.node), soft=soft),
        brief=brief,
        kind="bound",
        icon=icon,
        meaning=meaning,
        pod=event.pod,
        node=event.node,
        cycle=event.cycle,
    )


def _reserved(event: ev.Reserved) -> EventWords:
    return _placed(event, "reserved on", f"reserved on {event.node}", "pin", "bound")


def _unreserved(event: ev.Unreserved) -> EventWords:
    return _placed(event, "no longer reserved on", "reservation taken back", "undo", "unsched", soft=event.reason)


def _bound(event: ev.Bound) -> EventWords:
    return _placed(event, "bound to", f"bound to {event.node}", "check", "bound")


def _waiting(event: ev.PermitWaiting) -> EventWords:
    soft = f"{listed(list(event.plugins))}, until {virtual_time(event.deadline, 1_000_000)} at the latest"
    return _placed(event, "waits at Permit for", "waits at Permit", "hour", "wait", soft=soft)


def _permit(event: ev.PermitDecided) -> EventWords:
    verb = "allows" if event.allowed else "rejects"
    soft = ", ".join(filter(None, [event.plugin, event.message]))
    return EventWords(
        parts=_sentence(f"Permit {verb} ", _pod(event.pod), soft=soft),
        brief="allowed by Permit" if event.allowed else "rejected by Permit",
        kind="bound",
        icon="check" if event.allowed else "x",
        meaning="bound" if event.allowed else "unsched",
        pod=event.pod,
        cycle=event.cycle,
    )


# ---------------------------------------------------------------- failures and the end


def _plugin_failed(event: ev.PluginFailed) -> EventWords:
    soft = f"{event.error}: {event.message}" if event.message else event.error
    return EventWords(
        parts=_sentence(_strong(event.plugin), f" failed at {event.point}", soft=soft),
        brief=f"{event.plugin} failed",
        kind="error",
        icon="alert",
        meaning="error",
        pod=event.pod,
        uid=event.uid,
        cycle=event.cycle,
    )


def _run_finished(event: ev.RunFinished) -> EventWords:
    counted = f"{plural(event.bound, 'pod')} bound, {grouped(event.pending)} pending"
    parts = _sentence(_strong("The run ends"), soft=f"{event.reason}, {counted}")
    return EventWords(parts, "end of the run", "run", "flag", "none")


WORDS: dict[type, Callable[[Any], EventWords]] = {
    ev.ObjectChanged: _object,
    ev.QueueMove: _move,
    ev.CycleStarted: _started,
    ev.PointFinished: _point,
    ev.NodesFiltered: _filtered,
    ev.NodesScored: _scored,
    ev.HostSelected: _host,
    ev.PreemptionDecided: _preemption,
    ev.Nominated: _nominated,
    ev.Reserved: _reserved,
    ev.Unreserved: _unreserved,
    ev.PermitWaiting: _waiting,
    ev.PermitDecided: _permit,
    ev.Bound: _bound,
    ev.PluginFailed: _plugin_failed,
    ev.CycleFinished: _finished,
    ev.MatrixDigest: _digest,
    ev.RunFinished: _run_finished,
}
