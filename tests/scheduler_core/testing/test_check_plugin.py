"""Each check notices the plugin that breaks it: one bad plugin per check."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.framework.contracts.facts import CordonFact, Fact
from scheduler_core.framework.contracts.obstacles import ObstacleKind
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, unschedulable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Verdicts
from scheduler_core.testing.check_plugin import CHECKS, check_plugin, checks_of, run_check

NO = unschedulable("no")


class Good(fw.FilterPlugin[fw.NoArgs], fw.ScorePlugin[fw.NoArgs]):
    """What an outside author may write at the least: the per-node form."""

    name = "Good"
    Args = fw.NoArgs
    traits = Traits(node_local=True)

    def filter_node(self, state, pod, node):
        return NO if node.pod_count > 2 else SUCCESS

    def score_node(self, state, pod, node):
        return node.pod_count


class KeepsOtherArgs(Good):
    def __init__(self, args, handle):
        super().__init__(args, handle)
        self.args = None


class AnyArgs(Good):
    class Args(msgspec.Struct, frozen=True):
        limit: Any = 1


class ForgetsState(Good):
    count = 0

    def filter_node(self, state, pod, node):
        self.count += 1
        return SUCCESS

    def dump(self):
        return {"count": self.count}


class FilterFormsDiffer(Good):
    def filter(self, state, pod, rows):
        return None


class ScoreFormsDiffer(Good):
    def score(self, state, pod, rows):
        return np.zeros(len(rows), dtype=np.int64)


class ReadsRows(Good):
    def score_node(self, state, pod, node):
        return node.row


class NotLocal(Good):
    def score_node(self, state, pod, node):
        return self.handle.cluster.n_nodes


class ReadsAnnotations(Good):
    def filter_node(self, state, pod, node):
        return NO if pod.pod.annotations else SUCCESS


class Counts(Good):
    count = 0

    def score_node(self, state, pod, node):
        self.count += 1
        return self.count % 100


class KeepsTooLong(Good):
    def __init__(self, args, handle):
        super().__init__(args, handle)
        self.counts = {}

    def score_node(self, state, pod, node):
        return self.counts.setdefault(node.name, node.pod_count)


class TellsTooLittle(Good):
    def filter_delta(self, state, pod, cache):
        if cache.value is None:
            cache.value = True
            return super().filter_delta(state, pod, cache)
        return np.zeros(0, dtype=np.int64), None


class Writes(Good):
    def filter(self, state, pod, rows):
        self.handle.cluster.table.requested[0, rows] += 1
        return super().filter(state, pod, rows)


class NeedsNodes(Good):
    def filter(self, state, pod, rows):
        if not len(rows):
            row = 1
            return Verdicts(np.full(row, 2, np.uint8), np.zeros(row, np.int32))
        return super().filter(state, pod, rows)


class NeedsTwoNodes(Good):
    def score(self, state, pod, rows):
        assert len(rows) > 1
        return super().score(state, pod, rows)


class TooHigh(Good):
    def score_node(self, state, pod, node):
        return 101


class NoReason(Good):
    def filter_node(self, state, pod, node):
        return Status(Code.UNSCHEDULABLE)


class SkipsWithNodes(Good, fw.PreFilterPlugin[fw.NoArgs]):
    def pre_filter(self, cycle, pod):
        return fw.PreFilterResult(SKIP, nodes=frozenset({"node-1"}))


class BadExtension(Good, fw.PreFilterPlugin[fw.NoArgs]):
    has_extensions = True

    def pre_filter(self, cycle, pod):
        return fw.PreFilterResult(state=dict.fromkeys(self.handle.cluster.table.row_of, 0))

    def clone(self, state):
        return state  # shared with the original

    def remove_pod(self, state, pod, other, node):
        state[node.name] += 9
        return SUCCESS

    def filter_node(self, state, pod, node):
        return NO if state[node.name] else SUCCESS


class MissesTheCause(Good):
    """Refuses nodes with many pods and tells a fact that speaks for them."""

    def filter_facts(self, state, pod, node):
        return (CordonFact(cordoned=False, tolerated=False),)


class TellsNothing(Good):
    """A fact of its own without words."""

    class Quiet(Fact, frozen=True):
        most_pods: int = 2

    def score_facts(self, state, pod, node):
        return (self.Quiet(),)


class TrustsItsObjects(Good):
    """Tells a fact of a label that every generated node has, and a few real ones do not."""

    class Gen(Fact, frozen=True, kw_only=True):
        gen: int

        def words(self):
            return f"is of generation {self.gen}"

    def score_facts(self, state, pod, node):
        return (self.Gen(gen=int(node.node.labels["gen"])),)


class SaysItsFacts(Good):
    class Pods(Fact, frozen=True, kw_only=True):
        there: int

        def words(self):
            return f"has {self.there} pods, of 2 that are quiet"

    def filter_facts(self, state, pod, node):
        return (self.Pods(there=node.pod_count, refuses=node.pod_count > 2),)


class DeclaresOthersKind(Good):
    obstacles = (ObstacleKind("NOISY_TOO_MANY", "the node is not quiet", "cluster"),)


class FactWithoutCode(SaysItsFacts):
    name = "QuietNodes"
    obstacles = (ObstacleKind("QUIET_NODES_FULL", "the node is not quiet", "cluster"),)


class FactWithCode(FactWithoutCode):
    def filter_facts(self, state, pod, node):
        facts = super().filter_facts(state, pod, node)
        return tuple(msgspec.structs.replace(fact, code="QUIET_NODES_FULL") for fact in facts)


class WantsEmptyNodes(SaysItsFacts):
    def filter_node(self, state, pod, node):
        return NO if node.pod_count else SUCCESS

    def filter_facts(self, state, pod, node):
        return (self.Pods(there=node.pod_count, refuses=node.pod_count > 0),)


class TakesEqualCountsForOne(WantsEmptyNodes):
    def alike(self, state, pod, rows):
        return self.handle.cluster.table.pod_count.take(rows).astype(np.int64)


class TakesAllForOne(WantsEmptyNodes):
    """Its facts differ by the number of pods."""

    def alike(self, state, pod, rows):
        return np.zeros(len(rows), dtype=np.int64)


class NamesItsPods(TakesAllForOne):
    """Facts that differ in nothing but the pods that they name."""

    class Kept(Fact, frozen=True, kw_only=True):
        pods: tuple[str, ...]

        def words(self):
            return "keeps pods"

    def filter_facts(self, state, pod, node):
        return (self.Kept(pods=tuple(sorted(node.pods)), refuses=node.pod_count > 0),)


class ForgetsRows(WantsEmptyNodes):
    def alike(self, state, pod, rows):
        return rows[:1]


class KeepsReservation(Good, fw.ReservePlugin[fw.NoArgs]):
    def __init__(self, args, handle):
        super().__init__(args, handle)
        self.taken = []

    def reserve(self, cycle, pod, node_name):
        self.taken.append(pod.key)
        return SUCCESS

    def unreserve(self, cycle, pod, node_name):
        pass

    def dump(self):
        return self.taken

    def load(self, state):
        self.taken = state


class WrongHint(Good, fw.EnqueueExtension[fw.NoArgs]):
    def events_to_register(self):
        return (EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD), lambda pod, old, new: True),)


BAD = {
    "constructs from its arguments": KeepsOtherArgs,
    "refuses wrong arguments": AnyArgs,
    "saves and restores its state": ForgetsState,
    "filter: per node equals vectorised": FilterFormsDiffer,
    "score: per node equals vectorised": ScoreFormsDiffer,
    "permuting nodes permutes answers": ReadsRows,
    "node_local answers are local": NotLocal,
    "one class, one answer": ReadsAnnotations,
    "same question, same answer": Counts,
    "kept results equal recomputed ones": KeepsTooLong,
    "told changes are all changes": TellsTooLittle,
    "columns stay untouched": Writes,
    "empty cluster": NeedsNodes,
    "one node": NeedsTwoNodes,
    "normalised scores are within bounds": TooHigh,
    "refusals have reasons": NoReason,
    "SKIP is honoured": SkipsWithNodes,
    "add_pod and remove_pod equal a new PreFilter": BadExtension,
    "facts explain verdicts and scores": MissesTheCause,
    "facts of odd objects": TrustsItsObjects,
    "rows that are alike get equal facts": TakesAllForOne,
    "obstacles are declared": DeclaresOthersKind,
    "unreserve undoes reserve": KeepsReservation,
    "events and hints are well formed": WrongHint,
}


@pytest.mark.slow
def test_a_good_plugin_passes():
    check_plugin(Good)


FACTS, ODD, ALIKE = "facts explain verdicts and scores", "facts of odd objects", "rows that are alike get equal facts"


@pytest.mark.parametrize(
    ("check", "plugin"),
    [
        (FACTS, SaysItsFacts),
        (FACTS, TrustsItsObjects),
        *[(ALIKE, plugin) for plugin in (WantsEmptyNodes, TakesEqualCountsForOne, NamesItsPods)],
        *[("obstacles are declared", plugin) for plugin in (SaysItsFacts, FactWithCode)],
    ],
)
def test_a_plugin_that_is_good_in_this_passes(check, plugin):
    run_check(check, plugin)


@pytest.mark.parametrize(
    ("check", "plugin", "sentence"),
    [
        ("one class, one answer", ReadsAnnotations, "by the pod's class, so they read none of name, uid, annotations"),
        (FACTS, TellsNothing, "a fact of a type of the plugin's own says itself in words: "),
        (ODD, TrustsItsObjects, "facts of bare: KeyError: 'gen'"),
        (ALIKE, TakesAllForOne, "are alike to the plugin, with other facts: "),
        (ALIKE, ForgetsRows, "alike gives one value, or one list of them, for each row: "),
        (
            "obstacles are declared",
            FactWithoutCode,
            "a fact that refuses has the code of one of the plugin's obstacles: ",
        ),
    ],
)
def test_words(check, plugin, sentence):
    with pytest.raises(AssertionError) as refused:
        run_check(check, plugin)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "kind",
    [
        ObstacleKind("GOOD_FULL", "full", "nobody"),
        ObstacleKind("GOOD_FULL", "full", "cluster", "later"),
        ObstacleKind("SHORT_CPU", "something else", "cluster"),
        ObstacleKind("good_full", "full", "cluster"),
    ],
    ids=["no actor of the contract", "no stage of the contract", "a published code with another meaning", "lower case"],
)
def test_a_kind_that_breaks_the_contract_is_noticed(kind):
    class Bad(Good):
        obstacles = (kind,)

    with pytest.raises(AssertionError):
        run_check("obstacles are declared", Bad)


def test_every_check_has_its_bad_plugin():
    assert BAD.keys() == CHECKS.keys()


@pytest.mark.parametrize("check", BAD)
def test_a_bad_plugin_is_noticed(check):
    assert check in checks_of(BAD[check])
    with pytest.raises((AssertionError, ValueError)):
        run_check(check, BAD[check])


def test_only_checks_of_its_points_concern_a_plugin():
    class Binder(fw.BindPlugin[fw.NoArgs]):
        name, Args = "Binder", fw.NoArgs

    assert checks_of(Binder) == [
        "constructs from its arguments", "refuses wrong arguments", "saves and restores its state",
        "obstacles are declared",
    ]  # fmt: skip
    check_plugin(Binder)
