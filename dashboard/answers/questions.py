"""The questions that pages may ask: one type each, with fields checked when it is made from an address or a message."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from scheduler_core.explain.devices.model import DeviceChoice

Cycle = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(max_length=400)]
Amount = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Weight = Annotated[int, msgspec.Meta(ge=0, le=1000)]
LongName = Annotated[str, msgspec.Meta(max_length=600)]
MOST_DRAINED = 2_000
Drained = Annotated[tuple[LongName, ...], msgspec.Meta(max_length=MOST_DRAINED)]
MOST_EDITED = 8 << 20
MOST_TYPED = 4_000  # groups in an address
CHANGE_LENGTH = 1_000  # a kind, a name and a value
REMEDY_LENGTH = 4_000  # several edits in words, each with names of nodes, labels or pods
MOST_CYCLES = 100  # as many as a page of the list has
Seq = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="question"):
    """A question about one run; its tag names it in addresses and messages, its fields say what exactly is asked."""

    @property
    def name(self) -> str:
        """The tag of its type."""
        return str(self.__struct_config__.tag)


class RemediesOf(Question, frozen=True, tag="remedies"):
    """What would let the pod of a cycle fit, tried by the engine on the state that the cycle found."""

    cycle: Cycle


class UntriedRemedies(Question, frozen=True, tag="untried-remedies"):
    """What would let a pod fit that was not tried yet, on the state after `seq` events."""

    pod: Name
    seq: Seq


class RemedyTried(Question, frozen=True, tag="remedy"):
    """What an attempt of the pod of a cycle decides with one remedy, named by its text."""

    cycle: Cycle
    remedy: Annotated[str, msgspec.Meta(max_length=REMEDY_LENGTH)]


class ListTried(Question, frozen=True, tag="change-list"):
    """What an attempt of a list's pod decides with all its changes, made after `seq` events; `version` is that of the
    list's row."""

    changes: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    version: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    seq: Seq


class NoPreemption(Question, frozen=True, tag="no-preemption"):
    """Why preemption did not help the pod of a cycle that found no node."""

    cycle: Cycle


class VictimsOf(Question, frozen=True, tag="victims"):
    """What decided which pods the preemption of a cycle evicts, and where a replacement of each could be."""

    cycle: Cycle


class RoomTaken(Question, frozen=True, tag="room"):
    """Who took the room on the nodes that the pod of a cycle may have, since the start of the run."""

    cycle: Cycle


class ChainsOf(Question, frozen=True, tag="chains"):
    """Who preempted whom in the first events, linked to a pod; with a cycle, to those too who took the room that its
    pod may have."""

    pod: Name
    seq: Seq
    cycle: Cycle | None = None


class MissingInCycles(Question, frozen=True, tag="missing"):
    """How much room was missing in cycles that found no node."""

    cycles: Annotated[tuple[Cycle, ...], msgspec.Meta(min_length=1, max_length=MOST_CYCLES)]


class WhyOf(Question, frozen=True, tag="why"):
    """What keeps the pod of a cycle off nodes: the cause, and all nodes by their obstacles.

    Of an attempt that found a node, what happened to it in the first `seq` events counts; 0 is the cycle's end.
    """

    cycle: Cycle
    seq: Seq = 0


class RefusedThere(Question, frozen=True, tag="refused-there"):
    """Why the real scheduler refused the pod that a cycle placed, by a rule that the input does not show."""

    cycle: Cycle


class UntriedOf(Question, frozen=True, tag="untried"):
    """Why a pod was not tried, after `seq` events: gates, another scheduler, or its turn has not come."""

    pod: Name
    seq: Seq


class FactsOf(Question, frozen=True, tag="facts"):
    """What the plugins say of a node of each group that refused the pod of a cycle: the inputs of each verdict."""

    cycle: Cycle


class WakesOf(Question, frozen=True, tag="wakes"):
    """What brings the pod of a cycle back from where it is after `seq` events."""

    cycle: Cycle
    seq: Seq


class DoubtsOf(Question, frozen=True, tag="doubts"):
    """What may falsify the answer about the pod that a cycle placed."""

    cycle: Cycle


class WouldHelpOf(Question, frozen=True, tag="would"):
    """Whether a change would bring a waiting pod back to be scheduled.

    The pod waits as it does after `seq` events; the change is written as on the command line.
    """

    pod: Name
    seq: Seq
    change: Annotated[str, msgspec.Meta(max_length=CHANGE_LENGTH)]


class OwnChangeMade(WouldHelpOf, frozen=True, tag="change-made"):
    """The same change as the object that a branch puts or removes."""


class ReportOf(Question, frozen=True, tag="report"):
    """All that is said of the pod of a cycle as of its end, as text."""

    cycle: Cycle


class OwnerOf(Question, frozen=True, tag="owner"):
    """Why a workload (namespace/name) lacks pods or its rollout does not go on, or why a pod that an input brings was
    not made, when `seq` events are recorded."""

    owner: Name
    seq: Seq


class OwnerRemedies(OwnerOf, frozen=True, tag="owner-remedies"):
    """The same with the changes that would end it, tried by whole runs."""


class FitOf(Question, frozen=True, tag="fit"):
    """On which nodes of a cluster a pod would fit, and what each node would score; about a revision, not a run.

    `config` names the configuration as addresses do. `edits` is a JSON array of manifests that somebody is typing, in
    the places of those of their keys, `replaces` the (kind, namespace, name) that they were opened as. `pod` is the one
    asked about, "" for the first one of the edits. `draft` (not 0) counts instead of its base, in `version` or later.
    """

    config: Name = "default"
    pod: Name = ""
    edits: Annotated[str, msgspec.Meta(max_length=MOST_EDITED)] = ""
    replaces: tuple[LongName, LongName, LongName] = ("", "", "")
    draft: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    version: Name = ""


class DevicesOf(Question, frozen=True, tag="devices"):
    """The devices of a revision with the claims for them; `choice` is what the page shows. `draft` as in FitOf."""

    choice: DeviceChoice
    config: Name = "default"
    draft: Seq = 0
    version: Name = ""


class DevicesAt(Question, frozen=True, tag="devices-at"):
    """The same of a run, as they are after its first `seq` events."""

    choice: DeviceChoice
    seq: Seq


class PodDevicesOf(Question, frozen=True, tag="pod-devices"):
    """Why the claims of the pod of a cycle get no devices: per request, who has them, nodes by what they lack."""

    cycle: Cycle


class DrainOf(Question, frozen=True, tag="drain"):
    """Where the `pods` (namespace/name) of `nodes` could go if these were drained; about a draft, as in FitOf."""

    nodes: Drained
    pods: Drained = ()
    config: Name = "default"
    draft: Seq = 0
    version: Name = ""


class CapacityQuestion(Question, frozen=True):
    """A question about a revision at rest, where nothing of what waits was tried; about a draft, as in FitOf."""

    config: Name = "default"
    draft: Seq = 0
    version: Name = ""


class GroupsOf(CapacityQuestion, frozen=True, tag="capacity-groups"):
    """Which node group lets the pods run that wait, or one `pod` of them. The groups are the pools of the cluster, or
    those of `groups` (text of kind NodeGroups), and one like each node of `likes`. `by_price`: the cheapest mix.

    After `seconds` it answers what is known; asked with the next `turn`, a worker goes on from there.
    """

    pod: LongName = ""
    likes: Annotated[tuple[LongName, ...], msgspec.Meta(max_length=20)] = ()
    groups: Annotated[str, msgspec.Meta(max_length=MOST_TYPED)] = ""
    by_price: bool = False
    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=30.0)] = 1.0


class RoomOf(CapacityQuestion, frozen=True, tag="capacity-room"):
    """How many more of a `pod` fit ("": of the controller with the most pods), counted for `seconds`."""

    pod: LongName = ""
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=60.0)] = 5.0


class DrainedOf(CapacityQuestion, frozen=True, tag="capacity-drain"):
    """Where the pods of `nodes` go if these are drained, and the nodes whose names have `text` in them."""

    nodes: Drained = ()
    text: Name = ""


class UnneededOf(CapacityQuestion, frozen=True, tag="capacity-unneeded"):
    """Which nodes are not needed, each alone; of those that are, the ones for the reason `code`. In turns."""

    code: Name = ""
    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=30.0)] = 1.0


class AgreementOf(Question, frozen=True, tag="agreement"):
    """Whether the engine agrees with the real scheduler about a revision; `config` names the configuration as
    addresses do, `config_sha256` its content."""

    config: Name = "default"
    config_sha256: Name = ""


class WhatChangesOf(Question, frozen=True, tag="what-changes"):
    """What a configuration that somebody is typing (`after`) would change on a revision; `before` names the one that it
    is compared with, as addresses do. With a `run` of the revision, created at `run_made`, its inputs count instead.

    After `seconds` it answers how far both runs are; asked with the next `turn`, a worker goes on from there. Then the
    pods that differ, at most `size` of each group.
    """

    before: Name
    after: Annotated[str, msgspec.Meta(max_length=MOST_EDITED)]
    run: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0
    run_made: Name = ""
    size: Annotated[int, msgspec.Meta(ge=1, le=5_000)] = 500
    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Annotated[float, msgspec.Meta(ge=0.1, le=30.0)] = 1.0


QueryText = Annotated[str, msgspec.Meta(max_length=2_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=30.0)]


class HitsOf(Question, frozen=True, tag="hits"):
    """Hits of a query after a place of the recording (before it, `backward`); seq -1: from its start or end.

    After `seconds` it answers with the hits so far and where it is, from where the page may go on.
    """

    query: QueryText
    limit: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 100
    seq: Annotated[int, msgspec.Meta(ge=-1, le=2**53)] = -1
    index: Annotated[int, msgspec.Meta(ge=-1, le=2**62)] = 0
    backward: bool = False
    seconds: Seconds = 1.0


class HitCountsOf(Question, frozen=True, tag="hit-counts"):
    """The number of hits of a query in each interval of `width_us` (the last one is open), and by a group.

    After `seconds` the answer is the counts so far; the same question with the next `turn` goes on from there.
    """

    query: QueryText
    n_buckets: Annotated[int, msgspec.Meta(ge=1, le=4_000)] = 1
    width_us: Annotated[int, msgspec.Meta(ge=1, le=2**53)] = 1
    group: Name = ""
    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Seconds = 1.0


class HitNumberOf(Question, frozen=True, tag="hit-number"):
    """Which of a query's hits is at a moment (after a number of events), and how many there are.

    After `seconds` it answers with the numbers so far; asked with the next `turn`, a worker goes on from there.
    """

    query: QueryText
    moment: Seq
    turn: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    seconds: Seconds = 1.0


class SeriesOf(Question, frozen=True, tag="series"):
    """The changes of watches over the recording, those after event `after` up to the `head` that the page knows.

    After `seconds` it answers with the changes so far; asked with the next `turn`, a worker goes on from there.
    """

    watches: Annotated[tuple[LongName, ...], msgspec.Meta(min_length=1, max_length=12)]
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**53)] = -1
    head: Seq = 0
    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Seconds = 1.0


class NodesCompared(Question, frozen=True, tag="why-node"):
    """Why a cycle took one node and not another: the nodes beside each other, with the inputs of their scores."""

    cycle: Cycle
    nodes: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=3)]


class RequestRangesOf(Question, frozen=True, tag="request-ranges"):
    """In which range of each of its requests the pod of a cycle gets the same node, tried by the engine."""

    cycle: Cycle


class RequestsTried(Question, frozen=True, tag="request-trial"):
    """What the engine decides for the pod of a cycle with other requests and weights; canonical integers by name."""

    cycle: Cycle
    requests: Annotated[dict[Name, Amount], msgspec.Meta(max_length=20)] = {}
    weights: Annotated[dict[Name, Weight], msgspec.Meta(max_length=60)] = {}
    nodes: Annotated[tuple[Name, ...], msgspec.Meta(max_length=3)] = ()


RunKey = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


class RunsCompared(Question, frozen=True):
    """Two runs of a workspace compared: the first `a_seq` events of A with the first `b_seq` of B, maybe A itself.
    `other_made` is when B was created, since a deleted run's key may be given out again."""

    other: RunKey
    other_made: Name
    a_seq: Seq
    b_seq: Seq


class AttemptsAligned(RunsCompared, frozen=True, tag="aligned-attempts"):
    """The attempts of both beside each other, and what is before and after a pair of them: that of cycle `a_cycle` of
    A, else `b_cycle` of B; with neither the first that differs. With both, each side stands where it says."""

    a_cycle: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    b_cycle: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


class DivergenceOf(RunsCompared, frozen=True, tag="divergence"):
    """The first event in which the two differ, and the inputs that do."""


class ComparisonTurn(RunsCompared, frozen=True):
    """What needs all events of both: after `seconds` the answer says how far; the next `turn` goes on from there."""

    turn: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    seconds: Seconds = 1.0


class FiguresCompared(ComparisonTurn, frozen=True, tag="compared-figures"):
    """How many pods differ and how, and both sides in figures."""


class PodsCompared(ComparisonTurn, frozen=True, tag="compared-pods"):
    """The pods that differ, or all: `size` of them from number `start`, of a `group` ("" for each), those whose name or
    one of whose nodes has the `text` in it. With `decides`, of each on another node also which plugin moved it."""

    every: bool = False
    decides: bool = False
    group: Name = ""
    text: Name = ""
    start: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    size: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100


class ComparisonReport(ComparisonTurn, frozen=True, tag="comparison-report"):
    """All of it in a file's form."""

    form: Literal["markdown", "csv"] = "markdown"
