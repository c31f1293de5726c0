"""What is missing on a node."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from scheduler_core.simulate import RunInputs, timeline_from_raw
from tests.scheduler_core.crowded import pod_of, recorded

CASES = Path(__file__).parents[3] / "cases"


@pytest.fixture(scope="module")
def promised():
    """The run in which node a is promised to hi (3 cpu), then mid (2 cpu) and huge (5 cpu) are tried."""
    text = (CASES / "nominated.yaml").read_text()
    objects = load_cluster([ManifestSource("nominated.yaml", text.encode())]).objects
    timeline = timeline_from_raw(yaml.safe_load((CASES / "nominated-timeline.yaml").read_text()))
    inputs = RunInputs(objects=objects, schedule="timeline", timeline=timeline)
    return recorded(inputs), inputs


def test_nominated_pods_are_counted_in(promised):
    reader, inputs = promised
    trials = at_cycle(reader, inputs, 2)
    answer = remedies(trials, pod_of(reader, 2))
    assert not any(one.node == "a" and one.kind == "request" for one in answer.verified)
    gone = next(one for one in answer.verified if one.kind == "pods gone" and one.nodes == ("a",))
    assert "default/hi" in gone.edits[0].subject or gone.edits[0].subject.count("default/low") == 4
    bigger = next(one for one in answer.verified if one.kind == "bigger node" and one.nodes == ("a",))
    assert bigger.edits[0].after == "5 cpu"  # 2 asked for, 4 held, 3 promised, of 4


def test_what_is_missing_is_ranked_by_the_size_of_the_node(promised):
    reader, inputs = promised
    answer = remedies(at_cycle(reader, inputs, 3), pod_of(reader, 3))
    assert [one.nodes[0] for one in answer.verified if one.kind == "bigger node"] == ["a", "b", "aaa-tiny"]
