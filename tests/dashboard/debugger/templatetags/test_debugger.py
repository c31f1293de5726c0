"""What tags of the debugger write is escaped."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import scene
from tests.dashboard.helpers import assert_strict_csp


def test_names_are_escaped(execute, look):
    manifests = scene()
    manifests[-3]["metadata"]["labels"] = {"x": "y"}
    run = execute(manifests, slug="other", schedule="pending")
    response = look(run, cycle=1, node="<script>alert(1)</script>", q="<b>")
    assert b"<script>alert" not in response.content
    assert_strict_csp(response.content)
