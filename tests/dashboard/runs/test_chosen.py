"""Which configuration a cluster is looked at with."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound
from dashboard.runs import actions, chosen
from dashboard.runs.actions import Launch
from dashboard.runs.chosen import USABLE, ChosenConfiguration
from dashboard.runs.models import Run, State
from scheduler_core import ENGINE_VERSION
from tests.dashboard.run_helpers import cluster_of


def test_the_configuration_is_that_of_the_clusters_newest_run(editor, save, messages):
    revision = save(cluster_of(2, 2))
    assert chosen.of_cluster(revision.cluster).label == "kube-scheduler defaults"
    actions.create_run(editor.member, Launch(revision, preset="pack-gpus"))
    configuration = chosen.of_cluster(revision.cluster)
    assert (configuration.preset, configuration.name) == ("pack-gpus", "preset:pack-gpus")
    assert chosen.named(revision.cluster.workspace, configuration.name) == configuration


def test_an_unknown_name_is_not_found(workspace):
    with pytest.raises(NotFound):
        chosen.named(workspace, "none")


def test_usable_are_runs_of_this_engine_with_this_configuration_that_end_by_themselves(editor, save, messages):
    revision, other = save(cluster_of(2, 2)), save(cluster_of(2, 3))
    configuration = ChosenConfiguration(preset="pack-gpus")
    runs = [configuration.run_pending(editor.member, revision, f"run {n}") for n in range(7)]
    for run, state in zip(runs, (*USABLE, State.PAUSED, State.FAILED, State.CANCELLED), strict=False):
        Run.objects.filter(pk=run.pk).update(state=state)
    Run.objects.filter(pk=runs[-1].pk).update(engine_version="another")
    Run.objects.filter(pk=runs[0].pk).update(engine_version=ENGINE_VERSION)
    configuration.run_pending(editor.member, other, "of another revision")
    ChosenConfiguration().run_pending(editor.member, revision, "of another configuration")
    assert list(configuration.usable_runs(revision)) == runs[2::-1]


def test_a_run_of_pending_pods_starts_in_the_background_with_the_presets_policies(editor, save, messages):
    run = ChosenConfiguration(preset="pack-gpus").run_pending(
        editor.member, save(cluster_of(2, 2)), "n" * 130, {"owners": "ignore"}
    )
    assert (run.schedule, run.is_background, run.preset, run.name) == ("pending", True, "pack-gpus", "n" * 120)
    assert run.policies == {**ChosenConfiguration(preset="pack-gpus").policies_on(run.revision), "owners": "ignore"}
