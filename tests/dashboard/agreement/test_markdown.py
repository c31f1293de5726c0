"""The comparison as Markdown."""

from __future__ import annotations

from dashboard.agreement import computing
from tests.dashboard.agreement.conftest import PAGE, bound, with_condition
from tests.dashboard.run_helpers import node, pod


def test_markdown_names_the_differences_and_escapes_what_others_wrote(editor, save, woken):
    save(
        [
            node("node-a"),
            with_condition(pod("wide", "90"), "0/1 nodes | <b>are</b> `here`"),
            bound("b", "node-a", cpu="17"),
        ]
    )
    assert editor.get(f"{PAGE}agreement.md").status_code == 404
    editor.get(PAGE)
    computing.work()
    response = editor.get(f"{PAGE}agreement.md")
    assert response.headers["Content-Disposition"] == 'attachment; filename="prod-r1-agreement.md"'
    told_there = response.content.decode()
    assert "**0 of 1** bound pods agree" in told_there
    assert "| default/b | node-a | no node fits | refused by us, NodeResourcesFit: Insufficient cpu |" in told_there
    assert r"0/1 nodes \| \<b\>are\</b\> \`here\`" in told_there
