"""The story of a pod: what happened to it, each step with the chain of its causes and with what it led to.

Causes are those that were recorded while things happened; recordings of formats without causes have none.
"""

from __future__ import annotations

import msgspec

from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader

MOST_CAUSES = 8
"""So many causes of a step are told, the nearest first; the rest is counted."""
MOST_EFFECTS = 8
_PASSED_OVER = tuple(ev.PASSING)


class StoryEvent(msgspec.Struct, frozen=True):
    """An event in words; ``cause`` is the seq of its cause, None where none is recorded: an input, or the start."""

    seq: int
    at: int
    kind: str
    text: str = msgspec.field(name="words")  # the name in the JSON of the command line
    cause: int | None = None


class StoryStep(msgspec.Struct, frozen=True):
    """A step of the pod with its causes, the nearest first up to an input, and what it led to elsewhere.

    ``more_causes`` and ``more_effects`` are not listed.
    """

    step: StoryEvent
    because: tuple[StoryEvent, ...] = ()
    more_causes: int = 0
    led_to: tuple[StoryEvent, ...] = ()
    more_effects: int = 0


class Story(msgspec.Struct, frozen=True):
    """All steps of one pod up to a seq; ``uid`` "" for the first pod of its name."""

    pod: str
    uid: str
    steps: tuple[StoryStep, ...]


def story_of(reader: RecordingReader, pod: str, seq: int, uid: str = "") -> Story:
    """The pod's story in the first ``seq`` events."""
    own: dict[int, StoryEvent] = {}
    effects: dict[int, list[StoryEvent]] = {}
    current = ""
    for number, cause, event in reader.events_without(_PASSED_OVER, 0, seq):
        recorded_cause = None if cause is None or cause < 0 else cause
        subject = _subject(event)
        if subject == pod:
            current = getattr(event, "uid", current)
        if subject == pod and current == uid:
            own[number] = step_of(number, event, recorded_cause)
        elif recorded_cause in own:
            effects.setdefault(recorded_cause, []).append(step_of(number, event, recorded_cause))
    causes = reader.causes(0, seq - 1) if seq else []
    return Story(pod, uid, tuple(_told(reader, step, causes, effects.get(at, [])) for at, step in own.items()))


def _told(reader: RecordingReader, step: StoryEvent, causes: list[int | None], led_to: list[StoryEvent]) -> StoryStep:
    chain = chain_of(causes, step.seq)
    because = tuple(step_of(seq, reader.event(seq), _known(causes[seq])) for seq in chain[:MOST_CAUSES])
    return StoryStep(
        step,
        because,
        max(0, len(chain) - MOST_CAUSES),
        tuple(led_to[:MOST_EFFECTS]),
        max(0, len(led_to) - MOST_EFFECTS),
    )


def chain_of(causes: list[int | None], seq: int) -> list[int]:
    """Seqs of the causes of an event, the nearest first, up to one that nothing recorded caused."""
    chain = []
    cause = _known(causes[seq])
    while cause is not None:
        chain.append(cause)
        cause = _known(causes[cause])
    return chain


def _known(cause: int | None) -> int | None:
    return None if cause is None or cause < 0 else cause


def _subject(event: ev.AnyEvent) -> str:
    """The pod that the event happens to, "" for none."""
    if isinstance(event, ev.ObjectChanged):
        return event.key if event.kind == "Pod" else ""
    return getattr(event, "pod", "")


# --- words ---------------------------------------------------------------------------------------------------------
def step_of(seq: int, event: ev.AnyEvent, cause: int | None) -> StoryEvent:
    """The event as a step."""
    return StoryEvent(seq, event.at, str(type(event).__struct_config__.tag), _words(event), cause)


def _words(event: ev.AnyEvent) -> str:
    match event:
        case ev.ObjectChanged():
            why = f": {event.cause}" if event.cause else ""
            return f"{event.kind} {event.key} {event.action}{why}"
        case ev.InputsChanged():
            return input_words(event)
        case ev.QueueMove():
            by = f" by {event.plugin}" if event.plugin else ""
            return f"{event.pod} from {_lane(event.source)} to {_lane(event.target)}: {event.event}{by}"
        case ev.CycleStarted():
            return f"{event.pod}: attempt {event.attempt} begins, cycle {event.cycle}"
        case ev.CycleFinished():
            where = f" on {event.node}" if event.node else ""
            return f"{event.pod}: cycle {event.cycle} ends, {event.outcome}{where}"
        case ev.PreemptionDecided():
            return _preemption_words(event)
        case ev.Nominated():
            return f"{event.pod} nominated to {event.node}" if event.node else f"nomination of {event.pod} cleared"
        case ev.PluginFailed():
            return f"{event.plugin} raised {event.error} at {event.point} for {event.pod}"
        case ev.RunFinished():
            return f"the run ends: {event.reason}"
        case _:
            return _binding_words(event)


def input_words(event: ev.InputsChanged) -> str:
    """What changed of the run's inputs, in words."""
    if event.what == "timeline":
        return f"entry {event.entry} of the timeline does not happen"
    anew = ", the scheduler is started anew" if event.restarts else ""
    return f"the {event.what} of the run changed{anew}"


def _binding_words(event: ev.AnyEvent) -> str:
    match event:
        case ev.Reserved():
            return f"{event.pod} counts on {event.node}"
        case ev.Unreserved():
            return f"{event.pod} counts on {event.node} no more: {event.reason}"
        case ev.PermitWaiting():
            return f"{event.pod} waits on Permit for {', '.join(event.plugins)}"
        case ev.PermitDecided():
            return f"{event.plugin} {'allows' if event.allowed else 'rejects'} {event.pod}"
        case ev.Bound():
            return f"{event.pod} bound to {event.node}"
        case ev.ExtendersPreempted():
            return f"{event.pod}: {plural(len(event.calls), 'extender call')} on the candidates"
        case ev.ExtendersBound():
            failure = f", and failed: {event.calls[-1].error}" if event.calls[-1].error else ""
            return f"{event.pod}: an extender was asked to bind it to {event.node}{failure}"
        case _:
            return type(event).__name__


def _lane(lane: str) -> str:
    return lane.replace("_", " ") or "outside of the queue"


def _preemption_words(event: ev.PreemptionDecided) -> str:
    chosen = event.nominated
    if chosen is None:
        return f"{event.pod} preempts nobody: {event.message}"
    return f"{event.pod} preempts {plural(len(chosen.victims), 'pod')} on {chosen.node}: {', '.join(chosen.victims)}"
