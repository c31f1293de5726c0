"""The report of an upgrade: two runs, their comparison, and the cause of each pod's first difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler_core.compare.attempts import Attempt
from scheduler_core.compare.comparison import RunToCompare, comparison
from scheduler_core.compare.divergence import RecordedSide
from scheduler_core.compare.pods import WAITED, PodDifference, PodEnd, PodKey
from scheduler_core.compare.side_reading import SideReading
from scheduler_core.compare.upgrade.absent import absences
from scheduler_core.compare.upgrade.attempts import FirstDifference, attempts_of, first_differences, messages_of
from scheduler_core.compare.upgrade.attribution import Attribution, StateTrials
from scheduler_core.compare.upgrade.fields import field_changes
from scheduler_core.compare.upgrade.model import (
    BehaviourChange,
    Decided,
    PodUpgrade,
    Reason,
    UpgradeReport,
    VersionSide,
    WaitUpgrade,
)
from scheduler_core.compare.upgrade.texts import text_changes
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.versions.behaviours import BEHAVIOURS, Behaviours
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import find_train

MOST_TRIED = 2_000
"""First differences that are tried again; of more the earliest."""
OF_THE_QUEUE = frozenset(
    ("backoff_by_attempts", "binding_sends_no_delete", "affinity_hints_see_more", "declared_features")
)
"""Behaviours that change when a pod is tried: what they bring is no other decision on a state, but an attempt."""


class RunStopped(Exception):
    """Raised by ``run`` where somebody ended it: without the two runs there is no report, of others no cause."""


class _OneBehaviour(NamedTuple):
    """What a run of A with one behaviour of B alone shows: first attempts that differ from A's, and how pods end."""

    keys: set[tuple[str, str, int]]
    ends: Mapping[PodKey, PodEnd]


Run = Callable[[RunInputs], RecordingReader]
Say = Callable[[str, int, int], None]


def version_side(kubernetes: str, gates: str = "") -> VersionSide:
    """What is said of a version. Raises VersionError, GateError."""
    behaviours_of(kubernetes, gates)
    train = find_train(kubernetes)
    return VersionSide(
        kubernetes=kubernetes,
        gates=gates,
        train=train.label,
        evidence=train.evidence,
        is_measured=train.is_measured,
    )


def versions_of(inputs: RunInputs, kubernetes: str, gates: str = "", switched: str = "") -> RunInputs:
    """The inputs under another version."""
    policies = msgspec.structs.replace(inputs.policies, kubernetes=kubernetes, gates=gates, switched=switched)
    return msgspec.structs.replace(inputs, policies=policies)


class _Upgrade:
    """What `upgrade_report` is given, and what the report's parts share."""

    def __init__(
        self,
        inputs: RunInputs,
        sides: tuple[VersionSide, VersionSide],
        run: Run,
        *,
        say: Say,
        is_over: Callable[[], bool],
        extenders: ExtenderSource | None,
    ) -> None:
        self._sides, self._run, self._say, self._is_over = sides, run, say, is_over
        self._extenders = extenders
        self._inputs = tuple(versions_of(inputs, side.kubernetes, side.gates) for side in sides)
        mine, other = (one.policies.behaviours for one in self._inputs)
        self._behaviours: tuple[Behaviours, Behaviours] = (mine, other)
        self._differing = mine.difference(other)
        self._is_cut = False

    def report(self) -> UpgradeReport:
        """Run both and compare them. Raises RunStopped where one of both did not come to its end."""
        readers = []
        for number, inputs in enumerate(self._inputs):
            self._say("runs", number, 2)
            readers.append(self._run(inputs))
        mine, other = self._inputs
        compared = comparison(RunToCompare(mine, readers[0]), RunToCompare(other, readers[1]))
        a, b = (attempts_of(reader) for reader in readers)
        differences = first_differences(a, b)
        waited = [one for one in compared.pods if one.group == WAITED]
        alone = self._with_one_behaviour(differences, waited, a)
        pods = self._causes(differences, alone)
        waits = tuple(_wait(one, alone) for one in waited)
        counts = Counter([name for pod in pods for name in pod.by] + [one.by for one in waits])
        absent = absences(mine, self._differing)
        trains = [find_train(side.kubernetes) for side in self._sides]
        return UpgradeReport(
            a=self._sides[0],
            b=self._sides[1],
            behaviours=tuple(self._change(name, counts[name], absent.get(name, "")) for name in self._differing),
            comparison=compared,
            pods=pods,
            waits=waits,
            texts=text_changes(messages_of(readers[0]), messages_of(readers[1]), (trains[0], trains[1])),
            fields=field_changes(trains[0], trains[1], mine.objects),
            n_attempts=(len(a), len(b)),
            n_untried=sum(pod.reason == "not tried" for pod in pods),
            is_cut=self._is_cut,
        )

    def _change(self, name: str, n_pods: int, absent: str) -> BehaviourChange:
        row = BEHAVIOURS[name]
        return BehaviourChange(
            name=name,
            change=row.change,
            sentence=row.sentence,
            evidence=row.evidence,
            comes=getattr(self._behaviours[1], name),
            n_pods=n_pods,
            absent=absent,
        )

    def _causes(
        self, differences: Sequence[FirstDifference], alone: Mapping[str, _OneBehaviour]
    ) -> tuple[PodUpgrade, ...]:
        tried = self._tried([one.a for one in differences if one.a is not None and one.b is not None])
        pods: list[PodUpgrade] = []
        root = 0
        for one in differences:
            answer = None if one.a is None else tried.get(one.a.cycle)
            by, reason = self._reason(one, answer, alone, has_root=bool(root))
            follows = root if reason == "follows" else 0
            if reason in ("behaviours", "by run") and not root:
                root = one.either.cycle
            pods.append(_pod(one, reason, by, follows))
        return tuple(pods)

    def _reason(
        self,
        one: FirstDifference,
        answer: Attribution | None,
        alone: Mapping[str, _OneBehaviour],
        *,
        has_root: bool,
    ) -> tuple[tuple[str, ...], Reason]:
        if answer is not None and answer.by:
            return answer.by, "behaviours"
        by = tuple(name for name, run in alone.items() if _key(one) in run.keys)[:1]
        if by:
            return by, "by run"
        if answer is not None and not answer.is_reproduced:
            return (), "not tried"
        if answer is None and (self._is_cut or (one.a is not None and one.b is not None)):
            return (), "not tried"
        return (), "follows" if has_root else "not told apart"

    def _tried(self, attempts: Sequence[Attempt]) -> dict[int, Attribution]:
        """What trials on A's states say of these attempts of A."""
        by_cycle = {one.cycle: one for one in attempts[:MOST_TRIED]}
        if not by_cycle or not self._differing:
            return {}
        trials = StateTrials(self._inputs[0], self._behaviours[1], self._extenders)
        tried: dict[int, Attribution] = {}
        for cycle, attribution in trials.run(by_cycle, self._is_over):
            tried[cycle] = attribution
            self._say("causes", len(tried), len(by_cycle))
        self._is_cut = self._is_cut or len(tried) < len(by_cycle)
        return tried

    def _with_one_behaviour(
        self, differences: Iterable[FirstDifference], waited: Sequence[PodDifference], a: list[Attempt]
    ) -> dict[str, _OneBehaviour]:
        """{behaviour of the queue: a run of A with it alone}, where waits differ or one side alone has an attempt.

        What each run shows stays, not its recording: three recordings are there at a time, no more.
        """
        if not waited and all(one.a is not None and one.b is not None for one in differences):
            return {}
        runs: dict[str, _OneBehaviour] = {}
        names = [name for name in self._differing if name in OF_THE_QUEUE]
        for number, name in enumerate(names):
            self._say("runs with one behaviour", number, len(names))
            try:
                if self._is_over():
                    raise RunStopped
                runs[name] = self._one_behaviour(name, a, has_ends=bool(waited))
            except RunStopped:
                self._is_cut = True
                break
        return runs

    def _one_behaviour(self, name: str, a: list[Attempt], *, has_ends: bool) -> _OneBehaviour:
        on = str(getattr(self._behaviours[1], name)).lower()
        side, inputs = self._sides[0], self._inputs[0]
        reader = self._run(versions_of(inputs, side.kubernetes, side.gates, f"{name}={on}"))
        keys = {_key(one) for one in first_differences(a, attempts_of(reader))}
        return _OneBehaviour(keys, _ends(inputs, reader) if has_ends else {})


def _key(one: FirstDifference) -> tuple[str, str, int]:
    return one.either.pod, one.either.uid, one.either.attempt


def _ends(inputs: RunInputs, reader: RecordingReader) -> dict[PodKey, PodEnd]:
    end = SideReading(RecordedSide.of(inputs, reader)).go_on(reader)
    assert end is not None  # nothing stops it
    return end.ends


def _wait(one: PodDifference, alone: Mapping[str, _OneBehaviour]) -> WaitUpgrade:
    assert one.a is not None
    assert one.b is not None
    key, wait = (one.pod, one.uid, one.number), one.b.wait
    by = next((name for name, run in alone.items() if key in run.ends and run.ends[key].wait == wait), "")
    return WaitUpgrade(pod=one.pod, uid=one.uid, a=one.a.wait, b=one.b.wait, by=by)


def _pod(one: FirstDifference, reason: Reason, by: tuple[str, ...], follows: int) -> PodUpgrade:
    some = one.either
    return PodUpgrade(
        pod=some.pod,
        uid=some.uid,
        attempt=some.attempt,
        kind=one.pair.kind,
        a=_decided(one.a),
        b=_decided(one.b),
        reason=reason,
        by=by,
        follows=follows,
    )


def _decided(attempt: Attempt | None) -> Decided | None:
    if attempt is None:
        return None
    return Decided(
        cycle=attempt.cycle,
        outcome=attempt.outcome,
        node=attempt.node,
        nominated=attempt.nominated,
        victims=tuple(sorted(attempt.victims)),
    )


def upgrade_report(
    inputs: RunInputs,
    sides: tuple[VersionSide, VersionSide],
    run: Run,
    *,
    say: Say = lambda what, done, of: None,
    is_over: Callable[[], bool] = lambda: False,
    extenders: ExtenderSource | None = None,
) -> UpgradeReport:
    """The report for inputs under two versions. Raises RunStopped where one of both runs did not come to its end.

    ``run`` carries a run out and gives its recording, or raises RunStopped. ``say(what, done, of)`` is called as it
    goes on; ``is_over`` ends the search for causes, and what was not looked at is said to be untried.
    """
    return _Upgrade(inputs, sides, run, say=say, is_over=is_over, extenders=extenders).report()
