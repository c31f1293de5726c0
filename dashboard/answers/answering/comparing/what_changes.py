"""What a configuration would change on a cluster: two whole runs of the engine, carried out in turns and compared."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from dashboard.answers.answering.comparing.run_figures import RunFigures, count_endings
from dashboard.common.problems import NotFound, Problem
from dashboard.documents.configurations.checking import WITH_EXTENDERS, read_configuration
from dashboard.runs import chosen
from dashboard.runs.extenders.leaving import missing_in
from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import InputError, check_answers, load_inputs, load_objects, policies_from
from dashboard.runs.models import Run
from scheduler_core import ENGINE_VERSION
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.compare import (
    Divergence,
    PodDifference,
    RecordedSide,
    SideEnd,
    SideReading,
    decided_by,
    first_divergence,
    input_differences,
    pod_differences,
)
from scheduler_core.compare.pods import GROUPS, MOVED, unplaced_by_group
from scheduler_core.manifests import UNKNOWN
from scheduler_core.profiles.stand_ins import still_needed, with_stand_ins
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording.events import AnyEvent, CycleFinished
from scheduler_core.simulate import ProfileError, RunInputs, RunSession, default_schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import WhatChangesOf
    from dashboard.clusters.models import Revision
    from scheduler_core.manifests import ConfigurationReading
    from scheduler_core.simulate import ExtenderSource

# Each of the two runs ends after this many cycles; what was decided by then is compared, and said to be partial.
MOST_CYCLES = 20_000
# Of at most this many pods on another node the plugin that made the difference is named: a few milliseconds each.
MOST_DECIDED = 100
_CYCLES_PER_CHUNK = 50
_WHY_LEFT_OUT = {"plugin": "It is not installed here", "extender": "Nothing answers for it here"}


class WhatChanges(msgspec.Struct, frozen=True, kw_only=True):
    """How many cycles both runs have so far; all else is in it once both are over and read.

    `ended` says why each run ended, `is_partial` that one ended at the limit of cycles. `groups` counts the pods that
    differ by their group, `unplaced` by how many each group raises the number of pods without a node. `pods` are the
    first ones of each group, with what the scheduler said last of each in the changed run where it has no node there
    ("" for nothing). `decided` says of each which plugin made the difference
    (`decided_by`), "" where that is unknown or was not looked at. `figures` are of both runs, `left_out` says what the
    run with the text goes without, since it is not installed here; `off_tape` at which cycle a run asks extenders for
    what is not on its tape.
    """

    cycles: tuple[int, int]
    is_complete: bool = False
    is_partial: bool = False
    ended: tuple[str, str] = ("", "")
    n_pods: int = 0
    groups: dict[str, int] = {}
    unplaced: dict[str, int] = {}
    pods: tuple[PodDifference, ...] = ()
    messages: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    divergence: Divergence | None = None
    figures: tuple[RunFigures, RunFigures] | None = None
    left_out: tuple[str, ...] = ()
    off_tape: tuple[str, ...] = ()


class _Side:
    """One of the two runs: executed, then read. What was recorded is kept for the first divergence."""

    def __init__(self, inputs: RunInputs, extenders: ExtenderSource | None) -> None:
        self.inputs = inputs
        self.session = RunSession.start(inputs, extenders=extenders)
        self.store = MemoryStore(self.session.initial_keyframe())
        self.reader = RecordingReader(self.store)
        self.messages: dict[str, str] = {}
        self.end: SideEnd | None = None
        self.off_tape = ""
        self._reading: SideReading | None = None
        self.session.observe(self._note)

    def _note(self, _seq: int, event: AnyEvent) -> None:
        if isinstance(event, CycleFinished):
            self.messages[event.pod] = event.message
        elif not self.off_tape and (reason := missing_in(event)):
            self.off_tape = (
                f"asks extenders at cycle {getattr(event, 'cycle', 0):,} for what is not on the tape: {reason}"
            )

    def go_on(self, is_over: Callable[[], bool]) -> bool:
        """Whether all is executed and read; stops where `is_over` says so, after one chunk at least."""
        while not self.session.finish_reason:
            self.session.advance(max_cycles=_CYCLES_PER_CHUNK)
            self.store.add(self.session.cut_chunk())
            if is_over():
                return False
        if self._reading is None:
            self._reading = SideReading(self.recorded)
        self.end = self._reading.go_on(self.reader, is_over)
        return self.end is not None

    @property
    def recorded(self) -> RecordedSide:
        """The whole recording."""
        return RecordedSide.of(self.inputs, self.reader)


class RunPair:
    """The run before a change and the run after it. `go_on` until `is_complete`, then the rest holds.

    `extenders` makes what answers for extenders in a run, for each of the two.
    """

    def __init__(
        self, before: RunInputs, after: RunInputs, extenders: Callable[[], ExtenderSource | None] = lambda: None
    ) -> None:
        self._sides: tuple[_Side, _Side] | None = (_Side(before, extenders()), _Side(after, extenders()))
        self.is_answered = bool(before.extender_answers)
        self.cycles, self.ended = (0, 0), ("", "")
        self.messages: dict[str, str] = {}
        self.differences: list[PodDifference] = []
        self._decided: dict[PodDifference, str] = {}
        self._undecided: list[PodDifference] | None = None
        self.divergence: Divergence | None = None
        self.n_pods = 0
        self.figures: tuple[RunFigures, RunFigures] | None = None
        self.off_tape: tuple[str, ...] = ()

    def go_on(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Go on with the run before, then with the one after it, until `is_over` says so; whether all is done."""
        if self._sides is None:
            return True
        before, after = self._sides
        if self._undecided is None:
            is_read = before.go_on(is_over) and after.go_on(is_over)
            self.cycles = before.session.cycle, after.session.cycle
            if not is_read:
                return False
            self._undecided = self._compare(before, after)
        while self._undecided:
            one = self._undecided.pop()
            self._decided[one] = decided_by(before.reader, after.reader, one)
            if self._undecided and is_over():
                return False
        self._sides = None
        return True

    @property
    def step(self) -> str:
        """What is to be done next: the run "before", the one "after", or "comparing" them."""
        if self._sides is None or self._undecided is not None:
            return "comparing"
        before, _ = self._sides
        return "before" if before.end is None else "after"

    @property
    def is_complete(self) -> bool:
        """Whether both are over and compared; what was recorded is dropped then."""
        return self._sides is None

    def _compare(self, before: _Side, after: _Side) -> list[PodDifference]:
        """Compare both runs; return the pods of which it is to be said which plugin moved them."""
        assert before.end is not None
        assert after.end is not None
        inputs = input_differences(before.inputs, after.inputs)
        self.differences = pod_differences(before.end.ends, after.end.ends)
        self.divergence = first_divergence(before.recorded, after.recorded, inputs)
        self.n_pods = len(before.end.ends.keys() | after.end.ends.keys())
        self.ended = before.session.finish_reason, after.session.finish_reason
        self.messages = after.messages
        sides = (("The run before", before), ("The run with this text", after))
        self.off_tape = tuple(f"{name} {side.off_tape}" for name, side in sides if side.off_tape)
        n_nodes = len(before.inputs.objects.nodes)
        self.figures = count_endings(before.end.ends.values(), n_nodes), count_endings(after.end.ends.values(), n_nodes)
        return [one for one in self.differences if one.group == MOVED][:MOST_DECIDED]

    def decided_by(self, one: PodDifference) -> str:
        """By which plugin a pod is on another node, "" where that is unknown or was not looked at."""
        return self._decided.get(one, "")

    def last_message(self, one: PodDifference) -> str:
        """What the scheduler said last of a pod that has no node in the changed run, "" for nothing."""
        return self.messages.get(one.pod, "") if one.b is not None and not one.b.node else ""


def what_changes(source: ClusterSource, question: WhatChangesOf, limit: TimeLimit) -> WhatChanges:
    """Go on with both runs for `seconds`, and compare them where both are over.

    Raises InputError for a cluster or a text that cannot be run, ProfileError, NotFound for an unknown configuration.
    """
    before, after = load_both(source.revision, question)
    extenders = extender_sources(source.revision, question, before)
    key = (source.revision.pk, source.revision.sha256, "what changes", *_digests(source, question), ENGINE_VERSION)
    pair = source.sessions.get(key, source.revision.n_objects, lambda: RunPair(before, after, extenders))
    try:
        pair.go_on(limit.within(question.seconds))
    except Exception:
        # It may have stopped in the middle of a chunk.
        source.sessions.forget(key)
        raise
    return compare_runs(pair, question)


def compare_runs(pair: RunPair, question: WhatChangesOf) -> WhatChanges:
    """Return what differs between both runs, or only how far they are."""
    if not pair.is_complete:
        return WhatChanges(cycles=pair.cycles)
    groups = dict.fromkeys(GROUPS, 0)
    listed = []
    for one in pair.differences:
        groups[one.group] += 1
        if groups[one.group] <= question.size:
            listed.append(one)
    return WhatChanges(
        cycles=pair.cycles,
        is_complete=True,
        is_partial=any("limit of" in reason for reason in pair.ended),
        ended=pair.ended,
        n_pods=pair.n_pods,
        groups={group: n for group, n in groups.items() if n},
        unplaced=unplaced_by_group(pair.differences),
        pods=tuple(listed),
        messages=tuple(pair.last_message(one) for one in listed),
        decided=tuple(pair.decided_by(one) for one in listed),
        divergence=pair.divergence,
        figures=pair.figures,
        left_out=tuple(
            f"{one.text}. {_WHY_LEFT_OUT[one.kind]}"
            for one in _reading(question.after, answered=pair.is_answered).left_out
        ),
        off_tape=pair.off_tape,
    )


def load_both(revision: Revision, question: WhatChangesOf) -> tuple[RunInputs, RunInputs]:
    """The inputs of both runs, which differ in the configuration alone; raises InputError, NotFound, Problem.

    What is not installed here is left out of both, and extenders where nothing answers for them; in a run that is tried
    its tape or declared extenders do. Profiles stand in for other schedulers as in that run, where the text has no
    profile for these.
    """
    run = _find_run(revision, question) if question.run else None
    before = _of_run(run) if run is not None else _of_revision(revision, question)
    answered = bool(before.extender_answers)
    after = _read(question.after, "the text is no scheduler configuration", answered=answered)
    if run is not None:
        check_answers(run, before, [after])
        try:
            after = with_stand_ins(after, still_needed(after, run.stand_ins))
        except ProfileError as problem:
            raise InputError(f"the run has stand-ins for other schedulers: {problem}") from problem
    return before, msgspec.structs.replace(before, configuration=after)


def extender_sources(
    revision: Revision, question: WhatChangesOf, before: RunInputs
) -> Callable[[], ExtenderSource | None]:
    """Return what makes the answers for extenders of each run: those of the run that is tried; raises as `load_both`,
    also later.
    """
    if not before.extender_answers:
        return lambda: None
    run = _find_run(revision, question)
    return lambda: open_source(run, before)


def _reading(text: str, *, answered: bool) -> ConfigurationReading:
    return read_configuration(text, WITH_EXTENDERS if answered else UNKNOWN, answered=answered)


def _read(text: str, problem: str, *, answered: bool = False) -> SchedulerConfiguration:
    reading = _reading(text, answered=answered)
    if reading.configuration is None:
        wrong = "; ".join(one.text() for one in reading.findings if one.severity == "error")
        raise InputError(f"{problem}: {wrong[:1_000]}")
    return reading.configuration


def _of_revision(revision: Revision, question: WhatChangesOf) -> RunInputs:
    base = chosen.named(revision.cluster.workspace, question.before)
    objects = load_objects(revision)
    configuration = SchedulerConfiguration()
    if base.text:
        configuration = _read(base.text, f"{base.label} is no scheduler configuration")
    return RunInputs(
        objects=objects,
        configuration=configuration,
        schedule=default_schedule(objects),
        policies=policies_from(base.policies_on(revision)),
        max_cycles=MOST_CYCLES,
    )


def _find_run(revision: Revision, question: WhatChangesOf) -> Run:
    runs = Run.objects.select_related("head", "revision__cluster", "config_revision", "timeline_revision")
    run = runs.filter(pk=question.run, revision=revision).first()
    # A database may give a deleted run's key out again.
    if run is None or run.created_at.isoformat() != question.run_made:
        raise NotFound("This run does not exist any more")
    if run.head.n_changes:
        raise Problem("A run that was changed on its way cannot be tried: its changes come at events of its own")
    return run


def _of_run(run: Run) -> RunInputs:
    inputs = load_inputs(run)
    return msgspec.structs.replace(inputs, max_cycles=min(inputs.max_cycles, MOST_CYCLES))


def _digests(source: ClusterSource, question: WhatChangesOf) -> tuple[object, ...]:
    after = sha256(question.after.encode()).hexdigest()
    if question.run:
        return question.run, question.run_made, after
    return chosen.named(source.revision.cluster.workspace, question.before).sha256, after
