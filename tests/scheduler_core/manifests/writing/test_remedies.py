"""Every change that the engine makes up for a pending pod can be written as a manifest."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml

from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.remedies.single import object_changes
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.manifests.writing.objects import Writing, read_object, to_manifest
from scheduler_core.recording.events import CycleFinished
from scheduler_core.recording.reader import RecordingReader
from tests.properties.branches import executed
from tests.scheduler_core.engine.scenarios import CASES, SCENARIOS, everything, teaching


def manifests(cluster: Any, timeline: Any) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The manifests of a cluster and of what a timeline brings, by kind, namespace and name."""
    raws = [one.raw for one in load_cluster([ManifestSource("cluster", cluster.read_bytes())]).manifests]
    raws += [entry["object"] for entry in yaml.safe_load(timeline.read_bytes())["entries"]]
    made: dict[tuple[str, str, str], dict[str, Any]] = {}
    for raw in raws:
        metadata = raw["metadata"]
        made.setdefault((raw["kind"], metadata.get("namespace") or "default", metadata["name"]), raw)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "cluster", "timeline"),
    [
        (teaching(), SCENARIOS / "teaching-cluster.yaml", SCENARIOS / "teaching-timeline.yaml"),
        (everything(), CASES / "everything.yaml", CASES / "everything-timeline.yaml"),
    ],
    ids=["teaching", "everything"],
)
def test_what_a_remedy_changes_is_read_again_from_its_manifest(inputs, cluster, timeline):
    raws = manifests(cluster, timeline)
    context = [raw for raw in raws.values() if raw["kind"] in ("Namespace", "PriorityClass")]
    run = executed(inputs)
    reader, n_written = RecordingReader(run.store), Counter[str]()
    refusals = [one for one in run.events if isinstance(one, CycleFinished) and one.outcome == "unschedulable"]
    for refusal in refusals[::3]:
        trials = at_cycle(reader, inputs, refusal.cycle)
        for candidate in candidates(trials, trials.attempt(refusal.pod)):
            for change in object_changes(trials, candidate.changes):
                if change.action == "delete":
                    continue
                obj = change.at(0).object
                before = raws.get((change.kind, getattr(obj, "namespace", "default"), obj.name))
                whole = to_manifest(obj, Writing(before=before, context=context, with_fields_of_a_run=True))
                assert read_object(whole, context) == obj
                to_manifest(obj, Writing(before=before, context=context))
                n_written[change.kind] += 1
    assert min(n_written["Pod"], n_written["Node"]) > 20
