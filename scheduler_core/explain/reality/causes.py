"""Why a decision of the real scheduler is none of ours: each cause is looked at, and tried where a state without it, or
with it, can be made. The first that explains the decision alone is named.

The order: version, configuration, missing kind, chance, order of arrivals, gap. What cannot be tried (a kind that was
never collected) is named where nothing else explains the decision, as possible.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.agreement.model import BoundPod
from scheduler_core.explain.agreement.sampling import SampledSearch
from scheduler_core.explain.messages.parsing import split_message
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.reality.configurations import ConfigurationTrials
from scheduler_core.explain.reality.judging import Judge, Judged
from scheduler_core.explain.reality.live_state import StateChange
from scheduler_core.explain.reality.model import CauseTest
from scheduler_core.explain.reality.record import RealDecision
from scheduler_core.explain.reality.situation import (
    CLAIMED,
    SELECTING,
    STORAGE,
    DecisionSituation,
    NearChange,
    concerns,
)
from scheduler_core.profiles.obstacle_kinds import kinds_by_plugin
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import VersionError

_MOST_ALONE = 6
"""Neighbours that are turned round one by one."""
_MINUTE = 60.0
_OBSTACLES: dict[tuple[str, ...], tuple[str, ...]] = {
    STORAGE: ("CLAIM_MISSING", "VOLUME_EXCLUSIVE", "VOLUME_TOPOLOGY", "VOLUME_LIMIT"),
    CLAIMED: ("DEVICE_NONE",),
    SELECTING: ("SPREAD_SKEW",),
    ("Namespace",): ("AFFINITY_NO_POD",),
}
"""Codes of the obstacles that objects of these kinds decide (profiles/obstacle_kinds.py)."""


class CauseFinder:
    """Looks for causes on the state of the situation, which each method leaves as it was."""

    def __init__(self, situation: DecisionSituation, judge: Judge, configurations: ConfigurationTrials) -> None:
        self._situation, self._judge, self._configurations = situation, judge, configurations

    def tests(self, real: RealDecision, judged: Judged) -> tuple[CauseTest, ...]:
        """What was looked at, in order of the causes. Ends with the first that explains the decision alone, but that
        all are listed."""
        pod = self._situation.state.pods[real.pod]
        return (
            self._version(real, judged),
            *self._configurations.tests(real, judged),
            self._missing_kind(real, judged, pod),
            self._chance(real, judged, pod),
            self._order(real),
            self._gap(real),
        )

    # ---------------------------------------------------------------- version

    def _version(self, real: RealDecision, judged: Judged) -> CauseTest:
        """The version that the cluster had then: tried where its rules are not those that are followed."""
        version, state = self._situation.version_at(real.at), self._situation.state
        try:
            behaviours = behaviours_of(version) if version else None
        except VersionError:
            behaviours = None
        if behaviours is None:
            return CauseTest(cause="version", subject="the cluster's version is not known")
        if behaviours == state.behaviours:
            return CauseTest(cause="version", subject=f"{version}, which is followed", result="the same rules")
        with state.behaving(behaviours):
            agrees = self._judge.judge(real).agrees and not judged.agrees
        result = f"equal by the rules of {version}" if agrees else f"not by the rules of {version} either"
        subject = f"{version} by the API server"
        return CauseTest(cause="version", subject=subject, result=result, tested=True, explains=agrees)

    # ---------------------------------------------------------------- missing kind

    def _missing_kind(self, real: RealDecision, judged: Judged, pod: Pod) -> CauseTest:
        missing = self._situation.missing(pod)
        if not missing:
            return CauseTest(cause="missing kind", subject="none", result="all kinds were collected")
        nominates = bool(real.nominated or judged.nominated)
        kinds = [kind for kind in missing if concerns(kind, pod, nominates=nominates)]
        if not kinds:
            return CauseTest(cause="missing kind", subject=", ".join(missing), result="the pod depends on none of them")
        subject = ", ".join(kinds)
        if not real.node:
            return self._missing_of_message(real, judged, kinds, subject)
        again = self._judge.judge(real, _without_kinds(pod, kinds))
        if again.agrees:
            result = f"without what they decide {real.node} is among our best"
            return CauseTest(cause="missing kind", subject=subject, result=result, tested=True, explains=True)
        fits = again.bound is not None and again.bound.rank > 1
        result = f"without what they decide {_rank_words(again.bound)}"
        if fits:
            result += "; the nodes before it may be refused by them"
        return CauseTest(cause="missing kind", subject=subject, result=result, tested=True, possible=fits)

    def _missing_of_message(self, real: RealDecision, judged: Judged, kinds: list[str], subject: str) -> CauseTest:
        plugins = {plugin for kind in kinds for plugin in _plugins_of(kind)}
        matches = (piece.match for piece in split_message(real.message).pieces)
        said = sorted({match.plugin for match in matches if match is not None and match.plugin in plugins})
        if said:
            result = f"the real message has reasons of {', '.join(said)}, which need them"
            return CauseTest(cause="missing kind", subject=subject, result=result, explains=True)
        if "PodDisruptionBudget" in kinds and judged.nomination_differs:
            result = "preemption spares pods by budgets, which are not known"
            return CauseTest(cause="missing kind", subject=subject, result=result, possible=True)
        return CauseTest(cause="missing kind", subject=subject, result="no reason of the message needs them")

    # ---------------------------------------------------------------- chance

    def _chance(self, real: RealDecision, judged: Judged, pod: Pod) -> CauseTest:
        one = judged.bound
        if one is None:
            return CauseTest(cause="chance", result="an attempt without a node looks at all nodes")
        if one.standing == "refused":
            return CauseTest(cause="chance", result=f"no draw: {real.node} is refused")
        lead = f"no tie: {one.best[0]} leads {real.node} by {one.gap}"
        search = SampledSearch.of(self._situation.state.trials, pod, one.n_fitting)
        if search is None:
            return CauseTest(cause="chance", subject="all nodes that fit are scored", result=lead, tested=True)
        subject = f"{search.scored:,} of {search.fitting:,} nodes that fit are scored"
        if judged.trial.scores is None:
            return CauseTest(cause="chance", subject=subject, result=lead)

        def standing(changes: Changes) -> BoundPod:
            again = self._judge.judge(real, changes).bound
            assert again is not None, "a binding is judged as one"
            return again

        search_start = search.likeliest(judged.trial, real.node, standing)
        if search_start is not None and search_start.standing.agrees:
            result = f"a search that begins at {search_start.begins} puts {real.node} among the best"
            return CauseTest(cause="chance", subject=subject, result=result, tested=True, explains=True)
        result = f"from the likeliest beginnings {real.node} is not among the best"
        return CauseTest(cause="chance", subject=subject, result=result, tested=search_start is not None)

    # ---------------------------------------------------------------- order of arrivals

    def _order(self, real: RealDecision) -> CauseTest:
        before = self._situation.before(real.at, real.pod)
        after = self._situation.after(real.change, real.at, real.pod)
        if not before and not after:
            return CauseTest(cause="order", subject="nothing else within 100 ms")
        subject = f"{plural(len(before) + len(after), 'change')} within 100 ms"
        for words, earlier, later in _variants(before, after):
            with self._situation.state.without_and_with(earlier, later):
                agrees = self._agrees_now(real)
            if agrees:
                return CauseTest(cause="order", subject=subject, result=words, tested=True, explains=True)
        return CauseTest(cause="order", subject=subject, result="the same in the other orders", tested=True)

    def _agrees_now(self, real: RealDecision) -> bool:
        return not self._judge.apart(real) and self._judge.judge(real).agrees

    # ---------------------------------------------------------------- gap

    def _gap(self, real: RealDecision) -> CauseTest:
        gap = self._situation.last_gap(real.at)
        if gap is None or gap.until is None:
            return CauseTest(cause="gap", subject="none before")
        ago = real.at - gap.until
        words = f"{ago / _MINUTE:,.0f} min" if ago >= 2 * _MINUTE else f"{ago:,.0f} s"
        result = "all objects were listed again after it"
        return CauseTest(cause="gap", subject=f"{gap.kind or 'all kinds'}, ended {words} before", result=result)


def named(tests: tuple[CauseTest, ...]) -> CauseTest | None:
    """The first that explains the decision alone; else what may explain it, a missing kind before another version."""
    explaining = next((test for test in tests if test.explains), None)
    if explaining is not None:
        return explaining
    possible = [test for test in tests if test.possible]
    return next((test for test in possible if test.cause == "missing kind"), possible[0] if possible else None)


def _variants(
    before: list[NearChange], after: list[NearChange]
) -> Iterator[tuple[str, list[StateChange], list[StateChange]]]:
    """Words, changes to undo (the last ones, in their order) and changes to make: all of either side, then those of
    single neighbours."""
    earlier, later = [one.made for one in before], [one.made for one in after]
    if earlier:
        yield f"equal before {_names(earlier)}", earlier, []
    if later:
        yield f"equal after {_names(later)}", [], later
    if earlier and later:
        yield f"equal after {_names(later)} and before {_names(earlier)}", earlier, later
    for one in reversed(earlier[-_MOST_ALONE:]) if len(earlier) > 1 else ():
        yield f"equal before {_names([one])}", [one], []
    for one in later[:_MOST_ALONE] if len(later) > 1 else ():
        yield f"equal after {_names([one])}", [], [one]


def _names(changes: list[StateChange]) -> str:
    shown = [_name(change) for change in changes[:3]]
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return f"{', '.join(shown)}{more}"


def _name(change: StateChange) -> str:
    obj = change.after or change.before
    key = getattr(obj, "key", obj.name)
    if (
        isinstance(obj, Pod)
        and change.after is not None
        and obj.node_name
        and not getattr(change.before, "node_name", "")
    ):
        return f"{key} on {obj.node_name}"
    return f"{type(obj).__name__} {key}"


def _rank_words(one: BoundPod | None) -> str:
    if one is None or not one.rank:
        return "it is refused all the same"
    return f"it has rank {one.rank:,} of {one.n_fitting:,}"


def _plugins_of(kind: str) -> frozenset[str]:
    """The plugins that decide by objects of a kind, by the obstacles that they declare."""
    codes = next((codes for kinds, codes in _OBSTACLES.items() if kind in kinds), ())
    return frozenset(
        plugin for plugin, obstacles in kinds_by_plugin().items() if any(one.code in codes for one in obstacles)
    )


def _without_kinds(pod: Pod, kinds: list[str]) -> Changes:
    """An attempt of the pod without what objects of these kinds decide of it."""
    if any(kind in STORAGE for kind in kinds):
        rest = tuple(volume for volume in pod.volumes if not (volume.claim_name or volume.ephemeral))
        pod = msgspec.structs.replace(pod, volumes=rest)
    if any(kind in CLAIMED for kind in kinds):
        pod = msgspec.structs.replace(pod, resource_claims=())
    scoring = [kind for kind in kinds if kind in SELECTING or kind == "Namespace"]
    weights = {plugin: 0 for kind in scoring for plugin in _plugins_of(kind)}
    return Changes(pod=pod, weights=weights)
