"""The comparison as CSV: every pod a line, nothing that a spreadsheet computes."""

from __future__ import annotations

import csv
import io

from dashboard.agreement import computing
from dashboard.agreement.export import COLUMNS, csv_lines
from scheduler_core.explain.agreement import (
    BesidePoints,
    BoundPod,
    LikelyCause,
    NodeRefusal,
    PendingPod,
    SchedulerReport,
)
from tests.dashboard.agreement.conftest import PAGE, bound, with_condition
from tests.dashboard.run_helpers import node, pod


def test_a_line_has_the_points_refusals_causes_and_messages():
    bound = [
        BoundPod(
            pod="shop/a",
            node="n1",
            standing="lower",
            best=("n2", "n3"),
            n_best=2,
            n_fitting=3,
            rank=3,
            total=90,
            gap=5,
            points=(BesidePoints("NodeResourcesFit", 1, 40, 45),),
            causes=(LikelyCause("arrivals", tried=True, younger=2, lead=3),),
        ),
        BoundPod(pod="shop/b", node="n1", standing="refused", refusals=(NodeRefusal("NodePorts", ("taken",)),)),
    ]
    report = SchedulerReport(message="=1+1", source="event")
    pending = [
        PendingPod(pod="shop/c", standing="equal", report=report, ours="0/1 nodes", victims=("shop/x", "shop/y"))
    ]
    a, b, c = csv.DictReader(io.StringIO("".join(csv_lines(bound, pending))))
    assert (a["class"], a["ours"], a["rank"], a["total"], a["best_total"]) == ("lower rank", "n2 n3", "3", "90", "95")
    assert a["points"] == "NodeResourcesFit 40 to 45"
    assert a["likely_cause"].startswith("Order of arrivals: 2 pods were made later.")
    assert (b["refused_by"], b["total"]) == ("NodePorts: taken", "")
    assert (c["state"], c["real_message"], c["our_message"], c["victims"]) == (
        "pending",
        "'=1+1",
        "0/1 nodes",
        "shop/x shop/y",
    )


def test_parts_join_to_a_line_a_pod():
    pods = [BoundPod(pod=f"shop/p-{i}", node="n", standing="only_one") for i in range(1_200)]
    parts = list(csv_lines(pods, []))
    assert len(parts) == 3
    lines = "".join(parts).splitlines()
    assert len(lines) == 1_201
    assert lines[0] == ",".join(COLUMNS)


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
