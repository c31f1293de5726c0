"""Every question with the function that answers it, the type of its answer and the time that it may take."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import scheduler_core.capacity
import scheduler_core.compare
import scheduler_core.explain
import scheduler_core.query
from dashboard.answers.answering import (
    agreement,
    devices,
    owners,
    pending,
    placing,
    room,
    searching,
    trials,
    why,
)
from dashboard.answers.answering.comparing import attempts, sides, what_changes
from dashboard.answers.questions import (
    AgreementOf,
    AttemptsAligned,
    ChainsOf,
    ComparisonReport,
    DevicesAt,
    DevicesOf,
    DivergenceOf,
    DoubtsOf,
    DrainedOf,
    DrainOf,
    FactsOf,
    FiguresCompared,
    FitOf,
    GroupsOf,
    HitCountsOf,
    HitNumberOf,
    HitsOf,
    ListTried,
    MissingInCycles,
    NodesCompared,
    NoPreemption,
    OwnChangeMade,
    OwnerOf,
    OwnerRemedies,
    PodDevicesOf,
    PodsCompared,
    Question,
    RefusedThere,
    RemediesOf,
    RemedyTried,
    ReportOf,
    RequestRangesOf,
    RequestsTried,
    RoomOf,
    RoomTaken,
    SeriesOf,
    UnneededOf,
    UntriedOf,
    UntriedRemedies,
    VictimsOf,
    WakesOf,
    WhatChangesOf,
    WhyOf,
    WouldHelpOf,
)
from scheduler_core import ENGINE_VERSION
from scheduler_core.explain.devices.model import DevicePage, PodDevices
from scheduler_core.explain.diagnosis.model import Diagnosis
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.fit import Fit
from scheduler_core.explain.pending.change_list import TriedTogether
from scheduler_core.explain.pending.model import PreemptionGraph, Wakes
from scheduler_core.explain.pending.own_change import ChangeAnswer
from scheduler_core.explain.preemption import PreemptionAnswer
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.remedies.single import RemedyTrial
from scheduler_core.explain.rivals.model import RequestRanges, RequestTrial, Rivalry
from scheduler_core.explain.victims import VictimFate
from scheduler_core.profiles.registry import plugin_packages
from scheduler_core.query.search import HitCounts, HitNumber, HitPage

if TYPE_CHECKING:
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run

# What answers are computed by, beside this app.
ROOMS = (scheduler_core.capacity, scheduler_core.compare, scheduler_core.explain, scheduler_core.query)

# Called with a Source, a ClusterSource where the question is about a revision.
Compute = Callable[[Any, Any, "TimeLimit"], Any]


@dataclass(frozen=True)
class Kind:
    """How a type of question is answered.

    `compute` gets the source, the question, and the time limit. `seconds` is how long a page waits for the answer
    before it gives up. `is_of_revision`: it is about a cluster's revision instead of a run. `is_short`: it takes at
    most one attempt and a page waits for it, so it is answered before others. With a `module` of `answering`, `answer`
    and `compute` are names in it, and it is imported with the first such question: no process begins with it.
    """

    question: type[Question]
    answer: Any
    compute: Compute | str
    seconds: float = 10.0
    is_of_revision: bool = False
    is_short: bool = False
    module: str = ""

    @cached_property
    def answer_type(self) -> Any:
        """The type of its answer."""
        return getattr(self._room, self.answer) if self.module else self.answer

    @cached_property
    def answering(self) -> Compute:
        """The function that answers it."""
        function: Compute = getattr(self._room, self.compute) if isinstance(self.compute, str) else self.compute
        return function

    @property
    def _room(self) -> Any:
        return import_module(f"dashboard.answers.answering.{self.module}")


KINDS: dict[str, Kind] = {
    str(kind.question.__struct_config__.tag): kind
    for kind in (
        Kind(WhyOf, Diagnosis | None, why.diagnose_cycle, is_short=True),
        Kind(RefusedThere, Diagnosis | None, why.refused_there, is_short=True),
        Kind(UntriedOf, Diagnosis | None, why.untried, is_short=True),
        Kind(RemediesOf, Remedies, trials.find_remedies),
        Kind(UntriedRemedies, Remedies, trials.untried_remedies),
        Kind(RemedyTried, RemedyTrial, trials.remedy_tried),
        Kind(ListTried, TriedTogether, trials.list_tried, is_short=True),
        Kind(NoPreemption, PreemptionAnswer, trials.explain_no_preemption),
        Kind(VictimsOf, tuple[VictimFate, ...], trials.examine_victims),
        Kind(RoomTaken, room.RoomAnswer, room.taken),
        Kind(ChainsOf, PreemptionGraph, room.chains),
        Kind(MissingInCycles, pending.MissingAnswer, pending.missing_in),
        Kind(FactsOf, pending.FactsAnswer, pending.collect_facts),
        Kind(WakesOf, Wakes, pending.wakes_at),
        Kind(DoubtsOf, tuple[AnswerDoubt, ...], pending.doubts),
        Kind(WouldHelpOf, ChangeAnswer, pending.would_help),
        Kind(OwnChangeMade, pending.MadeChange, pending.change_made),
        Kind(OwnerOf, owners.OwnerAnswer | None, owners.of_owner, is_short=True),
        Kind(OwnerRemedies, owners.OwnerAnswer | None, owners.remedies_of_owner, seconds=30.0),
        Kind(ReportOf, pending.TextAnswer, pending.report),
        Kind(HitsOf, HitPage, searching.find_hits),
        Kind(HitCountsOf, HitCounts, searching.count_found),
        Kind(HitNumberOf, HitNumber, searching.number_hit),
        Kind(SeriesOf, searching.SeriesAnswer, searching.read_series, seconds=30.0),
        Kind(NodesCompared, Rivalry, trials.compared),
        Kind(RequestRangesOf, RequestRanges, trials.ranges),
        Kind(RequestsTried, RequestTrial, trials.tried),
        Kind(AttemptsAligned, attempts.AlignedAnswer, attempts.aligned_attempts, seconds=30.0, is_short=True),
        Kind(DivergenceOf, sides.DivergenceAnswer, sides.find_divergence, seconds=30.0),
        Kind(FiguresCompared, sides.FiguresAnswer, sides.compare_figures, seconds=30.0),
        Kind(PodsCompared, sides.PodsAnswer, sides.compare_pods, seconds=30.0),
        Kind(ComparisonReport, sides.ReportAnswer, sides.write_report, seconds=30.0),
        Kind(FitOf, Fit, placing.try_fit, seconds=30.0, is_of_revision=True),
        Kind(DevicesOf, DevicePage, devices.of_revision, seconds=30.0, is_of_revision=True),
        Kind(DevicesAt, DevicePage, devices.at_cursor, seconds=30.0),
        Kind(PodDevicesOf, PodDevices | None, devices.of_cycle),
        Kind(DrainOf, placing.DrainAnswer, placing.try_drain, seconds=30.0, is_of_revision=True),
        Kind(GroupsOf, "GroupsAnswer", "which_groups", seconds=60.0, is_of_revision=True, module="capacity"),
        Kind(RoomOf, "MoreAnswer", "how_many", seconds=60.0, is_of_revision=True, module="capacity"),
        Kind(DrainedOf, "DrainedAnswer", "drained", seconds=60.0, is_of_revision=True, module="capacity"),
        Kind(UnneededOf, "UnneededAnswer", "not_needed", seconds=60.0, is_of_revision=True, module="capacity"),
        Kind(WhatChangesOf, what_changes.WhatChanges, what_changes.what_changes, seconds=30.0, is_of_revision=True),
        Kind(AgreementOf, agreement.Compared, agreement.compute_agreement, is_of_revision=True),
    )
}
AnyQuestion = (
    ChainsOf
    | WhyOf
    | RefusedThere
    | UntriedOf
    | FactsOf
    | WakesOf
    | DoubtsOf
    | WouldHelpOf
    | OwnChangeMade
    | ListTried
    | OwnerOf
    | OwnerRemedies
    | ReportOf
    | RemediesOf
    | UntriedRemedies
    | RemedyTried
    | NoPreemption
    | VictimsOf
    | RoomTaken
    | MissingInCycles
    | HitsOf
    | HitCountsOf
    | HitNumberOf
    | SeriesOf
    | NodesCompared
    | RequestRangesOf
    | RequestsTried
    | AttemptsAligned
    | DivergenceOf
    | FiguresCompared
    | PodsCompared
    | ComparisonReport
    | FitOf
    | DevicesOf
    | DevicesAt
    | PodDevicesOf
    | DrainOf
    | GroupsOf
    | RoomOf
    | DrainedOf
    | UnneededOf
    | WhatChangesOf
    | AgreementOf
)
_any_question: msgspec.json.Decoder[AnyQuestion] = msgspec.json.Decoder(AnyQuestion)


def decode_question(encoded: bytes) -> Question:
    """Return the question of a message; raises msgspec.ValidationError for none that is known."""
    return _any_question.decode(encoded)


def answer_key(run: Run, encoded: bytes) -> str:
    """Return the key that identifies this question about this recording in all processes."""
    # A database may give a deleted run's key out again; the moment of creation tells the two apart.
    parts = (run.pk, run.created_at.isoformat(), run.head.n_changes, run.has_ended, ENGINE_VERSION, code_version())
    return hashlib.sha256(repr(parts).encode() + encoded).hexdigest()[:32]


def key_of_revision(revision: Revision, encoded: bytes) -> str:
    """Return the same for a question about a revision, which is identified by the hash of its content."""
    parts = ("revision", revision.pk, revision.cluster_id, revision.sha256, ENGINE_VERSION, code_version())
    return hashlib.sha256(repr(parts).encode() + encoded).hexdigest()[:32]


@cache
def code_version() -> str:
    """Return a hash of the code that answers and of the versions of packages with plugins, so that no answer outlives
    an upgrade; equal on all machines with the same packages."""
    digest = hashlib.sha256(repr(plugin_packages()).encode())
    core = [Path(room.__path__[0]) for room in ROOMS]
    for folder in (*core, Path(__file__).parent):
        for file in sorted(one for one in folder.rglob("*") if one.suffix in (".py", ".toml")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
