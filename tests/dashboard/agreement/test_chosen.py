"""Which configuration a cluster is compared by."""

from __future__ import annotations

from dashboard.agreement import chosen, why_actions
from dashboard.runs import actions
from dashboard.runs.actions import Launch


def test_the_configuration_is_that_of_the_clusters_newest_run(editor, dumped, messages):
    assert chosen.of_cluster(dumped.cluster).label == "kube-scheduler defaults"
    actions.create_run(editor.member, Launch(dumped, preset="pack-gpus"))
    run = why_actions.run_of(editor.member, dumped, "default/wide")
    assert (run.preset, run.number) == ("pack-gpus", 2)
    assert why_actions.fresh_run(dumped, chosen.ChosenConfiguration()) is None
