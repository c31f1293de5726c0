"""Remedies where extenders have a say: verified only where they really let the pod go there; unknown where the tape
has no answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scheduler_core.api.config import Extender
from scheduler_core.api.objects import Pod
from scheduler_core.explain.pending.would_help import WouldHelp, would_help
from scheduler_core.explain.remedies.model import PRIORITY, Remedies
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.report_lines import remedy_lines
from scheduler_core.explain.rivals.requests import request_ranges
from scheduler_core.explain.rivals.texts import request_words, trial_words
from scheduler_core.explain.rivals.trying import try_requests
from scheduler_core.explain.sessions import Trials, at_cycle
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.extenders.declared.reading import read_declared
from scheduler_core.extenders.declared.source import DeclaredSource
from scheduler_core.extenders.tape.blocks import header_for
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.source import TapeSource
from scheduler_core.extenders.tape.writer import TapeWriter
from scheduler_core.manifests import ManifestSource
from scheduler_core.recording.reader import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import extender, inputs_of

NODES = [make_node("n1", cpu="1"), make_node("n2", cpu="1", labels={"disk": "ssd"})]
CROWD = [make_pod("a", cpu="1", node_name="n1"), make_pod("b", cpu="1", node_name="n2"), make_pod("p", cpu="600m")]
ROOMY = [make_pod("p", cpu="600m")]
ALL_VERBS = {"filter_verb": "f", "prioritize_verb": "s", "weight": 1, "preempt_verb": "e", "bind_verb": "b"}


def rules(text: str, configured: tuple[Extender, ...]) -> DeclaredSource:
    declared, findings = read_declared(ManifestSource("rules.yaml", text.encode()), configured)
    assert declared is not None, findings
    return DeclaredSource(declared)


def inputs(pods: list[Pod], **verbs: Any) -> RunInputs:
    return inputs_of([extender(**(verbs or ALL_VERBS))], NODES, pods)


def trials_in(run: RunInputs, recorder: ExtenderSource, source: ExtenderSource) -> Trials:
    """Trials before the first cycle of the run that ``recorder`` answered, answered by ``source``."""
    session = RunSession.start(run, extenders=recorder)
    store = MemoryStore(session.initial_keyframe())
    session.advance()
    store.add(session.cut_chunk())
    return at_cycle(RecordingReader(store), run, 1, extenders=source)


def answered(text: str, pods: list[Pod] = CROWD, **verbs: Any) -> Trials:
    run = inputs(pods, **verbs)
    source = rules(text, run.configuration.extenders)
    return trials_in(run, source, source)


@contextmanager
def taped(folder: Path, pods: list[Pod], text: str = "extenders: [{}]", **verbs: Any) -> Iterator[Trials]:
    """Trials that only the tape of the run answers."""
    run = inputs(pods, **verbs)
    path = folder / "run.tape"
    source = rules(text, run.configuration.extenders)
    with TapeWriter(path, header_for(run.configuration.extenders, run.objects.nodes), source) as writer:
        RunSession.start(run, extenders=writer).advance()
    with Tape(path) as tape:
        yield trials_in(run, TapeSource(tape), TapeSource(tape))


def of_priority(answer: Remedies) -> dict[str, list[str]]:
    """The failures, or unanswered requests, of remedies that raise the priority alone, by status."""
    listed: dict[str, list[str]] = {}
    for one in (*answer.verified, *answer.not_enough, *answer.unknown):
        if one.kind == PRIORITY:
            listed.setdefault(one.status, []).append(one.unanswered or one.failure)
    return listed


def test_where_extenders_let_all_pass_a_higher_priority_is_verified() -> None:
    assert of_priority(remedies(answered("extenders: [{}]"), "default/p")) == {"verified": [""]}


def test_where_an_extender_refuses_every_node_nothing_is_verified() -> None:
    answer = remedies(answered("extenders: [{filter: [{refuse: busy}]}]"), "default/p")
    assert (answer.verified, answer.unknown) == ((), ())
    (failure,) = of_priority(answer)["not enough"]
    assert failure.startswith("preemption chooses n1, but the attempt after it fails: 0/2 nodes are available: ")
    assert "busy" in failure
    assert list(remedy_lines(answer))[-1] == "none was found"


def test_where_an_extender_refuses_one_node_remedies_lead_to_the_other() -> None:
    text = "extenders: [{filter: [{nodes: {matchLabels: {disk: ssd}}, refuse: busy}]}]"
    answer = remedies(answered(text), "default/p")
    assert {one.node for one in answer.verified} <= {"n1", "n1-more"}
    assert of_priority(answer) == {"verified": [""]}


@pytest.mark.parametrize("then", ["spare", "dropNode"])
def test_where_an_extender_refuses_the_victims_a_higher_priority_is_not_enough(then: str) -> None:
    answer = remedies(answered(f"extenders: [{{preempt: [{{then: {then}}}]}}]"), "default/p")
    (failure,) = of_priority(answer)["not enough"]
    assert failure.endswith("preemption: no candidate node for preemption")
    assert answer.verified


def test_where_an_extender_does_not_bind_the_pod_nothing_is_verified() -> None:
    answer = remedies(answered("extenders: [{bind: [{refuse: no volume}]}]"), "default/p")
    assert answer.verified == ()
    assert any("no volume" in one.failure for one in answer.not_enough)


def test_where_the_tape_lacks_the_request_a_remedy_is_unknown(tmp_path: Path) -> None:
    with taped(tmp_path, CROWD, filter_verb="f") as trials:
        answer = remedies(trials, "default/p")
    assert answer.verified == ()
    assert answer.unknown
    missing = {one.unanswered for one in answer.unknown}
    assert all(text.startswith("filter of extenders[0] for pod default/p: ") for text in missing)
    assert any("unknown" in line and line.endswith(f" {one}") for one in missing for line in remedy_lines(answer))
    assert list(of_priority(answer)) == ["unknown"]


def test_an_ignorable_extender_that_the_tape_does_not_answer_for_is_unknown_too(tmp_path: Path) -> None:
    with taped(tmp_path, CROWD, filter_verb="f", ignorable=True) as trials:
        answer = remedies(trials, "default/p")
    assert (answer.verified, bool(answer.unknown)) == ((), True)


def test_without_scores_on_the_tape_it_fits_and_where_is_unknown(tmp_path: Path) -> None:
    pods = [make_pod("p", node_selector={"zone": "x"})]
    with taped(tmp_path, pods, prioritize_verb="s", weight=1) as trials:
        answer = remedies(trials, "default/p")
    several = [one for one in answer.verified if one.n_fit > 1]
    assert several
    assert {one.unanswered[:13] for one in several} == {"prioritize of"}
    assert {one.unanswered for one in answer.verified if one.n_fit == 1 and not one.victims} == {""}
    assert any(several[0].unanswered in line for line in remedy_lines(answer))


def test_whether_a_pod_fits_as_it_is_may_be_unknown(tmp_path: Path) -> None:
    with taped(tmp_path, CROWD, filter_verb="f") as trials:
        small = msgspec.structs.replace(trials.pod("default/p"), containers=make_pod("p", cpu="0").containers)
        trials.simulation.world.pods["default/p"] = small
        trials.simulation.queue.get("default/p").pod = small  # type: ignore[union-attr]
        answer = remedies(trials, "default/p")
    assert not answer.verified
    assert answer.unanswered.startswith("filter of extenders[0]")
    assert any(answer.unanswered in line for line in remedy_lines(answer))


def test_a_change_of_ones_own_is_answered_or_unknown(tmp_path: Path) -> None:
    def lower(trials: Trials) -> WouldHelp:
        pod = trials.pod("default/p")
        edited = msgspec.structs.replace(pod, priority=5)
        return would_help(trials, "default/p", pod, edited)

    effect = lower(answered("extenders: [{filter: [{refuse: busy}]}]"))
    assert (effect.fits, effect.nominated, effect.victims) == (False, "n1", ("default/a",))
    assert "busy" in effect.in_vain
    with taped(tmp_path, CROWD, filter_verb="f") as trials:
        effect = lower(trials)
    assert effect.unanswered.startswith("filter of extenders[0]")


def test_requests_are_swept_as_far_as_the_tape_answers(tmp_path: Path) -> None:
    pods = [make_pod("a", cpu="500m", node_name="n1"), make_pod("p", cpu="300m")]
    with taped(tmp_path, pods, filter_verb="f") as trials:
        (cpu,) = (one for one in request_ranges(trials, "default/p") if one.resource == "cpu")
        beyond = try_requests(trials, "default/p", {"cpu": 700}, {}, ["n1", "n2"])
        same = try_requests(trials, "default/p", {"cpu": 400}, {}, ["n1", "n2"])
    assert (cpu.least, cpu.most) == (0, 500)
    assert cpu.unanswered[1].startswith("filter of extenders[0]")
    assert "unknown" in request_words(cpu, "n2")
    assert beyond.unanswered.startswith("filter of extenders[0]")
    assert same.unanswered == ""
    assert "n2" in trial_words(same)
