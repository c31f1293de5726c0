"""Which configuration a cluster is looked at with."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound
from dashboard.runs import actions, chosen
from dashboard.runs.actions import Launch
from tests.dashboard.run_helpers import cluster_of


def test_the_configuration_is_that_of_the_clusters_newest_run(editor, save, messages):
    revision = save(cluster_of(2, 2))
    assert chosen.of_cluster(revision.cluster).label == "kube-scheduler defaults"
    actions.create_run(editor.member, Launch(revision, preset="pack-gpus"))
    found = chosen.of_cluster(revision.cluster)
    assert (found.preset, found.name) == ("pack-gpus", "preset:pack-gpus")
    assert chosen.named(revision.cluster.workspace, found.name) == found


def test_an_unknown_name_is_not_found(workspace):
    with pytest.raises(NotFound):
        chosen.named(workspace, "none")
