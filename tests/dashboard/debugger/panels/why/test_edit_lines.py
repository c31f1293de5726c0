"""The operations of a remedy's edits."""

from __future__ import annotations

from dashboard.debugger.panels.why.edit_lines import edit_lines
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.model import ProposedEdit


def edit(op, object, path, value=None):
    return ProposedEdit(model.CONSTRAINT, "x", op=op, object=object, path=path, value=value)


def test_an_operation_names_the_field_with_a_short_value_and_its_object():
    pod = "v1/Pod/default/web"
    lines = edit_lines(
        [
            edit("set", pod, "/spec/topologySpreadConstraints/0/maxSkew", 2),
            edit("remove", pod, "/spec/volumes/1"),
            edit("set", pod, "/spec/affinity", {"nodeAffinity": {}}),
            edit("set", "v1/Node//a", "/status/allocatable/nvidia.com~1gpu", "8"),
            edit("remove", pod, ""),
        ]
    )
    assert [(one.op, one.field, one.object) for one in lines] == [
        ("set", "maxSkew: 2", "Pod default/web"),
        ("remove", "volumes[1]", "Pod default/web"),
        ("set", "affinity", "Pod default/web"),
        ("set", "nvidia.com/gpu: 8", "Node a"),
        ("remove", "Pod default/web", "Pod default/web"),
    ]


def test_each_is_said_once_and_one_that_was_not_tried_is_not():
    same = edit("remove", "apps/v1/Deployment/shop/web", "/spec")
    (line,) = edit_lines([same, same, ProposedEdit(model.REQUEST, "cpu")])
    assert line.object == "Deployment shop/web"
