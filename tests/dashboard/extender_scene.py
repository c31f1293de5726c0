"""The demo scene with extenders: its run, and a tape of what its rules answered."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.extenders.actions import save_declared, take_tape
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.runs import actions, demo
from dashboard.runs.actions import Launch
from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import load_inputs
from scheduler_core.extenders.tape.blocks import header_for
from scheduler_core.extenders.tape.writer import TapeWriter
from scheduler_core.simulate import RunSession
from tests.dashboard.run_helpers import cluster_of

if TYPE_CHECKING:
    from dashboard.runs.models import Run


def scene_of(person) -> Run:
    """The run of the scene, waiting, whose extenders are declared."""
    run = demo.load_scene(person.member, demo.EXTENDERS)
    assert run is not None
    return run


def tape_of(run: Run) -> bytes:
    """What the declared extenders of a run answer in it, as a tape."""
    inputs = load_inputs(run)
    header = header_for(inputs.configuration.extenders, inputs.objects.nodes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.tape"
        with TapeWriter(path, header, open_source(run, inputs)) as writer:
            RunSession.start(inputs, extenders=writer).advance()
        return path.read_bytes()


def take(person, run: Run, name="recorded"):
    """The tape of a run, uploaded."""
    return take_tape(person.member, None, BytesIO(tape_of(run)), "run.tape", NewText(name, ""))


def like(run: Run, **other) -> Launch:
    """The inputs of a run, some of them others."""
    same = {
        "config": run.config_revision,
        "timeline": run.timeline_revision,
        "schedule": run.schedule,
        "policies": run.policies,
        "seed": run.seed,
    }
    return Launch(run.revision, **{**same, **other})


def started(person, run: Run, **other) -> Run:
    """A new run with the inputs of another one but for some."""
    return actions.create_run(person.member, like(run, **other))


CONFIGURATION = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: http://a.example, filterVerb: filter, prioritizeVerb: scores, weight: 3, nodeCacheCapable: true}
"""
RULES = """extenders:
- filter:
  - {nodes: {matchLabels: {kubernetes.io/hostname: node-0}}, refuse: busy}
  prioritize:
  - {nodes: {matchLabels: {kubernetes.io/hostname: node-1}}, score: 5}
"""


def taped_run(member, n_nodes: int, n_pods: int) -> tuple[Run, str]:
    """A waiting run of a made cluster with a tape, and the hash that it has to have."""
    cluster = Cluster.objects.create(workspace=member.workspace, slug="taped", name="Taped")
    revision = object_store.save_revision(cluster, cluster_of(n_nodes, n_pods), Saving(None))
    rules = ExtenderAnswers(save_declared(member, None, NewText("rules", RULES)))
    launch = Launch(revision, config=save_config(member, None, NewText("one", CONFIGURATION)), answers=rules)
    first = actions.create_run(member, launch)
    tape = take_tape(member, None, BytesIO(tape_of(first)), "run.tape", NewText("taped", ""))
    inputs = load_inputs(first)
    session = RunSession.start(inputs, extenders=open_source(first, inputs))
    session.advance()
    actions.cancel_run(member, first)
    return actions.create_run(member, replace(launch, answers=ExtenderAnswers(tape))), session.recording_hash()
