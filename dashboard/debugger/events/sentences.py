"""Each recorded event as one sentence, made of what the event holds and of nothing else.

Pages number events from 1, the recording from 0: event N of a page has seq N - 1. At the cursor ``seq=N`` events 1 to N
have happened. `number_of` and `seq_of` convert between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.events.about import PREEMPTED, About, about
from dashboard.debugger.events.kinds import KINDS, EventKind
from dashboard.debugger.labels import CRITERION_LABELS, LANES, OUTCOMES, listed, split_key
from scheduler_core.recording import events as ev
from scheduler_core.recording.times import clock
from scheduler_core.recording.vocabulary import DRAW, ONLY, Code, address_of_extender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ATTEMPT_FAILED, DONE, BACKOFF_COMPLETE, POD_ADD = (
    "ScheduleAttemptFailure",
    "Done",
    "BackoffComplete",
    ("UnschedulablePodAdd", "PodAdd"),
)
_LANE_NAMES = LANES | {"unschedulable": "Unschedulable"}
_ACTIONS = {"added": "created", "updated": "updated", "deleted": "deleted"}
_REFUSED = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A piece of a sentence. `tone` is "strong" for what it is about, "soft" for what adds to it, or ""; `title` is the
    whole name of something that is shortened."""

    text: str
    tone: str = ""
    title: str = ""


class Sentence(NamedTuple):
    """`parts` joined are the sentence; `brief` are the few words in which effects of the event name it."""

    parts: tuple[SentencePart, ...]
    brief: str
    icon: str
    meaning: str


@dataclass(frozen=True, slots=True)
class EventSentence:
    """An event in words, and what it is about."""

    sentence: Sentence
    about: About

    @property
    def parts(self) -> tuple[SentencePart, ...]:
        """Return the pieces of the sentence."""
        return self.sentence.parts

    @property
    def text(self) -> str:
        """Return the sentence."""
        return "".join(part.text for part in self.sentence.parts)

    @property
    def icon(self) -> str:
        """Return its glyph."""
        return self.sentence.icon

    @property
    def meaning(self) -> str:
        """Return the meaning that colours the glyph."""
        return self.sentence.meaning

    @property
    def label(self) -> EventKind:
        """Return the kind with its name and icon."""
        return KINDS[self.about.kind]

    def brief_for(self, effect: EventSentence) -> str:
        """Return the brief words beside an effect, with the name of the pod where that is about another one."""
        mine, theirs = self.about, effect.about
        is_other = mine.pod and theirs.pod and (mine.pod, mine.uid) != (theirs.pod, theirs.uid)
        return f"{split_key(mine.pod)[1]} {self.sentence.brief}" if is_other else self.sentence.brief


def number_of(seq: int) -> int:
    """Return the number under which pages show the event of that seq."""
    return seq + 1


def seq_of(number: int) -> int:
    """Return the seq of the event that pages show under that number."""
    return number - 1


def words_of(event: ev.AnyEvent) -> EventSentence:
    """Return the event in words; raises KeyError for a type that has none, which a test rules out."""
    return EventSentence(SENTENCES[type(event)](event), about(event))


# ---------------------------------------------------------------- pieces of sentences


def _pod(key: str) -> SentencePart:
    return SentencePart(split_key(key)[1], "strong", key)


def _strong(text: str) -> SentencePart:
    return SentencePart(text, "strong")


def _parts(*parts: SentencePart | str, soft: str = "") -> tuple[SentencePart, ...]:
    """Put a sentence together; what adds to it comes last."""
    made = [part if isinstance(part, SentencePart) else SentencePart(part) for part in parts]
    return (*made, SentencePart(f" {soft}", "soft")) if soft else tuple(made)


def _noted(*notes: str) -> str:
    return ", ".join(filter(None, notes))


def _counts(pairs: Iterable[tuple[str, int]]) -> str:
    """Return counts by name, largest first: "NodeResourcesFit 5, TaintToleration 1"."""
    sums: dict[str, int] = {}
    for name, count in pairs:
        sums[name] = sums.get(name, 0) + count
    return ", ".join(f"{name} {grouped(count)}" for name, count in sorted(sums.items(), key=lambda one: -one[1]))


# ---------------------------------------------------------------- objects


def _object(event: ev.ObjectChanged) -> Sentence:
    if event.kind == "Pod" and event.cause.startswith(PREEMPTED):
        verb = "gone" if event.action == "deleted" else "must leave"
        return Sentence(_parts(_pod(event.key), f" {verb}", soft=event.cause), verb, "eject", "victim")
    action = _ACTIONS.get(event.action, event.action)
    name = _pod(event.key) if "/" in event.key else _strong(event.key)
    soft = _noted(event.cause, f"on {event.node}" if event.node else "")
    brief = action if event.kind == "Pod" else f"{event.kind} {split_key(event.key)[1]} {action}"
    icon = "server" if event.kind == "Node" else "box"
    return Sentence(_parts(f"{event.kind} ", name, f" {action}", soft=soft), brief, icon, "none")


def _refused(event: ev.CreationRefused) -> Sentence:
    maker = f" of {event.maker}" if event.maker else ""
    parts = _parts(f"{event.kind} ", _pod(event.key), f"{maker} is not made", soft=event.message)
    return Sentence(parts, "refused", "x", "unsched")


def _inputs(event: ev.InputsChanged) -> Sentence:
    if event.what == "timeline":
        parts = _parts("Entry ", _strong(str(event.entry)), " of the timeline", soft="switched off")
        return Sentence(parts, f"entry {event.entry} switched off", "dash", "none")
    soft = "the scheduler is started again" if event.restarts else ""
    return Sentence(
        _parts(_strong(event.what.capitalize()), " changed", soft=soft), f"{event.what} changed", "dot", "none"
    )


# ---------------------------------------------------------------- the queue


def _move(event: ev.QueueMove) -> Sentence:
    verb, soft, icon, meaning = _move_words(event)
    return Sentence(_parts(_pod(event.pod), f" {verb}", soft=soft), verb, icon, meaning)


def _move_words(event: ev.QueueMove) -> tuple[str, str, str, str]:
    """Return (verb, what adds to it, icon, meaning) of a move."""
    lane = _LANE_NAMES.get(event.target, event.target)
    if event.target == "in_flight":
        return f"taken from {_LANE_NAMES.get(event.source, event.source)}", "", "play", "cursor"
    if not event.target:
        return (
            ("leaves the queue", "", "check", "none")
            if event.event == DONE
            else ("leaves the queue", event.event, "dash", "none")
        )
    if event.event == ATTEMPT_FAILED:
        return _sent_back(event, lane)
    if event.target == "gated":
        return "gated", f"by {event.gated_by}" if event.gated_by else event.event, "lock", "gated"
    if event.event == BACKOFF_COMPLETE:
        return f"into {lane}", "its backoff is over", "clock", "backoff"
    if not event.source:
        return f"into {lane}", "new in the queue" if event.event in POD_ADD else event.event, "dot", "queue"
    hint = f"{event.plugin}: may help" if event.plugin else ""
    return f"woken: to {lane}", _noted(event.event, hint, _until(event)), "wake", "wait"


def _sent_back(event: ev.QueueMove, lane: str) -> tuple[str, str, str, str]:
    """Return the words of a move after a failed attempt."""
    plugins = listed([*event.plugins, *event.pending_plugins])
    came = f"{event.in_flight_event} came during the attempt" if event.in_flight_event else ""
    soft = _noted(f"refused by {plugins}" if plugins else "", _until(event), came)
    icon, meaning = ("x", "unsched") if event.target == "unschedulable" else ("clock", "backoff")
    return f"to {lane}", soft, icon, meaning


def _until(event: ev.QueueMove) -> str:
    return f"until {clock(event.backoff_until)}" if event.backoff_until is not None else ""


# ---------------------------------------------------------------- a cycle


def _started(event: ev.CycleStarted) -> Sentence:
    cycle = f"cycle {grouped(event.cycle)}"
    soft = f"attempt {event.attempt}, priority {grouped(event.priority)}"
    return Sentence(_parts(_strong(cycle), " of ", _pod(event.pod), soft=soft), cycle, "play", "cursor")


def _point(event: ev.PointFinished) -> Sentence:
    failed = next((one for one in event.statuses if one.code == Code.ERROR), None)
    # One plugin that helps is enough at PostFilter.
    helped = event.point == "PostFilter" and any(one.code == Code.SUCCESS for one in event.statuses)
    refused = None if helped else next((one for one in event.statuses if one.code in _REFUSED), None)
    worst = failed or refused
    word = "failed" if failed else "refused" if refused else "ran"
    icon, meaning = ("alert", "error") if failed else ("x", "unsched") if refused else ("dash", "none")
    if worst:
        soft = f"{worst.plugin}: {', '.join(worst.reasons)}" if worst.reasons else worst.plugin
    else:
        skipped = sum(one.code == Code.SKIP for one in event.statuses)
        soft = _noted(plural(len(event.statuses) - skipped, "plugin"), f"{skipped} skipped" if skipped else "")
    return Sentence(_parts(_strong(event.point), f" {word}", soft=soft), f"{event.point} {word}", icon, meaning)


def _filtered(event: ev.NodesFiltered) -> Sentence:
    visited, feasible = grouped(event.visited), grouped(event.feasible)
    if event.feasible:
        soft = "the nominated node" if event.nominated_only else ""
        parts = _parts("Filter passed ", _strong(f"{feasible} of {visited}"), " nodes", soft=soft)
        return Sentence(parts, f"Filter passed {feasible}", "filter", "bound")
    refused = _counts((one.plugin, one.count) for one in event.refusals)
    parts = _parts("Filter refused ", _strong(f"all {visited}"), " nodes", soft=refused)
    return Sentence(parts, "nothing fits", "x", "unsched")


def _scored(event: ev.NodesScored) -> Sentence:
    decided = listed([one.plugin for one in event.plugins if one.decided])
    soft = f"{decided} decided" if decided else ", ".join(one.plugin for one in event.plugins)
    parts = _parts("Score by ", _strong(plural(len(event.plugins), "plugin")), soft=soft)
    return Sentence(parts, "scored", "scale", "none")


def _host(event: ev.HostSelected) -> Sentence:
    if event.tie_count > 1:
        soft = f"drawn from {grouped(event.tie_count)} with total {grouped(event.total)}"
    elif event.second:
        lead = grouped(event.total - event.second_total)
        soft = f"total {grouped(event.total)}, {lead} ahead of {event.second}"
    else:
        soft = "the only one that fits"
    return Sentence(_parts(_strong(event.node), " chosen", soft=soft), f"{event.node} chosen", "star", "win")


def _finished(event: ev.CycleFinished) -> Sentence:
    meaning, word = OUTCOMES.get(event.outcome, ("none", event.outcome))
    soft = f"on {event.node}" if event.node else event.message
    icon = {"bound": "check", "unsched": "x", "error": "alert"}.get(meaning, "dash")
    parts = _parts(_pod(event.pod), f" {word} in ", _strong(f"cycle {grouped(event.cycle)}"), soft=soft)
    return Sentence(parts, word, icon, meaning)


def _digest(event: ev.MatrixDigest) -> Sentence:
    parts = _parts("Digest of the matrix of ", _strong(f"cycle {grouped(event.cycle)}"), soft=event.digest[:12])
    return Sentence(parts, "digest", "dash", "none")


# ---------------------------------------------------------------- preemption


def _preemption(event: ev.PreemptionDecided) -> Sentence:
    if not event.nominated_node:
        lead = "Preemption finds no node for " if event.eligible else "No preemption for "
        return Sentence(_parts(lead, _pod(event.pod), soft=event.message), "no preemption", "diamond", "none")
    nominated = event.nominated
    victims = plural(len(nominated.victims), "victim") if nominated else ""
    soft = _noted(plural(event.n_candidates, "candidate"), _decisive(event.criterion), victims)
    parts = _parts("Preemption nominates ", _strong(event.nominated_node), soft=soft)
    return Sentence(parts, "preemption", "diamond", "nomin")


def _decisive(criterion: str) -> str:
    """Return which criterion left one candidate, "" where there was one only."""
    if criterion in ("", ONLY):
        return ""
    label = CRITERION_LABELS.get(criterion, criterion)
    return "drawn among equals" if criterion == DRAW else f"decided by {label[:1].lower()}{label[1:]}"


def _nominated(event: ev.Nominated) -> Sentence:
    if not event.node:
        return Sentence(_parts("Nomination of ", _pod(event.pod), " cleared"), "nomination cleared", "diamond", "none")
    parts = _parts(_pod(event.pod), " nominated to ", _strong(event.node))
    return Sentence(parts, f"nominated to {event.node}", "diamond", "nomin")


# ---------------------------------------------------------------- binding


def _placed(event: Any, verb: str, soft: str = "") -> tuple[SentencePart, ...]:
    return _parts(_pod(event.pod), f" {verb} ", _strong(event.node), soft=soft)


def _reserved(event: ev.Reserved) -> Sentence:
    return Sentence(_placed(event, "reserved on"), f"reserved on {event.node}", "pin", "bound")


def _unreserved(event: ev.Unreserved) -> Sentence:
    parts = _placed(event, "no longer reserved on", soft=event.reason)
    return Sentence(parts, "reservation taken back", "undo", "unsched")


def _bound(event: ev.Bound) -> Sentence:
    return Sentence(_placed(event, "bound to"), f"bound to {event.node}", "check", "bound")


def _waiting(event: ev.PermitWaiting) -> Sentence:
    soft = f"{listed(list(event.plugins))}, until {clock(event.deadline)} at the latest"
    return Sentence(_placed(event, "waits at Permit for", soft=soft), "waits at Permit", "hour", "wait")


def _permit(event: ev.PermitDecided) -> Sentence:
    verb, past = ("allows", "allowed") if event.allowed else ("rejects", "rejected")
    icon, meaning = ("check", "bound") if event.allowed else ("x", "unsched")
    parts = _parts(f"Permit {verb} ", _pod(event.pod), soft=_noted(event.plugin, event.message))
    return Sentence(parts, f"{past} by Permit", icon, meaning)


# ---------------------------------------------------------------- extenders


def _calls(calls: Sequence[Any], lead: str, end: str, word: str) -> Sentence:
    """Return the sentence on calls of extenders, with what those said that failed."""
    failures = [f"{address_of_extender(call.name)}: {call.error}" for call in calls if call.error]
    soft = "; ".join(failures) or listed([address_of_extender(call.name) for call in calls])
    parts = _parts(lead, _strong(plural(len(calls), "extender call")), end, soft=soft)
    return Sentence(parts, word, "alert" if failures else "filter", "error" if failures else "none")


def _extenders_filtered(event: ev.ExtendersFiltered) -> Sentence:
    return _calls(event.calls, "Filter by ", "", "extenders filter")


def _extenders_scored(event: ev.ExtendersScored) -> Sentence:
    return _calls(event.calls, "Score by ", "", "extenders score")


def _extenders_preempted(event: ev.ExtendersPreempted) -> Sentence:
    return _calls(event.calls, "Preemption shows its candidates in ", "", "extenders preempt")


def _extenders_bound(event: ev.ExtendersBound) -> Sentence:
    return _calls(event.calls, "Binding by ", f" to {event.node}", "extenders bind")


# ---------------------------------------------------------------- failures and the end


def _plugin_failed(event: ev.PluginFailed) -> Sentence:
    soft = f"{event.error}: {event.message}" if event.message else event.error
    parts = _parts(_strong(event.plugin), f" failed at {event.point}", soft=soft)
    return Sentence(parts, f"{event.plugin} failed", "alert", "error")


def _run_finished(event: ev.RunFinished) -> Sentence:
    soft = _noted(event.reason, f"{plural(event.bound, 'pod')} bound", f"{grouped(event.pending)} pending")
    return Sentence(_parts(_strong("The run ends"), soft=soft), "end of the run", "flag", "none")


SENTENCES: dict[type, Callable[[Any], Sentence]] = {
    ev.ObjectChanged: _object,
    ev.CreationRefused: _refused,
    ev.InputsChanged: _inputs,
    ev.QueueMove: _move,
    ev.CycleStarted: _started,
    ev.PointFinished: _point,
    ev.ExtendersFiltered: _extenders_filtered,
    ev.NodesFiltered: _filtered,
    ev.ExtendersScored: _extenders_scored,
    ev.NodesScored: _scored,
    ev.HostSelected: _host,
    ev.ExtendersPreempted: _extenders_preempted,
    ev.PreemptionDecided: _preemption,
    ev.Nominated: _nominated,
    ev.Reserved: _reserved,
    ev.Unreserved: _unreserved,
    ev.PermitWaiting: _waiting,
    ev.PermitDecided: _permit,
    ev.ExtendersBound: _extenders_bound,
    ev.Bound: _bound,
    ev.PluginFailed: _plugin_failed,
    ev.CycleFinished: _finished,
    ev.MatrixDigest: _digest,
    ev.RunFinished: _run_finished,
}
