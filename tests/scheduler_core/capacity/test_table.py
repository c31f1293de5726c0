"""The table of pods by groups: its rows, its cells, the new nodes, and that it goes on where it stopped."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import OwnerReference
from scheduler_core.capacity.groups.model import like
from scheduler_core.capacity.table import AskedTable, owner_of, rows_of
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.capacity.clusters import resting, web

SMALL, LARGE = make_node("small", cpu="2"), make_node("large", cpu="8")
FULL = [web("a", "2", "small"), web("b", "8", "large")]
OTHER = (OwnerReference("ReplicaSet", "etl", "e", controller=True, api_version="apps/v1"),)
GROUPS = [like(SMALL, "small"), like(LARGE, "large")]
WAITING = [*(web(f"w{n}") for n in range(3)), web("etl", "4", owner_references=OTHER)]


def test_pods_of_one_controller_are_a_row_and_equal_ones_without():
    loose = [make_pod(name, cpu="1") for name in ("x", "y")]
    cluster = resting([SMALL], [*WAITING, *loose])
    rows = rows_of(cluster, [*WAITING, *loose])
    assert [[pod.name for pod in row] for row in rows] == [["w0", "w1", "w2"], ["x", "y"], ["etl"]]
    assert [owner_of(row[0]) for row in rows] == ["ReplicaSet/web", "", "ReplicaSet/etl"]


def test_cells_are_of_each_row_alone_and_nodes_of_the_whole_answer():
    gated = web("gated", scheduling_gates=("hold",))
    asked = AskedTable(resting([SMALL, LARGE], [*FULL, *WAITING, gated]), GROUPS)
    assert asked.go_on()
    table = asked.table
    assert [[cell.nodes for cell in row.cells] for row in table.rows] == [[2, 1], [0, 1]]
    assert [(node.group, len(node.pods), node.resource, node.used, node.free) for node in table.places] == [
        ("large", 4, "cpu", 7_000, 8_000)
    ]
    assert [row.pods for row in table.gated] == [("default/gated",)]
    assert (table.done, table.total, table.is_complete) == (6, 6, True)


def test_pods_that_find_a_node_as_it_is_are_beside_each_row():
    asked = AskedTable(resting([SMALL, LARGE], [web("b", "8", "large"), *WAITING]), GROUPS)
    asked.go_on()
    web_row, etl_row = asked.table.rows[1], asked.table.rows[0]
    assert {len(web_row.pods), len(etl_row.pods)} == {1}
    assert (web_row.lacking, etl_row.lacking) == (1, 1)
    assert {cell.nodes for row in (web_row, etl_row) for cell in row.cells} == {0, 1}


def test_what_is_asked_in_steps_is_the_same():
    cluster = resting([SMALL, LARGE], [*FULL, *WAITING])
    stepwise, n_steps = AskedTable(cluster, GROUPS), 1
    while not stepwise.go_on(lambda: True):
        n_steps += 1
        assert stepwise.table.done <= stepwise.table.total
    at_once = AskedTable(cluster, GROUPS)
    at_once.go_on()
    assert n_steps > 6
    assert stepwise.table == at_once.table


def test_the_row_of_one_pod_is_the_answer_itself():
    asked = AskedTable(resting([SMALL, LARGE], [*FULL, *WAITING]), [replace(GROUPS[0], maximum=0)], "default/w1")
    asked.go_on()
    (row,) = asked.table.rows
    assert (row.pods, row.cells) == (("default/w1",), asked.table.answer.groups)
    assert row.cells[0].codes == ("GROUP_MAXIMUM",)
