"""Groups of nodes against obstacles: what is left without the cause, and what the message counts."""

from __future__ import annotations

from dashboard.debugger.panels.why.causes.obstacle_matrix import SHOWN_COLUMNS, SHOWN_ROWS, obstacle_matrix
from scheduler_core.explain.diagnosis.model import Diagnosis
from tests.dashboard.debugger.panels.why.causes.diagnoses import CPU, TAINT, cause, group, hidden, obstacle


def looks(row):
    return [cell.look for cell in row.cells]


def test_rows_stand_by_what_is_left_without_the_cause():
    matrix = obstacle_matrix(hidden())
    assert [(row.name, row.count, row.n_left, row.is_open) for row in matrix.rows] == [
        ("a, b", 2, 0, True),
        ("c", 1, 1, False),
        ("d", 1, 2, False),
    ]
    letters = [[(one.text, one.is_lit) for one in row.letters] for row in matrix.rows]
    a, b, c = ("A", True), ("B", False), ("C", False)
    assert letters == [[a], [a, b], [a, b, c]]
    assert [one.text for one in matrix.lettered] == ["A", "B", "C"]
    assert (matrix.n_groups, matrix.n_nodes, matrix.n_folded, matrix.is_plain) == (3, 4, 0, False)


def test_an_obstacle_behind_the_plugin_that_is_counted_is_hidden():
    matrix = obstacle_matrix(hidden())
    assert [looks(row) for row in matrix.rows] == [
        ["said", "none", "none"],
        ["hidden", "said", "none"],
        ["hidden", "hidden", "said"],
    ]
    assert [(one.refuses, one.counts, one.is_less, one.is_lit) for one in matrix.columns] == [
        (4, 2, True, True),
        (2, 1, True, False),
        (1, 1, False, False),
    ]
    assert matrix.has_lit
    assert "A" in matrix.note


def test_a_row_has_the_texts_of_its_group_with_their_letters():
    row = obstacle_matrix(hidden()).rows[1]
    assert [("".join(one.text for one in letters), text) for letters, text in row.texts] == [
        ("A", f"{CPU.text} here"),
        ("B", f"{TAINT.text} here"),
    ]
    assert row.nodes == ("c",)


def test_more_than_five_kinds_share_a_column_and_more_than_nine_groups_fold():
    many = [obstacle("TAINT_UNTOLERATED", f"key-{i:02}:NoSchedule") for i in range(SHOWN_ROWS + 3)]
    groups = tuple(group([f"n{i}"], one) for i, one in enumerate(many))
    matrix = obstacle_matrix(Diagnosis(cause=cause(many[0], opens=("n0",)), groups=groups, obstacles=tuple(many)))
    assert (len(matrix.columns), matrix.n_kinds) == (SHOWN_COLUMNS, len(many) - SHOWN_COLUMNS)
    assert (len(matrix.rows), matrix.n_folded, matrix.nodes_folded) == (SHOWN_ROWS, 3, 3)
    beyond = next(row for row in (*matrix.rows, *matrix.folded) if row.name == "n11")
    assert (beyond.kinds, beyond.letters, beyond.unnamed) == ("key-11", (), 1)


def test_nodes_are_named_by_what_they_share_where_they_are_many():
    few = group(["a", "b"], CPU, shared="a, b")
    many = group([f"n{i}" for i in range(5)], CPU, TAINT, shared="zone=a")
    unlike = group([f"m{i}" for i in range(5)], TAINT)
    matrix = obstacle_matrix(Diagnosis(cause=cause(CPU), groups=(few, many, unlike), obstacles=(CPU, TAINT)))
    assert {(row.name, row.shared) for row in matrix.rows} == {("a, b", ""), ("zone=a", ""), ("m0 and 4 more", "")}


def test_one_group_with_one_obstacle_is_no_table_and_no_group_is_none():
    assert obstacle_matrix(Diagnosis(cause=cause(CPU), groups=(group(["a"], CPU),), obstacles=(CPU,))).is_plain
    assert obstacle_matrix(Diagnosis(cause=cause(CPU))) is None
