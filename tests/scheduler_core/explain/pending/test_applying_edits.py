"""Edits in JSON made to objects of a run's state, tried on the pod that asks."""

from __future__ import annotations

import json

import pytest

from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.pending.applying_edits import edit_in_state
from scheduler_core.explain.pending.own_change import own_change, would_change_help
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.json_edits import EditProblem
from scheduler_core.simulate import RunInputs, RunSession


def test_an_edit_of_the_template_that_the_pod_is_made_of_is_tried_on_the_pod() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"disk": "ssd"}},
            "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "10"}}}  # fmt: skip
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"nodeSelector": {"disk": "sd"},
                "containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    made_by = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
               "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}}  # fmt: skip
    session = RunSession.start(RunInputs(objects=load_manifests([node, made_by]).objects))
    session.advance(max_cycles=1)
    trials, (pod,) = Trials(session.simulation, session.now_us), session.simulation.world.pods
    edit = {"op": "set", "object": "apps/v1/Deployment/default/web", "path": "/spec/template/spec/nodeSelector/disk"}
    for value, fits in (("ssd", True), ("hdd", False)):
        effect = would_change_help(trials, pod, own_change(json.dumps({**edit, "value": value}))).effect
        assert effect is not None
        assert effect.fits is fits
    other = json.dumps({**edit, "object": "apps/v1/Deployment/default/db", "value": "ssd"})
    with pytest.raises(EditProblem) as refused:
        edit_in_state(session.simulation, session.simulation.world.pods[pod], other)
    assert refused.value.field == "object"
