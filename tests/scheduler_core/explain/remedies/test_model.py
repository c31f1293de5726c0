"""A proposed edit as an edit of the object alone."""

from __future__ import annotations

from scheduler_core.explain.remedies.model import LABEL, ProposedEdit
from scheduler_core.manifests.writing.json_edits import JsonEdit


def test_an_edit_of_an_object_leaves_what_is_said_of_it_behind() -> None:
    proposed = ProposedEdit(
        LABEL, "tier", after="gold", op="set", object="v1/Node//w1", path="/metadata/labels/tier", value="gold"
    )
    assert proposed.as_json == JsonEdit("set", "v1/Node//w1", "/metadata/labels/tier", "gold")
