"""Where a matrix may differ from the one recorded last."""

from __future__ import annotations

import numpy as np

from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, REASONS, ChangeSet, should_reuse_rows


def array(*rows, read_only=True):
    made = np.array(rows, dtype=np.int64)
    made.flags.writeable = not read_only
    return made


def test_lines_that_change_at_the_same_array_of_rows_are_one_group():
    changes, rows, others = ChangeSet(), array(2), array(2)
    changes.rows(rows, (CODES, 0), (REASONS, 0))
    changes.rows(others, (CODES, 1))
    changes.rows(rows, (DECISIVE, 0))
    assert changes.groups == [(rows, [(CODES, 0), (REASONS, 0), (DECISIVE, 0)]), (others, [(CODES, 1)])]
    assert changes.groups[0][0] is rows


def test_once_recorded_nothing_differs():
    changes = ChangeSet()
    changes.rows(array(1), (CODES, 0))
    changes.whole[(REASONS, 2)] = None
    changes.overlay.add(7)
    changes.recorded(5)
    assert (changes.base_cycle, changes.groups, changes.whole, changes.overlay) == (5, [], {}, set())


def test_an_array_is_reused_where_half_of_its_rows_changed_and_it_cannot_change_itself():
    assert should_reuse_rows(array(1, 2, 3, 4), 2)
    assert not should_reuse_rows(array(1, 2, 3, 4), 1)
    assert not should_reuse_rows(array(1, 2, 3, 4, read_only=False), 4)
    assert not should_reuse_rows(array(), 0)
