"""A pod's story along recorded causes."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.story import Story, story_of
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.simulate import RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs, recorded


@pytest.fixture(scope="module")
def preempting() -> RecordingReader:
    """`high` comes after a minute and preempts `low`."""
    entry = TimelineEntry(at=60_000_000, action="put", object=make_pod("high", cpu="3", priority=10))
    objects = ClusterObjects(nodes=[make_node("n", cpu="4")], pods=[make_pod("low", cpu="3")])
    return recorded(RunInputs(objects=objects, timeline=Timeline(entries=(entry,))))


def texts(story: Story) -> list[str]:
    return [one.step.text for one in story.steps]


def test_the_victim_s_end_leads_back_to_the_input_that_brought_the_preemptor(preempting) -> None:
    story = story_of(preempting, "default/low", preempting.head_seq())
    assert "default/low bound to n" in texts(story)
    end = next(one for one in story.steps if one.step.text.startswith("Pod default/low deleted"))
    because = [step.text for step in end.because]
    assert any(sentence.startswith("default/high preempts 1 pod on n: default/low") for sentence in because)
    assert because[-1] == "Pod default/high added"
    assert end.because[-1].cause is None


def test_the_preemption_leads_to_the_victim_s_end(preempting) -> None:
    story = story_of(preempting, "default/high", preempting.head_seq())
    decision = next(one for one in story.steps if one.step.kind == "preemption")
    assert any(step.text.startswith("Pod default/low updated") for step in decision.led_to)
    assert texts(story)[-1].startswith("default/high bound to n") or "default/high bound to n" in texts(story)


def test_a_story_ends_at_the_cursor(preempting) -> None:
    whole = story_of(preempting, "default/low", preempting.head_seq())
    cut = whole.steps[3].step.seq
    assert story_of(preempting, "default/low", cut).steps == tuple(
        one for one in story_of(preempting, "default/low", cut).steps if one.step.seq < cut
    )
    assert len(story_of(preempting, "default/low", cut).steps) == 3
    assert story_of(preempting, "default/low", 0).steps == ()


@pytest.mark.parametrize("seed", range(4))
def test_every_chain_ends_at_an_event_without_a_cause(seed) -> None:
    reader = recorded(generated_inputs(seed))
    for pod in generated_inputs(seed).objects.pods[-4:]:
        for told_step in story_of(reader, pod.key, reader.head_seq()).steps:
            seqs = [told_step.step.seq, *(step.seq for step in told_step.because)]
            assert seqs == sorted(seqs, reverse=True), "causes come before what they cause"
            assert told_step.more_causes or told_step.because == () or told_step.because[-1].cause is None
            assert all(step.cause == told_step.step.seq for step in told_step.led_to)
