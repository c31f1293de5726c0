"""A bundle's decisions held against its states, one after another, on one live state that is carried forward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.reality.causes import CauseFinder, named
from scheduler_core.explain.reality.configurations import ConfigurationTrials
from scheduler_core.explain.reality.divergence import FreeRun, first_divergence
from scheduler_core.explain.reality.judging import Judge, Judged
from scheduler_core.explain.reality.live_state import LiveState, StateChange
from scheduler_core.explain.reality.model import (
    AgreementHour,
    CauseTest,
    FreeRunDivergence,
    GapRow,
    HeldDecision,
    Reality,
    Verdict,
)
from scheduler_core.explain.reality.reading_record import real_record
from scheduler_core.explain.reality.record import RealDecision, RealRecord
from scheduler_core.explain.reality.situation import DecisionSituation, OtherConfiguration
from scheduler_core.explain.reality.timeline import OutsideChanges
from scheduler_core.explain.reality.typed_changes import (
    ReadProblems,
    TypedChange,
    TypedChanges,
    objects_at_beginning,
)
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.versions.trains import NEWEST_MEASURED, VersionError, find_train

MOST_LOOKED_INTO = 500
"""Differing decisions of which causes are tried, by up to twenty attempts each."""
MOST_DECISIONS = 200_000
_HOUR = 3_600.0
Tell = Callable[[int, int], None]
"""Called with how many decisions are held against a state, of how many; it may end everything by an exception."""


class RealityOptions(msgspec.Struct, frozen=True, kw_only=True):
    """``inputs``: configuration, policies and seed count. ``configuration`` says whose it is; ``others``:
    configurations that the real scheduler may have instead."""

    inputs: RunInputs
    configuration: str
    others: Sequence[OtherConfiguration] = ()
    with_free_run: bool = True


def reality(
    bundle: Bundle,
    options: RealityOptions,
    extenders: ExtenderSource | None = None,
    tell: Tell = lambda done, of: None,
) -> Reality:
    """What the real scheduler did in a bundle, beside what the engine does in its place.

    ``extenders`` answers for those of the configuration. Raises LoadError for a line that cannot be read, ProfileError.
    """
    started, problems = perf_counter(), ReadProblems()
    record = real_record(bundle)
    begin = objects_at_beginning(bundle, problems)
    options = msgspec.structs.replace(options, inputs=_of_version(options.inputs, bundle))
    inputs = msgspec.structs.replace(options.inputs, objects=begin.objects)
    walk = _Walk(bundle, record, inputs, options, extenders, problems)
    decisions = walk.decisions(tell)
    divergence, said = None, "not asked for"
    if options.with_free_run:
        outside = OutsideChanges(bundle, begin, record, walk.state.frameworks)
        of = len(record.decisions)
        divergence, said = _divergence(bundle, outside, options.inputs, record, extenders, lambda: tell(of, of))
    return Reality(
        began=bundle.meta.began,
        ended=bundle.ended,
        server_version=bundle.meta.server_version.removeprefix("v"),
        follows=inputs.policies.kubernetes,
        configuration=options.configuration,
        decisions=tuple(decisions),
        divergence=divergence,
        free_run=said,
        gaps=tuple(GapRow(code=g.code, text=g.text, kind=g.kind, since=g.since, until=g.until) for g in bundle.gaps),
        versions=tuple((at, version.removeprefix("v")) for at, version in bundle.meta.versions),
        n_changes=len(bundle.changes),
        n_nodes=walk.state.cluster.n_nodes,
        n_only_one=sum(one.standing == "only_one" for one in decisions),
        n_untested=walk.n_untested,
        verdicts=_counted(decisions),
        causes=Counter(one.cause for one in decisions if one.verdict == "differ" and one.cause),
        apart=Counter(one.apart for one in decisions if one.apart),
        hours=_by_hour(decisions),
        problems=tuple(problems.first),
        n_problems=problems.count,
        seconds=perf_counter() - started,
    )


def _of_version(inputs: RunInputs, bundle: Bundle) -> RunInputs:
    """The inputs under the version that the cluster had at the beginning, unless they name another; under the newest
    that is measured where the bundle does not say it."""
    if inputs.policies.kubernetes:
        return inputs
    version = bundle.meta.server_version.removeprefix("v")
    try:
        find_train(version)
    except VersionError:
        version = NEWEST_MEASURED
    policies = msgspec.structs.replace(inputs.policies, kubernetes=version)
    return msgspec.structs.replace(inputs, policies=policies)


def _by_hour(decisions: Iterable[HeldDecision]) -> tuple[AgreementHour, ...]:
    counts: dict[float, Counter[str]] = {}
    for one in decisions:
        if one.verdict != "not_comparable":
            of_hour = counts.setdefault(one.at // _HOUR * _HOUR, Counter())
            of_hour[f"{one.what}s"] += 1
            of_hour[f"equal_{one.what}s"] += one.agrees_in_all
    return tuple(AgreementHour(began=began, **counts[began]) for began in sorted(counts))


def _counted(decisions: Sequence[HeldDecision]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for one in decisions:
        of_kind = counts.setdefault(one.what, {})
        of_kind[one.verdict] = of_kind.get(one.verdict, 0) + 1
    return counts


def _divergence(
    bundle: Bundle,
    outside: OutsideChanges,
    given: RunInputs,
    record: RealRecord,
    extenders: ExtenderSource | None,
    tell: Callable[[], None],
) -> tuple[FreeRunDivergence | None, str]:
    """Where a free run leaves the real history, and what is to be said where none was executed."""
    try:
        inputs = outside.inputs(given)
    except ValueError as problem:
        return None, str(problem)
    numbers = {id(one): number for number, one in enumerate(record.decisions)}
    run = FreeRun(bundle.meta.began, record.decisions, numbers)
    return first_divergence(inputs, run, extenders, tell), ""


class _Walk:
    """Goes through the changes once. ``n_untested``: differing decisions whose causes were not tried."""

    def __init__(
        self,
        bundle: Bundle,
        record: RealRecord,
        inputs: RunInputs,
        options: RealityOptions,
        extenders: ExtenderSource | None,
        problems: ReadProblems,
    ) -> None:
        self.state = LiveState(inputs, extenders)
        self._judge = Judge(self.state)
        self._record = record
        self._changes = TypedChanges(bundle, inputs.objects, problems)
        self._situation = DecisionSituation(self.state, self._changes, bundle.meta, bundle.gaps)
        self._configurations = ConfigurationTrials(self.state, self._judge, options.others, options.configuration)
        self._finder = CauseFinder(self._situation, self._judge, self._configurations)
        self._n_looked_into, self.n_untested = 0, 0

    def decisions(self, tell: Tell) -> list[HeldDecision]:
        """All decisions in their order, with causes."""
        real, out, at = self._record.decisions[:MOST_DECISIONS], [], 0
        for typed in self._changes:
            while at < len(real) and real[at].change <= typed.position:
                out.append(self._decision(at, real[at], typed))
                at += 1
                tell(at, len(real))
            self._situation.note(typed, self._made(typed))
        for number in range(at, len(real)):
            out.append(self._decision(number, real[number]))
            tell(number + 1, len(real))
        return [self._settled(one) for one in out]

    def _made(self, typed: TypedChange) -> StateChange:
        """Make a change; of an object that cannot be read, the former one stays."""
        if typed.object is None:
            return StateChange(None, None)
        return self.state.drop(typed.object) if typed.is_deletion else self.state.put(typed.object)

    def _decision(self, number: int, real: RealDecision, typed: TypedChange | None = None) -> HeldDecision:
        pod = self.state.pods.get(real.pod)
        after = typed.object if typed is not None and typed.position == real.change else None
        apart = self._judge.apart(real, after if isinstance(after, Pod) else None)
        if not apart and self._situation.gap_at(real.at, pod, nominates=bool(real.nominated)) is not None:
            apart = "gap"
        if apart:
            return _decision(number, real, "not_comparable", apart=apart, cause="gap" if apart == "gap" else "")
        judged = self._judge.judge(real)
        if judged.agrees:
            self._configurations.note_agreeing(real)
            cause = "chance" if judged.verdict == "chance" else ""
            return _decision(number, real, judged.verdict, judged, cause=cause)
        if judged.verdict == "not_comparable":
            return _decision(number, real, judged.verdict, judged, apart="undecided")
        tests: tuple[CauseTest, ...] = ()
        if self._n_looked_into < MOST_LOOKED_INTO:
            self._n_looked_into += 1
            tests = self._finder.tests(real, judged)
        else:
            self.n_untested += 1
        return _decision(number, real, "differ", judged, tests=tests)

    def _settled(self, one: HeldDecision) -> HeldDecision:
        """The decision with its cause named, once all were tried."""
        if one.verdict != "differ":
            return one
        tests = self._configurations.settled(one.change, one.tests)
        cause = named(tests)
        if cause is not None and cause.cause == "chance":
            return msgspec.structs.replace(one, tests=tests, cause="chance", verdict="chance")
        word = cause.cause if cause is not None else "no cause found"
        return msgspec.structs.replace(one, tests=tests, cause=word if one.tests else "")


def _decision(
    number: int, real: RealDecision, verdict: Verdict, judged: Judged | None = None, **more: Any
) -> HeldDecision:
    """The decision as it is reported; details of what agrees are left out."""
    fields: dict[str, Any] = {}
    if judged is not None:
        fields = {
            "standing": judged.standing,
            "ours": judged.ours[:3],
            "n_best": judged.n_best,
            "n_fitting": judged.bound.n_fitting if judged.bound is not None else 0,
            "nominated": judged.nominated,
            "victims": judged.victims,
        }
        if judged.nomination_differs:
            fields["standing"] = "nomination_differs"
        if verdict == "differ":
            fields |= {"bound": judged.bound, "pending": judged.pending}
    return HeldDecision(
        number=number,
        at=real.at,
        change=real.change,
        pod=real.pod,
        uid=real.uid,
        what="binding" if real.node else "message",
        verdict=verdict,
        node=real.node,
        repeats=real.repeats,
        real_nominated=real.nominated,
        real_victims=real.victims,
        **fields,
        **more,
    )
